//! Number formats: the text that Excel shows for a number, and whether the number is a date, a duration or a plain
//! number. All file formats use this module, so a number format always means the same.
//!
//! A date stays a date and a duration a duration, whatever the format. A code (`00000`, `"WO-"000000`) becomes the text
//! that Excel shows. Grouping, decimals and currencies depend on the user's country, so they are ignored.

use std::{collections::HashMap, sync::Arc};

use crate::{
    Cell, CellRef,
    serial::{self, SerialDate},
};

/// Excel allows no longer format. A longer one is ignored.
const MAX_CODE_LENGTH: usize = 4_096;
/// The sections for positive, negative, zero and text.
const MAX_SECTIONS: usize = 4;

/// A code with more literals and placeholders is ignored.
const MAX_PIECES: usize = 80;
/// Numbers from here on have more digits than Excel stores.
const MIN_ROUNDED_VALUE: f64 = 1e15;
const CURRENCIES: [char; 5] = ['$', '€', '£', '¥', '¤'];

/// A parsed number format, which is applied to many cells.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberFormat {
    /// The sections for numbers: one to three, or none for the general format.
    sections: Vec<Section>,
}

impl NumberFormat {
    /// Parses a code, for example `[Red]00000;-00000`, or a format's name in XML spreadsheets of 2003. A code that
    /// can't be parsed leaves numbers unchanged.
    pub(crate) fn parse(code: &str) -> Self {
        let code = code_of_name(code).unwrap_or(code);
        if code.len() > MAX_CODE_LENGTH || code.trim().is_empty() {
            return Self::general();
        }
        let mut parts: Vec<Section> = split_sections(code).into_iter().map(Section::parse).collect();
        // Four sections are for positive numbers, negative numbers, zero and text. If there are fewer, the last one may
        // be for texts.
        let last_is_text = parts.last().is_some_and(|last| last.content == Content::Text);
        if parts.len() >= MAX_SECTIONS || (parts.len() > 1 && last_is_text) {
            parts.truncate(parts.len().min(MAX_SECTIONS) - 1);
        }
        Self { sections: parts }
    }

    /// Returns a built-in format, or `None` if this number isn't built in.
    pub(crate) fn builtin(id: u32) -> Option<Self> {
        builtin_code(id).map(Self::parse)
    }

    /// Returns the format that leaves numbers unchanged.
    pub(crate) fn general() -> Self {
        Self { sections: Vec::new() }
    }

    /// Returns whether the first section shows hours beyond a day (`[h]:mm`).
    pub(crate) fn is_duration(&self) -> bool {
        self.sections.first().is_some_and(|section| section.content == Content::Duration)
    }

    /// Converts a number in this format to a cell: a date, a duration, or a number with the text that Excel shows.
    pub(crate) fn cell(&self, value: f64, is_1904: bool) -> Cell {
        let index = self.section_index(value);
        match index.and_then(|index| self.sections.get(index)) {
            Some(Section { content: Content::Code(code), .. }) if value.is_finite() => {
                let signed = value < 0.0 && index.is_some_and(|index| !self.is_for_negatives(index));
                match code.show(value, signed) {
                    Some(shown) => Cell::number_shown(value, shown),
                    None => Cell::number(value),
                }
            }
            section => cell_without_code(section, value, is_1904).to_cell(),
        }
    }

    /// Returns the cell for a number, or `None` if the format may show a text.
    fn cell_without_text(&self, value: f64, is_1904: bool) -> Option<CellRef<'static>> {
        let section = match self.sections.as_slice() {
            [only] if only.condition.is_none() => Some(only),
            sections => self.section_index(value).and_then(|index| sections.get(index)),
        };
        let has_code = section.is_some_and(|section| matches!(section.content, Content::Code(_)));
        (!has_code).then(|| cell_without_code(section, value, is_1904))
    }

    /// Returns the index of the section for a value, or `None` if no section applies to it.
    fn section_index(&self, value: f64) -> Option<usize> {
        let condition = |index: usize| self.sections.get(index).and_then(|section| section.condition);
        let count = self.sections.len();
        let (first, second) = (condition(0), condition(1));
        if first.is_some() || second.is_some() {
            let is_met = |condition: Option<Condition>| condition.is_some_and(|own| own.is_met_by(value));
            if first.map_or(value > 0.0, |own| own.is_met_by(value)) {
                return Some(0);
            }
            if is_met(second) || (second.is_none() && count == 2) || (second.is_none() && count > 2 && value < 0.0) {
                return Some(1);
            }
            return (count > 2).then_some(2);
        }
        match count {
            0 => None,
            1 => Some(0),
            2 => Some(usize::from(value < 0.0)),
            _ if value > 0.0 => Some(0),
            _ if value < 0.0 => Some(1),
            _ => Some(2),
        }
    }

    /// Returns whether a section is for negative numbers only. Such a section shows them without an added sign.
    fn is_for_negatives(&self, index: usize) -> bool {
        match self.sections.get(index).and_then(|section| section.condition) {
            Some(condition) => condition.is_negative_only(),
            None => index == 1,
        }
    }
}

