//! An order's way: planned, begun, paused, resumed, ended, reset.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use super::{MoveContext, MoveError, OrderName, RowResult, refused, times};
use crate::{
    domain_event::EventKind,
    store::{ENDED, IN_EXECUTION, Line, Members, PAUSED, PLANNED, Resource, Store, number, state, text},
    time_window::date_time,
};

/// Who schedules orders: the ERP's user, not an operator.
const PLANNER: &str = "planner";

impl Store {
    /// Schedules or shifts an order; without dates and station, unschedules it.
    pub(super) fn plan(
        &mut self,
        order: &OrderName,
        begin: Option<&str>,
        end: Option<&str>,
        station: Option<&str>,
        hand: &MoveContext<'_>,
    ) -> RowResult {
        let mut row = self.order_that(order, "planned anew", &[PLANNED])?;
        if let Some(station) = station {
            if !self.has(Resource::WorkStations, &[station]) {
                return Err(MoveError::Unknown(format!("There is no work station {station}.")));
            }
            row.insert("workStationCode".to_owned(), json!(station));
        }
        if begin.is_some() || end.is_some() || station.is_none() {
            let (begin, end) = self.dates(&row, begin, end)?;
            row.insert("beginPlanned".to_owned(), json!(begin.map(|date| date.to_string())));
            row.insert("endPlanned".to_owned(), json!(end.map(|date| date.to_string())));
        }
        let line = Line {
            kind: EventKind::WorkOrderPlanned,
            now: hand.now,
            user: Some(PLANNER),
            badge: None,
            duration: None,
            note: None,
        };
        self.settle(row, &line)
    }

    /// Starts production.
    pub(super) fn begin(&mut self, order: &OrderName, hand: &MoveContext<'_>) -> RowResult {
        let mut row = self.order_that(order, "begun", &[PLANNED])?;
        row.insert("beginReal".to_owned(), json!(hand.now.to_string()));
        row.insert("endReal".to_owned(), Value::Null);
        status(&mut row, IN_EXECUTION, None);
        times::clear(&mut row);
        let badge = self.operator(&row, hand);
        if let Some(badge) = &badge {
            self.log_on(&row, badge, hand.now)?;
        }
        self.settle(row, &line(EventKind::WorkOrderExecutionBegin, hand, badge.as_deref()))
    }

    /// Pauses production; the reason stands in the order's additional status.
    pub(super) fn pause(&mut self, order: &OrderName, reason: Option<&str>, hand: &MoveContext<'_>) -> RowResult {
        let mut row = self.order_that(order, "paused", &[IN_EXECUTION])?;
        let badge = self.operator(&row, hand);
        times::account(&mut row, hand.now, self.zone());
        status(&mut row, PAUSED, reason);
        self.log_off(&row, hand.now)?;
        let line = Line { note: reason, ..line(EventKind::WorkOrderExecutionPaused, hand, badge.as_deref()) };
        self.settle(row, &line)
    }

    /// Goes on with what is paused.
    pub(super) fn resume(&mut self, order: &OrderName, hand: &MoveContext<'_>) -> RowResult {
        let mut row = self.order_that(order, "resumed", &[PAUSED])?;
        times::account(&mut row, hand.now, self.zone());
        status(&mut row, IN_EXECUTION, None);
        let badge = self.operator(&row, hand);
        if let Some(badge) = &badge {
            self.log_on(&row, badge, hand.now)?;
        }
        self.settle(row, &line(EventKind::WorkOrderExecutionResumed, hand, badge.as_deref()))
    }

    /// The order that an end would be of.
    pub(super) fn endable(&self, order: &OrderName) -> RowResult {
        self.order_that(order, "ended", &[IN_EXECUTION, PAUSED])
    }

    /// Completes the order's flow.
    pub(super) fn end(&mut self, order: &OrderName, hand: &MoveContext<'_>) -> RowResult {
        let mut row = self.endable(order)?;
        let badge = self.operator(&row, hand);
        times::account(&mut row, hand.now, self.zone());
        let begin = date_time(text(&row, "beginReal"), self.zone()).unwrap_or(hand.now);
        let end = hand.now.max(begin);
        if text(&row, "beginReal").is_empty() {
            row.insert("beginReal".to_owned(), json!(begin.to_string()));
        }
        row.insert("endReal".to_owned(), json!(end.to_string()));
        status(&mut row, ENDED, None);
        self.log_off(&row, hand.now)?;
        self.check_off(&row, badge.as_deref(), end)?;
        let line = line(EventKind::WorkOrderExecutionEnded, hand, badge.as_deref());
        self.settle(row, &Line { duration: Some(times::ticks_between(begin, end)), ..line })
    }

