//! The layout of rows: their members, the order of the members, and their blank values, as in the contract.
//!
//! Rows are written often, so they are serialized in one pass without a completed copy. The result equals
//! [`Layout::complete_row`] followed by serialization.

use serde_json::{Value, json};
use takt_contract::{
    Contract, Field, FieldKind,
    read_back::{ListEffect, ListEffects},
    wire::{TimeSpan, duration::parse_ticks},
};

use super::members::{Members, to_time_span};
use crate::PlantError;

/// The layout of a table's rows.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    columns: Vec<Column>,
    /// The number of columns in the brief view. 0 if there is no brief view.
    brief: usize,
    /// Whether lists in an item replace lists of the row or add to them.
    list_effects: ListEffects,
}

impl Layout {
    /// Reads the layout from the request of an operation, or from its response if it has no request.
    pub(super) fn from_contract(contract: &Contract, operation: &str, brief: Option<&str>) -> Result<Self, PlantError> {
        let fields = |id: &str| {
            let operation = contract.operation(id)?;
            let shape = operation.request.as_ref().or(operation.answer.as_ref())?;
            (!shape.fields.is_empty()).then(|| shape.fields.clone())
        };
        let missing = |id: &str| PlantError::Operation(id.to_owned());
        let of = |id: &str| fields(id).ok_or_else(|| missing(id));
        let mut full = of(operation)?;
        let brief = brief.map(of).transpose()?.unwrap_or_default();
        // The members of the brief view come first, so that one text contains both views.
        let missing_in_full = |field: &&Field| !full.iter().any(|known| known.name == field.name);
        let brief_only: Vec<Field> = brief.iter().filter(missing_in_full).cloned().collect();
        full.extend(brief_only);
        let brief_index = |name: &str| brief.iter().position(|field| field.name == name).unwrap_or(brief.len());
        full.sort_by_key(|field| brief_index(&field.name));
        let list_effects = ListEffects::default();
        Ok(Self { columns: Column::from_fields(&full), fields: full, brief: brief.len(), list_effects })
    }

    /// Sets the effects of lists in the items of an operation.
    pub(super) fn with_list_effects_of(self, contract: &Contract, operation: &str) -> Self {
        let list_effects = contract.operation(operation).map(|operation| operation.list_effects.clone());
        Self { list_effects: list_effects.unwrap_or_default(), ..self }
    }

    /// Reduces or extends a row to the members in the contract, in order.
    pub(crate) fn complete_row(&self, row: &mut Members) {
        complete_members(&self.fields, row);
    }

    /// Returns whether rows have this member.
    pub(crate) fn has_member(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }

    /// Serializes a row with the members in the contract, in order. `buffer` is reused between rows.
    pub(super) fn serialize(&self, row: &Members, buffer: &mut Vec<u8>) -> Result<RowText, PlantError> {
        Ok(serialize_row(&self.columns, self.brief, row, buffer)?)
    }

    /// Wraps a row that was serialized with the same layout.
    pub(super) fn wrap_serialized(&self, text: String) -> RowText {
        RowText::from_serialized(&self.columns, self.brief, text)
    }

    /// Moves the members of an item to the row, including nulls. Other members of the row are unchanged.
    pub(super) fn merge(&self, row: &mut Members, item: &mut Members) {
        merge_members(&self.fields, row, item, &self.list_effects);
    }
}

fn complete_members(fields: &[Field], row: &mut Members) {
    let mut given = std::mem::take(row);
    for field in fields {
        let value = given.remove(&field.name).filter(|value| field.nullable || !value.is_null());
        row.insert(field.name.clone(), shape_value(field, value));
    }
}