/// Returns the cell for a number whose section has no code. Without a section, the number is left unchanged.
fn cell_without_code(section: Option<&Section>, value: f64, is_1904: bool) -> CellRef<'static> {
    match section.map(|section| &section.content) {
        Some(Content::Date) => match serial::date_from_serial(value, is_1904) {
            Some(SerialDate::DateTime(milliseconds)) => CellRef::of_milliseconds(milliseconds),
            Some(SerialDate::TimeOfDay(ticks)) => CellRef::of_duration(ticks),
            None => CellRef::of_number(value),
        },
        Some(Content::Duration) => {
            serial::duration_ticks(value).map_or_else(|| CellRef::of_number(value), CellRef::of_duration)
        }
        Some(Content::Code(_) | Content::Text | Content::Plain) | None => CellRef::of_number(value),
    }
}

/// The number formats of a workbook, by the index of the cell format.
#[derive(Debug, Default)]
pub(crate) struct CellFormats(Vec<Arc<NumberFormat>>);

impl CellFormats {
    /// Creates the list from the number format of each cell format (`used`). The formats that the file defines
    /// (`codes`) take precedence over built-in ones.
    pub(crate) fn new(used: &[u32], codes: HashMap<u32, NumberFormat>) -> Self {
        let mut known: HashMap<u32, Arc<NumberFormat>> =
            codes.into_iter().map(|(id, format)| (id, Arc::new(format))).collect();
        let mut format = |id: u32| {
            let builtin = || Arc::new(NumberFormat::builtin(id).unwrap_or_else(NumberFormat::general));
            Arc::clone(known.entry(id).or_insert_with(builtin))
        };
        Self(used.iter().map(|&id| format(id)).collect())
    }

    /// Creates the list from the number format's code of each cell format.
    pub(crate) fn from_codes<'c>(codes: impl Iterator<Item = &'c str>) -> Self {
        let mut known: HashMap<&str, Arc<NumberFormat>> = HashMap::new();
        let format = |code| Arc::clone(known.entry(code).or_insert_with(|| Arc::new(NumberFormat::parse(code))));
        Self(codes.map(format).collect())
    }

    /// Returns whether the cell format exists. The first one exists even without styles.
    pub(crate) fn contains(&self, format: usize) -> bool {
        format < self.0.len().max(1)
    }

    /// Calls `use_cell` with the cell for a number in this cell format. Without such a format, the number is left
    /// unchanged.
    pub(crate) fn with_cell<T>(
        &self,
        format: usize,
        value: f64,
        is_1904: bool,
        use_cell: impl FnOnce(CellRef<'_>) -> T,
    ) -> T {
        let Some(format) = self.0.get(format) else { return use_cell(CellRef::of_number(value)) };
        match format.cell_without_text(value, is_1904) {
            Some(cell) => use_cell(cell),
            None => use_cell(format.cell(value, is_1904).as_ref()),
        }
    }
}

/// Returns the code of a built-in format by its number (ECMA-376 part 1, 18.8.30). Currency formats depend on the
/// country, so they are replaced by `General`.
pub(crate) fn builtin_code(id: u32) -> Option<&'static str> {
    Some(match id {
        0 | 1 | 3..=8 | 12 | 13 | 23..=26 | 37..=44 | 49 | 59..=70 => "General",
        2 => "0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        48 => "##0.0E+0",
        // 27 to 36 and 50 to 58 are defined for the languages of East Asia only.
        14..=17 | 22 | 27..=31 | 36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
        18..=21 | 32..=35 | 55 | 56 => "h:mm:ss",
        45 | 47 => "mm:ss",
        46 => "[h]:mm:ss",
        _ => return None,
    })
}

