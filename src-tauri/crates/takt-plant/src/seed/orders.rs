//! Work orders `WO-260001`…: each has operation 010, every third also 020. They follow one another on their stations.
//! Those before now have ended, those around now are running, and the rest is planned.

use jiff::civil::DateTime;
use serde_json::{Value, json};
use takt_contract::wire::duration::TICKS_PER_SECOND;

use super::seeder::{STATIONS, Seeder, TEMPLATES, add_minutes, station_code};
use crate::sample_words;
use crate::{
    PlantError,
    store::{ENDED, IN_EXECUTION, PAUSED, PLANNED, Resource, time_span},
};

const MINUTES_PER_DAY: i64 = 24 * 60;
/// The days from the begin of the first orders to today.
const PAST_DAYS: i64 = 10;

/// The data of an order that other rows use.
#[derive(Debug, Clone)]
pub(super) struct PlannedOrder {
    pub(super) index: usize,
    pub(super) code: String,
    pub(super) operation: &'static str,
    pub(super) material: String,
    pub(super) station: usize,
    pub(super) begin: DateTime,
    pub(super) end: DateTime,
    pub(super) begin_real: Option<DateTime>,
    pub(super) end_real: Option<DateTime>,
    pub(super) state: &'static str,
    pub(super) good: i64,
    pub(super) bad: i64,
    pub(super) parts: Vec<Part>,
    pub(super) lots: Vec<Lot>,
}

/// A raw material of an order.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) code: String,
    pub(super) description: Value,
    pub(super) unit: Value,
}

/// A lot of a raw material that an order consumed.
#[derive(Debug, Clone)]
pub(super) struct Lot {
    pub(super) part: usize,
    pub(super) serial: String,
    pub(super) quantity: i64,
    pub(super) date: Option<DateTime>,
}