/// Returns a value in the contract's form. Absent values become blank.
fn shape_value(field: &Field, value: Option<Value>) -> Value {
    match (field.kind, value) {
        (FieldKind::TimeSpan, Some(Value::String(text))) => {
            parse_ticks(&text).map_or_else(|| blank_value(field), to_time_span)
        }
        (FieldKind::List, Some(Value::Array(mut parts))) => {
            for part in &mut parts {
                if let Value::Object(members) = part {
                    complete_members(&field.fields, members);
                }
            }
            Value::Array(parts)
        }
        (FieldKind::Object, Some(Value::Object(mut members))) => {
            complete_members(&field.fields, &mut members);
            Value::Object(members)
        }
        (_, Some(value)) => value,
        (_, None) => blank_value(field),
    }
}

fn merge_members(fields: &[Field], row: &mut Members, item: &mut Members, effects: &ListEffects) {
    for field in fields {
        let Some(value) = item.get_mut(&field.name) else { continue };
        let effect =
            if field.kind == FieldKind::List { effects.effect_for_list(&field.name) } else { ListEffect::Replaces };
        match (field.kind, value, row.get_mut(&field.name)) {
            (FieldKind::List, Value::Array(parts), Some(Value::Array(known))) if effect == ListEffect::Adds => {
                for part in parts {
                    let merged = merge_part(field, part, known);
                    match part_index(field, &merged, known) {
                        Some(index) => known[index] = merged,
                        None => known.push(merged),
                    }
                }
            }
            (FieldKind::List, Value::Array(parts), Some(Value::Array(known))) => {
                *known = parts.iter_mut().map(|part| merge_part(field, part, known)).collect();
            }
            // A null adds no elements.
            (FieldKind::List, Value::Null, Some(_)) if effect == ListEffect::Adds => {}
            (_, value, Some(known)) => *known = value.take(),
            (_, value, None) => drop(row.insert(field.name.clone(), value.take())),
        }
    }
}

/// Returns the member that identifies an element of a list.
fn identity_member(field: &Field) -> Option<&'static str> {
    ["key", "code"].into_iter().find(|name| field.fields.iter().any(|field| field.name == *name))
}

/// Returns the index of the element with the same identity.
fn part_index(field: &Field, part: &Value, known: &[Value]) -> Option<usize> {
    let identity = identity_member(field)?;
    known.iter().position(|known| known.get(identity) == part.get(identity))
}

/// Merges an element into the known element with the same identity. Members that the item omits are unchanged.
fn merge_part(field: &Field, part: &mut Value, known: &[Value]) -> Value {
    let same = part_index(field, part, known).and_then(|index| known.get(index));
    let (Value::Object(members), Some(_)) = (&mut *part, identity_member(field)) else { return part.take() };
    let mut merged = same.and_then(Value::as_object).cloned().unwrap_or_default();
    merge_members(&field.fields, &mut merged, members, &ListEffects::default());
    Value::Object(merged)
}

/// The members of a row that a list returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    Full,
    /// All members except the production details.
    Brief,
}

/// A serialized row, which contains both views.
#[derive(Debug, Clone)]
pub(crate) struct RowText {
    full: Box<str>,
    /// The position of the first production detail in the text. 0 if there are none.
    details_start: u32,
}

impl RowText {
    /// Wraps a serialized row. Searches for a member by its name in quotes, which values can't contain.
    fn from_serialized(columns: &[Column], brief: usize, text: String) -> Self {
        let first = columns.get(brief).filter(|_| brief > 0);
        let details_start = first.and_then(|column| text.find(&format!(",{}", column.json_key)));
        let details_start = details_start.and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        Self { full: text.into_boxed_str(), details_start }
    }

    pub(super) fn full(&self) -> &str {
        &self.full
    }

    /// Returns the text of a view in two pieces.
    pub(super) fn pieces(&self, view: View) -> [&str; 2] {
        match (view, self.details_start) {
            (View::Brief, 1..) => [&self.full[..self.details_start as usize], "}"],
            _ => [&self.full, ""],
        }
    }
}

/// A member of rows, with its serialized name and blank value.
#[derive(Debug, Clone)]
struct Column {
    name: String,
    kind: FieldKind,
    nullable: bool,
    /// The name with quotes and a colon.
    json_key: String,
    /// The serialized value for rows without this member.
    blank: String,
    parts: Vec<Self>,
}

