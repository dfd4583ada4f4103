//! What an xlsx writes into a cell, and which value that is.

use super::cells::FileKind;
use crate::{
    cell_batch::{CellBatch, Value},
    number_text::number,
    xml_text::without_escapes,
};

/// What a cell has in it, as it is written.
#[derive(Debug, Default)]
pub(super) struct Content<'t> {
    pub(super) kind: FileKind,
    pub(super) has_formula: bool,
    /// The text of its value, with references undone.
    pub(super) value: Option<&'t str>,
    /// The whole of its own text, where it has one.
    pub(super) inline: Option<&'t str>,
}

impl Content<'_> {
    /// What the content means; absent where there is none. Texts are taken into the batch.
    pub(super) fn value(&self, batch: &mut CellBatch) -> Option<Value> {
        if let Some(text) = self.inline {
            let (start, end) = batch.add(text);
            return Some(Value::Text(start, end));
        }
        let is_text = matches!(self.kind, FileKind::Text | FileKind::Inline);
        let whole = self.value.unwrap_or_default();
        let text = whole.trim();
        if text.is_empty() && !(is_text && self.value.is_some()) {
            return self.has_formula.then_some(Value::OpenFormula);
        }
        Some(match self.kind {
            FileKind::Absent | FileKind::Number => match number(text) {
                Some(number) => Value::Number(number),
                None if self.kind == FileKind::Absent => {
                    let (start, end) = batch.add(text);
                    Value::Text(start, end)
                }
                None => Value::Unreadable,
            },
            FileKind::Shared => text.parse().map_or(Value::Unreadable, Value::Shared),
            FileKind::Text | FileKind::Inline => {
                let (start, end) = batch.add(&without_escapes(whole));
                Value::Text(start, end)
            }
            FileKind::Boolean => match text {
                "0" => Value::Boolean(false),
                "1" => Value::Boolean(true),
                text if text.eq_ignore_ascii_case("false") => Value::Boolean(false),
                text if text.eq_ignore_ascii_case("true") => Value::Boolean(true),
                _ => Value::Unreadable,
            },
            FileKind::Error => {
                let (start, end) = batch.add(text);
                Value::Error(start, end)
            }
            FileKind::Moment => {
                let (start, end) = batch.add(text);
                Value::Moment(start, end)
            }
            FileKind::Unknown => Value::Unreadable,
        })
    }
}
