//! Prepares rows for the window: short in a table and limited in a detail view, so that no response freezes the window.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use takt_core::{Code, Problem};

use crate::lists::arrangement::{ArrangedRows, Arrangement};
use crate::lists::list_reader::Browse;
use crate::lists::pages::BrowsePage;
use crate::lists::row_set::RowSet;

/// The maximum characters of a text in a table. Longer texts are cut.
const MAX_TABLE_TEXT: usize = 1_000;
/// The maximum members of a row in a table, including nested ones.
const MAX_TABLE_MEMBERS: usize = 500;
/// The maximum bytes of a text in a detail view. Longer texts are cut, and [`Browse::row_text`] returns the rest.
const MAX_DETAIL_TEXT: usize = 100_000;
/// The maximum parts of a list in a detail view. Longer lists are cut.
const MAX_DETAIL_LIST: usize = 500;
/// The approximate maximum bytes of a detail view.
const MAX_DETAIL_ROW: usize = 1_000_000;

/// A range of a table's rows in its order. Texts are cut after a thousand characters, and lists are replaced by their
/// lengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TableRows {
    pub rows: Vec<Value>,
    /// The position of each row in the set.
    pub positions: Vec<u32>,
    /// The number of rows that pass the filters.
    pub shown: u32,
    /// The number of rows in the set so far.
    pub of: u32,
    /// Members that the contract doesn't list, in the order of their first appearance.
    pub unknown: Vec<String>,
}

/// A row for a detail view, cut if it is too long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct WholeRow {
    pub row: Value,
    pub cuts: Vec<RowCut>,
}

/// A value that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowCut {
    /// A JSON pointer: `/rawMaterials/3/description`.
    pub path: String,
    /// The uncut size: bytes of a text, or parts of a list.
    pub of: u32,
}

/// A piece of a long text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TextPiece {
    pub text: String,
    /// The byte offset of the next piece. `None` after the last one.
    pub next: Option<u32>,
}

impl Browse {
    /// Returns rows of a table, from `offset` on.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: the contract no longer has the set's operation.
    pub fn table_rows(
        &self,
        set: &RowSet,
        arrangement: &Arrangement,
        offset: usize,
        limit: usize,
    ) -> Result<TableRows, Problem> {
        let (rows, positions, shown, of) = if arrangement.is_plain() {
            let of = set.len();
            let end = offset.saturating_add(limit).min(of);
            (set.rows(offset.min(end)..end), (to_u32(offset)..to_u32(end)).collect::<Vec<u32>>(), of, of)
        } else {
            let ArrangedRows { positions, row_count: of } = self.arrange(set, arrangement)?;
            let page: Vec<u32> = positions.iter().skip(offset).take(limit).copied().collect();
            (set.rows_at(&page), page, positions.len(), of)
        };
        let rows = rows.into_iter().map(shorten_row).collect();
        Ok(TableRows { rows, positions, shown: to_u32(shown), of: to_u32(of), unknown: set.unknown() })
    }

    /// Returns rows of a set by position, shortened as in a table. Missing rows are null.
    #[must_use]
    pub fn shortened_rows_at(&self, set: &RowSet, positions: &[u32]) -> Vec<Value> {
        set.rows_at(positions).into_iter().map(shorten_row).collect()
    }

    /// Returns one row of a set for a detail view.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: the set has no row at this position.
    pub fn row_detail(&self, set: &RowSet, position: u32) -> Result<WholeRow, Problem> {
        let mut row = row_at(set, position)?;
        let mut truncation = RowTruncation { remaining_bytes: MAX_DETAIL_ROW, cuts: Vec::new() };
        truncation.truncate(&mut row, "");
        Ok(WholeRow { row, cuts: truncation.cuts })
    }

    /// Returns a piece of a cut text, from a byte offset on.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: the set has no row at this position, or the row has no text at `path`.
    pub fn row_text(&self, set: &RowSet, position: u32, path: &str, from: u32) -> Result<TextPiece, Problem> {
        let row = row_at(set, position)?;
        let unknown = || Problem::new(Code::Unknown).parameter("what", path);
        let text = row.pointer(path).and_then(Value::as_str).ok_or_else(unknown)?;
        let begin = text.floor_char_boundary(from as usize);
        let end = text.floor_char_boundary(begin.saturating_add(MAX_DETAIL_TEXT));
        let piece = text.get(begin..end).unwrap_or_default().to_owned();
        Ok(TextPiece { text: piece, next: (end < text.len()).then(|| to_u32(end)) })
    }
}

