//! Finds the lists of a response, and shows one as a flat_rows table. Members of objects become separate columns
//! (`area.code`).

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value};
use takt_core::{Code, ExportFormat, Problem};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_atomically, write_csv, write_workbook};

use crate::graphql::view::{GraphqlColumn, GraphqlList, GraphqlRows};

const MAX_LISTS: usize = 50;
const MAX_COLUMNS: usize = 500;
const MAX_ROWS_PER_RANGE: usize = 1_000;
/// The maximum characters of a displayed cell. Files contain the complete cells.
const MAX_CELL_LENGTH: usize = 1_000;
/// The largest integer written as a number: Excel rounds after 15 digits.
const MAX_EXACT_INTEGER: u64 = 999_999_999_999_999;
/// The most characters that Excel accepts in a sheet's name.
const MAX_SHEET_NAME_LENGTH: usize = 31;

/// Returns the lists of objects in a response, in its order. Lists with rows come first.
pub(super) fn find_lists(data: &Value) -> Vec<GraphqlList> {
    let mut paths = Vec::new();
    collect_paths(data, "", &mut paths);
    let mut lists: Vec<GraphqlList> = paths
        .into_iter()
        .take(MAX_LISTS)
        .map(|path| {
            let rows = count_rows(data, &path.split('.').collect::<Vec<_>>());
            GraphqlList { path, rows: u32::try_from(rows).unwrap_or(u32::MAX) }
        })
        .collect();
    lists.sort_by_key(|list| list.rows == 0);
    lists
}

/// Returns the rows of a list, or `None` if the response has no list at that path.
fn rows_of_list(data: &Value, path: &str) -> Option<Vec<Value>> {
    let mut paths = Vec::new();
    collect_paths(data, "", &mut paths);
    paths.iter().any(|known| known == path).then(|| rows_at_path(data, path))
}

/// Collects the paths of lists of objects, including lists inside rows.
fn collect_paths(value: &Value, path: &str, paths: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect_paths(member, &path, paths);
            }
        }
        Value::Array(parts) if parts.iter().all(|part| part.is_object() || part.is_null()) => {
            if !paths.iter().any(|known| known == path) {
                paths.push(path.to_owned());
            }
            parts.iter().filter(|part| part.is_object()).for_each(|part| collect_paths(part, path, paths));
        }
        _ => {}
    }
}

fn count_rows(value: &Value, segments: &[&str]) -> usize {
    match (value, segments) {
        (Value::Array(parts), []) => parts.iter().filter(|part| part.is_object()).count(),
        (Value::Array(parts), _) => parts.iter().map(|part| count_rows(part, segments)).sum(),
        (Value::Object(members), [next, further @ ..]) => {
            members.get(*next).map_or(0, |member| count_rows(member, further))
        }
        _ => 0,
    }
}

/// Returns the rows of a list. If other lists enclose it, each row starts with the plain members of the enclosing rows.
fn rows_at_path(data: &Value, path: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    let segments: Vec<&str> = path.split('.').collect();
    collect_rows(data, &segments, &mut Vec::new(), &Map::new(), &mut rows);
    rows
}

fn collect_rows(
    value: &Value,
    segments: &[&str],
    parents: &mut Vec<String>,
    inherited: &Map<String, Value>,
    rows: &mut Vec<Value>,
) {
    match (value, segments) {
        (Value::Array(parts), []) => {
            for part in parts.iter().filter_map(Value::as_object) {
                let members = inherited.iter().chain(part).map(|(name, value)| (name.clone(), value.clone()));
                rows.push(Value::Object(members.collect()));
            }
        }
        (Value::Array(parts), _) => {
            for part in parts.iter().filter(|part| part.is_object()) {
                let mut inherited = inherited.clone();
                for (name, value) in part.as_object().into_iter().flatten().filter(|(_, value)| is_scalar(value)) {
                    inherited.insert(format!("{}.{name}", parents.join(".")), value.clone());
                }
                collect_rows(part, segments, parents, &inherited, rows);
            }
        }
        (Value::Object(members), [next, further @ ..]) => {
            if let Some(member) = members.get(*next) {
                parents.push((*next).to_owned());
                collect_rows(member, further, parents, inherited, rows);
                parents.pop();
            }
        }
        _ => {}
    }
}

fn is_scalar(value: &Value) -> bool {
    !value.is_object() && !value.is_array()
}

/// A list with its rows flattened.
#[derive(Debug)]
pub struct GraphqlTable {
    path: String,
    columns: Columns,
    /// As received, for JSON.
    raw_rows: Vec<Value>,
    /// In the columns' order. A row may end before the last column.
    flat_rows: Vec<Vec<Value>>,
}

/// Headings in the order of their first appearance.
#[derive(Debug, Default)]
struct Columns {
    names: Vec<String>,
    indexes: HashMap<String, usize>,
}

