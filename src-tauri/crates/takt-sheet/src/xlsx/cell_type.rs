//! The types that a cell of an xlsx can have.

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
    Moment,
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
            "d" => Self::Moment,
            _ => Self::Unknown,
        }
    }
}
