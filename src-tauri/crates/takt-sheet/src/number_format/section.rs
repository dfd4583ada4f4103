//! A section of a number format: its condition, and the text that it shows for a number.

use crate::Cell;

/// A code with more literals and placeholders is ignored.
const MAX_PIECES: usize = 80;
/// Numbers from here on have more digits than Excel stores.
const ROUNDED_FROM: f64 = 1e15;
const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '¤'];

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Section {
    pub(super) condition: Option<Condition>,
    pub(super) content: Content,
}

/// The content that a section shows for a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Date,
    Duration,
    /// Digits and literals. An empty code hides the number.
    Code(Code),
    /// For texts, because it has an `@`.
    Text,
    /// The number itself.
    Plain,
}

/// A condition on the value, such as `[<100]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Condition {
    comparison: Comparison,
    limit: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl Condition {
    pub(super) fn is_met_by(self, value: f64) -> bool {
        match self.comparison {
            Comparison::Less => value < self.limit,
            Comparison::LessOrEqual => value <= self.limit,
            Comparison::Equal => value == self.limit,
            Comparison::NotEqual => value != self.limit,
            Comparison::GreaterOrEqual => value >= self.limit,
            Comparison::Greater => value > self.limit,
        }
    }

    /// Returns whether only negative numbers can meet the condition.
    pub(super) fn is_negative_only(self) -> bool {
        match self.comparison {
            Comparison::Less => self.limit <= 0.0,
            Comparison::LessOrEqual | Comparison::Equal => self.limit < 0.0,
            _ => false,
        }
    }

    fn parse(inside: &str) -> Option<Self> {
        let signs = [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<>", Comparison::NotEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
            ("=", Comparison::Equal),
        ];
        let (sign, comparison) = signs.into_iter().find(|(sign, _)| inside.starts_with(sign))?;
        let limit: f64 = inside.get(sign.len()..)?.trim().parse().ok()?;
        limit.is_finite().then_some(Self { comparison, limit })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Literal(char),
    /// The content of brackets.
    Bracket(String),
    /// A character with a meaning.
    Sign(char),
    General,
}

/// Splits a code into its sections, at semicolons that are neither quoted, escaped nor in brackets.
pub(super) fn split(code: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut quoted, mut bracket, mut skip) = (0, false, false, false);
    for (at, character) in code.char_indices() {
        if std::mem::take(&mut skip) {
            continue;
        }
        match character {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '\\' | '_' | '*' => skip = true,
            '[' => bracket = true,
            ']' => bracket = false,
            ';' if !bracket => {
                parts.extend(code.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(code.get(from..));
    parts
}

impl Section {
    /// Parses a section. One that can't be parsed leaves the number unchanged.
    pub(super) fn parse(text: &str) -> Self {
        let Some(tokens) = tokens(text) else { return Self { condition: None, content: Content::Plain } };
        let brackets = || {
            tokens.iter().filter_map(|token| match token {
                Token::Bracket(inside) => Some(inside.as_str()),
                _ => None,
            })
        };
        let condition = brackets().find_map(Condition::parse);
        Self { condition, content: content(&tokens, brackets().any(is_elapsed)) }
    }
}

fn content(tokens: &[Token], has_elapsed: bool) -> Content {
    let sign = |token: &Token| if let Token::Sign(sign) = token { Some(*sign) } else { None };
    let signs: String = tokens.iter().filter_map(sign).collect();
    if signs.contains('@') {
        return Content::Text;
    }
    if has_elapsed {
        return Content::Duration;
    }
    if is_date(&signs) {
        return Content::Date;
    }
    // A section with only a color shows the number unchanged.
    let only_brackets = !tokens.is_empty() && tokens.iter().all(|token| matches!(token, Token::Bracket(_)));
    if only_brackets || is_money(tokens) {
        return Content::Plain;
    }
    Code::from_tokens(tokens).map_or(Content::Plain, Content::Code)
}

/// Returns whether a bracket counts hours, minutes or seconds beyond their bounds.
fn is_elapsed(inside: &str) -> bool {
    let mut letters = inside.chars().map(|letter| letter.to_ascii_lowercase());
    let Some(first) = letters.next().filter(|letter| matches!(letter, 'h' | 'm' | 's')) else { return false };
    letters.all(|letter| letter == first)
}

/// Returns whether the characters are those of a date. Digits may only be fractions of a second.
fn is_date(signs: &str) -> bool {
    let signs = signs.to_ascii_lowercase().replace("am/pm", "h").replace("a/p", "h");
    // A weekday, a week or the year of an era alone doesn't name a day.
    let has_part = signs.contains(['y', 'm', 'd', 'h', 's']);
    let fraction = |from: usize| signs.get(..from).is_some_and(|before| before.trim_end_matches('0').ends_with('.'));
    let mut digits = signs.char_indices().filter(|(_, sign)| matches!(sign, '0' | '#' | '?'));
    has_part && digits.all(|(at, sign)| sign == '0' && fraction(at))
}

fn is_money(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| match token {
        Token::Bracket(inside) => {
            inside.strip_prefix('$').is_some_and(|rest| !rest.is_empty() && !rest.starts_with('-'))
        }
        Token::Sign(sign) | Token::Literal(sign) => CURRENCIES.contains(sign),
        Token::General => false,
    })
}

/// Splits a section into tokens. Returns `None` if a quote, a bracket or an escape isn't finished.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("general")) {
            tokens.push(Token::General);
            rest = rest.get(7..)?;
            continue;
        }
        rest = rest.get(character.len_utf8()..)?;
        match character {
            '"' => {
                let (quoted, after) = rest.split_once('"')?;
                tokens.extend(quoted.chars().map(Token::Literal));
                rest = after;
            }
            '[' => {
                let (inside, after) = rest.split_once(']')?;
                tokens.push(Token::Bracket(inside.to_owned()));
                rest = after;
            }
            '\\' | '_' | '*' => {
                let next = rest.chars().next()?;
                rest = rest.get(next.len_utf8()..)?;
                // A skipped width and a fill character aren't part of a code.
                if character == '\\' {
                    tokens.push(Token::Literal(next));
                }
            }
            ' ' | '(' | ')' | '!' | '^' | '&' | '\'' | '~' | '{' | '}' | '<' | '>' | '=' | ':' => {
                tokens.push(Token::Literal(character));
            }
            _ if !character.is_ascii() && !CURRENCIES.contains(&character) => tokens.push(Token::Literal(character)),
            _ => tokens.push(Token::Sign(character)),
        }
    }
    Some(tokens)
}

