//! A work order as an event tells of it.

use serde_json::Value;
use takt_contract::wire::{
    ConsumedRawMaterial, ProducedQuantity, Property, RawMaterial, WorkOrderEntry, duration::format_ticks_in_hours,
};

use super::{date, maybe, number, text};
use crate::store::Members;

pub(super) fn entry(row: &Members, unset: &str) -> WorkOrderEntry {
    WorkOrderEntry {
        id: whole(row, "id"),
        kind: text(row, "type"),
        work_order_grouper: text(row, "workOrderGrouper"),
        code: text(row, "code"),
        material_code: text(row, "materialCode"),
        customer: maybe(row, "customer"),
        promise_date: text(row, "promiseDate"),
        operation_code: text(row, "operationCode"),
        produced_quantity_history: parts(row, "producedQuantityHistory", |part| produced(part, unset)),
        note: maybe(row, "note"),
        status_description: maybe(row, "statusDescription"),
        status_additional_description: maybe(row, "statusAdditionalDescription"),
        status_note: maybe(row, "statusNote"),
        requested_quantity: number(row, "requestedQuantity"),
        produced_good_quantity: number(row, "producedGoodQuantity"),
        produced_bad_quantity: number(row, "producedBadQuantity"),
        begin_real: Some(date(row, "beginReal", unset)),
        end_real: maybe(row, "endReal").filter(|date| !date.is_empty()),
        begin_planned: Some(date(row, "beginPlanned", unset)),
        end_planned: Some(date(row, "endPlanned", unset)),
        raw_materials: parts(row, "rawMaterials", raw_material),
        properties: parts(row, "properties", property),
        labor_predicted_time: duration(row, "laborPredictedTime"),
        labor_value_added_time: duration(row, "laborValueAddedTime"),
        labor_non_value_added_time: duration(row, "laborNonValueAddedTime"),
        machine_predicted_time: duration(row, "machinePredictedTime"),
        machine_value_added_time: duration(row, "machineValueAddedTime"),
        machine_non_value_added_time: duration(row, "machineNonValueAddedTime"),
    }
}

fn produced(row: &Members, unset: &str) -> ProducedQuantity {
    ProducedQuantity {
        id: whole(row, "id"),
        date: date(row, "date", unset),
        produced_good_quantity: number(row, "producedGoodQuantity"),
        produced_bad_quantity: number(row, "producedBadQuantity"),
    }
}

fn raw_material(row: &Members) -> RawMaterial {
    let consumed = |lot: &Members| ConsumedRawMaterial {
        quantity: number(lot, "quantity"),
        serial_number: text(lot, "serialNumber"),
    };
    RawMaterial {
        code: text(row, "code"),
        description: text(row, "description"),
        sequence: whole(row, "sequence"),
        quantity: number(row, "quantity"),
        quantity_consumed: number(row, "quantityConsumed"),
        uom: text(row, "uoM"),
        consumed_raw_materials: parts(row, "consumedRawMaterials", consumed),
    }
}

fn property(row: &Members) -> Property {
    Property {
        key: text(row, "key"),
        value: text(row, "value"),
        name: maybe(row, "name"),
        is_locked: row.get("isLocked").and_then(Value::as_bool),
    }
}

/// A time span object as `hh:mm:ss[.fffffff]`.
fn duration(row: &Members, name: &str) -> String {
    let ticks = row.get(name).and_then(|span| span.get("ticks")).and_then(Value::as_i64);
    format_ticks_in_hours(ticks.unwrap_or_default())
}

fn parts<T>(row: &Members, name: &str, read: impl Fn(&Members) -> T) -> Vec<T> {
    let list = row.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object).map(read).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "a row's whole number, perhaps written with a point")]
fn whole(row: &Members, name: &str) -> i64 {
    let value = row.get(name).unwrap_or(&Value::Null);
    value.as_i64().or_else(|| value.as_f64().map(|number| number as i64)).unwrap_or_default()
}