    /// Brings an order that was begun back to where it was planned. What it consumed is given back.
    pub(super) fn reset(&mut self, order: &OrderName, hand: &MoveContext<'_>) -> RowResult {
        let mut row = self.order_that(order, "reset", &[IN_EXECUTION, PAUSED, ENDED])?;
        let badge = hand.badge.map(str::to_owned).or_else(|| self.operator_of(&row));
        self.log_off(&row, hand.now)?;
        for (name, value) in [
            ("beginReal", Value::Null),
            ("endReal", Value::Null),
            ("producedGoodQuantity", number(0.0)),
            ("producedBadQuantity", number(0.0)),
            ("producedQuantityHistory", json!([])),
        ] {
            row.insert(name.to_owned(), value);
        }
        status(&mut row, PLANNED, None);
        times::clear(&mut row);
        for part in row.get_mut("rawMaterials").and_then(Value::as_array_mut).into_iter().flatten() {
            part["quantityConsumed"] = number(0.0);
            part["consumedRawMaterials"] = json!([]);
        }
        self.give_back(text(&row, "code"), text(&row, "operationCode"))?;
        self.settle(row, &line(EventKind::WorkOrderReset, hand, badge.as_deref()))
    }

    /// The operation of an order that a move fits, as it stands. `done` says what would be done to it.
    pub(super) fn order_that(&self, order: &OrderName, done: &str, fits: &[&str]) -> RowResult {
        let code = &order.code;
        if !self.table(Resource::WorkOrders).has_order(code) {
            return Err(MoveError::Unknown(format!("There is no work order {code}.")));
        }
        let mut rows = match &order.operation {
            Some(operation) => {
                let row = self.row(Resource::WorkOrders, &[code, operation]);
                let none = || MoveError::Unknown(format!("Work order {code} has no operation {operation}."));
                vec![row.ok_or_else(none)?]
            }
            None => self.rows_of(Resource::WorkOrders, code),
        };
        if let Some(found) = rows.iter().position(|row| fits.contains(&state(row))) {
            return Ok(rows.swap_remove(found));
        }
        let state =
            |row: &Members| format!("operation {} is {}", text(row, "operationCode"), state(row).to_lowercase());
        let states: Vec<String> = rows.iter().map(state).collect();
        Err(MoveError::NotNow(format!("Work order {code} can't be {done}: {}.", states.join(", "))))
    }

    /// The operator of a move: the one who makes it, who works on the order, or who has nothing to do.
    pub(super) fn operator(&self, row: &Members, hand: &MoveContext<'_>) -> Option<String> {
        let turn = row.get("id").and_then(Value::as_u64).and_then(|id| usize::try_from(id).ok()).unwrap_or_default();
        let known = hand.badge.map(str::to_owned).or_else(|| self.operator_of(row));
        known.or_else(|| self.free_operator(turn).map(str::to_owned))
    }

    /// Keeps the order's row with its line of history, and tells of it.
    pub(super) fn settle(&mut self, mut row: Members, line: &Line<'_>) -> RowResult {
        self.moment(&row, line).map_err(|reasons| refused(&reasons))?;
        self.put_whole(Resource::WorkOrders, &mut row)?;
        Ok(row)
    }

    /// The dates of a plan, in the plant's time. A begin alone shifts the order and keeps how long it is planned.
    fn dates(
        &self,
        row: &Members,
        begin: Option<&str>,
        end: Option<&str>,
    ) -> Result<(Option<DateTime>, Option<DateTime>), MoveError> {
        let read = |name: &str, text: &str| {
            let date = date_time(text, self.zone());
            date.ok_or_else(|| MoveError::Wrong(format!("{name} must be an ISO 8601 date-time.")))
        };
        let begin = begin.map(|begin| read("beginPlanned", begin)).transpose()?;
        let end = end.map(|end| read("endPlanned", end)).transpose()?;
        let known = |name: &str| date_time(text(row, name), self.zone());
        let (begin, end) = match (begin, end) {
            (Some(begin), None) => {
                let lasting = known("beginPlanned").zip(known("endPlanned")).map(|(from, to)| to.duration_since(from));
                (Some(begin), lasting.map(|lasting| begin.saturating_add(lasting)))
            }
            (None, Some(_)) => (known("beginPlanned"), end),
            both => both,
        };
        if begin.zip(end).is_some_and(|(begin, end)| begin >= end) || begin.is_some() != end.is_some() {
            return Err(MoveError::Wrong("beginPlanned must be before endPlanned.".to_owned()));
        }
        Ok((begin, end))
    }
}

fn line<'a>(kind: EventKind, hand: &MoveContext<'_>, badge: Option<&'a str>) -> Line<'a> {
    Line { kind, now: hand.now, user: None, badge, duration: None, note: None }
}

fn status(row: &mut Members, state: &str, reason: Option<&str>) {
    row.insert("statusDescription".to_owned(), json!(state));
    row.insert("statusAdditionalDescription".to_owned(), json!(reason));
    row.insert("statusNote".to_owned(), Value::Null);
}
