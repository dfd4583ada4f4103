//! Shows a list of a response as a flat table. Members of objects become separate columns (`area.code`).

use std::{collections::HashMap, path::Path};

use serde_json::Value;
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_csv, write_whole, write_workbook};

use super::{
    lists,
    view::{GraphqlColumn, GraphqlRows},
};
use takt_core::ExportFormat;
use takt_core::{Code, Problem};

const MAX_COLUMNS: usize = 500;
const MAX_ROWS_AT_ONCE: usize = 1_000;
/// The most characters of a cell to show. Files contain all of them.
const MAX_CELL_LENGTH: usize = 1_000;
/// The largest integer written as a number: Excel rounds after 15 digits.
const MAX_EXACT_INTEGER: u64 = 999_999_999_999_999;
/// The most characters that Excel accepts in a sheet's name.
const MAX_NAME_LENGTH: usize = 31;

/// A list with its rows flattened.
#[derive(Debug)]
pub struct GraphqlTable {
    path: String,
    columns: Columns,
    /// As received, for JSON.
    raw_rows: Vec<Value>,
    /// In the columns' order. A row may end before the last column.
    flat: Vec<Vec<Value>>,
}

/// Headings in the order of their first appearance.
#[derive(Debug, Default)]
struct Columns {
    names: Vec<String>,
    indexes: HashMap<String, usize>,
}

impl GraphqlTable {
    pub fn of(data: &Value, path: &str) -> Option<Self> {
        let raw_rows = lists::list(data, path)?;
        let mut columns = Columns::default();
        let flat = raw_rows.iter().map(|row| columns.flatten_row(row)).collect();
        Some(Self { path: path.to_owned(), columns, raw_rows, flat })
    }

    /// Returns a range of rows with the columns. Longer texts are cut after a thousand characters.
    #[must_use]
    pub fn rows(&self, offset: usize, limit: usize) -> GraphqlRows {
        let cells = |row: &Vec<Value>| (0..self.columns.names.len()).map(|at| short(row.get(at))).collect();
        let rows = self.flat.iter().skip(offset).take(limit.min(MAX_ROWS_AT_ONCE));
        GraphqlRows {
            columns: (0..self.columns.names.len()).filter_map(|at| self.column(at)).collect(),
            rows: rows.map(cells).collect(),
            total: u32::try_from(self.flat.len()).unwrap_or(u32::MAX),
        }
    }

    /// Writes the table to a file. An existing file is only replaced by a complete one.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - [`Code::FileTooLarge`]: a workbook can't hold that many rows.
    pub fn write(&self, format: ExportFormat, path: &Path) -> Result<(), Problem> {
        let file = path.display().to_string();
        if format == ExportFormat::Json {
            let written = write_whole(path, |out| {
                serde_json::to_writer_pretty(&mut *out, &self.raw_rows)?;
                out.write_all(b"\n")
            });
            return written.map_err(|cause| Problem::new(Code::WriteFailed).parameter("file", file).details(cause));
        }
        let sheet = self.sheet();
        let written = match format {
            ExportFormat::Xlsx => write_workbook(path, &[sheet]),
            ExportFormat::Csv | ExportFormat::Json => write_csv(path, &sheet),
        };
        written.map_err(|error| Problem::of_sheet(&file, error))
    }

    fn sheet(&self) -> OutSheet {
        let cells = |row: &Vec<Value>| (0..self.columns.names.len()).map(|at| cell(row.get(at))).collect();
        OutSheet {
            name: self.path.chars().take(MAX_NAME_LENGTH).collect(),
            title: Vec::new(),
            columns: self.columns.names.iter().map(|name| OutColumn::new(name.clone())).collect(),
            rows: self.flat.iter().map(cells).collect(),
        }
    }

    fn column(&self, at: usize) -> Option<GraphqlColumn> {
        let mut values = self.flat.iter().filter_map(|row| row.get(at)).filter(|value| !value.is_null()).peekable();
        let numeric = values.peek().is_some() && values.all(Value::is_number);
        Some(GraphqlColumn { heading: self.columns.names.get(at)?.clone(), numeric })
    }
}

