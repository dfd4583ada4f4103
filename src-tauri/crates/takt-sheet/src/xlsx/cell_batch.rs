//! Cells that change hands at once, as they were found: formats and shared texts aren't asked yet.

use super::cells::FileKind;
use crate::{number_text::number, xml_text::without_escapes};

/// A cell where it was found. Row and column are 0-based.
#[derive(Debug)]
pub(super) struct RawCell {
    pub(super) row: u32,
    pub(super) column: u32,
    /// The number of the cell's own format.
    pub(super) format: u32,
    pub(super) value: Value,
}

impl RawCell {
    /// The number of the shared text that it names.
    pub(super) fn shared(&self) -> Option<usize> {
        if let Value::Shared(number) = self.value { Some(number as usize) } else { None }
    }
}

/// What stands in a cell, before formats and shared texts are asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    Number(f64),
    /// The number of a shared text.
    Shared(u32),
    /// A text of the batch, by where it begins and ends.
    Text(u32, u32),
    /// A date in ISO 8601, likewise.
    Moment(u32, u32),
    /// An error as Excel names it, likewise.
    Error(u32, u32),
    Boolean(bool),
    /// A value that can't be read.
    Unreadable,
    /// A formula whose result was never calculated.
    OpenFormula,
}

#[derive(Debug, Default)]
pub(super) struct CellBatch {
    pub(super) cells: Vec<RawCell>,
    texts: String,
}

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

/// A batch with more text than that is given away before it is full.
const MANY_BYTES: usize = 1024 * 1024;

impl CellBatch {
    pub(super) fn is_full(&self, cells: usize) -> bool {
        self.cells.len() >= cells || self.texts.len() >= MANY_BYTES
    }

    /// Makes room for the next cells. What one odd batch took isn't held.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
        self.texts.clear();
        self.texts.shrink_to(MANY_BYTES);
    }

    /// A text by where it begins and ends.
    pub(super) fn text(&self, (start, end): (u32, u32)) -> &str {
        self.texts.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Where cells and texts end now, to go back to.
    pub(super) fn mark(&self) -> (usize, usize) {
        (self.cells.len(), self.texts.len())
    }

    pub(super) fn go_back(&mut self, (cells, texts): (usize, usize)) {
        self.cells.truncate(cells);
        self.texts.truncate(texts);
    }

    /// What the content means; absent where there is none.
    pub(super) fn value(&mut self, content: &Content<'_>) -> Option<Value> {
        if let Some(text) = content.inline {
            let (start, end) = self.add(text);
            return Some(Value::Text(start, end));
        }
        let is_text = matches!(content.kind, FileKind::Text | FileKind::Inline);
        let whole = content.value.unwrap_or_default();
        let text = whole.trim();
        if text.is_empty() && !(is_text && content.value.is_some()) {
            return content.has_formula.then_some(Value::OpenFormula);
        }
        Some(match content.kind {
            FileKind::Absent | FileKind::Number => match number(text) {
                Some(number) => Value::Number(number),
                None if content.kind == FileKind::Absent => {
                    let (start, end) = self.add(text);
                    Value::Text(start, end)
                }
                None => Value::Unreadable,
            },
            FileKind::Shared => text.parse().map_or(Value::Unreadable, Value::Shared),
            FileKind::Text | FileKind::Inline => {
                let (start, end) = self.add(&without_escapes(whole));
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
                let (start, end) = self.add(text);
                Value::Error(start, end)
            }
            FileKind::Moment => {
                let (start, end) = self.add(text);
                Value::Moment(start, end)
            }
            FileKind::Unknown => Value::Unreadable,
        })
    }

    /// Takes a text in, and tells where it begins and ends.
    pub(super) fn add(&mut self, text: &str) -> (u32, u32) {
        let at = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let start = at(self.texts.len());
        self.texts.push_str(text);
        (start, at(self.texts.len()))
    }
}