impl GraphqlTable {
    pub fn from_list(data: &Value, path: &str) -> Option<Self> {
        let raw_rows = rows_of_list(data, path)?;
        let mut columns = Columns::default();
        let flat_rows = raw_rows.iter().map(|row| columns.flatten_row(row)).collect();
        Some(Self { path: path.to_owned(), columns, raw_rows, flat_rows })
    }

    /// Returns a range of rows with the columns. Texts are cut after a thousand characters.
    #[must_use]
    pub fn rows(&self, offset: usize, limit: usize) -> GraphqlRows {
        let cells = |row: &Vec<Value>| (0..self.columns.names.len()).map(|at| shorten(row.get(at))).collect();
        let rows = self.flat_rows.iter().skip(offset).take(limit.min(MAX_ROWS_PER_RANGE));
        GraphqlRows {
            columns: (0..self.columns.names.len()).filter_map(|at| self.column(at)).collect(),
            rows: rows.map(cells).collect(),
            total: u32::try_from(self.flat_rows.len()).unwrap_or(u32::MAX),
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
            let written = write_atomically(path, |out| {
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
        written.map_err(|error| Problem::from_sheet_error(&file, error))
    }

    fn sheet(&self) -> OutSheet {
        let cells = |row: &Vec<Value>| (0..self.columns.names.len()).map(|at| to_cell(row.get(at))).collect();
        OutSheet {
            name: self.path.chars().take(MAX_SHEET_NAME_LENGTH).collect(),
            title: Vec::new(),
            columns: self.columns.names.iter().map(|name| OutColumn::new(name.clone())).collect(),
            rows: self.flat_rows.iter().map(cells).collect(),
        }
    }

    fn column(&self, at: usize) -> Option<GraphqlColumn> {
        let mut values =
            self.flat_rows.iter().filter_map(|row| row.get(at)).filter(|value| !value.is_null()).peekable();
        let numeric = values.peek().is_some() && values.all(Value::is_number);
        Some(GraphqlColumn { heading: self.columns.names.get(at)?.clone(), numeric })
    }
}

impl Columns {
    /// Returns a row's plain values in the order of the columns, and adds new columns.
    fn flatten_row(&mut self, row: &Value) -> Vec<Value> {
        let mut flat_rows = Vec::new();
        self.flatten(row, "", &mut flat_rows);
        flat_rows
    }

    fn flatten(&mut self, value: &Value, path: &str, flat_rows: &mut Vec<Value>) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, member) in members {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    self.flatten(member, &path, flat_rows);
                }
            }
            other => {
                let Some(index) = self.column_index(path) else { return };
                if flat_rows.len() <= index {
                    flat_rows.resize(index + 1, Value::Null);
                }
                if let Some(slot) = flat_rows.get_mut(index) {
                    *slot = to_scalar(other);
                }
            }
        }
    }

    fn column_index(&mut self, path: &str) -> Option<usize> {
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
fn to_scalar(value: &Value) -> Value {
    match value {
        Value::Array(parts) if parts.iter().all(is_scalar) => {
            let texts = parts.iter().map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned));
            Value::String(texts.collect::<Vec<_>>().join(", "))
        }
        Value::Array(_) | Value::Object(_) => Value::String(value.to_string()),
        scalar => scalar.clone(),
    }
}

fn shorten(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(text)) if text.chars().count() > MAX_CELL_LENGTH => {
            Value::String(text.chars().take(MAX_CELL_LENGTH).chain(['…']).collect())
        }
        Some(value) => value.clone(),
        None => Value::Null,
    }
}

/// Returns the cell for a file. Text stays text, because a response doesn't define whether it is a date or a number.
fn to_cell(value: Option<&Value>) -> OutCell {
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
        let paths: Vec<(String, u32)> = find_lists(&data).into_iter().map(|list| (list.path, list.rows)).collect();
        let expected = [("page.items", 2), ("page.items.parts", 2), ("none", 0)];
        assert_eq!(paths, expected.map(|(path, rows)| (path.to_owned(), rows)));
        let table = GraphqlTable::from_list(&data, "page.items").unwrap();
        let rows = table.rows(0, 10);
        let headings: Vec<&str> = rows.columns.iter().map(|column| column.heading.as_str()).collect();
        assert_eq!(headings, ["code", "area.code", "area.site.name", "tags", "parts", "area", "quantity"]);
        assert_eq!(
            rows.rows[0],
            [json!("007"), json!("A"), json!("S"), json!("x, y"), json!(""), json!(null), json!(null)]
        );
        assert!(rows.columns[6].numeric && !rows.columns[0].numeric && rows.total == 2);
        assert_eq!(table.rows(1, 1).rows.len(), 1);
        assert!(GraphqlTable::from_list(&data, "plain").is_none());
        let parts = GraphqlTable::from_list(&data, "page.items.parts").unwrap().rows(0, 10);
        assert_eq!(parts.columns[0].heading, "page.items.code");
        assert_eq!(parts.rows[1].last(), Some(&json!(2)));
    }
}
