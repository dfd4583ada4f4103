//! A row as text: written in one pass from whatever members it has, in the contract's order and form.
//!
//! What stands here says the same as [`Layout::complete`](super::Layout::complete) followed by writing the row, without
//! building it a second time: rows are written far oftener than anything else.

use serde_json::Value;
use takt_contract::{
    Field, FieldKind,
    wire::{TimeSpan, duration::parse_ticks},
};

use crate::store::{Members, View, layout::blank};

/// A row as it is kept.
#[derive(Debug, Clone)]
pub(crate) struct RowText {
    full: Box<str>,
    /// Where the production details begin; 0 where there are none.
    details: u32,
}

impl RowText {
    /// A row that was [`written`]. A name in quotes can't stand in a value, where quotes are escaped.
    pub(super) fn read(columns: &[Column], brief: usize, text: String) -> Self {
        let first = columns.get(brief).filter(|_| brief > 0);
        let details = first.and_then(|column| text.find(&format!(",{}", column.head)));
        let details = details.and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        Self { full: text.into_boxed_str(), details }
    }

    pub(super) fn full(&self) -> &str {
        &self.full
    }

    /// The row in two pieces, as that view shows it.
    pub(super) fn pieces(&self, view: View) -> [&str; 2] {
        match (view, self.details) {
            (View::Brief, 1..) => [&self.full[..self.details as usize], "}"],
            _ => [&self.full, ""],
        }
    }
}

/// A member of a row, with what can be written beforehand.
#[derive(Debug, Clone)]
pub(super) struct Column {
    name: String,
    kind: FieldKind,
    nullable: bool,
    /// The name as it is written.
    head: String,
    /// What stands where nothing is known.
    blank: String,
    parts: Vec<Self>,
}

impl Column {
    pub(super) fn of(fields: &[Field]) -> Vec<Self> {
        let column = |field: &Field| Self {
            name: field.name.clone(),
            kind: field.kind,
            nullable: field.nullable,
            head: format!("{}:", Value::from(field.name.as_str())),
            blank: blank(field).to_string(),
            parts: Self::of(&field.fields),
        };
        fields.iter().map(column).collect()
    }
}

/// Writes a row. The first `brief` columns are what its brief view shows; 0 where there is no such view. `text` is only room
/// to write in: it is used again and again, so that what is kept is exactly as long as it must be.
pub(super) fn written(
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
        member(column, value, text)
    })?;
    text.push(b'}');
    let full = std::str::from_utf8(text).map_err(serde::de::Error::custom)?;
    Ok(RowText { full: full.into(), details })
}

fn members(columns: &[Column], row: &Members, text: &mut Vec<u8>) -> serde_json::Result<()> {
    text.push(b'{');
    for_each(columns, row, |index, column, value| {
        if index > 0 {
            text.push(b',');
        }
        member(column, value, text)
    })?;
    text.push(b'}');
    Ok(())
}

/// Meets each column with its value. A row that was read from the store has them in the same order, so that none is looked for.
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

fn member(column: &Column, value: Option<&Value>, text: &mut Vec<u8>) -> serde_json::Result<()> {
    text.extend_from_slice(column.head.as_bytes());
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
                    Value::Object(part) => members(&column.parts, part, text)?,
                    other => serde_json::to_writer(&mut *text, other)?,
                }
            }
            text.push(b']');
        }
        (FieldKind::Object, Some(Value::Object(object))) => members(&column.parts, object, text)?,
        (_, Some(value)) => serde_json::to_writer(text, value)?,
        (_, None) => text.extend_from_slice(column.blank.as_bytes()),
    }
    Ok(())
}
