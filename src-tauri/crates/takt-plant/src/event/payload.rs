//! Builds the payload of an event from rows, as specified.
//!
//! Members are spelled by the wire types of takt-contract.

use serde_json::Value;
use takt_contract::wire::{
    ConsumedRawMaterial, Event, MaterialSupply, ProducedQuantity, ProductionAlert, Property, RawMaterial,
    WorkOrderEntry, duration::format_ticks_in_hours,
};

use crate::{
    EventKind,
    domain_event::{DomainEvent, EventSubject},
    store::{Members, Resource, Store, Supply},
};

/// Returns the payload of an event. `unset` is the text for dates that don't exist yet. None if the subject no
/// longer exists.
pub(crate) fn build_payload(store: &Store, domain_event: &DomainEvent, unset: &str) -> Option<Event> {
    let mut event = Event {
        id: domain_event.kind.id(),
        description: describe_event(domain_event.kind).to_owned(),
        work_station: String::new(),
        work_station_code: String::new(),
        user_trigger: domain_event.user.clone(),
        employee_badge: Some(domain_event.badge.clone()),
        work_orders: None,
        production_alert: None,
        material_supplies: None,
    };
    match &domain_event.subject {
        EventSubject::Order { code, operation } => {
            let row = store.row(Resource::WorkOrders, &[code, operation])?;
            set_station(&mut event, store, &text_member(&row, "workStationCode"));
            event.work_orders = Some(vec![order_payload(&row, unset)]);
        }
        EventSubject::Alert(id) => {
            let row = store.row(Resource::Alerts, &[&id.to_string()])?;
            event.work_station_code = text_member(&row, "workStationCode");
            event.work_station = text_member(&row, "workStation");
            event.production_alert = Some(alert_payload(*id, &row, unset));
        }
        EventSubject::Supply(id) => {
            let supply = store.supply(*id)?;
            if let Some(station) = find_supply_station(store, supply) {
                set_station(&mut event, store, &station);
            }
            event.employee_badge = None;
            event.material_supplies = Some(vec![supply_payload(supply)]);
        }
    }
    Some(event)
}

/// Returns the description of an event, as in its payload.
fn describe_event(kind: EventKind) -> &'static str {
    match kind {
        EventKind::ProductionAlert => "Production alert invoked",
        EventKind::WorkOrderPlanned => "Work order planned",
        EventKind::WorkOrderExecutionBegin => "Work order execution began",
        EventKind::WorkOrderExecutionPaused => "Work order execution paused",
        EventKind::WorkOrderExecutionEnded => "Work order execution ended",
        EventKind::WorkOrderReset => "Work order reset",
        EventKind::WorkOrderConsumedRawMaterialUpdated => "Work order consumed raw material updated",
        EventKind::WorkOrderExecutionResumed => "Work order execution resumed",
        EventKind::MaterialSupplyUpdated => "Material supply updated",
        EventKind::WorkOrderProducedQuantityUpdated => "Work order produced quantity updated",
        EventKind::CanWorkOrderFinalize => "Can the work order be finalized",
        EventKind::CanWorkOrderTrackQuantity => "Can the work order's quantities be recorded",
    }
}

/// Sets the work station of an event. Its members stay empty if the order has no station.
fn set_station(event: &mut Event, store: &Store, code: &str) {
    code.clone_into(&mut event.work_station_code);
    if let Some(station) = store.row(Resource::WorkStations, &[code]) {
        event.work_station = text_member(&station, "description");
    }
}

fn alert_payload(id: i64, row: &Members, unset: &str) -> ProductionAlert {
    ProductionAlert {
        id,
        kind: text_member(row, "type"),
        note: text_member(row, "note"),
        status: row.get("status").and_then(Value::as_i64).unwrap_or_default(),
        opened: date_member(row, "opened", unset),
        acknowledged: Some(date_member(row, "acknowledged", unset)),
        closed: Some(date_member(row, "closed", unset)),
    }
}

fn supply_payload(supply: &Supply) -> MaterialSupply {
    MaterialSupply {
        id: supply.id,
        work_order_code: supply.work_order_code.clone(),
        operation_code: supply.operation_code.clone(),
        code: supply.code.clone(),
        description: supply.description.clone(),
        quantity: supply.quantity,
        // The event means that a supply was paid. If it is sent on demand, an unpaid supply is shown as paid.
        is_completed: true,
    }
}

/// Returns the work station for a supply. If the supply is for the whole order, it is that of the first operation.
fn find_supply_station(store: &Store, supply: &Supply) -> Option<String> {
    let row = match &supply.operation_code {
        Some(operation) => store.row(Resource::WorkOrders, &[&supply.work_order_code, operation])?,
        None => store.order_rows(Resource::WorkOrders, &supply.work_order_code).into_iter().next()?,
    };
    Some(text_member(&row, "workStationCode"))
}

fn order_payload(row: &Members, unset: &str) -> WorkOrderEntry {
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

/// Formats a time span object as `hh:mm:ss[.fffffff]`.
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

/// Returns a text member. Empty if it is missing.
fn text_member(row: &Members, name: &str) -> String {
    optional_text(row, name).unwrap_or_default()
}

fn optional_text(row: &Members, name: &str) -> Option<String> {
    row.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// Returns a date as in the row, with or without a trailing Z.
fn date_member(row: &Members, name: &str, unset: &str) -> String {
    optional_text(row, name).filter(|date| !date.is_empty()).unwrap_or_else(|| unset.to_owned())
}

fn number_member(row: &Members, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or_default()
}
