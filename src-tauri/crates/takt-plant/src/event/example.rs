//! What an event is about that is sent on demand: what was named, else something in the store that fits.

use serde_json::Value;

use crate::{
    EventKind, MoveError, OrderName,
    domain_event::EventSubject,
    store::{IN_EXECUTION, Members, Resource, Store},
};

/// What a wanted event is to be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    /// An order that runs, an alert that is open, or a supply that isn't paid: the first, else any.
    Anything,
    Order(OrderName),
    Alert(i64),
    Supply(i64),
}

/// What the event is about. An alert or a supply can also be named by its order.
pub(crate) fn subject(store: &Store, kind: EventKind, about: About) -> Result<EventSubject, MoveError> {
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
        (EventKind::ProductionAlert, About::Order(name)) => alert(store, |row| is_of(row, "workOrderCode", &name))
            .ok_or_else(|| unknown(format!("There is no production alert of work order {}.", name.code))),
        (EventKind::ProductionAlert, About::Anything) => {
            alert(store, |_| true).ok_or_else(|| unknown("There is no production alert.".to_owned()))
        }
        (EventKind::MaterialSupplyUpdated, About::Supply(id)) => {
            let known = store.supply(id).map(|supply| EventSubject::Supply(supply.id));
            known.ok_or_else(|| unknown(format!("There is no material supply {id}.")))
        }
        (EventKind::MaterialSupplyUpdated, About::Order(name)) => supply(store, Some(&name))
            .ok_or_else(|| unknown(format!("There is no material supply of work order {}.", name.code))),
        (EventKind::MaterialSupplyUpdated, About::Anything) => {
            supply(store, None).ok_or_else(|| unknown("There is no material supply.".to_owned()))
        }
        (_, About::Order(name)) => {
            named(store, &name).ok_or_else(|| unknown(format!("There is no work order {}.", name.code)))
        }
        (_, About::Anything) => running(store).ok_or_else(|| unknown("There is no work order.".to_owned())),
        (kind, About::Alert(_) | About::Supply(_)) => Err(unknown(format!("{} is not about that.", kind.name()))),
    }
}

/// The user and the operator's badge in such an event: some things are done at a desk, the others at a work station.
pub(crate) fn triggers(kind: EventKind) -> (Option<String>, Option<String>) {
    match kind {
        EventKind::WorkOrderPlanned
        | EventKind::WorkOrderReset
        | EventKind::MaterialSupplyUpdated
        | EventKind::WorkOrderProducedQuantityUpdated => (Some("planner".to_owned()), None),
        _ => (None, Some("E-101".to_owned())),
    }
}

/// The first alert that fits and isn't closed; else the first that fits.
fn alert(store: &Store, fits: impl Fn(&Members) -> bool) -> Option<EventSubject> {
    let rows = || store.table(Resource::Alerts).texts().filter_map(|row| serde_json::from_str(row).ok()).filter(&fits);
    let open = |row: &Members| row.get("closed").is_none_or(Value::is_null);
    let row = rows().find(open).or_else(|| rows().next())?;
    row.get("id").and_then(Value::as_i64).map(EventSubject::Alert)
}

/// The first supply that isn't paid; else the first.
fn supply(store: &Store, order: Option<&OrderName>) -> Option<EventSubject> {
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

/// The operation that is named; without one that which runs, else the first.
fn named(store: &Store, name: &OrderName) -> Option<EventSubject> {
    let rows = store.rows_of(Resource::WorkOrders, &name.code);
    let mut fitting = rows.iter().filter(|row| is_of(row, "code", name));
    let runs = |row: &&Members| row.get("statusDescription").is_some_and(|state| state == IN_EXECUTION);
    fitting.clone().find(runs).or_else(|| fitting.next()).and_then(order)
}

fn running(store: &Store) -> Option<EventSubject> {
    let orders = store.table(Resource::WorkOrders);
    // Looked for in the text: parsing every row of a factory takes its time.
    let mark = format!("\"statusDescription\":\"{IN_EXECUTION}\"");
    let row = orders.texts().find(|row| row.contains(&mark)).or_else(|| orders.texts().next())?;
    serde_json::from_str(row).ok().as_ref().and_then(order)
}

fn order(row: &Members) -> Option<EventSubject> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(EventSubject::Order { code: text("code")?, operation: text("operationCode")? })
}

fn is_of(row: &Members, code: &str, name: &OrderName) -> bool {
    let operation = || row.get("operationCode").and_then(Value::as_str);
    row.get(code).is_some_and(|code| *code == name.code)
        && (name.operation.is_none() || name.operation.as_deref() == operation())
}
