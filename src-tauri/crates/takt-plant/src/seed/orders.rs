//! Generates work orders `WO-260001`… with inspections, quality checks, alerts, labor times, lots, history and
//! supplies.
//!
//! Each order has operation 010. Every third order also has operation 020, which begins after 010 has ended. Orders
//! follow one another on their stations. Earlier orders have ended, current ones run, and later ones are planned.

use jiff::civil::DateTime;
use serde_json::{Value, json};
use takt_contract::wire::duration::TICKS_PER_SECOND;

use super::seeder::{PROCESSES, STATIONS, Seeder, TEMPLATES, add_minutes, process_code, station_code};
use crate::{
    PlantError, sample_words,
    store::{ENDED, IN_EXECUTION, PAUSED, PLANNED, Resource, Supply, to_time_span},
};

const MINUTES_PER_DAY: i64 = 24 * 60;
/// The number of days before today on which the first orders begin.
const PAST_DAYS: i64 = 10;
const INSPECTION_MINUTES: i64 = 30;

/// The data of an order that related rows need.
#[derive(Debug, Clone)]
pub(super) struct PlannedOrder {
    index: usize,
    code: String,
    operation: &'static str,
    material: String,
    /// The customer, which is the same for all operations of the order.
    customer: &'static str,
    station: usize,
    begin: DateTime,
    end: DateTime,
    begin_real: Option<DateTime>,
    end_real: Option<DateTime>,
    state: &'static str,
    good: i64,
    bad: i64,
    raw_materials: Vec<RawMaterial>,
    lots: Vec<Lot>,
}

#[derive(Debug, Clone)]
struct RawMaterial {
    code: String,
    description: Value,
    unit: Value,
}

/// A consumed lot of a raw material.
#[derive(Debug, Clone)]
struct Lot {
    /// The index of the raw material in the order.
    raw_material: usize,
    serial: String,
    quantity: i64,
    date: Option<DateTime>,
}

impl PlannedOrder {
    /// Moves the real begin to the end of the order's previous operation or later. Resets the operation to planned if
    /// that one hasn't ended, or ended too late.
    fn start_after(&mut self, previous: &Self) {
        let Some(begin) = self.begin_real else { return };
        match previous.end_real.map(|end| begin.max(end)) {
            Some(begin) if self.end_real.is_none_or(|end| begin < end) => self.begin_real = Some(begin),
            _ => self.reset_to_planned(),
        }
    }

    fn reset_to_planned(&mut self) {
        (self.state, self.begin_real, self.end_real, self.good, self.bad) = (PLANNED, None, None, 0, 0);
    }
}

