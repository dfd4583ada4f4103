//! What an event says: from the store's rows to the payload, to the letter of the specification.
//!
//! Owns the envelope, alerts and supplies; `payload::order` owns work orders. Leaves to `store` what the rows hold, and
//! to `takt-contract` how members are spelled.

mod order;

use serde_json::Value;
use takt_contract::wire::{Event, MaterialSupply, ProductionAlert};

use crate::{
    EventKind,
    domain_event::{DomainEvent, EventSubject},
    store::{Members, Resource, Store, Supply},
};

/// The payload of what happened. `unset` stands for a date that isn't reached. None where the store doesn't hold what
/// the event is about.
pub(crate) fn payload(store: &Store, happening: &DomainEvent, unset: &str) -> Option<Event> {
    let mut event = Event {
        id: happening.kind.id(),
        description: description(happening.kind).to_owned(),
        work_station: String::new(),
        work_station_code: String::new(),
        user_trigger: happening.user.clone(),
        employee_badge: Some(happening.badge.clone()),
        work_orders: None,
        production_alert: None,
        material_supplies: None,
    };
    match &happening.subject {
        EventSubject::Order { code, operation } => {
            let row = store.row(Resource::WorkOrders, &[code, operation])?;
            place(&mut event, store, &text(&row, "workStationCode"));
            event.work_orders = Some(vec![order::entry(&row, unset)]);
        }
        EventSubject::Alert(id) => {
            let row = store.row(Resource::Alerts, &[&id.to_string()])?;
            event.work_station_code = text(&row, "workStationCode");
            event.work_station = text(&row, "workStation");
            event.production_alert = Some(alert(*id, &row, unset));
        }
        EventSubject::Supply(id) => {
            let supply = store.supply(*id)?;
            if let Some(station) = station_of(store, supply) {
                place(&mut event, store, &station);
            }
            event.employee_badge = None;
            event.material_supplies = Some(vec![supplied(supply)]);
        }
    }
    Some(event)
}

/// What the event says of itself.
fn description(kind: EventKind) -> &'static str {
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

/// Names the station with that code; an order without one leaves both members empty.
fn place(event: &mut Event, store: &Store, code: &str) {
    code.clone_into(&mut event.work_station_code);
    if let Some(station) = store.row(Resource::WorkStations, &[code]) {
        event.work_station = text(&station, "description");
    }
}

fn alert(id: i64, row: &Members, unset: &str) -> ProductionAlert {
    ProductionAlert {
        id,
        kind: text(row, "type"),
        note: text(row, "note"),
        status: row.get("status").and_then(Value::as_i64).unwrap_or_default(),
        opened: date(row, "opened", unset),
        acknowledged: Some(date(row, "acknowledged", unset)),
        closed: Some(date(row, "closed", unset)),
    }
}

fn supplied(supply: &Supply) -> MaterialSupply {
    MaterialSupply {
        id: supply.id,
        work_order_code: supply.work_order_code.clone(),
        operation_code: supply.operation_code.clone(),
        code: supply.code.clone(),
        description: supply.description.clone(),
        quantity: supply.quantity,
        // The event says that the supply is paid; one that is fired by hand tells it as if it had just happened.
        is_completed: true,
    }
}

/// The station of the order that the supply is for; of its first operation where the supply names none.
fn station_of(store: &Store, supply: &Supply) -> Option<String> {
    let row = match &supply.operation_code {
        Some(operation) => store.row(Resource::WorkOrders, &[&supply.work_order_code, operation])?,
        None => store.rows_of(Resource::WorkOrders, &supply.work_order_code).into_iter().next()?,
    };
    Some(text(&row, "workStationCode"))
}

/// A text member; empty where there is none.
fn text(row: &Members, name: &str) -> String {
    maybe(row, name).unwrap_or_default()
}

fn maybe(row: &Members, name: &str) -> Option<String> {
    row.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// A date as it stands in the row, with or without a Z.
fn date(row: &Members, name: &str, unset: &str) -> String {
    maybe(row, name).filter(|date| !date.is_empty()).unwrap_or_else(|| unset.to_owned())
}

fn number(row: &Members, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or_default()
}
