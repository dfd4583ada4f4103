//! Moves of an order: plan, begin, pause, resume, end, reset.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use super::{
    moves::{MoveContext, MoveError, OrderName, RowResult, not_saved},
    times,
};
use crate::{
    domain_event::EventKind,
    store::{ENDED, HistoryEntry, IN_EXECUTION, Members, PAUSED, PLANNED, Resource, Store, json_number, state, text},
    time_window::date_time,
};

/// The user that schedules orders: the ERP's, not an operator.
const PLANNER: &str = "planner";

impl Store {
    /// Schedules or shifts an order, or unschedules it if there are neither dates nor a station.
    pub(super) fn plan(
        &mut self,
        order: &OrderName,
        begin: Option<&str>,
        end: Option<&str>,
        station: Option<&str>,
        ctx: &MoveContext<'_>,
    ) -> RowResult {
        let mut row = self.find_order(order, "planned anew", &[PLANNED])?;
        if let Some(station) = station {
            if !self.has(Resource::WorkStations, &[station]) {
                return Err(MoveError::Unknown(format!("There is no work station {station}.")));
            }
            row.insert("workStationCode".to_owned(), json!(station));
        }
        if begin.is_some() || end.is_some() || station.is_none() {
            let (begin, end) = self.planned_dates(&row, begin, end)?;
            row.insert("beginPlanned".to_owned(), json!(begin.map(|date| date.to_string())));
            row.insert("endPlanned".to_owned(), json!(end.map(|date| date.to_string())));
        }
        let entry = HistoryEntry {
            kind: EventKind::WorkOrderPlanned,
            now: ctx.now,
            user: Some(PLANNER),
            badge: None,
            duration: None,
            note: None,
        };
        self.save_order(row, &entry)
    }

    /// Starts production.
    pub(super) fn begin(&mut self, order: &OrderName, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order(order, "begun", &[PLANNED])?;
        row.insert("beginReal".to_owned(), json!(ctx.now.to_string()));
        row.insert("endReal".to_owned(), Value::Null);
        set_status(&mut row, IN_EXECUTION, None);
        times::reset_counted(&mut row);
        let badge = self.choose_operator(&row, ctx);
        if let Some(badge) = &badge {
            self.start_hours(&row, badge, ctx.now)?;
        }
        self.save_order(row, &history_entry(EventKind::WorkOrderExecutionBegin, ctx, badge.as_deref()))
    }

    /// Pauses production, with the reason as the order's additional status.
    pub(super) fn pause(&mut self, order: &OrderName, reason: Option<&str>, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order(order, "paused", &[IN_EXECUTION])?;
        let badge = self.choose_operator(&row, ctx);
        times::count_elapsed(&mut row, ctx.now, self.zone());
        set_status(&mut row, PAUSED, reason);
        self.end_hours(&row, ctx.now)?;
        let entry =
            HistoryEntry { note: reason, ..history_entry(EventKind::WorkOrderExecutionPaused, ctx, badge.as_deref()) };
        self.save_order(row, &entry)
    }

    /// Resumes a paused order.
    pub(super) fn resume(&mut self, order: &OrderName, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order(order, "resumed", &[PAUSED])?;
        times::count_elapsed(&mut row, ctx.now, self.zone());
        set_status(&mut row, IN_EXECUTION, None);
        let badge = self.choose_operator(&row, ctx);
        if let Some(badge) = &badge {
            self.start_hours(&row, badge, ctx.now)?;
        }
        self.save_order(row, &history_entry(EventKind::WorkOrderExecutionResumed, ctx, badge.as_deref()))
    }

    /// Returns the row of the operation that a move would end.
    pub(super) fn find_endable(&self, order: &OrderName) -> RowResult {
        self.find_order(order, "ended", &[IN_EXECUTION, PAUSED])
    }