impl Seeder<'_> {
    pub(super) fn add_orders(&mut self) -> Result<Vec<PlannedOrder>, PlantError> {
        let mut free = [add_minutes(self.now, -PAST_DAYS * MINUTES_PER_DAY - 6 * 60); STATIONS];
        let mut orders = Vec::new();
        for index in 0..self.counts.orders {
            let operations: &[&'static str] = if index % 3 == 2 { &["010", "020"] } else { &["010"] };
            let material = format!("MAT-{}", 1001 + index * 7 % self.counts.materials);
            let customer = self.choose_text(&sample_words::CUSTOMERS);
            let mut previous: Option<PlannedOrder> = None;
            for operation in operations {
                let station = (index + orders.len()) % (STATIONS - 1);
                if let Some(previous) = &previous {
                    free[station] = free[station].max(previous.end);
                }
                let mut order = self.plan_order(index, operation, &material, station, &mut free[station]);
                order.customer = customer;
                if let Some(previous) = &previous {
                    order.start_after(previous);
                }
                previous = Some(order.clone());
                orders.push(order);
            }
        }
        reset_overlapping(&mut orders);
        ensure_paused_order(&mut orders);
        self.plan_lots(&mut orders);
        for order in &orders {
            let row = self.build_order_row(order);
            self.put(Resource::WorkOrders, row)?;
        }
        Ok(orders)
    }

    /// Distributes the lots among the orders that have begun.
    fn plan_lots(&mut self, orders: &mut [PlannedOrder]) {
        let begun: Vec<usize> = (0..orders.len()).filter(|index| orders[*index].begin_real.is_some()).collect();
        for number in 0..if begun.is_empty() { 0 } else { self.counts.lots } {
            let order = &mut orders[begun[number % begun.len()]];
            let raw_material = number / begun.len() % order.raw_materials.len();
            let until = order.end_real.unwrap_or(self.now);
            let date = order.begin_real.map(|time| add_minutes(time, self.random_integer(5, 120)).min(until));
            let quantity = self.random_integer(1, 200);
            order.lots.push(Lot { raw_material, serial: format!("LOT-{:06}", number + 1), quantity, date });
        }
    }

    fn plan_order(
        &mut self,
        index: usize,
        operation: &'static str,
        material: &str,
        station: usize,
        free: &mut DateTime,
    ) -> PlannedOrder {
        // In a larger plant, orders are shorter, so that all of them are planned for the same weeks.
        let pace = i64::try_from(self.counts.orders / 300).unwrap_or(1).max(1);
        let begin = add_minutes(*free, self.random_integer(2, 24) * 5 / pace);
        let end = add_minutes(begin, (self.random_integer(8, 72) * 15 / pace).max(5));
        *free = end;
        let (state, begin_real, end_real) = self.choose_state(begin, end);
        let requested = 10 * self.random_integer(1, 50);
        let share = if state == ENDED { 100 } else { self.random_integer(5, 90) };
        let good = if begin_real.is_some() { requested * share / 100 } else { 0 };
        let bad = if good > 0 && self.happens(0.4) { self.random_integer(1, 4) } else { 0 };
        let raw_materials = self.choose_raw_materials();
        PlannedOrder {
            index,
            code: format!("WO-26{:04}", index + 1),
            operation,
            material: material.to_owned(),
            customer: "",
            station,
            begin,
            end,
            begin_real,
            end_real,
            state,
            good,
            bad,
            raw_materials,
            lots: Vec::new(),
        }
    }

    /// Returns the state and the real dates of an order with these planned dates.
    fn choose_state(&mut self, begin: DateTime, end: DateTime) -> (&'static str, Option<DateTime>, Option<DateTime>) {
        if begin > self.now {
            return (PLANNED, None, None);
        }
        let began = add_minutes(begin, self.random_integer(-10, 45));
        let ended = add_minutes(end, self.random_integer(-30, 90));
        if began >= self.now {
            return (PLANNED, None, None);
        }
        if ended < self.now && ended > began {
            return (ENDED, Some(began), Some(ended));
        }
        let state = if self.happens(0.2) { PAUSED } else { IN_EXECUTION };
        (state, Some(began), None)
    }

    /// Returns one to three different raw materials.
    fn choose_raw_materials(&mut self) -> Vec<RawMaterial> {
        let count = i64::try_from(self.counts.raw_materials).unwrap_or(1).max(1);
        let mut raw_materials: Vec<RawMaterial> = Vec::new();
        for _ in 0..self.random_integer(1, 3) {
            let position = self.random_integer(0, count - 1);
            let code = format!("RAW-{}", 2001 + position);
            if raw_materials.iter().all(|raw_material| raw_material.code != code) {
                let material = self.store.row(Resource::Materials, &[&code]).unwrap_or_default();
                let of = |name: &str| material.get(name).cloned().unwrap_or_default();
                raw_materials.push(RawMaterial { code, description: of("description"), unit: of("uoM") });
            }
        }
        raw_materials
    }

    fn build_order_row(&mut self, order: &PlannedOrder) -> Value {
        let index = order.index;
        let requested =
            if order.state == ENDED { order.good } else { (order.good * 2).max(10 * self.random_integer(1, 50)) };
        let minutes = |minutes: i64| to_time_span(minutes * 60 * TICKS_PER_SECOND);
        let planned = (order.end.duration_since(order.begin)).as_mins();
        let worked = order
            .begin_real
            .map_or(0, |begin| order.end_real.unwrap_or(self.now).duration_since(begin).as_mins())
            .max(0);
        let promise = add_minutes(order.end, self.random_integer(1, 6) * MINUTES_PER_DAY);
        let pause =
            if order.state == PAUSED { json!(self.choose_text(&sample_words::PAUSE_REASONS)) } else { Value::Null };
        json!({
            "id": self.store.next_id(),
            "code": order.code,
            "operationCode": order.operation,
            "materialCode": order.material,
            "type": self.choose_text(&sample_words::ORDER_TYPES),
            "workOrderGrouper": format!("G-{}", 100 + index / 8),
            "customer": order.customer,
            "promiseDate": if index % 10 == 9 { Value::Null } else { json!(promise.to_string()) },
            "workStationCode": station_code(order.station),
            "templateId": self.random_integer(1, TEMPLATES),
            "statusDescription": order.state,
            "statusAdditionalDescription": pause,
            "statusNote": if order.state == PAUSED { json!("<b>Call</b> the foreman") } else { Value::Null },
            "requestedQuantity": requested,
            "producedGoodQuantity": order.good,
            "producedBadQuantity": order.bad,
            "beginPlanned": order.begin.to_string(),
            "endPlanned": order.end.to_string(),
            "beginReal": order.begin_real.map(|time| time.to_string()),
            "endReal": order.end_real.map(|time| time.to_string()),
            "laborPredictedTime": minutes(planned / 2),
            "machinePredictedTime": minutes(planned),
            "note": if index.is_multiple_of(4) { json!(self.choose_text(&sample_words::OPERATOR_NOTES)) } else { Value::Null },
            "rawMaterials": self.build_raw_materials(order, requested),
            "properties": self.build_order_properties(index),
            "laborValueAddedTime": minutes(worked * 2 / 5),
            "laborNonValueAddedTime": minutes(worked / 10),
            "machineValueAddedTime": minutes(worked * 4 / 5),
            "machineNonValueAddedTime": minutes(worked / 5),
            "producedQuantityHistory": self.build_quantity_history(order),
        })
    }

    fn build_raw_materials(&mut self, order: &PlannedOrder, requested: i64) -> Value {
        let mut raw_materials = Vec::new();
        for (index, raw_material) in order.raw_materials.iter().enumerate() {
            let lots = order.lots.iter().filter(|lot| lot.raw_material == index);
            let consumed: i64 = lots.clone().map(|lot| lot.quantity).sum();
            let lots: Vec<Value> =
                lots.map(|lot| json!({ "quantity": lot.quantity, "serialNumber": lot.serial })).collect();
            raw_materials.push(json!({
                "code": raw_material.code,
                "description": raw_material.description,
                "sequence": 10 * (index + 1),
                "quantity": requested * self.random_integer(1, 3),
                "uoM": raw_material.unit,
                "quantityConsumed": consumed,
                "consumedRawMaterials": lots,
            }));
        }
        json!(raw_materials)
    }

    fn build_order_properties(&mut self, index: usize) -> Value {
        let revision = self.choose_text(&["A", "B", "C", "D"]);
        let mut properties = vec![
            json!({ "key": "REVISION", "value": revision, "name": "Revision", "isLocked": false }),
            json!({ "key": "PACKAGING", "value": self.choose_text(&["Box", "Pallet", "VCI bag"]), "name": null, "isLocked": null }),
        ];
        if index.is_multiple_of(5) {
            let value = "<p>Clamp at <b>both</b> ends</p><script>alert(1)</script>";
            properties.push(json!({ "key": "SETUP", "value": value, "name": "Set-up", "isLocked": false }));
        }
        if index.is_multiple_of(7) {
            properties.push(json!({ "key": "RELEASE", "value": "released", "name": "Release", "isLocked": true }));
        }
        json!(properties)
    }

    fn build_quantity_history(&mut self, order: &PlannedOrder) -> Value {
        let Some(begin) = order.begin_real.filter(|_| order.good > 0) else { return json!([]) };
        let end = order.end_real.unwrap_or(self.now).max(begin);
        let half = order.good / 2;
        let middle = add_minutes(begin, end.duration_since(begin).as_mins() / 2);
        let entry = |id: i64, date: DateTime, good: i64, bad: i64| json!({ "id": id, "date": date.to_string(), "producedGoodQuantity": good, "producedBadQuantity": bad });
        let (first, second) = (self.store.next_id(), self.store.next_id());
        json!([entry(first, middle, half, 0), entry(second, end, order.good - half, order.bad)])
    }

    pub(super) fn add_inspections_and_checks(&mut self, orders: &[PlannedOrder]) -> Result<(), PlantError> {
        for index in 0..self.counts.inspections {
            let row = self.build_inspection(index, &orders[index % orders.len()]);
            self.put(Resource::Inspections, row)?;
        }
        for index in 0..self.counts.checks {
            let row = self.build_check(index, &orders[index % orders.len()]);
            self.put(Resource::QualityChecks, row)?;
        }
        Ok(())
    }

    fn build_inspection(&mut self, index: usize, order: &PlannedOrder) -> Value {
        // The last five of 20 processes are inspections.
        let position = (index % 2) * 20 + 15 + index % 5;
        let quantity = self.random_integer(1, 20);
        let begin =
            order.end_real.filter(|time| order.state == ENDED && add_minutes(*time, INSPECTION_MINUTES) <= self.now);
        let done = begin.is_some();
        let bad = if done && self.happens(0.2) { self.random_integer(1, quantity) } else { 0 };
        json!({
            "code": format!("INS-{:05}", index + 1),
            "workOrderCode": order.code,
            "operationCode": order.operation,
            "processCode": process_code(position % PROCESSES),
            "workStationCode": station_code(11),
            "statusDescription": if done { ENDED } else { PLANNED },
            "quantity": quantity,
            "producedGoodQuantity": if done { quantity - bad } else { 0 },
            "producedBadQuantity": bad,
            "beginPlanned": order.end.to_string(),
            "endPlanned": add_minutes(order.end, 45).to_string(),
            "beginReal": begin.map(|time| time.to_string()),
            "endReal": begin.map(|time| add_minutes(time, INSPECTION_MINUTES).to_string()),
            "note": if index.is_multiple_of(6) { json!(self.choose_text(&sample_words::OPERATOR_NOTES)) } else { Value::Null },
            "properties": [{ "key": "GAUGE", "value": "Micrometer 25-50", "name": "Gauge", "isLocked": false }],
        })
    }

    fn build_check(&mut self, index: usize, order: &PlannedOrder) -> Value {
        let executed =
            order.begin_real.map(|time| add_minutes(time, self.random_integer(5, 60))).filter(|time| *time <= self.now);
        let result = if self.happens(0.9) { "OK" } else { "Not OK" };
        let employee = self.choose_from(&sample_words::EMPLOYEES).map(|(badge, _)| badge);
        json!({
            "code": format!("QC-{:05}", index + 1),
            "workOrderCode": order.code,
            "operationCode": order.operation,
            "description": self.choose_text(&sample_words::QUALITY_CHECKS),
            "status": if executed.is_some() { "Executed" } else { "Planned" },
            "plannedDate": add_minutes(order.begin, 15).to_string(),
            "executedDate": executed.map(|time| time.to_string()),
            "result": executed.map(|_| result),
            "workStationCode": station_code(order.station),
            "employeeBadge": executed.and(employee),
            "note": if index.is_multiple_of(9) { json!(self.choose_text(&sample_words::OPERATOR_NOTES)) } else { Value::Null },
        })
    }

    pub(super) fn add_records(&mut self, orders: &[PlannedOrder]) -> Result<(), PlantError> {
        let begun: Vec<&PlannedOrder> = orders.iter().filter(|order| order.begin_real.is_some()).collect();
        for index in 0..self.counts.alerts {
            let row = self.build_alert(index, &begun);
            self.put(Resource::Alerts, row)?;
        }
        let running: Vec<&PlannedOrder> = orders.iter().filter(|order| order.state == IN_EXECUTION).collect();
        for index in 0..self.counts.labor_times {
            let row = self.build_labor_time(index, &begun, &running);
            self.put(Resource::LaborTimes, row)?;
        }
        for order in orders {
            self.add_lots(order)?;
        }
        for index in 0..self.counts.history {
            let row = self.build_history(index, &orders[index % orders.len()]);
            self.put(Resource::OrderHistory, row)?;
        }
        Ok(())
    }

    fn build_alert(&mut self, index: usize, begun: &[&PlannedOrder]) -> Value {
        let (kind, note) = self.choose_from(&sample_words::ALERTS).unwrap_or_default();
        let station = usize::try_from(self.random_integer(0, 11)).unwrap_or_default() % STATIONS;
        let recent = index.is_multiple_of(10);
        // Open alerts are at most 90 minutes old.
        let opened = add_minutes(self.now, -self.random_integer(5, if recent { 90 } else { 12 * MINUTES_PER_DAY }));
        let acknowledged =
            (!recent).then(|| add_minutes(opened, self.random_integer(1, 20))).filter(|time| *time <= self.now);
        let closed = acknowledged
            .filter(|_| !index.is_multiple_of(7))
            .map(|time| add_minutes(time, self.random_integer(5, 180)));
        let closed = closed.filter(|time| *time <= self.now);
        let status = usize::from(acknowledged.is_some()) + usize::from(closed.is_some());
        let order = begun.get(index * 3 % begun.len().max(1)).filter(|_| index.is_multiple_of(2));
        // The service may return these dates with or without a trailing Z.
        let in_utc = index.is_multiple_of(3);
        json!({
            "id": self.store.next_id(),
            "type": kind,
            "status": status,
            "workStationCode": station_code(station),
            "workStation": sample_words::STATIONS[station].0,
            "opened": self.format_time(opened, in_utc),
            "acknowledged": acknowledged.map(|time| self.format_time(time, in_utc)),
            "closed": closed.map(|time| self.format_time(time, in_utc)),
            "note": note,
            "workOrderCode": order.map(|order| &order.code),
            "operationCode": order.map(|order| order.operation),
            "employeeBadge": self.choose_from(&sample_words::EMPLOYEES).map(|(badge, _)| badge),
        })
    }

    /// Formats a local time. With `in_utc`, formats it in UTC with a trailing Z.
    fn format_time(&self, time: DateTime, in_utc: bool) -> String {
        if in_utc && let Ok(zoned) = time.to_zoned_datetime(self.store.zone().clone()) {
            return zoned.timestamp().to_string();
        }
        time.to_string()
    }

    /// Returns a labor time of the last two weeks. The latest labor times have no end if their order is running.
    fn build_labor_time(&mut self, index: usize, begun: &[&PlannedOrder], running: &[&PlannedOrder]) -> Value {
        let (round, employee) = (index / sample_words::EMPLOYEES.len(), index % sample_words::EMPLOYEES.len());
        let (badge, name) = sample_words::EMPLOYEES[employee];
        let day = i64::try_from(round / 2 % 14).unwrap_or_default();
        let shift = if round.is_multiple_of(2) { -6 * 60 } else { -60 };
        let begin = add_minutes(self.noon, shift - day * MINUTES_PER_DAY + self.random_integer(0, 20));
        let at_work = running.get(employee).filter(|_| round == 1);
        let begin = match at_work {
            Some(_) => add_minutes(self.now, -self.random_integer(10, 90)),
            // A labor time that would begin in the future is moved back by two weeks.
            None if begin >= self.now => add_minutes(begin, -14 * MINUTES_PER_DAY),
            None => begin,
        };
        let end = add_minutes(begin, self.random_integer(60, 285)).min(self.now);
        let past = begun.get(index * 11 % begun.len().max(1)).filter(|_| index % 6 != 5);
        let order = at_work.or(past);
        let minutes = end.duration_since(begin).as_mins();
        json!({
            "employeeBadge": badge,
            "employeeName": name,
            "workStationCode": order.map(|order| station_code(order.station)),
            "workStation": order.map(|order| sample_words::STATIONS[order.station].0),
            "begin": begin.to_string(),
            "end": at_work.is_none().then(|| end.to_string()),
            "duration": at_work.is_none().then(|| to_time_span(minutes * 60 * TICKS_PER_SECOND)),
            "workOrderCode": order.map(|order| &order.code),
            "operationCode": order.map(|order| order.operation),
            "materialCode": order.map(|order| &order.material),
        })
    }

    fn add_lots(&mut self, order: &PlannedOrder) -> Result<(), PlantError> {
        for lot in &order.lots {
            let raw_material = &order.raw_materials[lot.raw_material];
            let row = json!({
                "workOrderCode": order.code,
                "operationCode": order.operation,
                "materialCode": raw_material.code,
                "description": raw_material.description,
                "serialNumber": lot.serial,
                "quantity": lot.quantity,
                "uoM": raw_material.unit,
                "date": lot.date.map(|date| date.to_string()),
            });
            self.put(Resource::ConsumedLots, row)?;
        }
        Ok(())
    }

    /// Returns the latest time at which orders were planned, which is the last 7:00 before now.
    fn latest_planning_time(&self) -> DateTime {
        let morning = add_minutes(self.noon, -5 * 60);
        if morning < self.now { morning } else { add_minutes(morning, -MINUTES_PER_DAY) }
    }

    fn build_history(&mut self, index: usize, order: &PlannedOrder) -> Value {
        let planning = order.begin_real.is_none() || index.is_multiple_of(3);
        let (event, date) = match (planning, order.begin_real, order.end_real) {
            (false, Some(_), Some(end)) if index.is_multiple_of(2) => ("WorkOrderExecutionEnded", end),
            (false, Some(begin), _) => ("WorkOrderExecutionBegin", begin),
            _ => (
                "WorkOrderPlanned",
                add_minutes(order.begin, -self.random_integer(1, 8) * MINUTES_PER_DAY).min(self.latest_planning_time()),
            ),
        };
        let ended = event == "WorkOrderExecutionEnded";
        let worked = order.begin_real.map(|begin| date.duration_since(begin).as_mins().max(0));
        json!({
            "workOrderCode": order.code,
            "operationCode": order.operation,
            "kind": if event == "WorkOrderPlanned" { "planning" } else { "runtime" },
            "date": date.to_string(),
            "event": event,
            "workStationCode": station_code(order.station),
            "statusDescription": if event == "WorkOrderPlanned" { PLANNED } else { order.state },
            "beginPlanned": order.begin.to_string(),
            "endPlanned": order.end.to_string(),
            "duration": worked.filter(|_| ended).map(|minutes| to_time_span(minutes * 60 * TICKS_PER_SECOND)),
            "producedGoodQuantity": ended.then_some(order.good),
            "producedBadQuantity": ended.then_some(order.bad),
            "employeeBadge": self.choose_from(&sample_words::EMPLOYEES).map(|(badge, _)| badge),
            "userTrigger": if event == "WorkOrderPlanned" { json!("planner") } else { Value::Null },
            "note": if index.is_multiple_of(12) { json!(self.choose_text(&sample_words::OPERATOR_NOTES)) } else { Value::Null },
        })
    }

    pub(super) fn add_supplies(&mut self, orders: &[PlannedOrder]) {
        let mut near: Vec<&PlannedOrder> = orders.iter().filter(|order| order.state != ENDED).collect();
        near.sort_by_key(|order| (order.state == PLANNED, order.begin));
        let wanted = near
            .into_iter()
            .flat_map(|order| order.raw_materials.iter().map(move |raw_material| (order, raw_material)));
        for (order, raw_material) in wanted.take(self.counts.supplies) {
            let is_completed = self.happens(if order.state == PLANNED { 0.1 } else { 0.8 });
            let for_the_whole = self.happens(0.2);
            let eighths = u8::try_from(self.random_integer(8, 250)).unwrap_or(8);
            let id = self.store.next_id();
            self.store.put_supply(Supply {
                id,
                work_order_code: order.code.clone(),
                operation_code: (!for_the_whole).then(|| order.operation.to_owned()),
                code: raw_material.code.clone(),
                description: raw_material.description.as_str().unwrap_or_default().to_owned(),
                // Quantities in pieces are integers. Others may have fractions.
                quantity: if raw_material.unit == "pcs" { f64::from(eighths) } else { f64::from(eighths) / 8.0 },
                is_completed,
            });
        }
    }
}

/// Ensures that at least one order is paused, so that users can resume it.
fn ensure_paused_order(orders: &mut [PlannedOrder]) {
    if orders.iter().any(|order| order.state == PAUSED) {
        return;
    }
    if let Some(order) = orders.iter_mut().filter(|order| order.state == IN_EXECUTION).nth(1) {
        order.state = PAUSED;
    }
}

/// Changes a running or paused order back to planned if an earlier order of the station is running or paused.
fn reset_overlapping(orders: &mut [PlannedOrder]) {
    let mut is_busy = [false; STATIONS];
    for order in orders {
        if order.begin_real.is_none() || order.end_real.is_some() {
            continue;
        }
        if is_busy[order.station] {
            order.reset_to_planned();
        }
        is_busy[order.station] = true;
    }
}
