//! The types and values of cells: which of them calamine reads correctly, and the values that replace calamine's.

/// Errors that calamine knows. It refuses the whole sheet for any other.
pub(super) const KNOWN_ERRORS: [&str; 7] = ["#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"];

/// The `t` attribute of a cell.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellType {
    #[default]
    Absent,
    Number,
    Shared,
    Text,
    Inline,
    Boolean,
    Error,
    IsoDate,
    Unknown,
}

impl CellType {
    pub(super) fn from_attribute(text: &str) -> Self {
        match text {
            "n" => Self::Number,
            "s" => Self::Shared,
            "str" => Self::Text,
            "inlineStr" | "is" => Self::Inline,
            "b" => Self::Boolean,
            "e" => Self::Error,
            "d" => Self::IsoDate,
            _ => Self::Unknown,
        }
    }
}

/// A value of a cell that calamine can't read. It replaces calamine's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellNote {
    /// The cell's number in its sheet, from 0, in the order of the file.
    pub(super) cell: u64,
    pub(super) value: NoteValue,
}

/// A kind of value that calamine has no type for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NoteValue {
    /// A formula whose result was never calculated.
    UncalculatedFormula,
    Unreadable,
    /// An error as Excel names it.
    Error(String),
    /// A number in an unusual notation.
    Number(f64),
}

/// Returns whether calamine returns a date, a time or a duration exactly as it is written.
pub(super) fn is_plain_iso_date(text: &str) -> bool {
    text.trim() == text && !text.contains(char::is_control)
}

/// Returns whether all readers read the same number from a text.
pub(super) fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(text, power)| (text, Some(power)));
    let (integer, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(text, part)| (text, Some(part)));
    let power = exponent.map(|power| power.strip_prefix(['-', '+']).unwrap_or(power));
    digits(integer) && fraction.is_none_or(digits) && power.is_none_or(digits)
}

/// Returns whether a boolean attribute is true.
pub(super) fn is_true(text: &str) -> bool {
    matches!(text.trim(), "1" | "true" | "on")
}
