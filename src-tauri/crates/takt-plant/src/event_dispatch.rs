//! Sends events of the plant, including checks before a move and events on demand.

use std::sync::Arc;

use axum::body::Bytes;
use serde_json::Value;

use crate::{
    DeliveryState, DeliveryView, EventKind, MoveError, OrderName, Plant, PlantError, Target, TargetView,
    domain_event::{DomainEvent, EventSubject},
    event::payload::build_payload,
    store::{IN_EXECUTION, Members, Resource, Store},
};

/// The subject that was requested for an event on demand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestedSubject {
    /// A running order, an open alert or an unpaid supply if there is one, else the first of the kind.
    Anything,
    Order(OrderName),
    Alert(i64),
    Supply(i64),
}

impl Plant {
    /// Adds a target for later events. Returns its ID for [`Plant::remove_target`].
    ///
    /// # Errors
    ///
    /// Returns [`PlantError::Target`] if the address of the target can't be used.
    pub fn add_target(&self, target: Target) -> Result<u32, PlantError> {
        self.outbox.add_target(target)
    }

    /// Removes a target. Its queued deliveries become failed. Returns false if there is no target with this ID.
    pub fn remove_target(&self, id: u32) -> bool {
        self.outbox.remove_target(id)
    }

    /// Returns the targets in the order in which they were added.
    pub fn targets(&self) -> Vec<TargetView> {
        let state = self.outbox.state.lock();
        let number = |kind: &EventKind| u32::try_from(kind.id()).unwrap_or_default();
        let view = state.queues.iter().map(|queue| TargetView {
            id: queue.target_ref.id,
            url: queue.target_ref.display_url.to_string(),
            signed: queue.target.secret.is_some(),
            events: queue.target.events.iter().map(number).collect(),
        });
        view.collect()
    }

    /// Returns the latest deliveries, newest first. `state` limits them to one state. The plant stores all waiting
    /// deliveries, the latest 10,000 failed ones, and the latest 500 others.
    pub fn deliveries(&self, state: Option<DeliveryState>, limit: usize) -> Vec<DeliveryView> {
        self.outbox.state.lock().deliveries.latest(state, limit)
    }

    /// Returns a delivery with its body.
    pub(crate) fn delivery_with_body(&self, id: u32) -> Option<(DeliveryView, Option<Bytes>)> {
        let state = self.outbox.state.lock();
        state.deliveries.get(id).map(|delivery| (delivery.view(id), delivery.body.clone()))
    }

    /// Sends an event as if it had just happened, about `about` or any suitable subject. Replies to events 10 and 11
    /// are recorded but have no effect.
    ///
    /// # Errors
    ///
    /// Returns [`MoveError::Unknown`] if the plant has no suitable subject.
    pub fn send_event(&self, kind: EventKind, about: Option<OrderName>) -> Result<(), MoveError> {
        self.send_event_about(kind, about.map_or(RequestedSubject::Anything, RequestedSubject::Order)).map(drop)
    }

    /// Like [`Plant::send_event`], but returns the number of targets for which the event was queued.
    pub(crate) fn send_event_about(&self, kind: EventKind, about: RequestedSubject) -> Result<usize, MoveError> {
        let store = self.store.read();
        let subject = find_subject(&store, kind, about)?;
        let (user, badge) = default_trigger(kind);
        Ok(self.enqueue_event(&store, DomainEvent { kind, subject, user, badge }))
    }

