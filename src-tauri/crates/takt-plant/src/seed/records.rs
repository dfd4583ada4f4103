//! Records of past work: alerts, hours, consumed lots, order history.

use jiff::civil::DateTime;
use serde_json::{Value, json};
use takt_contract::wire::duration::TICKS_PER_SECOND;

use super::{
    orders::PlannedOrder,
    seeder::{STATIONS, Seeder, add_minutes, station_code},
};
use crate::sample_words;
use crate::{
    PlantError,
    store::{IN_EXECUTION, PLANNED, Resource, time_span},
};

const MINUTES_PER_DAY: i64 = 24 * 60;

impl Seeder<'_> {
    pub(super) fn records(&mut self, orders: &[PlannedOrder]) -> Result<(), PlantError> {
        let begun: Vec<&PlannedOrder> = orders.iter().filter(|order| order.begin_real.is_some()).collect();
        for index in 0..self.counts.alerts {
            let row = self.alert(index, &begun);
            self.put(Resource::Alerts, row)?;
        }
        let running: Vec<&PlannedOrder> = orders.iter().filter(|order| order.state == IN_EXECUTION).collect();
        for index in 0..self.counts.hours {
            let row = self.hours(index, &begun, &running);
            self.put(Resource::LaborTimes, row)?;
        }
        for order in orders {
            self.lots(order)?;
        }
        for index in 0..self.counts.history {
            let row = self.history(index, &orders[index % orders.len()]);
            self.put(Resource::OrderHistory, row)?;
        }
        Ok(())
    }

    fn alert(&mut self, index: usize, begun: &[&PlannedOrder]) -> Value {
        let (kind, note) = self.pick(&sample_words::ALERTS).unwrap_or_default();
        let station = usize::try_from(self.integer(0, 11)).unwrap_or_default() % STATIONS;
        let recent = index.is_multiple_of(10);
        // An open alert isn't days old.
        let opened = add_minutes(self.now, -self.integer(5, if recent { 90 } else { 12 * MINUTES_PER_DAY }));
        let acknowledged = (!recent).then(|| add_minutes(opened, self.integer(1, 20))).filter(|time| *time <= self.now);
        let closed =
            acknowledged.filter(|_| !index.is_multiple_of(7)).map(|time| add_minutes(time, self.integer(5, 180)));
        let closed = closed.filter(|time| *time <= self.now);
        let status = usize::from(acknowledged.is_some()) + usize::from(closed.is_some());
        let order = begun.get(index * 3 % begun.len().max(1)).filter(|_| index.is_multiple_of(2));
        // The service writes these with a trailing Z or without.
        let zulu = index.is_multiple_of(3);
        json!({
            "id": self.store.next_id(),
            "type": kind,
            "status": status,
            "workStationCode": station_code(station),
            "workStation": sample_words::STATIONS[station].0,
            "opened": self.format_time(opened, zulu),
            "acknowledged": acknowledged.map(|time| self.format_time(time, zulu)),
            "closed": closed.map(|time| self.format_time(time, zulu)),
            "note": note,
            "workOrderCode": order.map(|order| &order.code),
            "operationCode": order.map(|order| order.operation),
            "employeeBadge": self.pick(&sample_words::EMPLOYEES).map(|(badge, _)| badge),
        })
    }

    /// Formats a time in the plant, optionally as UTC with a trailing Z.
    fn format_time(&self, time: DateTime, zulu: bool) -> String {
        if zulu && let Ok(zoned) = time.to_zoned_datetime(self.store.zone().clone()) {
            return zoned.timestamp().to_string();
        }
        time.to_string()
    }

    /// Returns hours of the last two weeks. The latest still run if their order does.
    fn hours(&mut self, index: usize, begun: &[&PlannedOrder], running: &[&PlannedOrder]) -> Value {
        let (round, employee) = (index / sample_words::EMPLOYEES.len(), index % sample_words::EMPLOYEES.len());
        let (badge, name) = sample_words::EMPLOYEES[employee];
        let day = i64::try_from(round / 2 % 14).unwrap_or_default();
        let shift = if round.is_multiple_of(2) { -6 * 60 } else { -60 };
        let begin = add_minutes(self.noon, shift - day * MINUTES_PER_DAY + self.integer(0, 20));
        let at_work = running.get(employee).filter(|_| round == 1);
        let begin = match at_work {
            Some(_) => add_minutes(self.now, -self.integer(10, 90)),
            // Hours that haven't begun today move back by two weeks.
            None if begin >= self.now => add_minutes(begin, -14 * MINUTES_PER_DAY),
            None => begin,
        };
        let end = add_minutes(begin, self.integer(60, 285)).min(self.now);
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
            "duration": at_work.is_none().then(|| time_span(minutes * 60 * TICKS_PER_SECOND)),
            "workOrderCode": order.map(|order| &order.code),
            "operationCode": order.map(|order| order.operation),
            "materialCode": order.map(|order| &order.material),
        })
    }

    fn lots(&mut self, order: &PlannedOrder) -> Result<(), PlantError> {
        for lot in &order.lots {
            let part = &order.parts[lot.part];
            let row = json!({
                "workOrderCode": order.code,
                "operationCode": order.operation,
                "materialCode": part.code,
                "description": part.description,
                "serialNumber": lot.serial,
                "quantity": lot.quantity,
                "uoM": part.unit,
                "date": lot.date.map(|date| date.to_string()),
            });
            self.put(Resource::ConsumedLots, row)?;
        }
        Ok(())
    }

    /// Returns the latest time at which an order was planned: 7:00 today if that has passed, or else 7:00 yesterday.
    fn planned_latest(&self) -> DateTime {
        let morning = add_minutes(self.noon, -5 * 60);
        if morning < self.now { morning } else { add_minutes(morning, -MINUTES_PER_DAY) }
    }

    fn history(&mut self, index: usize, order: &PlannedOrder) -> Value {
        let planning = order.begin_real.is_none() || index.is_multiple_of(3);
        let (event, date) = match (planning, order.begin_real, order.end_real) {
            (false, Some(_), Some(end)) if index.is_multiple_of(2) => ("WorkOrderExecutionEnded", end),
            (false, Some(begin), _) => ("WorkOrderExecutionBegin", begin),
            _ => (
                "WorkOrderPlanned",
                add_minutes(order.begin, -self.integer(1, 8) * MINUTES_PER_DAY).min(self.planned_latest()),
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
            "duration": worked.filter(|_| ended).map(|minutes| time_span(minutes * 60 * TICKS_PER_SECOND)),
            "producedGoodQuantity": ended.then_some(order.good),
            "producedBadQuantity": ended.then_some(order.bad),
            "employeeBadge": self.pick(&sample_words::EMPLOYEES).map(|(badge, _)| badge),
            "userTrigger": if event == "WorkOrderPlanned" { json!("planner") } else { Value::Null },
            "note": if index.is_multiple_of(12) { json!(self.pick_text(&sample_words::NOTES)) } else { Value::Null },
        })
    }
}
