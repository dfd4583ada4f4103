//! The hours of a week, and stoppages at their dates.

use serde_json::Value;
use takt_contract::picture::{OneTimeHours as Times, Weekly};

use super::{
    cells::{Interner, MomentReader, label, minutes, number, text},
    view::WeekView,
};

const DAY: u32 = 24 * 60;

pub(super) struct WeekBuilder<'a> {
    lane: &'a str,
    label: &'a [String],
    shifts: &'a Weekly,
    stoppages: Option<&'a Times>,
    names: Interner<String>,
    view: WeekView,
}

impl<'a> WeekBuilder<'a> {
    pub(super) fn new(lane: &'a str, label: &'a [String], shifts: &'a Weekly, stoppages: Option<&'a Times>) -> Self {
        Self { lane, label, shifts, stoppages, names: Interner::new(), view: WeekView::default() }
    }

    pub(super) fn take(&mut self, reader: &MomentReader, at: u32, row: &Value) {
        let lane = u32::try_from(self.view.lanes.len()).unwrap_or(u32::MAX);
        self.view.lanes.push(text(row, self.lane));
        self.view.labels.push(label(row, self.label));
        self.view.rows.push(at);
        let (above, list) = self.shifts.list.rsplit_once('.').unwrap_or(("", &self.shifts.list));
        for shift in parts(row, above) {
            let name = self.names.index(text(shift, &self.shifts.name));
            for interval in parts(shift, list) {
                self.shift(lane, name, interval);
            }
        }
        let Some(stoppages) = self.stoppages else { return };
        for stoppage in parts(row, &stoppages.list) {
            let (begin, end) = (reader.moment(stoppage, &stoppages.begin), reader.moment(stoppage, &stoppages.end));
            let (Some(begin), Some(end)) = (begin, end) else { continue };
            self.view.stoppage_lane.push(lane);
            self.view.stoppage_begin.push(begin);
            self.view.stoppage_end.push(end.max(begin));
            self.view.stoppage_name.push(self.names.index(text(stoppage, &stoppages.name)));
            let status = stoppages.status.as_ref().map(|status| text(stoppage, status)).unwrap_or_default();
            self.view.stoppage_status.push(self.names.index(status));
        }
    }

    fn shift(&mut self, lane: u32, name: u32, interval: &Value) {
        let (begin, end) = (minutes(interval, &self.shifts.begin), minutes(interval, &self.shifts.end));
        let (Some(begin), Some(end)) = (begin, end) else { return };
        let day = (1..=7_u32).find(|day| f64::from(*day).total_cmp(&number(interval, &self.shifts.weekday)).is_eq());
        let Some(day) = day else { return };
        self.view.shift_lane.push(lane);
        self.view.shift_day.push(day);
        self.view.shift_begin.push(begin);
        self.view.shift_end.push(if end <= begin { end + DAY } else { end });
        self.view.shift_name.push(name);
    }

    pub(super) fn view(self) -> WeekView {
        WeekView { names: self.names.list(), ..self.view }
    }
}

/// The parts of the list at a path, or the thing itself where there is none.
fn parts<'a>(row: &'a Value, path: &str) -> Vec<&'a Value> {
    if path.is_empty() {
        return vec![row];
    }
    let mut found = vec![row];
    for name in path.split('.') {
        let lists = found.into_iter().filter_map(|value| value.get(name).and_then(Value::as_array));
        found = lists.flatten().collect();
    }
    found
}