impl Seeder<'_> {
    pub(super) fn orders(&mut self) -> Result<Vec<PlannedOrder>, PlantError> {
        let mut free = [add_minutes(self.now, -PAST_DAYS * MINUTES_PER_DAY - 6 * 60); STATIONS];
        let mut orders = Vec::new();
        for index in 0..self.counts.orders {
            let operations: &[&'static str] = if index % 3 == 2 { &["010", "020"] } else { &["010"] };
            let material = format!("MAT-{}", 1001 + index * 7 % self.counts.materials);
            for operation in operations {
                let station = (index + orders.len()) % (STATIONS - 1);
                orders.push(self.plan_order(index, operation, &material, station, &mut free[station]));
            }
        }
        unstart_overlapping(&mut orders);
        ensure_paused_order(&mut orders);
        self.plan_lots(&mut orders);
        for order in &orders {
            let row = self.order_row(order);
            self.put(Resource::WorkOrders, row)?;
        }
        Ok(orders)
    }

    /// Distributes the lots over the orders that have begun.
    fn plan_lots(&mut self, orders: &mut [PlannedOrder]) {
        let begun: Vec<usize> = (0..orders.len()).filter(|index| orders[*index].begin_real.is_some()).collect();
        for number in 0..if begun.is_empty() { 0 } else { self.counts.lots } {
            let order = &mut orders[begun[number % begun.len()]];
            let part = number / begun.len() % order.parts.len();
            let until = order.end_real.unwrap_or(self.now);
            let date = order.begin_real.map(|time| add_minutes(time, self.integer(5, 120)).min(until));
            let quantity = self.integer(1, 200);
            order.lots.push(Lot { part, serial: format!("LOT-{:06}", number + 1), quantity, date });
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
        // A larger plant plans shorter orders, so that all of them fit into the same weeks.
        let pace = i64::try_from(self.counts.orders / 300).unwrap_or(1).max(1);
        let begin = add_minutes(*free, self.integer(2, 24) * 5 / pace);
        let end = add_minutes(begin, (self.integer(8, 72) * 15 / pace).max(5));
        *free = end;
        let (state, begin_real, end_real) = self.actual_state(begin, end);
        let requested = 10 * self.integer(1, 50);
        let share = if state == ENDED { 100 } else { self.integer(5, 90) };
        let good = if begin_real.is_some() { requested * share / 100 } else { 0 };
        let bad = if good > 0 && self.chance(0.4) { self.integer(1, 4) } else { 0 };
        let parts = self.parts();
        PlannedOrder {
            index,
            code: format!("WO-26{:04}", index + 1),
            operation,
            material: material.to_owned(),
            station,
            begin,
            end,
            begin_real,
            end_real,
            state,
            good,
            bad,
            parts,
            lots: Vec::new(),
        }
    }

    /// Returns the state of the plan by now.
    fn actual_state(&mut self, begin: DateTime, end: DateTime) -> (&'static str, Option<DateTime>, Option<DateTime>) {
        if begin > self.now {
            return (PLANNED, None, None);
        }
        let began = add_minutes(begin, self.integer(-10, 45));
        let ended = add_minutes(end, self.integer(-30, 90));
        if began >= self.now {
            return (PLANNED, None, None);
        }
        if ended < self.now && ended > began {
            return (ENDED, Some(began), Some(ended));
        }
        let state = if self.chance(0.2) { PAUSED } else { IN_EXECUTION };
        (state, Some(began), None)
    }

    /// Returns one to three different raw materials.
    fn parts(&mut self) -> Vec<Part> {
        let count = i64::try_from(self.counts.raw_materials).unwrap_or(1).max(1);
        let mut parts: Vec<Part> = Vec::new();
        for _ in 0..self.integer(1, 3) {
            let position = self.integer(0, count - 1);
            let code = format!("RAW-{}", 2001 + position);
            if parts.iter().all(|part| part.code != code) {
                let material = self.store.row(Resource::Materials, &[&code]).unwrap_or_default();
                let of = |name: &str| material.get(name).cloned().unwrap_or_default();
                parts.push(Part { code, description: of("description"), unit: of("uoM") });
            }
        }
        parts
    }

    fn order_row(&mut self, order: &PlannedOrder) -> Value {
        let index = order.index;
        let requested = if order.state == ENDED { order.good } else { (order.good * 2).max(10 * self.integer(1, 50)) };
        let minutes = |minutes: i64| time_span(minutes * 60 * TICKS_PER_SECOND);
        let planned = (order.end.duration_since(order.begin)).as_mins();
        let worked = order
            .begin_real
            .map_or(0, |begin| order.end_real.unwrap_or(self.now).duration_since(begin).as_mins())
            .max(0);
        let promise = add_minutes(order.end, self.integer(1, 6) * MINUTES_PER_DAY);
        let customer = self.pick_text(&sample_words::CUSTOMERS);
        let pause = if order.state == PAUSED { json!(self.pick_text(&sample_words::PAUSES)) } else { Value::Null };
        json!({
            "id": self.store.next_id(),
            "code": order.code,
            "operationCode": order.operation,
            "materialCode": order.material,
            "type": self.pick_text(&sample_words::ORDER_TYPES),
            "workOrderGrouper": format!("G-{}", 100 + index / 8),
            "customer": customer,
            "promiseDate": if index % 10 == 9 { Value::Null } else { json!(promise.to_string()) },
            "workStationCode": station_code(order.station),
            "templateId": self.integer(1, TEMPLATES),
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
            "note": if index.is_multiple_of(4) { json!(self.pick_text(&sample_words::NOTES)) } else { Value::Null },
            "rawMaterials": self.raw_materials(order, requested),
            "properties": self.order_properties(index),
            "laborValueAddedTime": minutes(worked * 2 / 5),
            "laborNonValueAddedTime": minutes(worked / 10),
            "machineValueAddedTime": minutes(worked * 4 / 5),
            "machineNonValueAddedTime": minutes(worked / 5),
            "producedQuantityHistory": self.quantity_history(order),
        })
    }

    fn raw_materials(&mut self, order: &PlannedOrder, requested: i64) -> Value {
        let mut parts = Vec::new();
        for (index, part) in order.parts.iter().enumerate() {
            let lots = order.lots.iter().filter(|lot| lot.part == index);
            let consumed: i64 = lots.clone().map(|lot| lot.quantity).sum();
            let lots: Vec<Value> =
                lots.map(|lot| json!({ "quantity": lot.quantity, "serialNumber": lot.serial })).collect();
            parts.push(json!({
                "code": part.code,
                "description": part.description,
                "sequence": 10 * (index + 1),
                "quantity": requested * self.integer(1, 3),
                "uoM": part.unit,
                "quantityConsumed": consumed,
                "consumedRawMaterials": lots,
            }));
        }
        json!(parts)
    }

    fn order_properties(&mut self, index: usize) -> Value {
        let revision = self.pick_text(&["A", "B", "C", "D"]);
        let mut properties = vec![
            json!({ "key": "REVISION", "value": revision, "name": "Revision", "isLocked": false }),
            json!({ "key": "PACKAGING", "value": self.pick_text(&["Box", "Pallet", "VCI bag"]), "name": null, "isLocked": null }),
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

    fn quantity_history(&mut self, order: &PlannedOrder) -> Value {
        let Some(begin) = order.begin_real.filter(|_| order.good > 0) else { return json!([]) };
        let end = order.end_real.unwrap_or(self.now).max(begin);
        let half = order.good / 2;
        let middle = add_minutes(begin, end.duration_since(begin).as_mins() / 2);
        let entry = |id: i64, date: DateTime, good: i64, bad: i64| json!({ "id": id, "date": date.to_string(), "producedGoodQuantity": good, "producedBadQuantity": bad });
        let (first, second) = (self.store.next_id(), self.store.next_id());
        json!([entry(first, middle, half, 0), entry(second, end, order.good - half, order.bad)])
    }
}

/// Ensures that there is an order to resume.
fn ensure_paused_order(orders: &mut [PlannedOrder]) {
    if orders.iter().any(|order| order.state == PAUSED) {
        return;
    }
    if let Some(order) = orders.iter_mut().filter(|order| order.state == IN_EXECUTION).nth(1) {
        order.state = PAUSED;
    }
}

/// Returns orders to planned if an earlier order still runs on their station.
fn unstart_overlapping(orders: &mut [PlannedOrder]) {
    let mut is_busy = [false; STATIONS];
    for order in orders {
        if order.begin_real.is_none() || order.end_real.is_some() {
            continue;
        }
        if is_busy[order.station] {
            (order.state, order.begin_real, order.good, order.bad) = (PLANNED, None, 0, 0);
        }
        is_busy[order.station] = true;
    }
}