impl Columns {
    /// Returns a row's plain values in the order of the columns, and adds new columns.
    fn flatten_row(&mut self, row: &Value) -> Vec<Value> {
        let mut flat = Vec::new();
        self.flatten(row, "", &mut flat);
        flat
    }

    fn flatten(&mut self, value: &Value, path: &str, flat: &mut Vec<Value>) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, member) in members {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    self.flatten(member, &path, flat);
                }
            }
            other => {
                let Some(index) = self.index_of(path) else { return };
                if flat.len() <= index {
                    flat.resize(index + 1, Value::Null);
                }
                if let Some(slot) = flat.get_mut(index) {
                    *slot = as_plain(other);
                }
            }
        }
    }

    fn index_of(&mut self, path: &str) -> Option<usize> {
        if let Some(index) = self.indexes.get(path) {
            return Some(*index);
        }
        let index = self.names.len();
        if index == MAX_COLUMNS {
            return None;
        }
        self.names.push(path.to_owned());
        self.indexes.insert(path.to_owned(), index);
        Some(index)
    }
}

/// Joins lists of plain values with commas, and converts other lists and objects to JSON.
fn as_plain(value: &Value) -> Value {
    match value {
        Value::Array(parts) if parts.iter().all(lists::is_plain) => {
            let words = parts.iter().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned));
            Value::String(words.collect::<Vec<_>>().join(", "))
        }
        Value::Array(_) | Value::Object(_) => Value::String(value.to_string()),
        plain => plain.clone(),
    }
}

fn short(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) if text.chars().count() > MAX_CELL_LENGTH => {
            Value::String(text.chars().take(MAX_CELL_LENGTH).chain(['…']).collect())
        }
        Some(value) => value.clone(),
        None => Value::Null,
    }
}

/// Returns the cell for a file. Text stays text, because nothing says whether it is a date or a number.
fn cell(value: Option<&Value>) -> OutCell {
    match value {
        Some(Value::Bool(truth)) => OutCell::Boolean(*truth),
        Some(Value::Number(number)) => match number.as_f64() {
            Some(float) if number.as_i64().is_none_or(|integer| integer.unsigned_abs() <= MAX_EXACT_INTEGER) => {
                OutCell::Number(float)
            }
            _ => OutCell::Text(number.to_string()),
        },
        Some(Value::String(text)) => OutCell::from(text.as_str()),
        _ => OutCell::Empty,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_becomes_a_table() {
        let data = json!({ "none": [], "page": { "total": 2, "items": [
            { "code": "007", "area": { "code": "A", "site": { "name": "S" } }, "tags": ["x", "y"], "parts": [] },
            { "code": "008", "area": null, "quantity": 1.5, "parts": [{ "n": 1 }, { "n": 2 }] },
        ] }, "plain": [1, 2] });
        let paths: Vec<(String, u32)> = lists::lists(&data).into_iter().map(|list| (list.path, list.rows)).collect();
        let expected = [("page.items", 2), ("page.items.parts", 2), ("none", 0)];
        assert_eq!(paths, expected.map(|(path, rows)| (path.to_owned(), rows)));
        let table = GraphqlTable::of(&data, "page.items").unwrap();
        let rows = table.rows(0, 10);
        let headings: Vec<&str> = rows.columns.iter().map(|column| column.heading.as_str()).collect();
        assert_eq!(headings, ["code", "area.code", "area.site.name", "tags", "parts", "area", "quantity"]);
        assert_eq!(
            rows.rows[0],
            [json!("007"), json!("A"), json!("S"), json!("x, y"), json!(""), json!(null), json!(null)]
        );
        assert!(rows.columns[6].numeric && !rows.columns[0].numeric && rows.total == 2);
        assert_eq!(table.rows(1, 1).rows.len(), 1);
        assert!(GraphqlTable::of(&data, "plain").is_none());
        let parts = GraphqlTable::of(&data, "page.items.parts").unwrap().rows(0, 10);
        assert_eq!(parts.columns[0].heading, "page.items.code");
        assert_eq!(parts.rows[1].last(), Some(&json!(2)));
    }
}