/// Literals, and placeholders for the digits of an integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    pieces: Vec<Piece>,
    /// Whether the section shows more than the number itself. If not, the section matters only for zero, which it may
    /// hide.
    adds_text: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// Shows a digit, or 0 if there is none.
    Zero,
    /// Shows a digit if there is one.
    Digit,
    Literal(char),
    /// The number in the General format.
    General,
}

impl Code {
    /// Creates a code from tokens. Returns `None` if a token's meaning depends on the user's country.
    fn from_tokens(tokens: &[Token]) -> Option<Self> {
        let mut pieces = Vec::new();
        for token in tokens {
            pieces.push(match token {
                Token::Bracket(_) => continue,
                Token::General => Piece::General,
                Token::Literal(character) | Token::Sign(character @ ('-' | '+')) => Piece::Literal(*character),
                Token::Sign('0') => Piece::Zero,
                Token::Sign('#' | '?') => Piece::Digit,
                Token::Sign(_) => return None,
            });
        }
        let count = |wanted: Piece| pieces.iter().filter(|piece| **piece == wanted).count();
        let (zeros, general) = (count(Piece::Zero), count(Piece::General));
        // A leading sign, blanks and brackets are part of a number. Any other literal makes it a code.
        let has_literal = pieces.iter().enumerate().any(|(index, piece)| match piece {
            Piece::Literal(' ' | '(' | ')') => false,
            Piece::Literal('-' | '+') => index > 0,
            Piece::Literal(_) => true,
            _ => false,
        });
        let is_valid = general == 0 || (general == 1 && zeros == 0 && count(Piece::Digit) == 0);
        let adds_text = zeros >= 2 || has_literal || pieces.is_empty();
        (is_valid && pieces.len() <= MAX_PIECES).then_some(Self { pieces, adds_text })
    }

    /// Returns the text that the cell shows. Returns `None` if the number itself shows the same, or has more digits
    /// than Excel stores. With `signed`, a minus is added.
    pub(super) fn show(&self, value: f64, signed: bool) -> Option<String> {
        let positive = value.abs();
        if positive >= ROUNDED_FROM || (!self.adds_text && value != 0.0) {
            return None;
        }
        let rounded = format!("{:.0}", positive.round());
        let mut digits: Vec<char> = if rounded == "0" { Vec::new() } else { rounded.chars().collect() };
        let is_placeholder = |piece: &Piece| matches!(piece, Piece::Zero | Piece::Digit);
        let mut placeholders_left = self.pieces.iter().filter(|piece| is_placeholder(piece)).count();
        let mut shown: Vec<char> = Vec::new();
        for piece in self.pieces.iter().rev() {
            match piece {
                Piece::Literal(character) => shown.push(*character),
                Piece::General => shown.extend(Cell::number(positive).shown().chars().rev()),
                Piece::Zero => shown.push(digits.pop().unwrap_or('0')),
                Piece::Digit => shown.extend(digits.pop()),
            }
            if is_placeholder(piece) {
                placeholders_left -= 1;
                // The first placeholder shows all remaining digits.
                if placeholders_left == 0 {
                    shown.extend(digits.drain(..).rev());
                }
            }
        }
        if signed && rounded != "0" {
            shown.push('-');
        }
        let shown: String = shown.iter().rev().collect();
        (shown.trim() != Cell::number(value).shown()).then_some(shown)
    }
}