impl Column {
    fn from_fields(fields: &[Field]) -> Vec<Self> {
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

/// Returns the value for rows without this member.
fn blank_value(field: &Field) -> Value {
    match field.kind {
        FieldKind::List => json!([]),
        _ if field.nullable || !field.required => Value::Null,
        FieldKind::Text | FieldKind::DateTime | FieldKind::Duration => json!(""),
        FieldKind::Integer | FieldKind::Number => json!(0),
        // `isActive` is true by default, other booleans are false.
        FieldKind::Boolean => json!(field.name == "isActive"),
        FieldKind::TimeSpan => to_time_span(0),
        FieldKind::Object => json!({}),
    }
}

/// Serializes a row. The first `brief` columns are the brief view, and 0 means that there is none. `text` is a reused
/// buffer, so that the stored text has no spare capacity.
fn serialize_row(columns: &[Column], brief: usize, row: &Members, text: &mut Vec<u8>) -> serde_json::Result<RowText> {
    let mut details_start = 0;
    text.clear();
    for_each_column(columns, row, |index, column, value| {
        if index == brief && brief > 0 {
            details_start = u32::try_from(text.len()).unwrap_or(0);
        }
        text.push(if index == 0 { b'{' } else { b',' });
        write_member(column, value, text)
    })?;
    text.push(b'}');
    let full = std::str::from_utf8(text).map_err(serde::de::Error::custom)?;
    Ok(RowText { full: full.into(), details_start })
}

fn write_members(columns: &[Column], row: &Members, text: &mut Vec<u8>) -> serde_json::Result<()> {
    text.push(b'{');
    for_each_column(columns, row, |index, column, value| {
        if index > 0 {
            text.push(b',');
        }
        write_member(column, value, text)
    })?;
    text.push(b'}');
    Ok(())
}

/// Calls `work` with each column and its value. Stored rows have the columns' order, so most values need no lookup.
fn for_each_column(
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store::Resource;

    /// Returns rows with unordered, unknown, missing and mistyped members.
    fn odd_rows() -> Vec<Members> {
        let rows = json!([
            {},
            { "code": "A\"\n", "unknown": 1, "description": null, "isActive": false },
            { "properties": [{ "value": "v", "key": "k", "more": [] }, 7, null], "code": "C", "operationCode": null },
            { "laborPredictedTime": "01:30:00.5", "machinePredictedTime": "no time", "id": 3.25, "rawMaterials": {},
                "producedQuantityHistory": [{ "date": "2026-01-01T00:00:00" }], "area": { "description": "D", "x": 1 } },
            { "laborPredictedTime": to_time_span(12_345), "rawMaterials": [{ "consumedRawMaterials": [{ "quantity": 1 }] }] },
        ]);
        serde_json::from_value(rows).unwrap_or_default()
    }

    #[test]
    fn a_row_is_written_as_its_completed_self() {
        let contract = Contract::builtin().unwrap_or_else(|error| panic!("{error}"));
        let mut buffer = Vec::new();
        for resource in Resource::ALL {
            let brief = (resource == Resource::WorkOrders).then_some("work-orders.list");
            let layout = Layout::from_contract(&contract, resource.row_operation(), brief)
                .unwrap_or_else(|error| panic!("{error}"));
            for mut row in odd_rows() {
                let written = layout.serialize(&row, &mut buffer).unwrap_or_else(|error| panic!("{error}"));
                layout.complete_row(&mut row);
                assert_eq!(written.full(), Value::Object(row.clone()).to_string());
                let again = layout.wrap_serialized(written.full().to_owned());
                assert_eq!(again.pieces(View::Brief), written.pieces(View::Brief));
                let shown: Members = serde_json::from_str(&written.pieces(View::Brief).concat()).unwrap_or_default();
                let fewer = if brief.is_some() { 5 } else { 0 };
                assert_eq!(shown.len(), row.len() - fewer);
                assert!(shown.iter().all(|(name, value)| row[name] == *value), "{resource:?}");
            }
        }
    }
}
