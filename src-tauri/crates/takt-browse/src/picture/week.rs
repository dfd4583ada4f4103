//! Draws the working hours of a week, and stoppages by date.

use serde_json::Value;
use takt_contract::picture::{OneTimeHours, WeeklyHours};

use crate::picture::row_fields::{Interner, LocalTimeReader, join_label, minutes_at, number_at, text_at};
use crate::picture::view::WeekView;

const MINUTES_PER_DAY: u32 = 24 * 60;

pub(super) struct WeekBuilder<'a> {
    lane: &'a str,
    label: &'a [String],
    shifts: &'a WeeklyHours,
    stoppages: Option<&'a OneTimeHours>,
    names: Interner<String>,
    view: WeekView,
}

impl<'a> WeekBuilder<'a> {
    pub(super) fn new(
        lane: &'a str,
        label: &'a [String],
        shifts: &'a WeeklyHours,
        stoppages: Option<&'a OneTimeHours>,
    ) -> Self {
        Self { lane, label, shifts, stoppages, names: Interner::new(), view: WeekView::default() }
    }

    pub(super) fn add(&mut self, reader: &LocalTimeReader, at: u32, row: &Value) {
        let lane = u32::try_from(self.view.lanes.len()).unwrap_or(u32::MAX);
        self.view.lanes.push(text_at(row, self.lane));
        self.view.labels.push(join_label(row, self.label));
        self.view.rows.push(at);
        let (parent_path, list) = self.shifts.list.rsplit_once('.').unwrap_or(("", &self.shifts.list));
        for shift in parts_at(row, parent_path) {
            let name = self.names.intern(text_at(shift, &self.shifts.name));
            for interval in parts_at(shift, list) {
                self.add_shift(lane, name, interval);
            }
        }
        let Some(stoppages) = self.stoppages else { return };
        for stoppage in parts_at(row, &stoppages.list) {
            let (begin, end) = (
                reader.local_seconds_at(stoppage, &stoppages.begin),
                reader.local_seconds_at(stoppage, &stoppages.end),
            );
            let (Some(begin), Some(end)) = (begin, end) else { continue };
            self.view.stoppage_lane.push(lane);
            self.view.stoppage_begin.push(begin);
            self.view.stoppage_end.push(end.max(begin));
            self.view.stoppage_name.push(self.names.intern(text_at(stoppage, &stoppages.name)));
            let status = stoppages.status.as_ref().map(|status| text_at(stoppage, status)).unwrap_or_default();
            self.view.stoppage_status.push(self.names.intern(status));
        }
    }

    fn add_shift(&mut self, lane: u32, name: u32, interval: &Value) {
        let (begin, end) = (minutes_at(interval, &self.shifts.begin), minutes_at(interval, &self.shifts.end));
        let (Some(begin), Some(end)) = (begin, end) else { return };
        let day = (1..=7_u32).find(|day| f64::from(*day).total_cmp(&number_at(interval, &self.shifts.weekday)).is_eq());
        let Some(day) = day else { return };
        self.view.shift_lane.push(lane);
        self.view.shift_day.push(day);
        self.view.shift_begin.push(begin);
        self.view.shift_end.push(if end <= begin { end + MINUTES_PER_DAY } else { end });
        self.view.shift_name.push(name);
    }

    pub(super) fn build(self) -> WeekView {
        WeekView { names: self.names.into_values(), ..self.view }
    }
}

/// Returns the parts of the lists at a path, or the value itself if the path is empty.
fn parts_at<'a>(row: &'a Value, path: &str) -> Vec<&'a Value> {
    if path.is_empty() {
        return vec![row];
    }
    let mut values = vec![row];
    for name in path.split('.') {
        let lists = values.into_iter().filter_map(|value| value.get(name).and_then(Value::as_array));
        values = lists.flatten().collect();
    }
    values
}
