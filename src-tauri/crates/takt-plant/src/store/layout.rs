//! The layout of rows, from the contract: members, their order and their blank values.

use serde_json::Value;
use takt_contract::{
    Contract, Field, FieldKind,
    read_back::{ListEffect, ListEffects},
    wire::duration::parse_ticks,
};

use super::{
    members::{Members, time_span},
    text::{Column, RowText, blank_value, serialize},
};
use crate::PlantError;

/// The layout of a table's rows.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    columns: Vec<Column>,
    /// The number of columns in the brief view. 0 if there is none.
    brief: usize,
    /// The effects of an item's lists on those of the row.
    list_effects: ListEffects,
}

impl Layout {
    /// Reads the layout from an operation's request, or from its response if it has no request.
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
        // The brief view's members come first, so that one text serves both views.
        let missing_in_full = |field: &&Field| !full.iter().any(|known| known.name == field.name);
        let brief_only: Vec<Field> = brief.iter().filter(missing_in_full).cloned().collect();
        full.extend(brief_only);
        let brief_index = |name: &str| brief.iter().position(|field| field.name == name).unwrap_or(brief.len());
        full.sort_by_key(|field| brief_index(&field.name));
        let list_effects = ListEffects::default();
        Ok(Self { columns: Column::from_fields(&full), fields: full, brief: brief.len(), list_effects })
    }

    /// Adds the effects of the lists of an operation's items.
    pub(super) fn synced_by(self, contract: &Contract, operation: &str) -> Self {
        let list_effects = contract.operation(operation).map(|operation| operation.list_effects.clone());
        Self { list_effects: list_effects.unwrap_or_default(), ..self }
    }

    /// Gives a row exactly the contract's members, in order.
    pub(crate) fn complete(&self, row: &mut Members) {
        complete(&self.fields, row);
    }

    /// Whether rows have this member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }

    /// Serializes a row with exactly the contract's members, in order. `buffer` is reused between rows.
    pub(super) fn serialize(&self, row: &Members, buffer: &mut Vec<u8>) -> Result<RowText, PlantError> {
        Ok(serialize(&self.columns, self.brief, row, buffer)?)
    }

    /// Wraps a row that was serialized with this layout.
    pub(super) fn read_row(&self, text: String) -> RowText {
        RowText::from_serialized(&self.columns, self.brief, text)
    }

    /// Moves the item's members over the row's, including nulls. The row's other members stay.
    pub(super) fn merge(&self, row: &mut Members, item: &mut Members) {
        merge(&self.fields, row, item, &self.list_effects);
    }
}

fn complete(fields: &[Field], row: &mut Members) {
    let mut given = std::mem::take(row);
    for field in fields {
        let value = given.remove(&field.name).filter(|value| field.nullable || !value.is_null());
        row.insert(field.name.clone(), shape_value(field, value));
    }
}

/// Returns a value in the contract's form, or a blank one if it's absent.
fn shape_value(field: &Field, value: Option<Value>) -> Value {
    match (field.kind, value) {
        (FieldKind::TimeSpan, Some(Value::String(text))) => {
            parse_ticks(&text).map_or_else(|| blank_value(field), time_span)
        }
        (FieldKind::List, Some(Value::Array(mut parts))) => {
            for part in &mut parts {
                if let Value::Object(members) = part {
                    complete(&field.fields, members);
                }
            }
            Value::Array(parts)
        }
        (FieldKind::Object, Some(Value::Object(mut members))) => {
            complete(&field.fields, &mut members);
            Value::Object(members)
        }
        (_, Some(value)) => value,
        (_, None) => blank_value(field),
    }
}

fn merge(fields: &[Field], row: &mut Members, item: &mut Members, effects: &ListEffects) {
    for field in fields {
        let Some(value) = item.get_mut(&field.name) else { continue };
        let effect = if field.kind == FieldKind::List { effects.of(&field.name) } else { ListEffect::Replaces };
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
            // A null adds nothing.
            (FieldKind::List, Value::Null, Some(_)) if effect == ListEffect::Adds => {}
            (_, value, Some(known)) => *known = value.take(),
            (_, value, None) => drop(row.insert(field.name.clone(), value.take())),
        }
    }
}

/// Returns the member that identifies a part of a list.
fn identity_member(field: &Field) -> Option<&'static str> {
    ["key", "code"].into_iter().find(|name| field.fields.iter().any(|field| field.name == *name))
}

/// Returns the index of the part with the same identity.
fn part_index(field: &Field, part: &Value, known: &[Value]) -> Option<usize> {
    let identity = identity_member(field)?;
    known.iter().position(|known| known.get(identity) == part.get(identity))
}

/// Merges a part into the part with the same identity. Members that only the plant has stay.
fn merge_part(field: &Field, part: &mut Value, known: &[Value]) -> Value {
    let same = part_index(field, part, known).and_then(|index| known.get(index));
    let (Value::Object(members), Some(_)) = (&mut *part, identity_member(field)) else { return part.take() };
    let mut merged = same.and_then(Value::as_object).cloned().unwrap_or_default();
    merge(&field.fields, &mut merged, members, &ListEffects::default());
    Value::Object(merged)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::store::{Resource, View};

    /// Rows with unordered, unknown, missing and mistyped members.
    fn odd_rows() -> Vec<Members> {
        let rows = json!([
            {},
            { "code": "A\"\n", "unknown": 1, "description": null, "isActive": false },
            { "properties": [{ "value": "v", "key": "k", "more": [] }, 7, null], "code": "C", "operationCode": null },
            { "laborPredictedTime": "01:30:00.5", "machinePredictedTime": "no time", "id": 3.25, "rawMaterials": {},
                "producedQuantityHistory": [{ "date": "2026-01-01T00:00:00" }], "area": { "description": "D", "x": 1 } },
            { "laborPredictedTime": time_span(12_345), "rawMaterials": [{ "consumedRawMaterials": [{ "quantity": 1 }] }] },
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
                layout.complete(&mut row);
                assert_eq!(written.full(), Value::Object(row.clone()).to_string());
                let again = layout.read_row(written.full().to_owned());
                assert_eq!(again.pieces(View::Brief), written.pieces(View::Brief));
                let shown: Members = serde_json::from_str(&written.pieces(View::Brief).concat()).unwrap_or_default();
                let fewer = if brief.is_some() { 5 } else { 0 };
                assert_eq!(shown.len(), row.len() - fewer);
                assert!(shown.iter().all(|(name, value)| row[name] == *value), "{resource:?}");
            }
        }
    }
}