impl BrowsePage {
    /// Shortens the rows as in a table.
    #[must_use]
    pub fn shortened(self) -> Self {
        Self { rows: self.rows.into_iter().map(shorten_row).collect(), ..self }
    }
}

fn row_at(set: &RowSet, position: u32) -> Result<Value, Problem> {
    let row = set.rows_at(&[position]).into_iter().next().filter(|row| !row.is_null());
    row.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", position.to_string()))
}

/// Shortens a row for a table.
fn shorten_row(row: Value) -> Value {
    let mut remaining = MAX_TABLE_MEMBERS;
    shorten_value(row, &mut remaining)
}

fn shorten_value(value: Value, remaining: &mut usize) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(MAX_TABLE_TEXT) {
            Some((end, _)) => Value::from(format!("{}…", text.get(..end).unwrap_or_default())),
            None => Value::String(text),
        },
        Value::Array(parts) => Value::from(parts.len()),
        Value::Object(members) => {
            let mut shortened = Map::new();
            for (name, value) in members {
                if *remaining == 0 {
                    break;
                }
                *remaining -= 1;
                shortened.insert(name, shorten_value(value, remaining));
            }
            Value::Object(shortened)
        }
        other => other,
    }
}

struct RowTruncation {
    /// The number of bytes that may still be shown.
    remaining_bytes: usize,
    cuts: Vec<RowCut>,
}

impl RowTruncation {
    fn truncate(&mut self, value: &mut Value, path: &str) {
        match value {
            Value::String(text) => {
                let end = text.floor_char_boundary(MAX_DETAIL_TEXT.min(self.remaining_bytes));
                if end < text.len() {
                    self.add_cut(path, text.len());
                    text.truncate(end);
                }
                self.remaining_bytes -= text.len();
            }
            Value::Array(parts) => {
                let limit = if self.remaining_bytes == 0 { 0 } else { MAX_DETAIL_LIST };
                if parts.len() > limit {
                    self.add_cut(path, parts.len());
                    parts.truncate(limit);
                }
                for (index, part) in parts.iter_mut().enumerate() {
                    self.truncate(part, &format!("{path}/{index}"));
                }
            }
            Value::Object(members) => {
                for (name, value) in members.iter_mut() {
                    self.remaining_bytes = self.remaining_bytes.saturating_sub(name.len());
                    self.truncate(value, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.remaining_bytes = self.remaining_bytes.saturating_sub(8)
            }
        }
    }

    fn add_cut(&mut self, path: &str, size: usize) {
        self.cuts.push(RowCut { path: path.to_owned(), of: to_u32(size) });
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_shows_the_front_of_a_text_and_the_length_of_a_list() {
        let row = json!({ "note": "ü".repeat(3_000), "parts": [1, 2], "area": { "code": "A", "more": [] } });
        let cut = shorten_row(row);
        assert_eq!(cut["note"].as_str().unwrap().chars().count(), 1_001);
        assert_eq!(cut["parts"], 2);
        assert_eq!(cut["area"], json!({ "code": "A", "more": 0 }));
        let wide: Map<String, Value> = (0..5_000).map(|number| (number.to_string(), json!(number))).collect();
        assert_eq!(shorten_row(Value::Object(wide)).as_object().unwrap().len(), MAX_TABLE_MEMBERS);
    }

    #[test]
    fn a_detail_says_what_it_cut() {
        let mut row = json!({ "note": "x".repeat(5_000_000), "a/b": vec!["y".repeat(100); 2_000], "code": "WO-1" });
        let mut truncation = RowTruncation { remaining_bytes: MAX_DETAIL_ROW, cuts: Vec::new() };
        truncation.truncate(&mut row, "");
        let cut = |path: &str, of| RowCut { path: path.to_owned(), of };
        assert_eq!(truncation.cuts, [cut("/note", 5_000_000), cut("/a~1b", 2_000)]);
        assert_eq!(row["note"].as_str().map(str::len), Some(MAX_DETAIL_TEXT));
        assert_eq!((row["a/b"].as_array().map(Vec::len), &row["code"]), (Some(MAX_DETAIL_LIST), &json!("WO-1")));
        let mut many: Value = (0..40).map(|_| "z".repeat(100_000)).collect();
        let mut truncation = RowTruncation { remaining_bytes: MAX_DETAIL_ROW, cuts: Vec::new() };
        truncation.truncate(&mut many, "");
        assert_eq!(truncation.cuts.len(), 30);
    }
}
