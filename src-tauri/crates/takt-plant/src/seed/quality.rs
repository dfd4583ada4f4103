//! Inspections `INS-00001`… of the first orders, and quality checks.

use serde_json::{Value, json};

use super::{
    orders::PlannedOrder,
    seeder::{PROCESSES, Seeder, add_minutes, process_code, station_code},
};
use crate::sample_words;
use crate::{
    PlantError,
    store::{ENDED, PLANNED, Resource},
};

/// The duration of an inspection in minutes.
const INSPECTION_MINUTES: i64 = 30;

impl Seeder<'_> {
    pub(super) fn quality(&mut self, orders: &[PlannedOrder]) -> Result<(), PlantError> {
        for index in 0..self.counts.inspections {
            let row = self.inspection(index, &orders[index % orders.len()]);
            self.put(Resource::Inspections, row)?;
        }
        for index in 0..self.counts.checks {
            let row = self.check(index, &orders[index % orders.len()]);
            self.put(Resource::QualityChecks, row)?;
        }
        Ok(())
    }

    fn inspection(&mut self, index: usize, order: &PlannedOrder) -> Value {
        // The last quarter of each twenty processes are inspections.
        let position = (index % 2) * 20 + 15 + index % 5;
        let quantity = self.integer(1, 20);
        let begin =
            order.end_real.filter(|time| order.state == ENDED && add_minutes(*time, INSPECTION_MINUTES) <= self.now);
        let done = begin.is_some();
        let bad = if done && self.chance(0.2) { self.integer(1, quantity) } else { 0 };
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
            "note": if index.is_multiple_of(6) { json!(self.pick_text(&sample_words::NOTES)) } else { Value::Null },
            "properties": [{ "key": "GAUGE", "value": "Micrometer 25-50", "name": "Gauge", "isLocked": false }],
        })
    }

    fn check(&mut self, index: usize, order: &PlannedOrder) -> Value {
        let executed =
            order.begin_real.map(|time| add_minutes(time, self.integer(5, 60))).filter(|time| *time <= self.now);
        let result = if self.chance(0.9) { "OK" } else { "Not OK" };
        let employee = self.pick(&sample_words::EMPLOYEES).map(|(badge, _)| badge);
        json!({
            "code": format!("QC-{:05}", index + 1),
            "workOrderCode": order.code,
            "operationCode": order.operation,
            "description": self.pick_text(&sample_words::CHECKS),
            "status": if executed.is_some() { "Executed" } else { "Planned" },
            "plannedDate": add_minutes(order.begin, 15).to_string(),
            "executedDate": executed.map(|time| time.to_string()),
            "result": executed.map(|_| result),
            "workStationCode": station_code(order.station),
            "employeeBadge": executed.and(employee),
            "note": if index.is_multiple_of(9) { json!(self.pick_text(&sample_words::NOTES)) } else { Value::Null },
        })
    }
}
