//! Converts rows to flat tables for files.
//!
//! Members of objects become separate columns (`area.code`), lists become text, and time spans durations. Members that
//! the contract doesn't list come last, so that no data is lost silently.

use std::collections::HashSet;

use jiff::civil::DateTime;
use serde_json::Value;
use takt_contract::{Field, FieldKind, RowSchema, wire};
use takt_sheet::writer::OutCell;

/// The largest integer written as a number: Excel rounds after 15 digits.
const MAX_EXACT_INTEGER: u64 = 999_999_999_999_999;

/// A column with its heading and the path to its values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TableColumn {
    pub(super) heading: String,
    path: Vec<String>,
    kind: FieldKind,
}

/// Returns columns for the contract's fields in order, then for other members.
pub(super) fn columns(shape: &RowSchema, unknown: &[String]) -> Vec<TableColumn> {
    let mut columns = Vec::new();
    add_fields(&mut columns, &shape.fields, &[]);
    columns.extend(unknown.iter().map(|name| TableColumn {
        heading: name.clone(),
        path: vec![name.clone()],
        kind: FieldKind::Text,
    }));
    columns
}

fn add_fields(columns: &mut Vec<TableColumn>, fields: &[Field], parent_path: &[String]) {
    for field in fields {
        let path = [parent_path, std::slice::from_ref(&field.name)].concat();
        if field.kind == FieldKind::Object && !field.fields.is_empty() {
            add_fields(columns, &field.fields, &path);
        } else {
            columns.push(TableColumn { heading: path.join("."), path, kind: field.kind });
        }
    }
}

impl TableColumn {
    pub(super) fn with_heading(&self, heading: String) -> Self {
        Self { heading, ..self.clone() }
    }

    pub(super) fn value(&self, row: &Value) -> OutCell {
        to_out_cell(self.find(row).unwrap_or(&Value::Null), self.kind)
    }

    pub(super) fn find<'a>(&self, row: &'a Value) -> Option<&'a Value> {
        self.path.iter().try_fold(row, |value, name| value.get(name))
    }

    pub(super) fn path(&self) -> &[String] {
        &self.path
    }
}

/// Converts a value to a cell by its field's kind.
pub fn to_out_cell(value: &Value, kind: FieldKind) -> OutCell {
    match value {
        Value::Null => OutCell::Empty,
        Value::Bool(truth) => OutCell::Boolean(*truth),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.as_i64().is_none_or(|integer| integer.unsigned_abs() <= MAX_EXACT_INTEGER) => {
                OutCell::Number(float)
            }
            _ => OutCell::Text(number.to_string()),
        },
        Value::String(text) => text_to_cell(text, kind),
        Value::Object(_) if kind == FieldKind::TimeSpan => match value.get("ticks").and_then(Value::as_i64) {
            Some(ticks) => OutCell::Duration(ticks),
            None => OutCell::Text(value.to_string()),
        },
        Value::Array(list) => list_to_cell(list, value),
        Value::Object(_) => OutCell::Text(value.to_string()),
    }
}

fn text_to_cell(text: &str, kind: FieldKind) -> OutCell {
    let parsed = match kind {
        FieldKind::DateTime => parse_local(text).map(OutCell::DateTime),
        FieldKind::Duration | FieldKind::TimeSpan => wire::duration::parse_ticks(text).map(OutCell::Duration),
        _ => None,
    };
    parsed.unwrap_or_else(|| OutCell::from(text))
}

/// Parses a date-time without an offset. One with an offset stays text, because the cell would show another time.
fn parse_local(text: &str) -> Option<DateTime> {
    let time = text.split_once('T')?.1;
    let has_offset = time.ends_with(['Z', 'z']) || time.contains(['+', '-', '[']);
    if has_offset { None } else { text.parse().ok() }
}

/// Joins plain parts with commas, and converts others to JSON.
fn list_to_cell(list: &[Value], value: &Value) -> OutCell {
    if list.is_empty() {
        return OutCell::Empty;
    }
    let plain: Option<Vec<String>> = list
        .iter()
        .map(|part| match part {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        })
        .collect();
    OutCell::Text(plain.map_or_else(|| value.to_string(), |parts| parts.join(", ")))
}

/// Returns members that the contract doesn't list, in the order of their first appearance.
pub(super) fn unknown_members(rows: &[Value], shape: &RowSchema) -> Vec<String> {
    let mut seen: HashSet<&str> = shape.fields.iter().map(|field| field.name.as_str()).collect();
    let names = rows.iter().filter_map(Value::as_object).flat_map(|row| row.keys());
    names.filter(|name| seen.insert(name.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(text: &str) -> OutCell {
        OutCell::from(text)
    }

    #[test]
    fn values_keep_their_kind() {
        assert_eq!(to_out_cell(&json!("007"), FieldKind::Text), text("007"));
        assert_eq!(to_out_cell(&json!(4.5), FieldKind::Number), OutCell::Number(4.5));
        assert_eq!(to_out_cell(&json!(9_007_199_254_740_993_i64), FieldKind::Integer), text("9007199254740993"));
        assert_eq!(to_out_cell(&json!({ "ticks": 600_000_000 }), FieldKind::TimeSpan), OutCell::Duration(600_000_000));
        assert_eq!(to_out_cell(&json!("25:00:00"), FieldKind::TimeSpan), OutCell::Duration(900_000_000_000));
        assert_eq!(to_out_cell(&json!(null), FieldKind::Text), OutCell::Empty);
        assert_eq!(to_out_cell(&json!([1, "a"]), FieldKind::List), text("1, a"));
        assert_eq!(to_out_cell(&json!([{ "code": "x" }]), FieldKind::List), text(r#"[{"code":"x"}]"#));
        assert_eq!(to_out_cell(&json!([]), FieldKind::List), OutCell::Empty);
    }

    #[test]
    fn a_moment_with_an_offset_stays_as_it_is() {
        let local = to_out_cell(&json!("2026-11-21T06:30:00"), FieldKind::DateTime);
        assert_eq!(local, OutCell::DateTime(jiff::civil::date(2026, 11, 21).at(6, 30, 0, 0)));
        for moment in ["2026-11-21T06:30:00Z", "2026-11-21T06:30:00+01:00", "2026-11-21T06:30:00-05:00", "", "soon"] {
            assert_eq!(to_out_cell(&json!(moment), FieldKind::DateTime), text(moment));
        }
    }
}
