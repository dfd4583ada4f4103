//! A work order in an event's payload.

use serde_json::Value;
use takt_contract::wire::{
    ConsumedRawMaterial, ProducedQuantity, Property, RawMaterial, WorkOrderEntry, duration::format_ticks_in_hours,
};

use super::{date_member, number_member, optional_text, text_member};
use crate::store::Members;

pub(super) fn entry(row: &Members, unset: &str) -> WorkOrderEntry {
    WorkOrderEntry {
        id: integer_member(row, "id"),
        kind: text_member(row, "type"),
        work_order_grouper: text_member(row, "workOrderGrouper"),
        code: text_member(row, "code"),
        material_code: text_member(row, "materialCode"),
        customer: optional_text(row, "customer"),
        promise_date: text_member(row, "promiseDate"),
        operation_code: text_member(row, "operationCode"),
        produced_quantity_history: map_list(row, "producedQuantityHistory", |part| produced_quantity(part, unset)),
        note: optional_text(row, "note"),
        status_description: optional_text(row, "statusDescription"),
        status_additional_description: optional_text(row, "statusAdditionalDescription"),
        status_note: optional_text(row, "statusNote"),
        requested_quantity: number_member(row, "requestedQuantity"),
        produced_good_quantity: number_member(row, "producedGoodQuantity"),
        produced_bad_quantity: number_member(row, "producedBadQuantity"),
        begin_real: Some(date_member(row, "beginReal", unset)),
        end_real: optional_text(row, "endReal").filter(|date| !date.is_empty()),
        begin_planned: Some(date_member(row, "beginPlanned", unset)),
        end_planned: Some(date_member(row, "endPlanned", unset)),
        raw_materials: map_list(row, "rawMaterials", raw_material),
        properties: map_list(row, "properties", property),
        labor_predicted_time: duration_member(row, "laborPredictedTime"),
        labor_value_added_time: duration_member(row, "laborValueAddedTime"),
        labor_non_value_added_time: duration_member(row, "laborNonValueAddedTime"),
        machine_predicted_time: duration_member(row, "machinePredictedTime"),
        machine_value_added_time: duration_member(row, "machineValueAddedTime"),
        machine_non_value_added_time: duration_member(row, "machineNonValueAddedTime"),
    }
}

fn produced_quantity(row: &Members, unset: &str) -> ProducedQuantity {
    ProducedQuantity {
        id: integer_member(row, "id"),
        date: date_member(row, "date", unset),
        produced_good_quantity: number_member(row, "producedGoodQuantity"),
        produced_bad_quantity: number_member(row, "producedBadQuantity"),
    }
}

fn raw_material(row: &Members) -> RawMaterial {
    let consumed = |lot: &Members| ConsumedRawMaterial {
        quantity: number_member(lot, "quantity"),
        serial_number: text_member(lot, "serialNumber"),
    };
    RawMaterial {
        code: text_member(row, "code"),
        description: text_member(row, "description"),
        sequence: integer_member(row, "sequence"),
        quantity: number_member(row, "quantity"),
        quantity_consumed: number_member(row, "quantityConsumed"),
        uom: text_member(row, "uoM"),
        consumed_raw_materials: map_list(row, "consumedRawMaterials", consumed),
    }
}

fn property(row: &Members) -> Property {
    Property {
        key: text_member(row, "key"),
        value: text_member(row, "value"),
        name: optional_text(row, "name"),
        is_locked: row.get("isLocked").and_then(Value::as_bool),
    }
}

/// Converts a time span object to `hh:mm:ss[.fffffff]`.
fn duration_member(row: &Members, name: &str) -> String {
    let ticks = row.get(name).and_then(|span| span.get("ticks")).and_then(Value::as_i64);
    format_ticks_in_hours(ticks.unwrap_or_default())
}

fn map_list<T>(row: &Members, name: &str, read: impl Fn(&Members) -> T) -> Vec<T> {
    let list = row.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object).map(read).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a row's whole number, perhaps written with a point")]
fn integer_member(row: &Members, name: &str) -> i64 {
    let value = row.get(name).unwrap_or(&Value::Null);
    value.as_i64().or_else(|| value.as_f64().map(|number| number as i64)).unwrap_or_default()
}
