//! The shape of rows, from the contract: which members a row has, in which order, and what stands where nothing is known.

use serde_json::{Value, json};
use takt_contract::{
    Contract, Field, FieldKind,
    read_back::{ListEffect, ListEffects},
    wire::{TimeSpan, duration::parse_ticks},
};

use crate::{
    PlantError,
    store::{
        Members,
        text::{Column, RowText, written},
    },
};

/// How a row is laid out.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    columns: Vec<Column>,
    /// So many of the columns are in the brief view; 0 where there is none.
    brief: usize,
    /// What the lists of an item do to those of its row.
    list_effects: ListEffects,
}

impl Layout {
    /// The rows of an operation's answer; of its request where its answer has none of its own.
    pub(super) fn of(contract: &Contract, operation: &str, brief: Option<&str>) -> Result<Self, PlantError> {
        let fields = |id: &str| {
            let operation = contract.operation(id)?;
            let shape = operation.request.as_ref().or(operation.answer.as_ref())?;
            (!shape.fields.is_empty()).then(|| shape.fields.clone())
        };
        let missing = |id: &str| PlantError::Operation(id.to_owned());
        let of = |id: &str| fields(id).ok_or_else(|| missing(id));
        let mut whole = of(operation)?;
        let brief = brief.map(of).transpose()?.unwrap_or_default();
        // The brief view is the beginning of the row, so that one text serves both.
        let missing_in_whole = |field: &&Field| !whole.iter().any(|known| known.name == field.name);
        let beside: Vec<Field> = brief.iter().filter(missing_in_whole).cloned().collect();
        whole.extend(beside);
        let place = |name: &str| brief.iter().position(|field| field.name == name).unwrap_or(brief.len());
        whole.sort_by_key(|field| place(&field.name));
        let list_effects = ListEffects::default();
        Ok(Self { columns: Column::of(&whole), fields: whole, brief: brief.len(), list_effects })
    }

    /// The same where the lists of this operation's items do what the contract says.
    pub(super) fn synced_by(self, contract: &Contract, operation: &str) -> Self {
        let list_effects = contract.operation(operation).map(|operation| operation.list_effects.clone());
        Self { list_effects: list_effects.unwrap_or_default(), ..self }
    }

    /// Gives a row every member of the contract, in its order, and no other.
    pub(crate) fn complete(&self, row: &mut Members) {
        complete(&self.fields, row);
    }

    /// Whether rows have this member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }

    /// The row with every member of the contract, in its order, and no other, as text. See [`written`] for the room.
    pub(super) fn written(&self, row: &Members, room: &mut Vec<u8>) -> Result<RowText, PlantError> {
        Ok(written(&self.columns, self.brief, row, room)?)
    }

    /// A row that this layout once wrote.
    pub(super) fn read_row(&self, text: String) -> RowText {
        RowText::read(&self.columns, self.brief, text)
    }

    /// Moves the item's members over the row's; nulls stand in their place. What the item doesn't name stays as it was.
    pub(super) fn merge(&self, row: &mut Members, item: &mut Members) {
        merge(&self.fields, row, item, &self.list_effects);
    }
}

fn complete(fields: &[Field], row: &mut Members) {
    let mut given = std::mem::take(row);
    for field in fields {
        let value = given.remove(&field.name).filter(|value| field.nullable || !value.is_null());
        row.insert(field.name.clone(), shaped(field, value));
    }
}

/// A value as the contract answers it; a blank one where there is none.
fn shaped(field: &Field, value: Option<Value>) -> Value {
    match (field.kind, value) {
        (FieldKind::TimeSpan, Some(Value::String(text))) => parse_ticks(&text).map_or_else(|| blank(field), time_span),
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
        (_, None) => blank(field),
    }
}

/// What stands where nothing is known.
pub(super) fn blank(field: &Field) -> Value {
    match field.kind {
        FieldKind::List => json!([]),
        _ if field.nullable || !field.required => Value::Null,
        FieldKind::Text | FieldKind::DateTime | FieldKind::Duration => json!(""),
        FieldKind::Integer | FieldKind::Number => json!(0),
        // Only flags such as `isActive` have a default: what exists is in use.
        FieldKind::Boolean => json!(field.name == "isActive"),
        FieldKind::TimeSpan => time_span(0),
        FieldKind::Object => json!({}),
    }
}

fn merge(fields: &[Field], row: &mut Members, item: &mut Members, effects: &ListEffects) {
    for field in fields {
        let Some(value) = item.get_mut(&field.name) else { continue };
        let effect = if field.kind == FieldKind::List { effects.of(&field.name) } else { ListEffect::Replaces };
        match (field.kind, value, row.get_mut(&field.name)) {
            (FieldKind::List, Value::Array(parts), Some(Value::Array(known))) if effect == ListEffect::Adds => {
                for part in parts {
                    let merged = merged_part(field, part, known);
                    match known_place(field, &merged, known) {
                        Some(place) => known[place] = merged,
                        None => known.push(merged),
                    }
                }
            }
            (FieldKind::List, Value::Array(parts), Some(Value::Array(known))) => {
                *known = parts.iter_mut().map(|part| merged_part(field, part, known)).collect();
            }
            // Nothing is added.
            (FieldKind::List, Value::Null, Some(_)) if effect == ListEffect::Adds => {}
            (_, value, Some(known)) => *known = value.take(),
            (_, value, None) => drop(row.insert(field.name.clone(), value.take())),
        }
    }
}

/// The member by which parts of a list are told apart.
fn identity(field: &Field) -> Option<&'static str> {
    ["key", "code"].into_iter().find(|name| field.fields.iter().any(|field| field.name == *name))
}

/// Where the part with the same code or key stands.
fn known_place(field: &Field, part: &Value, known: &[Value]) -> Option<usize> {
    let identity = identity(field)?;
    known.iter().position(|known| known.get(identity) == part.get(identity))
}

/// A part of a list over the part with the same code or key that was there: what only the plant knows of it stays.
fn merged_part(field: &Field, part: &mut Value, known: &[Value]) -> Value {
    let same = known_place(field, part, known).and_then(|place| known.get(place));
    let (Value::Object(members), Some(_)) = (&mut *part, identity(field)) else { return part.take() };
    let mut merged = same.and_then(Value::as_object).cloned().unwrap_or_default();
    merge(&field.fields, &mut merged, members, &ListEffects::default());
    Value::Object(merged)
}

/// The time span object.
pub(crate) fn time_span(ticks: i64) -> Value {
    serde_json::to_value(TimeSpan::from_ticks(ticks)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Resource, View};

    /// Members in a strange order, some too many, some missing, some of another kind than they should be.
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
        let mut room = Vec::new();
        for resource in Resource::ALL {
            let brief = (resource == Resource::WorkOrders).then_some("work-orders.list");
            let layout = Layout::of(&contract, resource.source(), brief).unwrap_or_else(|error| panic!("{error}"));
            for mut row in odd_rows() {
                let written = layout.written(&row, &mut room).unwrap_or_else(|error| panic!("{error}"));
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
