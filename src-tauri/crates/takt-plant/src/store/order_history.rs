//! Records the history of work orders, with their events and produced quantities.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use super::{
    members::{Members, get_text, to_json_number, to_time_span},
    resource::Resource,
    rows::{Store, Violations},
};
use crate::domain_event::{DomainEvent, EventKind, EventSubject};

/// The data for an entry in an order's history.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HistoryEntry<'a> {
    pub(crate) kind: EventKind,
    pub(crate) now: DateTime,
    /// The user who triggered the event. None if an operator did.
    pub(crate) user: Option<&'a str>,
    /// The badge of the operator who triggered the event.
    pub(crate) badge: Option<&'a str>,
    /// The duration of the order in ticks, if the event ends it.
    pub(crate) duration: Option<i64>,
    pub(crate) note: Option<&'a str>,
}

impl<'a> HistoryEntry<'a> {
    /// Creates an entry for a change by an API user.
    pub(super) fn from_user(kind: EventKind, now: DateTime, user: &'a str) -> Self {
        Self { kind, now, user: Some(user), badge: None, duration: None, note: None }
    }
}

impl Store {
    /// Adds an entry to the history of an order, and records the event.
    pub(crate) fn add_history(&mut self, row: &Members, entry: &HistoryEntry<'_>) -> Result<(), Violations> {
        let of = |name: &str| row.get(name).cloned().unwrap_or_default();
        let planning = entry.kind == EventKind::WorkOrderPlanned;
        let history_row = json!({
            "workOrderCode": of("code"),
            "operationCode": of("operationCode"),
            "kind": if planning { "planning" } else { "runtime" },
            "date": entry.now.to_string(),
            "event": entry.kind.name(),
            "workStationCode": of("workStationCode"),
            "statusDescription": of("statusDescription"),
            "beginPlanned": of("beginPlanned"),
            "endPlanned": of("endPlanned"),
            "duration": entry.duration.map(to_time_span),
            "producedGoodQuantity": if planning { Value::Null } else { of("producedGoodQuantity") },
            "producedBadQuantity": if planning { Value::Null } else { of("producedBadQuantity") },
            "employeeBadge": entry.badge,
            "userTrigger": entry.user,
            "note": entry.note,
        });
        self.record_order_event(row, entry.kind, entry.user, entry.badge);
        match history_row {
            Value::Object(history_row) => self.write_row(Resource::OrderHistory, history_row),
            _ => Ok(()),
        }
    }

    pub(crate) fn record_order_event(
        &mut self,
        row: &Members,
        kind: EventKind,
        user: Option<&str>,
        badge: Option<&str>,
    ) {
        let subject = EventSubject::Order {
            code: get_text(row, "code").to_owned(),
            operation: get_text(row, "operationCode").to_owned(),
        };
        self.record_event(DomainEvent {
            kind,
            subject,
            user: user.map(str::to_owned),
            badge: badge.map(str::to_owned),
        });
    }

    /// Adds the change in produced quantities to the order's quantity history.
    pub(crate) fn record_produced_quantities(&mut self, row: &mut Members, before: &Members, now: DateTime) {
        let ((good, bad), (good_before, bad_before)) = (get_produced_quantities(row), get_produced_quantities(before));
        let entry = json!({
            "id": self.next_id(),
            "date": now.to_string(),
            "producedGoodQuantity": to_json_number(good - good_before),
            "producedBadQuantity": to_json_number(bad - bad_before),
        });
        if let Some(history) = row.get_mut("producedQuantityHistory").and_then(|history| history.as_array_mut()) {
            history.push(entry);
        }
    }
}

/// Returns the good and bad quantity that an order has produced.
pub(crate) fn get_produced_quantities(row: &Members) -> (f64, f64) {
    let quantity = |name: &str| row.get(name).and_then(Value::as_f64).unwrap_or_default();
    (quantity("producedGoodQuantity"), quantity("producedBadQuantity"))
}
