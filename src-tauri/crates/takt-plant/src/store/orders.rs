//! Work orders as the ERP sends them: planning, execution, properties.

use jiff::civil::DateTime;
use serde_json::json;

use crate::{
    domain_event::EventKind,
    store::{
        Line, Members, Resource, Store,
        apply::{Missing, Refusals, preserve_locks, set_property, text},
        history::produced,
    },
};

/// The states of an order, as they are answered.
pub(crate) const PLANNED: &str = "Planned";
pub(crate) const IN_EXECUTION: &str = "In execution";
pub(crate) const PAUSED: &str = "Paused";
pub(crate) const ENDED: &str = "Ended";

impl Store {
    pub(super) fn order(&mut self, item: &mut Members, now: DateTime, user: &str) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.check(self, Resource::Materials, item, "materialCode", "material");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.template(self, item);
        missing.done()?;
        let known = self.row(Resource::WorkOrders, &[text(item, "code"), text(item, "operationCode")]);
        let moved = known.as_ref().map_or_else(|| schedules(item), |row| replans(row, item));
        if let Some(row) = &known {
            preserve_locks(row, item)?;
        }
        let mut row = match known {
            Some(row) => row,
            None => self.new_order(),
        };
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if moved {
            self.moment(&row, &Line::of_sender(EventKind::WorkOrderPlanned, now, user))?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    pub(super) fn order_dates(&mut self, item: &mut Members, now: DateTime, user: &str) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "code");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.done()?;
        let mut row = self.order_row(item)?;
        let moved = replans(&row, item);
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if moved {
            self.moment(&row, &Line::of_sender(EventKind::WorkOrderPlanned, now, user))?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    pub(super) fn order_execution(&mut self, item: &mut Members, now: DateTime, user: &str) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "code");
        missing.check(self, Resource::WorkStations, item, "workStationCode", "work station");
        missing.done()?;
        let mut row = self.order_row(item)?;
        let before = row.clone();
        self.layout(Resource::WorkOrders).merge(&mut row, item);
        if row == before {
            return Ok(());
        }
        if item.get("statusDescription").is_none() {
            row.insert("statusDescription".to_owned(), json!(state_of(&row)));
        }
        let moments = moments(&before, &row);
        if moments.contains(&EventKind::WorkOrderProducedQuantityUpdated) {
            self.track(&mut row, &before, now);
        }
        for kind in moments {
            self.moment(&row, &Line::of_sender(kind, now, user))?;
        }
        if state(&row) == ENDED {
            self.log_off(&row, now).map_err(|error| vec![error.to_string()])?;
        }
        self.write_row(Resource::WorkOrders, row)
    }

    pub(super) fn order_property(&mut self, item: &Members) -> Result<(), Refusals> {
        let mut missing = Missing::default();
        missing.order(self, item, "workOrderCode");
        missing.done()?;
        self.set_on_each(Resource::WorkOrders, item)
    }

    /// Sets a property on the rows of a work order: of the operation that the item names, else of all.
    pub(super) fn set_on_each(&mut self, resource: Resource, item: &Members) -> Result<(), Refusals> {
        let operation = text(item, "operationCode");
        let mut rows = Vec::new();
        for row in self.table(resource).of_order(text(item, "workOrderCode")) {
            let Ok(mut row) = serde_json::from_str::<Members>(row) else { continue };
            if operation.is_empty() || text(&row, "operationCode") == operation {
                set_property(&mut row, item)?;
                rows.push(row);
            }
        }
        rows.into_iter().try_for_each(|row| self.write_row(resource, row))
    }

    fn new_order(&mut self) -> Members {
        // An item brings most of a row's members.
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

/// What happened to an order between two of its rows, in order.
fn moments(before: &Members, after: &Members) -> Vec<EventKind> {
    let (from, to) = (state(before), state(after));
    let produces = produced(before) != produced(after);
    // What goes on after its end starts anew: only what was paused is resumed.
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

/// Whether the item gives a new order a place in time.
fn schedules(item: &Members) -> bool {
    !text(item, "beginPlanned").is_empty() || !text(item, "endPlanned").is_empty()
}

/// Whether the item moves the order in time or to another station.
fn replans(row: &Members, item: &Members) -> bool {
    let members = ["beginPlanned", "endPlanned", "workStationCode"];
    members.into_iter().any(|name| item.get(name).is_some_and(|value| row.get(name) != Some(value)))
}

/// The state of an order: what its status says, else what its real dates tell.
pub(crate) fn state(row: &Members) -> &'static str {
    let status = text(row, "statusDescription");
    let known = [PLANNED, IN_EXECUTION, PAUSED, ENDED].into_iter().find(|state| *state == status);
    known.unwrap_or_else(|| state_of(row))
}

/// The state that the real dates tell.
pub(super) fn state_of(row: &Members) -> &'static str {
    match (text(row, "beginReal").is_empty(), text(row, "endReal").is_empty()) {
        (_, false) => ENDED,
        (false, true) => IN_EXECUTION,
        (true, true) => PLANNED,
    }
}
