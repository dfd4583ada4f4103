//! One section of a number format: its condition, and what it makes of a number.

use crate::Cell;

/// The longest code that is made up of a format.
const MAX_PIECES: usize = 80;
/// From here on a number has more digits than Excel keeps.
const ROUNDED_FROM: f64 = 1e15;
const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '¤'];

/// A section.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Section {
    pub(super) condition: Option<Condition>,
    pub(super) content: Content,
}

/// What a section makes of a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Content {
    Date,
    Duration,
    /// Digits and literals; nothing at all hides the number.
    Code(Code),
    /// For texts: it has an `@`.
    Text,
    /// The number itself.
    Plain,
}

/// `[<100]`
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

    /// Whether no other number than a negative one can be meant.
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

/// A part of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Literal(char),
    /// What stands in brackets.
    Bracket(String),
    /// A letter or sign that means something.
    Sign(char),
    General,
}

/// The sections of a code, cut at semicolons that are neither quoted, escaped nor in brackets.
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
    /// What can't be understood leaves the number as it is.
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
    // A section with nothing but a colour shows the number as it is.
    let only_brackets = !tokens.is_empty() && tokens.iter().all(|token| matches!(token, Token::Bracket(_)));
    if only_brackets || is_money(tokens) {
        return Content::Plain;
    }
    Code::of(tokens).map_or(Content::Plain, Content::Code)
}

/// Whether a bracket counts hours, minutes or seconds beyond their bounds.
fn is_elapsed(inside: &str) -> bool {
    let mut letters = inside.chars().map(|letter| letter.to_ascii_lowercase());
    let Some(first) = letters.next().filter(|letter| matches!(letter, 'h' | 'm' | 's')) else { return false };
    letters.all(|letter| letter == first)
}

/// Parts of a date, and digits only as fractions of a second.
fn is_date(signs: &str) -> bool {
    let signs = signs.to_ascii_lowercase().replace("am/pm", "h").replace("a/p", "h");
    // A weekday, a week or a year of an era alone says no day.
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

/// `None` where a quote, a bracket or an escape isn't finished.
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
                // A width that is left free, or a letter that fills the cell, is no part of a code.
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

/// Literals and placeholders for the digits of a whole number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    pieces: Vec<Piece>,
    /// Whether it says more than the number does. Otherwise it matters only to zero, which it may hide.
    adds: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// Shows a digit, and 0 where there is none.
    Zero,
    /// Shows a digit where there is one.
    Digit,
    Literal(char),
    /// The number as it is.
    General,
}

impl Code {
    /// `None` where what the format adds is the reader's country's matter.
    fn of(tokens: &[Token]) -> Option<Self> {
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
        // A sign in front, blanks and brackets are how a number is written; any other letter makes a code of it.
        let names = pieces.iter().enumerate().any(|(index, piece)| match piece {
            Piece::Literal(' ' | '(' | ')') => false,
            Piece::Literal('-' | '+') => index > 0,
            Piece::Literal(_) => true,
            _ => false,
        });
        let sound = general == 0 || (general == 1 && zeros == 0 && count(Piece::Digit) == 0);
        let adds = zeros >= 2 || names || pieces.is_empty();
        (sound && pieces.len() <= MAX_PIECES).then_some(Self { pieces, adds })
    }

    /// What the cell shows; `None` where the number itself says as much, or has more digits than Excel keeps. With `signed` a
    /// minus is put in front.
    pub(super) fn show(&self, value: f64, signed: bool) -> Option<String> {
        let positive = value.abs();
        if positive >= ROUNDED_FROM || (!self.adds && value != 0.0) {
            return None;
        }
        let rounded = format!("{:.0}", positive.round());
        let mut digits: Vec<char> = if rounded == "0" { Vec::new() } else { rounded.chars().collect() };
        let is_place = |piece: &Piece| matches!(piece, Piece::Zero | Piece::Digit);
        let mut left = self.pieces.iter().filter(|piece| is_place(piece)).count();
        let mut shown: Vec<char> = Vec::new();
        for piece in self.pieces.iter().rev() {
            match piece {
                Piece::Literal(character) => shown.push(*character),
                Piece::General => shown.extend(Cell::number(positive).shown().chars().rev()),
                Piece::Zero => shown.push(digits.pop().unwrap_or('0')),
                Piece::Digit => shown.extend(digits.pop()),
            }
            if is_place(piece) {
                left -= 1;
                // The first placeholder takes all digits that are left.
                if left == 0 {
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
