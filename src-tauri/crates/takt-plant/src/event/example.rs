//! The subject of an event that is sent on demand: the given one, or one from the store that fits.

use serde_json::Value;

use crate::{
    EventKind, MoveError, OrderName,
    domain_event::EventSubject,
    store::{IN_EXECUTION, Members, Resource, Store},
};

/// The requested subject of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    /// Prefers a running order, an open alert or an unpaid supply. Otherwise the first one.
    Anything,
    Order(OrderName),
    Alert(i64),
    Supply(i64),
}

/// Returns the subject of an event. An order also selects its alert or supply.
pub(crate) fn find_subject(store: &Store, kind: EventKind, about: About) -> Result<EventSubject, MoveError> {
    let unknown = |text: String| MoveError::Unknown(text);
    match (kind, about) {
        (EventKind::ProductionAlert, About::Alert(id)) => {
            let known = store.has(Resource::Alerts, &[&id.to_string()]);
            if known {
                Ok(EventSubject::Alert(id))
            } else {
                Err(unknown(format!("There is no production alert {id}.")))
            }
        }
        (EventKind::ProductionAlert, About::Order(name)) => {
            find_alert(store, |row| matches_order(row, "workOrderCode", &name))
                .ok_or_else(|| unknown(format!("There is no production alert of work order {}.", name.code)))
        }
        (EventKind::ProductionAlert, About::Anything) => {
            find_alert(store, |_| true).ok_or_else(|| unknown("There is no production alert.".to_owned()))
        }
        (EventKind::MaterialSupplyUpdated, About::Supply(id)) => {
            let known = store.supply(id).map(|supply| EventSubject::Supply(supply.id));
            known.ok_or_else(|| unknown(format!("There is no material supply {id}.")))
        }
        (EventKind::MaterialSupplyUpdated, About::Order(name)) => find_supply(store, Some(&name))
            .ok_or_else(|| unknown(format!("There is no material supply of work order {}.", name.code))),
        (EventKind::MaterialSupplyUpdated, About::Anything) => {
            find_supply(store, None).ok_or_else(|| unknown("There is no material supply.".to_owned()))
        }
        (_, About::Order(name)) => {
            find_operation(store, &name).ok_or_else(|| unknown(format!("There is no work order {}.", name.code)))
        }
        (_, About::Anything) => find_running(store).ok_or_else(|| unknown("There is no work order.".to_owned())),
        (kind, About::Alert(_) | About::Supply(_)) => Err(unknown(format!("{} is not about that.", kind.name()))),
    }
}

/// Returns the user and the operator's badge of an event. Some events are triggered at a desk, others at a work
/// station.
pub(crate) fn triggers(kind: EventKind) -> (Option<String>, Option<String>) {
    match kind {
        EventKind::WorkOrderPlanned
        | EventKind::WorkOrderReset
        | EventKind::MaterialSupplyUpdated
        | EventKind::WorkOrderProducedQuantityUpdated => (Some("planner".to_owned()), None),
        _ => (None, Some("E-101".to_owned())),
    }
}

/// Returns the first open alert that fits, or else the first that fits.
fn find_alert(store: &Store, fits: impl Fn(&Members) -> bool) -> Option<EventSubject> {
    let rows = || store.table(Resource::Alerts).texts().filter_map(|row| serde_json::from_str(row).ok()).filter(&fits);
    let open = |row: &Members| row.get("closed").is_none_or(Value::is_null);
    let row = rows().find(open).or_else(|| rows().next())?;
    row.get("id").and_then(Value::as_i64).map(EventSubject::Alert)
}

/// Returns the first unpaid supply that fits, or else the first that fits.
fn find_supply(store: &Store, order: Option<&OrderName>) -> Option<EventSubject> {
    let fits = |code: &str, operation: Option<&str>| {
        let same = |order: &OrderName| {
            order.code == code && (order.operation.is_none() || order.operation.as_deref() == operation)
        };
        order.is_none_or(same)
    };
    let mut open = store.open_supplies();
    let open = open.find(|supply| fits(&supply.work_order_code, supply.operation_code.as_deref()));
    let any = || store.supplies().find(|supply| fits(&supply.work_order_code, supply.operation_code.as_deref()));
    open.or_else(any).map(|supply| EventSubject::Supply(supply.id))
}

/// Returns the named operation of an order. If only the order is named, its running operation, or else the first.
fn find_operation(store: &Store, name: &OrderName) -> Option<EventSubject> {
    let rows = store.rows_of(Resource::WorkOrders, &name.code);
    let mut fitting = rows.iter().filter(|row| matches_order(row, "code", name));
    let runs = |row: &&Members| row.get("statusDescription").is_some_and(|state| state == IN_EXECUTION);
    fitting.clone().find(runs).or_else(|| fitting.next()).and_then(order_subject)
}

fn find_running(store: &Store) -> Option<EventSubject> {
    let orders = store.table(Resource::WorkOrders);
    // Searches the text, because parsing every row of a factory takes long.
    let mark = format!("\"statusDescription\":\"{IN_EXECUTION}\"");
    let row = orders.texts().find(|row| row.contains(&mark)).or_else(|| orders.texts().next())?;
    serde_json::from_str(row).ok().as_ref().and_then(order_subject)
}

fn order_subject(row: &Members) -> Option<EventSubject> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(EventSubject::Order { code: text("code")?, operation: text("operationCode")? })
}

fn matches_order(row: &Members, code: &str, name: &OrderName) -> bool {
    let operation = || row.get("operationCode").and_then(Value::as_str);
    row.get(code).is_some_and(|code| *code == name.code)
        && (name.operation.is_none() || name.operation.as_deref() == operation())
}
