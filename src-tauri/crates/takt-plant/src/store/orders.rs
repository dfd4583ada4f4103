//! Syncs of work orders: planning, execution, properties.

use jiff::civil::DateTime;
use serde_json::json;

use super::{
    apply::{Missing, Refusals, preserve_locks, set_property},
    history::{HistoryEntry, produced},
    members::{Members, text},
    order_state::{ENDED, IN_EXECUTION, PAUSED, PLANNED, state, state_by_dates},
    resource::Resource,
    rows::Store,
};
use crate::domain_event::EventKind;

impl Store {
    pub(super) fn upsert_order(&mut self, item: &mut Members, now: DateTime, user: &str) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check(self, Resource::Materials, item, "materialCode", "material");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.check_template(self, item);
        missing.into_result()?;
        let known = self.row(Resource::WorkOrders, &[text(item, "code"), text(item, "operationCode")]);
        let is_replanned = known.as_ref().map_or_else(|| schedules(item), |row| replans(row, item));
        if let Some(row) = &known {
            preserve_locks(row, item)?;
        }
        let mut row = match known {
            Some(row) => row,
            None => self.new_order(),
        };
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if is_replanned {
            self.add_history(&row, &HistoryEntry::from_user(EventKind::WorkOrderPlanned, now, user))?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    pub(super) fn update_order_dates(&mut self, item: &mut Members, now: DateTime, user: &str) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check_order(self, item, "code");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.into_result()?;
        let mut row = self.order_row(item)?;
        let is_replanned = replans(&row, item);
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if is_replanned {
            self.add_history(&row, &HistoryEntry::from_user(EventKind::WorkOrderPlanned, now, user))?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    pub(super) fn update_order_execution(
        &mut self,
        item: &mut Members,
        now: DateTime,
        user: &str,
    ) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check_order(self, item, "code");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.into_result()?;
        let mut row = self.order_row(item)?;
        let before = row.clone();
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if row == before {
            return Ok(());
        }
        if item.get("statusDescription").is_none() {
            row.insert("statusDescription".to_owned(), json!(state_by_dates(&row)));
        }
        let events = events_between(&before, &row);
        if events.contains(&EventKind::WorkOrderProducedQuantityUpdated) {
            self.add_produced(&mut row, &before, now);
        }
        for kind in events {
            self.add_history(&row, &HistoryEntry::from_user(kind, now, user))?;
        }
        if state(&row) == ENDED {
            self.end_hours(&row, now).map_err(|error| vec![error.to_string()])?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    pub(super) fn set_order_property(&mut self, item: &Members) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check_order(self, item, "workOrderCode");
        missing.into_result()?;
        self.set_property_on_rows(Resource::WorkOrders, item)
    }

    /// Sets a property on rows of a work order: those of the item's operation, or all if it names none.
    pub(super) fn set_property_on_rows(&mut self, resource: Resource, item: &Members) -> Result<(), Refusals> {
        let operation = text(item, "operationCode");
        let mut rows = Vec::new();
        for row in self.table(resource).rows_of_order(text(item, "workOrderCode")) {
            let Ok(mut row) = serde_json::from_str::<Members>(row) else { continue };
            if operation.is_empty() || text(&row, "operationCode") == operation {
                set_property(&mut row, item)?;
                rows.push(row);
            }
        }
        rows.into_iter().try_for_each(|row| self.write_row(resource, row))
    }

    fn new_order(&mut self) -> Members {
        // Room for most members of a row, which the item adds.
        let mut row = Members::with_capacity(30);
        row.insert("id".to_owned(), json!(self.next_id()));
        row.insert("statusDescription".to_owned(), json!(PLANNED));
        row
    }

    fn order_row(&self, item: &Members) -> Result<Members, Refusals> {
        let (code, operation) = (text(item, "code"), text(item, "operationCode"));
        let row = self.row(Resource::WorkOrders, &[code, operation]);
        row.ok_or_else(|| vec![format!("code: there is no work order {code}.")])
    }
}

/// Returns the events between two versions of an order's row, in order.
fn events_between(before: &Members, after: &Members) -> Vec<EventKind> {
    let (from, to) = (state(before), state(after));
    let produces = produced(before) != produced(after);
    // An order that continues after its end begins again. Only a paused one is resumed.
    let begins = (from == PLANNED && to != PLANNED) || (from == ENDED && to == IN_EXECUTION);
    let kinds = [
        (begins, EventKind::WorkOrderExecutionBegin),
        (from == PAUSED && to == IN_EXECUTION, EventKind::WorkOrderExecutionResumed),
        (produces, EventKind::WorkOrderProducedQuantityUpdated),
        (from != PAUSED && to == PAUSED, EventKind::WorkOrderExecutionPaused),
        (from != ENDED && to == ENDED, EventKind::WorkOrderExecutionEnded),
        (from != PLANNED && to == PLANNED, EventKind::WorkOrderReset),
    ];
    kinds.into_iter().filter_map(|(happened, kind)| happened.then_some(kind)).collect()
}

/// Whether the item gives a new order planned dates.
fn schedules(item: &Members) -> bool {
    !text(item, "beginPlanned").is_empty() || !text(item, "endPlanned").is_empty()
}

/// Whether the item changes the order's planned dates or station.
fn replans(row: &Members, item: &Members) -> bool {
    let members = ["beginPlanned", "endPlanned", "workStationCode"];
    members.into_iter().any(|name| item.get(name).is_some_and(|value| row.get(name) != Some(value)))
}
