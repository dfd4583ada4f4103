//! Moves of an order: plan, begin, pause, resume, end and reset it, and record quantities and materials.

use jiff::civil::DateTime;
use serde_json::{Value, json};

use super::{
    moves::{MoveContext, MoveError, OrderName, RowResult, save_error},
    order_times,
};
use crate::{
    PlantError,
    domain_event::EventKind,
    store::{
        ENDED, HistoryEntry, IN_EXECUTION, Members, PAUSED, PLANNED, Resource, Store, get_order_state,
        get_produced_quantities, get_text, to_json_number,
    },
    time_window::parse_date_time,
};

/// The user in events for scheduled orders. The ERP schedules orders, not an operator.
const PLANNER: &str = "planner";
/// The maximum quantity. Greater quantities couldn't be counted in single pieces.
const MAX_PIECES: f64 = 1e12;

impl Store {
    /// Schedules or shifts an order. Without dates and station, unschedules it.
    pub(super) fn plan_order(
        &mut self,
        order: &OrderName,
        begin: Option<&str>,
        end: Option<&str>,
        station: Option<&str>,
        ctx: &MoveContext<'_>,
    ) -> RowResult {
        let mut row = self.find_order(order, "planned anew", &[PLANNED])?;
        if let Some(station) = station {
            if !self.has_row(Resource::WorkStations, &[station]) {
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

    pub(super) fn begin_order(&mut self, order: &OrderName, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order(order, "begun", &[PLANNED])?;
        row.insert("beginReal".to_owned(), json!(ctx.now.to_string()));
        row.insert("endReal".to_owned(), Value::Null);
        set_status(&mut row, IN_EXECUTION, None);
        order_times::reset_counted_times(&mut row);
        let badge = self.choose_operator(&row, ctx);
        if let Some(badge) = &badge {
            self.start_labor_time(&row, badge, ctx.now)?;
        }
        self.save_order(row, &history_entry(EventKind::WorkOrderExecutionBegin, ctx, badge.as_deref()))
    }

    /// Pauses production. The reason becomes the additional status of the order.
    pub(super) fn pause_order(&mut self, order: &OrderName, reason: Option<&str>, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order(order, "paused", &[IN_EXECUTION])?;
        let badge = self.choose_operator(&row, ctx);
        order_times::count_elapsed_time(&mut row, ctx.now, self.zone());
        set_status(&mut row, PAUSED, reason);
        self.end_labor_times(&row, ctx.now)?;
        let entry =
            HistoryEntry { note: reason, ..history_entry(EventKind::WorkOrderExecutionPaused, ctx, badge.as_deref()) };
        self.save_order(row, &entry)
    }

    pub(super) fn resume_order(&mut self, order: &OrderName, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order(order, "resumed", &[PAUSED])?;
        order_times::count_elapsed_time(&mut row, ctx.now, self.zone());
        set_status(&mut row, IN_EXECUTION, None);
        let badge = self.choose_operator(&row, ctx);
        if let Some(badge) = &badge {
            self.start_labor_time(&row, badge, ctx.now)?;
        }
        self.save_order(row, &history_entry(EventKind::WorkOrderExecutionResumed, ctx, badge.as_deref()))
    }

    /// Returns the operation that a move would end.
    pub(super) fn find_order_to_end(&self, order: &OrderName) -> RowResult {
        self.find_order(order, "ended", &[IN_EXECUTION, PAUSED])
    }

    /// Ends production, and completes open quality checks and labor times.
    pub(super) fn end_order(&mut self, order: &OrderName, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order_to_end(order)?;
        let badge = self.choose_operator(&row, ctx);
        order_times::count_elapsed_time(&mut row, ctx.now, self.zone());
        let begin = parse_date_time(get_text(&row, "beginReal"), self.zone()).unwrap_or(ctx.now);
        let end = ctx.now.max(begin);
        if get_text(&row, "beginReal").is_empty() {
            row.insert("beginReal".to_owned(), json!(begin.to_string()));
        }
        row.insert("endReal".to_owned(), json!(end.to_string()));
        set_status(&mut row, ENDED, None);
        self.end_labor_times(&row, ctx.now)?;
        self.complete_checks(&row, badge.as_deref(), end)?;
        let entry = history_entry(EventKind::WorkOrderExecutionEnded, ctx, badge.as_deref());
        self.save_order(row, &HistoryEntry { duration: Some(order_times::ticks_between(begin, end)), ..entry })
    }

    /// Resets an order to planned and clears its consumed lots.
    pub(super) fn reset_order(&mut self, order: &OrderName, ctx: &MoveContext<'_>) -> RowResult {
        let mut row = self.find_order(order, "reset", &[IN_EXECUTION, PAUSED, ENDED])?;
        let badge = ctx.badge.map(str::to_owned).or_else(|| self.find_operator(&row));
        self.end_labor_times(&row, ctx.now)?;
        for (name, value) in [
            ("beginReal", Value::Null),
            ("endReal", Value::Null),
            ("producedGoodQuantity", to_json_number(0.0)),
            ("producedBadQuantity", to_json_number(0.0)),
            ("producedQuantityHistory", json!([])),
        ] {
            row.insert(name.to_owned(), value);
        }
        set_status(&mut row, PLANNED, None);
        order_times::reset_counted_times(&mut row);
        for part in row.get_mut("rawMaterials").and_then(Value::as_array_mut).into_iter().flatten() {
            part["quantityConsumed"] = to_json_number(0.0);
            part["consumedRawMaterials"] = json!([]);
        }
        self.clear_lots(get_text(&row, "code"), get_text(&row, "operationCode"))?;
        self.save_order(row, &history_entry(EventKind::WorkOrderReset, ctx, badge.as_deref()))
    }

    /// Completes the open quality checks of an operation with the result OK.
    fn complete_checks(&mut self, row: &Members, badge: Option<&str>, now: DateTime) -> Result<(), PlantError> {
        let operation = get_text(row, "operationCode");
        for mut check in self.order_rows(Resource::QualityChecks, get_text(row, "code")) {
            if get_text(&check, "operationCode") == operation && get_text(&check, "executedDate").is_empty() {
                check.insert("status".to_owned(), json!("Executed"));
                check.insert("executedDate".to_owned(), json!(now.to_string()));
                check.insert("result".to_owned(), json!("OK"));
                check.insert("employeeBadge".to_owned(), json!(badge));
                self.put(Resource::QualityChecks, check)?;
            }
        }
        Ok(())
    }

    /// Sets the quantities of the consumed lots of an operation to 0.
    fn clear_lots(&mut self, code: &str, operation: &str) -> Result<(), PlantError> {
        for mut lot in self.order_rows(Resource::ConsumedLots, code) {
            if get_text(&lot, "operationCode") == operation && lot.get("quantity") != Some(&json!(0)) {
                lot.insert("quantity".to_owned(), json!(0));
                self.put(Resource::ConsumedLots, lot)?;
            }
        }
        Ok(())
    }

    /// Returns the operation of an order whose state allows a move. `participle` is the move's name in errors.
    fn find_order(&self, order: &OrderName, participle: &str, allowed_states: &[&str]) -> RowResult {
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
            None => self.order_rows(Resource::WorkOrders, code),
        };
        if let Some(index) = rows.iter().position(|row| allowed_states.contains(&get_order_state(row))) {
            return Ok(rows.swap_remove(index));
        }
        let state = |row: &Members| {
            format!("operation {} is {}", get_text(row, "operationCode"), get_order_state(row).to_lowercase())
        };
        let states: Vec<String> = rows.iter().map(state).collect();
        Err(MoveError::InvalidState(format!("Work order {code} can't be {participle}: {}.", states.join(", "))))
    }

    /// Returns the operator of a move, which is the given one, the current one of the order, or a free one.
    fn choose_operator(&self, row: &Members, ctx: &MoveContext<'_>) -> Option<String> {
        let turn = row.get("id").and_then(Value::as_u64).and_then(|id| usize::try_from(id).ok()).unwrap_or_default();
        let known = ctx.badge.map(str::to_owned).or_else(|| self.find_operator(row));
        known.or_else(|| self.find_free_operator(turn).map(str::to_owned))
    }

    /// Stores an order with a history entry, and records its event.
    fn save_order(&mut self, mut row: Members, entry: &HistoryEntry<'_>) -> RowResult {
        self.add_history(&row, entry).map_err(|reasons| save_error(&reasons))?;
        self.put_completed(Resource::WorkOrders, &mut row)?;
        Ok(row)
    }

    /// Returns the new planned dates in the plant's time. A begin without an end shifts the order and keeps its planned
    /// duration.
    fn planned_dates(
        &self,
        row: &Members,
        begin: Option<&str>,
        end: Option<&str>,
    ) -> Result<(Option<DateTime>, Option<DateTime>), MoveError> {
        let read = |name: &str, text: &str| {
            let date = parse_date_time(text, self.zone());
            date.ok_or_else(|| MoveError::InvalidValue(format!("{name} must be an ISO 8601 date-time.")))
        };
        let begin = begin.map(|begin| read("beginPlanned", begin)).transpose()?;
        let end = end.map(|end| read("endPlanned", end)).transpose()?;
        let known = |name: &str| parse_date_time(get_text(row, name), self.zone());
        let (begin, end) = match (begin, end) {
            (Some(begin), None) => {
                let duration = known("beginPlanned").zip(known("endPlanned")).map(|(from, to)| to.duration_since(from));
                (Some(begin), duration.map(|duration| begin.saturating_add(duration)))
            }
            (None, Some(_)) => (known("beginPlanned"), end),
            both => both,
        };
        if begin.zip(end).is_some_and(|(begin, end)| begin >= end) || begin.is_some() != end.is_some() {
            return Err(MoveError::InvalidValue("beginPlanned must be before endPlanned.".to_owned()));
        }
        Ok((begin, end))
    }

    /// Returns the operation for which quantities would be recorded. Fails if the quantities are invalid.
    pub(super) fn find_order_to_track(&self, order: &OrderName, good: f64, bad: f64) -> RowResult {
        let usable = |quantity: f64| quantity.is_finite() && quantity >= 0.0;
        if !usable(good) || !usable(bad) || good + bad <= 0.0 {
            return Err(MoveError::InvalidValue(
                "The quantities must be 0 or above, and one of them above 0.".to_owned(),
            ));
        }
        let row = self.find_order(order, "produced for", &[IN_EXECUTION, PAUSED])?;
        let (good_before, bad_before) = get_produced_quantities(&row);
        check_countable(good_before + good)?;
        check_countable(bad_before + bad)?;
        Ok(row)
    }

    pub(super) fn track_quantities(
        &mut self,
        order: &OrderName,
        good: f64,
        bad: f64,
        ctx: &MoveContext<'_>,
    ) -> RowResult {
        let before = self.find_order_to_track(order, good, bad)?;
        let mut row = before.clone();
        let (good_before, bad_before) = get_produced_quantities(&before);
        row.insert("producedGoodQuantity".to_owned(), to_json_number(round_quantity(good_before + good)));
        row.insert("producedBadQuantity".to_owned(), to_json_number(round_quantity(bad_before + bad)));
        order_times::count_elapsed_time(&mut row, ctx.now, self.zone());
        self.record_produced_quantities(&mut row, &before, ctx.now);
        let badge = self.choose_operator(&row, ctx);
        let entry = HistoryEntry {
            kind: EventKind::WorkOrderProducedQuantityUpdated,
            now: ctx.now,
            user: None,
            badge: badge.as_deref(),
            duration: None,
            note: None,
        };
        self.save_order(row, &entry)
    }

    /// Records the consumption of a raw material, which is also allowed after the order has ended.
    pub(super) fn consume_material(
        &mut self,
        order: &OrderName,
        material: &str,
        quantity: f64,
        serial_number: &str,
        ctx: &MoveContext<'_>,
    ) -> RowResult {
        if !quantity.is_finite() || quantity <= 0.0 {
            return Err(MoveError::InvalidValue("The quantity must be above 0.".to_owned()));
        }
        let row = self.find_order(order, "consumed for", &[IN_EXECUTION, PAUSED, ENDED])?;
        let (code, operation) = (get_text(&row, "code"), get_text(&row, "operationCode"));
        let parts = row.get("rawMaterials").and_then(Value::as_array);
        if !parts.into_iter().flatten().any(|part| part["code"] == material) {
            let text = format!("Operation {operation} of work order {code} has no raw material {material}.");
            return Err(MoveError::Unknown(text));
        }
        let known = self.row(Resource::ConsumedLots, &[code, operation, material, serial_number]);
        let before = known.and_then(|lot| lot.get("quantity")?.as_f64()).unwrap_or_default();
        check_countable(before + quantity)?;
        let lot = Members::from_iter([
            ("workOrderCode".to_owned(), json!(code)),
            ("operationCode".to_owned(), json!(operation)),
            ("materialCode".to_owned(), json!(material)),
            ("serialNumber".to_owned(), json!(serial_number)),
            ("quantity".to_owned(), to_json_number(round_quantity(before + quantity))),
        ]);
        let badge = self.choose_operator(&row, ctx);
        self.put_lot(&lot, ctx.now, None, badge.as_deref()).map_err(|reasons| save_error(&reasons))?;
        Ok(self.row(Resource::WorkOrders, &[code, operation]).unwrap_or_default())
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

/// Returns an error if a sum is too great to be counted in single pieces.
fn check_countable(sum: f64) -> Result<(), MoveError> {
    let fits = sum.is_finite() && sum <= MAX_PIECES;
    if fits {
        Ok(())
    } else {
        Err(MoveError::InvalidValue(format!("The quantities add up to more than {MAX_PIECES}.")))
    }
}

/// Rounds to millionths, which removes errors of binary fractions. Real quantities aren't finer.
pub(super) fn round_quantity(quantity: f64) -> f64 {
    let rounded = (quantity * 1e6).round() / 1e6;
    if rounded.is_finite() { rounded } else { quantity }
}
