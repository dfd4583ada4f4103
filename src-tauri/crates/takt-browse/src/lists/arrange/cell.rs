//! Converts values to cells for sorting and filtering, and finds them in rows.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;
use takt_contract::{FieldKind, wire};

/// The maximum bytes of a text in a column. Of a longer text, only the beginning is stored.
const MAX_TEXT_LENGTH: usize = 1_000;

/// A value for sorting and filtering.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Empty,
    /// A number, ticks, the length of a list, or 0 and 1 for false and true.
    Number(f64),
    /// Microseconds of the site's local time, with the original text.
    Time(f64, Box<str>),
    Text(Box<str>),
    /// The beginning of a longer text.
    Cut(Box<str>),
}

impl Cell {
    pub(super) fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) | Self::Time(number, _) => Some(*number),
            Self::Empty | Self::Text(_) | Self::Cut(_) => None,
        }
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Empty => "".into(),
            Self::Number(number) => number.to_string().into(),
            Self::Time(_, text) | Self::Text(text) | Self::Cut(text) => (&**text).into(),
        }
    }
}

/// The path of a column's values in a row, with their kind.
#[derive(Debug, Clone)]
pub(super) struct ColumnSource {
    pub(super) name: String,
    path: Vec<String>,
    kind: Option<FieldKind>,
    zone: TimeZone,
}

impl ColumnSource {
    pub(super) fn new(name: &str, path: Vec<String>, kind: Option<FieldKind>, zone: &TimeZone) -> Self {
        Self { name: name.to_owned(), path, kind, zone: zone.clone() }
    }

    pub(super) fn find<'a>(&self, row: &'a Value) -> Option<&'a Value> {
        self.path.iter().try_fold(row, |value, name| value.get(name))
    }

    pub(super) fn first_member(&self) -> Option<&str> {
        self.path.first().map(String::as_str)
    }

    pub(super) fn starts_with_member(&self, name: &str) -> bool {
        self.first_member() == Some(name)
    }

    /// Returns the value within the row's top-level member.
    pub(super) fn find_within<'a>(&self, member: &'a Value) -> Option<&'a Value> {
        self.path.iter().skip(1).try_fold(member, |value, name| value.get(name))
    }

    pub(super) fn to_cell(&self, value: &Value) -> Cell {
        match value {
            Value::Null => Cell::Empty,
            Value::Bool(truth) => Cell::Number(f64::from(u8::from(*truth))),
            Value::Number(number) => number.as_f64().map_or(Cell::Empty, Cell::Number),
            Value::String(text) => self.text_to_cell(text),
            Value::Array(parts) if parts.is_empty() => Cell::Empty,
            Value::Array(parts) => Cell::Number(f64::from(u32::try_from(parts.len()).unwrap_or(u32::MAX))),
            Value::Object(_) => match value.get("ticks").and_then(Value::as_f64) {
                Some(ticks) if self.kind == Some(FieldKind::TimeSpan) => Cell::Number(ticks),
                _ => text_cell(&value.to_string()),
            },
        }
    }

    fn text_to_cell(&self, text: &str) -> Cell {
        match self.kind {
            Some(FieldKind::DateTime) => match self.local_time(text) {
                Some(moment) => Cell::Time(local_micros(moment), text.into()),
                None => text_cell(text),
            },
            #[expect(clippy::cast_precision_loss, reason = "900 years in ticks are whole in a float")]
            Some(FieldKind::Duration | FieldKind::TimeSpan) => {
                wire::duration::parse_ticks(text).map_or_else(|| text_cell(text), |ticks| Cell::Number(ticks as f64))
            }
            _ => text_cell(text),
        }
    }

    fn local_time(&self, text: &str) -> Option<DateTime> {
        let has_offset = text.get(10..).is_some_and(|rest| rest.ends_with(['Z', 'z']) || rest.contains(['+', '-']));
        if has_offset {
            return text.parse::<Timestamp>().ok().map(|moment| self.zone.to_datetime(moment));
        }
        text.parse().ok()
    }
}

fn text_cell(text: &str) -> Cell {
    if text.trim().is_empty() {
        return Cell::Empty;
    }
    if text.len() <= MAX_TEXT_LENGTH {
        return Cell::Text(text.into());
    }
    Cell::Cut(text.get(..text.floor_char_boundary(MAX_TEXT_LENGTH)).unwrap_or_default().into())
}

/// Returns microseconds since 1970 of a local time as if it were UTC.
pub(super) fn local_micros(time: DateTime) -> f64 {
    let at = jiff::tz::TimeZone::UTC.to_timestamp(time).map_or(i64::MIN, jiff::Timestamp::as_microsecond);
    // Exact up to the year 2255.
    #[expect(clippy::cast_precision_loss, reason = "microseconds of this century are whole in a float")]
    let micros = at as f64;
    micros
}
