//! A list in an answer as a flat table: members of objects become columns of their own (`area.code`).

use std::{collections::HashMap, path::Path};

use serde_json::Value;
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_csv, write_whole, write_workbook};

use super::{GraphqlColumn, GraphqlRows, lists};
use takt_core::ExportFormat;
use takt_core::{Code, Problem};

const MAX_COLUMNS: usize = 500;
const MAX_ROWS_AT_ONCE: usize = 1_000;
/// Characters of a cell that are shown; a file has all of them.
const MAX_CELL_LENGTH: usize = 1_000;
/// From here on a float no longer holds every whole number; Excel rounds after 15 digits.
const MAX_EXACT_INTEGER: u64 = 999_999_999_999_999;
/// Characters that Excel takes in a sheet's name.
const MAX_NAME_LENGTH: usize = 31;

/// A list with its rows laid flat.
#[derive(Debug)]
pub struct GraphqlTable {
    path: String,
    columns: Columns,
    /// As they came, for JSON.
    whole: Vec<Value>,
    /// By the columns' order; a row may end before the last one.
    flat: Vec<Vec<Value>>,
}

/// Headings in the order in which they were met.
#[derive(Debug, Default)]
struct Columns {
    names: Vec<String>,
    places: HashMap<String, usize>,
}

impl GraphqlTable {
    pub fn of(data: &Value, path: &str) -> Option<Self> {
        let whole = lists::list(data, path)?;
        let mut columns = Columns::default();
        let flat = whole.iter().map(|row| columns.flattened(row)).collect();
        Some(Self { path: path.to_owned(), columns, whole, flat })
    }

    /// Some rows, with the columns; texts longer than a thousand characters are cut.
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

    /// Writes it as a file; an existing one is replaced only by a complete one.
    ///
    /// # Errors
    ///
    /// - [`Code::WriteFailed`]: the file can't be written.
    /// - [`Code::FileTooLarge`]: a workbook can't hold that many rows.
    pub fn write(&self, format: ExportFormat, path: &Path) -> Result<(), Problem> {
        let file = path.display().to_string();
        if format == ExportFormat::Json {
            let written = write_whole(path, |out| {
                serde_json::to_writer_pretty(&mut *out, &self.whole)?;
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
    /// A row's plain values at the places of their columns; columns that weren't met yet are added.
    fn flattened(&mut self, row: &Value) -> Vec<Value> {
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
                let Some(place) = self.place(path) else { return };
                if flat.len() <= place {
                    flat.resize(place + 1, Value::Null);
                }
                if let Some(slot) = flat.get_mut(place) {
                    *slot = as_plain(other);
                }
            }
        }
    }

    fn place(&mut self, path: &str) -> Option<usize> {
        if let Some(place) = self.places.get(path) {
            return Some(*place);
        }
        let place = self.names.len();
        if place == MAX_COLUMNS {
            return None;
        }
        self.names.push(path.to_owned());
        self.places.insert(path.to_owned(), place);
        Some(place)
    }
}

/// Lists of plain values as words with commas, others as JSON.
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

/// Text stays text: nothing says that it is a date or a number.
fn cell(value: Option<&Value>) -> OutCell {
    match value {
        Some(Value::Bool(truth)) => OutCell::Boolean(*truth),
        Some(Value::Number(number)) => match number.as_f64() {
            Some(float) if number.as_i64().is_none_or(|whole| whole.unsigned_abs() <= MAX_EXACT_INTEGER) => {
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