/// Returns the code of a format by its name in XML spreadsheets of 2003. Letter case is ignored.
fn code_of_name(name: &str) -> Option<&'static str> {
    Some(match name.trim().to_ascii_lowercase().as_str() {
        "general" | "general number" | "currency" | "euro currency" | "fixed" | "standard" | "percent"
        | "scientific" => "General",
        "general date" | "long date" | "medium date" | "short date" => "yyyy-mm-dd",
        "long time" | "medium time" | "short time" => "h:mm:ss",
        "yes/no" => "\"Yes\";\"Yes\";\"No\"",
        "true/false" => "\"True\";\"True\";\"False\"",
        "on/off" => "\"On\";\"On\";\"Off\"",
        _ => return None,
    })
}

/// A section of a number format: its condition, and the content that it shows for a number.
#[derive(Debug, Clone, PartialEq)]
struct Section {
    condition: Option<Condition>,
    content: Content,
}

/// The content that a section shows for a number.
#[derive(Debug, Clone, PartialEq)]
enum Content {
    Date,
    Duration,
    /// Digits and literals. An empty code hides the number.
    Code(Code),
    /// The section is for texts, because it has an `@`.
    Text,
    /// The number is shown unformatted.
    Plain,
}

/// A condition on the value, such as `[<100]`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Condition {
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
    fn is_met_by(self, value: f64) -> bool {
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
    fn is_negative_only(self) -> bool {
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
    /// A character with a special meaning, for example a placeholder.
    Sign(char),
    General,
}

/// Splits a code into its sections, at semicolons that are neither quoted, escaped nor in brackets.
fn split_sections(code: &str) -> Vec<&str> {
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
    fn parse(text: &str) -> Self {
        let Some(tokens) = tokenize(text) else { return Self { condition: None, content: Content::Plain } };
        let brackets = || {
            tokens.iter().filter_map(|token| match token {
                Token::Bracket(inside) => Some(inside.as_str()),
                _ => None,
            })
        };
        let condition = brackets().find_map(Condition::parse);
        Self { condition, content: parse_content(&tokens, brackets().any(is_elapsed)) }
    }
}

fn parse_content(tokens: &[Token], has_elapsed: bool) -> Content {
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

/// Returns whether a bracket shows an elapsed time in hours, minutes or seconds, such as `[h]` for hours beyond a day.
fn is_elapsed(inside: &str) -> bool {
    let mut letters = inside.chars().map(|letter| letter.to_ascii_lowercase());
    let Some(first) = letters.next().filter(|letter| matches!(letter, 'h' | 'm' | 's')) else { return false };
    letters.all(|letter| letter == first)
}

/// Returns whether the characters belong to a date. Digits are only allowed as fractions of a second.
fn is_date(signs: &str) -> bool {
    let signs = signs.to_ascii_lowercase().replace("am/pm", "h").replace("a/p", "h");
    // A weekday, a week or the year of an era alone doesn't identify a day.
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
fn tokenize(text: &str) -> Option<Vec<Token>> {
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
                // A skipped width (`_`) and a fill character (`*`) aren't part of a code.
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
struct Code {
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
    /// Creates a code from tokens. Returns `None` for a token that isn't part of a code, such as a decimal point, a
    /// comma or a percent sign.
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
    fn show(&self, value: f64, signed: bool) -> Option<String> {
        let positive = value.abs();
        if positive >= MIN_ROUNDED_VALUE || (!self.adds_text && value != 0.0) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CellKind;

    fn shown_text(format: &str, value: f64) -> String {
        NumberFormat::parse(format).cell(value, false).shown().into_owned()
    }

    #[test]
    fn codes_are_shown_as_excel_shows_them() {
        for (format, value, expected) in [
            ("00000", 123.0, "00123"),
            ("00000", 1_234_567.0, "1234567"),
            ("00000", -1.0, "-00001"),
            ("00000", 1.5, "00002"),
            ("000-000", 123_456.0, "123-456"),
            ("000-000", 9_123_456.0, "9123-456"),
            ("\"WO-\"000000", 260_001.0, "WO-260001"),
            ("\\A0", 7.0, "A7"),
            ("0000;-0000", 5.0, "0005"),
            ("[Blue]000", 50.0, "050"),
            ("[Color 12]000", 50.0, "050"),
            ("[$-407]00000", 50.0, "00050"),
            ("[Red]000;[Blue]\"N\"000", -7.0, "N007"),
            ("000_);(000)", 7.0, "007"),
            ("000_);(000)", -7.0, "(007)"),
            ("* 0000", 7.0, "0007"),
            ("[<100]000;00000", 7.0, "007"),
            ("[<100]000;00000", 700.0, "00700"),
            ("[<100]000;00000", -7.0, "-007"),
            ("[>=1000]\"A\"0;[>=10]\"B\"0;\"C\"00", 1000.0, "A1000"),
            ("[>=1000]\"A\"0;[>=10]\"B\"0;\"C\"00", 10.0, "B10"),
            ("[>=1000]\"A\"0;[>=10]\"B\"0;\"C\"00", 9.0, "C09"),
            ("[=5]\"five\";000", 5.0, "five"),
            ("[<>5]000;\"five\"", 4.0, "004"),
            ("000;-000;;@", 0.0, ""),
            ("0;-0;;@", 0.0, ""),
            ("0;-0;;@", 3.0, "3"),
            ("000;-000;\"none\"", 0.0, "none"),
            ("000;-000;\"none\"", -3.0, "-003"),
            ("#", 0.0, ""),
            ("# ##0", 1234.0, "1234"),
            ("###-###", 123_456.0, "123-456"),
            ("_(* #,##0_);_(* (#,##0);_(* \"-\"??_);_(@_)", 0.0, "-"),
            ("00:00", 630.0, "06:30"),
            ("0_ ;[Red]-0 ", -1.5, "-1.5"),
            (";;;", 12.0, ""),
            ("\"A\"General", 12.5, "A12.5"),
            ("0000年", 26.0, "0026年"),
        ] {
            assert_eq!(shown_text(format, value), expected, "{format} of {value}");
        }
    }

    #[test]
    fn all_other_formats_leave_the_number_alone() {
        for format in [
            "General",
            "0",
            "0.00",
            "#,##0",
            "0%",
            "@",
            "0.00E+00",
            "\"open",
            "# ?/?",
            "[$€-407] #,##0.00",
            "",
            "[",
            "\\",
            "_(* #,##0_);_(* (#,##0);_(* \"-\"_);_(@_)",
            "0 Stk",
            "$0",
            "[Red]",
            "[h",
        ] {
            let cell = NumberFormat::parse(format).cell(12.0, false);
            assert_eq!((cell.kind(), &*cell.shown()), (CellKind::Number, "12"), "{format}");
        }
        assert_eq!(shown_text(&"0".repeat(9_000), 12.0), "12");
        assert_eq!(shown_text("000", 1e15), Cell::number(1e15).shown());
    }

    #[test]
    fn dates_and_durations_are_told_from_numbers() {
        for (format, kind) in [
            ("yyyy-mm-dd", CellKind::DateTime),
            ("[$-407]dd/mm/yyyy;@", CellKind::DateTime),
            ("[Red]d.m.yy", CellKind::DateTime),
            ("h:mm AM/PM", CellKind::DateTime),
            ("[$-404]e/m/d", CellKind::DateTime),
            ("m\"M\"d\"D\";@", CellKind::DateTime),
            ("ss.000", CellKind::DateTime),
            ("[h]:mm", CellKind::Duration),
            ("[hh]:mm:ss;-[hh]:mm:ss", CellKind::Duration),
            ("[mm]:ss", CellKind::Duration),
            ("[Red][s]", CellKind::Duration),
            ("General Date", CellKind::DateTime),
            ("Short Time", CellKind::DateTime),
            ("[Red]0", CellKind::Number),
            ("[Red]#,##0;[Blue]-#,##0", CellKind::Number),
            ("\"days\" 0", CellKind::Number),
            ("General\" days\"", CellKind::Number),
            ("0.0\\d", CellKind::Number),
            ("Standard", CellKind::Number),
            ("[<1]0.0;yyyy-mm-dd", CellKind::DateTime),
        ] {
            assert_eq!(NumberFormat::parse(format).cell(46_349.5, false).kind(), kind, "{format}");
        }
        for id in [14, 22, 27, 36, 45, 47, 50, 58] {
            let format = NumberFormat::builtin(id).unwrap();
            assert_eq!(format.cell(46_349.5, false).kind(), CellKind::DateTime, "{id}");
        }
        assert_eq!(NumberFormat::builtin(46).unwrap().cell(1.5, false).kind(), CellKind::Duration);
        for id in [0, 4, 5, 8, 23, 26, 37, 44, 48, 49, 63, 66, 164, 400] {
            let format = NumberFormat::builtin(id).unwrap_or_else(NumberFormat::general);
            assert_eq!(format.cell(46_349.5, false).kind(), CellKind::Number, "{id}");
        }
    }
}
