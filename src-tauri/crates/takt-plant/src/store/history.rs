//! What is remembered of a work order: its history, and how much it produced when.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use crate::{
    domain_event::{DomainEvent, EventKind, EventSubject},
    store::{
        Members, Resource, Store,
        apply::{Refusals, text},
        time_span,
    },
};

/// One moment in an order's life.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) kind: EventKind,
    pub(crate) now: DateTime,
    /// The user that triggered it; none where an operator did.
    pub(crate) user: Option<&'a str>,
    /// The operator's badge.
    pub(crate) badge: Option<&'a str>,
    /// How long the order took, in ticks; of its end only.
    pub(crate) duration: Option<i64>,
    pub(crate) note: Option<&'a str>,
}

impl<'a> Line<'a> {
    /// A moment that a user of the API brought about.
    pub(super) fn of_sender(kind: EventKind, now: DateTime, user: &'a str) -> Self {
        Self { kind, now, user: Some(user), badge: None, duration: None, note: None }
    }
}

impl Store {
    /// Writes a line of the order's history, and notes that it happened.
    pub(crate) fn moment(&mut self, row: &Members, line: &Line<'_>) -> Result<(), Refusals> {
        let of = |name: &str| row.get(name).cloned().unwrap_or_default();
        let planning = line.kind == EventKind::WorkOrderPlanned;
        let written = json!({
            "workOrderCode": of("code"),
            "operationCode": of("operationCode"),
            "kind": if planning { "planning" } else { "runtime" },
            "date": line.now.to_string(),
            "event": line.kind.name(),
            "workStationCode": of("workStationCode"),
            "statusDescription": of("statusDescription"),
            "beginPlanned": of("beginPlanned"),
            "endPlanned": of("endPlanned"),
            "duration": line.duration.map(time_span),
            "producedGoodQuantity": if planning { Value::Null } else { of("producedGoodQuantity") },
            "producedBadQuantity": if planning { Value::Null } else { of("producedBadQuantity") },
            "employeeBadge": line.badge,
            "userTrigger": line.user,
            "note": line.note,
        });
        self.order_happened(row, line.kind, line.user, line.badge);
        match written {
            Value::Object(written) => self.write_row(Resource::OrderHistory, written),
            _ => Ok(()),
        }
    }

    /// Notes that something happened to an order.
    pub(crate) fn order_happened(&mut self, row: &Members, kind: EventKind, user: Option<&str>, badge: Option<&str>) {
        let subject = EventSubject::Order {
            code: text(row, "code").to_owned(),
            operation: text(row, "operationCode").to_owned(),
        };
        self.happened(DomainEvent { kind, subject, user: user.map(str::to_owned), badge: badge.map(str::to_owned) });
    }

    /// Adds what was produced since to the order's quantity history.
    pub(crate) fn track(&mut self, row: &mut Members, before: &Members, now: DateTime) {
        let ((good, bad), (good_before, bad_before)) = (produced(row), produced(before));
        let entry = json!({
            "id": self.next_id(),
            "date": now.to_string(),
            "producedGoodQuantity": number(good - good_before),
            "producedBadQuantity": number(bad - bad_before),
        });
        if let Some(history) = row.get_mut("producedQuantityHistory").and_then(|history| history.as_array_mut()) {
            history.push(entry);
        }
    }
}

/// Good and bad quantity of an order.
pub(crate) fn produced(row: &Members) -> (f64, f64) {
    let quantity = |name: &str| row.get(name).and_then(Value::as_f64).unwrap_or_default();
    (quantity("producedGoodQuantity"), quantity("producedBadQuantity"))
}

/// A number as people write it: whole where it is whole.
pub(crate) fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and within the exact range")]
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 { json!(value as i64) } else { json!(value) }
}