    /// Sends a check (events 10 and 11) to all targets that accept it, concurrently. An error contains the reasons of
    /// all refusals. The store isn't locked meanwhile.
    pub(crate) async fn run_check(&self, event: DomainEvent) -> Result<(), Vec<String>> {
        let checks = {
            let store = self.store.read();
            let at = store.local_time(self.plant_time());
            let unset = &self.outbox.format.unset_date;
            self.outbox.record_checks(event, at, |event| build_payload(&store, event, unset))
        };
        // Each check has its own task, so that its reply is recorded even if the caller is dropped.
        let spawn_check = |check| tokio::spawn(Arc::clone(&self.outbox).send_check(check));
        let tasks: Vec<_> = checks.into_iter().map(spawn_check).collect();
        let mut refused = Vec::new();
        for answer in tasks {
            refused.extend(answer.await.unwrap_or_default());
        }
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    pub(crate) fn dispatch_events(&self, store: &Store, events: Vec<DomainEvent>) {
        for event in events {
            self.enqueue_event(store, event);
        }
    }

    fn enqueue_event(&self, store: &Store, event: DomainEvent) -> usize {
        let at = store.local_time(self.plant_time());
        let unset = &self.outbox.format.unset_date;
        self.outbox.enqueue_event(event, at, |event| build_payload(store, event, unset))
    }
}

/// Returns the subject of an event. For an order, this may be its alert or supply.
fn find_subject(store: &Store, kind: EventKind, about: RequestedSubject) -> Result<EventSubject, MoveError> {
    let unknown = |text: String| MoveError::Unknown(text);
    match (kind, about) {
        (EventKind::ProductionAlert, RequestedSubject::Alert(id)) => {
            let known = store.has_row(Resource::Alerts, &[&id.to_string()]);
            if known {
                Ok(EventSubject::Alert(id))
            } else {
                Err(unknown(format!("There is no production alert {id}.")))
            }
        }
        (EventKind::ProductionAlert, RequestedSubject::Order(name)) => {
            find_alert(store, |row| matches_order(row, "workOrderCode", &name))
                .ok_or_else(|| unknown(format!("There is no production alert of work order {}.", name.code)))
        }
        (EventKind::ProductionAlert, RequestedSubject::Anything) => {
            find_alert(store, |_| true).ok_or_else(|| unknown("There is no production alert.".to_owned()))
        }
        (EventKind::MaterialSupplyUpdated, RequestedSubject::Supply(id)) => {
            let known = store.supply(id).map(|supply| EventSubject::Supply(supply.id));
            known.ok_or_else(|| unknown(format!("There is no material supply {id}.")))
        }
        (EventKind::MaterialSupplyUpdated, RequestedSubject::Order(name)) => find_supply(store, Some(&name))
            .ok_or_else(|| unknown(format!("There is no material supply of work order {}.", name.code))),
        (EventKind::MaterialSupplyUpdated, RequestedSubject::Anything) => {
            find_supply(store, None).ok_or_else(|| unknown("There is no material supply.".to_owned()))
        }
        (_, RequestedSubject::Order(name)) => {
            find_operation(store, &name).ok_or_else(|| unknown(format!("There is no work order {}.", name.code)))
        }
        (_, RequestedSubject::Anything) => {
            find_running(store).ok_or_else(|| unknown("There is no work order.".to_owned()))
        }
        (kind, RequestedSubject::Alert(_) | RequestedSubject::Supply(_)) => {
            Err(unknown(format!("{} is not about that.", kind.name())))
        }
    }
}

/// Returns the user and the badge for an event on demand. Some events are usually triggered by a planner, others by an
/// operator.
fn default_trigger(kind: EventKind) -> (Option<String>, Option<String>) {
    match kind {
        EventKind::WorkOrderPlanned
        | EventKind::WorkOrderReset
        | EventKind::MaterialSupplyUpdated
        | EventKind::WorkOrderProducedQuantityUpdated => (Some("planner".to_owned()), None),
        _ => (None, Some("E-101".to_owned())),
    }
}

/// Returns the first open alert that fits, else the first alert that fits.
fn find_alert(store: &Store, fits: impl Fn(&Members) -> bool) -> Option<EventSubject> {
    let rows =
        || store.table(Resource::Alerts).row_texts().filter_map(|row| serde_json::from_str(row).ok()).filter(&fits);
    let open = |row: &Members| row.get("closed").is_none_or(Value::is_null);
    let row = rows().find(open).or_else(|| rows().next())?;
    row.get("id").and_then(Value::as_i64).map(EventSubject::Alert)
}

/// Returns the first unpaid supply that fits, else the first supply that fits.
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

/// Returns the named operation of an order. Without an operation's name, returns the running operation, else the first
/// one.
fn find_operation(store: &Store, name: &OrderName) -> Option<EventSubject> {
    let rows = store.order_rows(Resource::WorkOrders, &name.code);
    let mut fitting = rows.iter().filter(|row| matches_order(row, "code", name));
    let runs = |row: &&Members| row.get("statusDescription").is_some_and(|state| state == IN_EXECUTION);
    fitting.clone().find(runs).or_else(|| fitting.next()).and_then(order_subject)
}

fn find_running(store: &Store) -> Option<EventSubject> {
    let orders = store.table(Resource::WorkOrders);
    // The text is searched, since parsing all rows of a large plant takes long.
    let mark = format!("\"statusDescription\":\"{IN_EXECUTION}\"");
    let row = orders.row_texts().find(|row| row.contains(&mark)).or_else(|| orders.row_texts().next())?;
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
