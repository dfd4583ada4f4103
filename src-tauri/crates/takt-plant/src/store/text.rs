//! Serializes a row in one pass, in the contract's order and form.
//!
//! The result equals that of [`Layout::complete`](super::layout::Layout::complete) and serialization, without an intermediate
//! row, because rows are written most often.

use serde_json::{Value, json};
use takt_contract::{
    Field, FieldKind,
    wire::{TimeSpan, duration::parse_ticks},
};

use super::members::{Members, time_span};

/// The members of a row that a list answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Full,
    /// Without production details.
    Brief,
}

/// A serialized row.
#[derive(Debug, Clone)]
pub(crate) struct RowText {
    full: Box<str>,
    /// The position at which the production details begin. 0 if there are none.
    details: u32,
}

impl RowText {
    /// Wraps a text from [`serialize`]. Finds a member by its name in quotes, which can't occur in a value.
    pub(super) fn from_serialized(columns: &[Column], brief: usize, text: String) -> Self {
        let first = columns.get(brief).filter(|_| brief > 0);
        let details = first.and_then(|column| text.find(&format!(",{}", column.json_key)));
        let details = details.and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        Self { full: text.into_boxed_str(), details }
    }

    pub(super) fn full(&self) -> &str {
        &self.full
    }

    /// Returns the row in two pieces, as that view shows it.
    pub(super) fn pieces(&self, view: View) -> [&str; 2] {
        match (view, self.details) {
            (View::Brief, 1..) => [&self.full[..self.details as usize], "}"],
            _ => [&self.full, ""],
        }
    }
}

/// A member of a row, with its serialized name and blank value.
#[derive(Debug, Clone)]
pub(super) struct Column {
    name: String,
    kind: FieldKind,
    nullable: bool,
    /// The name with quotes and colon.
    json_key: String,
    /// The value if the row has none.
    blank: String,
    parts: Vec<Self>,
}

impl Column {
    pub(super) fn from_fields(fields: &[Field]) -> Vec<Self> {
        let column = |field: &Field| Self {
            name: field.name.clone(),
            kind: field.kind,
            nullable: field.nullable,
            json_key: format!("{}:", Value::from(field.name.as_str())),
            blank: blank_value(field).to_string(),
            parts: Self::from_fields(&field.fields),
        };
        fields.iter().map(column).collect()
    }
}

/// Returns the value of a member that has none.
pub(super) fn blank_value(field: &Field) -> Value {
    match field.kind {
        FieldKind::List => json!([]),
        _ if field.nullable || !field.required => Value::Null,
        FieldKind::Text | FieldKind::DateTime | FieldKind::Duration => json!(""),
        FieldKind::Integer | FieldKind::Number => json!(0),
        // Only flags such as `isActive` have a default, which is true.
        FieldKind::Boolean => json!(field.name == "isActive"),
        FieldKind::TimeSpan => time_span(0),
        FieldKind::Object => json!({}),
    }
}

/// Serializes a row. The first `brief` columns are its brief view, 0 if there is none. `text` is a reused buffer, so
/// that the stored text has no spare capacity.
pub(super) fn serialize(
    columns: &[Column],
    brief: usize,
    row: &Members,
    text: &mut Vec<u8>,
) -> serde_json::Result<RowText> {
    let mut details = 0;
    text.clear();
    for_each(columns, row, |index, column, value| {
        if index == brief && brief > 0 {
            details = u32::try_from(text.len()).unwrap_or(0);
        }
        text.push(if index == 0 { b'{' } else { b',' });
        write_member(column, value, text)
    })?;
    text.push(b'}');
    let full = std::str::from_utf8(text).map_err(serde::de::Error::custom)?;
    Ok(RowText { full: full.into(), details })
}

fn write_members(columns: &[Column], row: &Members, text: &mut Vec<u8>) -> serde_json::Result<()> {
    text.push(b'{');
    for_each(columns, row, |index, column, value| {
        if index > 0 {
            text.push(b',');
        }
        write_member(column, value, text)
    })?;
    text.push(b'}');
    Ok(())
}

/// Calls `work` with each column and its value. A row from the store has the columns' order, so most values are found
/// without a lookup.
fn for_each(
    columns: &[Column],
    row: &Members,
    mut work: impl FnMut(usize, &Column, Option<&Value>) -> serde_json::Result<()>,
) -> serde_json::Result<()> {
    let mut ahead = row.iter().peekable();
    for (index, column) in columns.iter().enumerate() {
        let value = match ahead.next_if(|(name, _)| **name == column.name) {
            Some((_, value)) => Some(value),
            None => row.get(&column.name),
        };
        work(index, column, value.filter(|value| column.nullable || !value.is_null()))?;
    }
    Ok(())
}

fn write_member(column: &Column, value: Option<&Value>, text: &mut Vec<u8>) -> serde_json::Result<()> {
    text.extend_from_slice(column.json_key.as_bytes());
    match (column.kind, value) {
        (FieldKind::TimeSpan, Some(Value::String(duration))) => match parse_ticks(duration) {
            Some(ticks) => serde_json::to_writer(text, &TimeSpan::from_ticks(ticks))?,
            None => text.extend_from_slice(column.blank.as_bytes()),
        },
        (FieldKind::List, Some(Value::Array(parts))) => {
            text.push(b'[');
            for (index, part) in parts.iter().enumerate() {
                if index > 0 {
                    text.push(b',');
                }
                match part {
                    Value::Object(part) => write_members(&column.parts, part, text)?,
                    other => serde_json::to_writer(&mut *text, other)?,
                }
            }
            text.push(b']');
        }
        (FieldKind::Object, Some(Value::Object(object))) => write_members(&column.parts, object, text)?,
        (_, Some(value)) => serde_json::to_writer(text, value)?,
        (_, None) => text.extend_from_slice(column.blank.as_bytes()),
    }
    Ok(())
}