    /// Ends production.
    pub(super) fn end(&mut self, order: &OrderName, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_endable(order)?;
        let badge = self.choose_operator(&row, ctx);
        times::count_elapsed(&mut row, ctx.now, self.zone());
        let begin = date_time(text(&row, "beginReal"), self.zone()).unwrap_or(ctx.now);
        let end = ctx.now.max(begin);
        if text(&row, "beginReal").is_empty() {
            row.insert("beginReal".to_owned(), json!(begin.to_string()));
        }
        row.insert("endReal".to_owned(), json!(end.to_string()));
        set_status(&mut row, ENDED, None);
        self.end_hours(&row, ctx.now)?;
        self.complete_checks(&row, badge.as_deref(), end)?;
        let entry = history_entry(EventKind::WorkOrderExecutionEnded, ctx, badge.as_deref());
        self.save_order(row, &HistoryEntry { duration: Some(times::ticks_between(begin, end)), ..entry })
    }

    /// Resets an order to planned, and returns its consumed lots.
    pub(super) fn reset(&mut self, order: &OrderName, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order(order, "reset", &[IN_EXECUTION, PAUSED, ENDED])?;
        let badge = ctx.badge.map(str::to_owned).or_else(|| self.operator_of(&row));
        self.end_hours(&row, ctx.now)?;
        for (name, value) in [
            ("beginReal", Value::Null),
            ("endReal", Value::Null),
            ("producedGoodQuantity", json_number(0.0)),
            ("producedBadQuantity", json_number(0.0)),
            ("producedQuantityHistory", json!([])),
        ] {
            row.insert(name.to_owned(), value);
        }
        set_status(&mut row, PLANNED, None);
        times::reset_counted(&mut row);
        for part in row.get_mut("rawMaterials").and_then(Value::as_array_mut).into_iter().flatten() {
            part["quantityConsumed"] = json_number(0.0);
            part["consumedRawMaterials"] = json!([]);
        }
        self.clear_lots(text(&row, "code"), text(&row, "operationCode"))?;
        self.save_order(row, &history_entry(EventKind::WorkOrderReset, ctx, badge.as_deref()))
    }

    /// Returns the row of the order's operation that a move fits. `participle` names the move in the error.
    pub(super) fn find_order(&self, order: &OrderName, participle: &str, allowed_states: &[&str]) -> RowResult {
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
        if let Some(index) = rows.iter().position(|row| allowed_states.contains(&state(row))) {
            return Ok(rows.swap_remove(index));
        }
        let state =
            |row: &Members| format!("operation {} is {}", text(row, "operationCode"), state(row).to_lowercase());
        let states: Vec<String> = rows.iter().map(state).collect();
        Err(MoveError::NotNow(format!("Work order {code} can't be {participle}: {}.", states.join(", "))))
    }

    /// Returns the operator of a move: the given one, the one who works on the order, or a free one.
    pub(super) fn choose_operator(&self, row: &Members, ctx: &MoveContext<'_>) -> Option<String> {
        let turn = row.get("id").and_then(Value::as_u64).and_then(|id| usize::try_from(id).ok()).unwrap_or_default();
        let known = ctx.badge.map(str::to_owned).or_else(|| self.operator_of(row));
        known.or_else(|| self.free_operator(turn).map(str::to_owned))
    }

    /// Stores the order's row with its history entry, and records its event.
    pub(super) fn save_order(&mut self, mut row: Members, entry: &HistoryEntry<'_>) -> RowResult {
        self.add_history(&row, entry).map_err(|reasons| not_saved(&reasons))?;
        self.put_completed(Resource::WorkOrders, &mut row)?;
        Ok(row)
    }

    /// Returns the dates of a plan in the plant's time. A begin alone shifts the order and preserves its planned
    /// duration.
    fn planned_dates(
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
                let duration = known("beginPlanned").zip(known("endPlanned")).map(|(from, to)| to.duration_since(from));
                (Some(begin), duration.map(|duration| begin.saturating_add(duration)))
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

fn history_entry<'a>(kind: EventKind, ctx: &MoveContext<'_>, badge: Option<&'a str>) -> HistoryEntry<'a> {
    HistoryEntry { kind, now: ctx.now, user: None, badge, duration: None, note: None }
}

fn set_status(row: &mut Members, state: &str, reason: Option<&str>) {
    row.insert("statusDescription".to_owned(), json!(state));
    row.insert("statusAdditionalDescription".to_owned(), json!(reason));
    row.insert("statusNote".to_owned(), Value::Null);
}
