//! Checks dates against the clock and the work stations' calendars, both in the site's time zone.

use std::{collections::HashMap, sync::Arc};

use jiff::{
    civil::{DateTime, Time},
    tz::Offset,
};
use serde_json::Value;
use takt_contract::ReferenceCheck;

use super::codes::comparable_text;
use takt_browse::reference::{ReferenceList, ReferenceSnapshot, ShiftInterval, collect_at_path};
use takt_core::finding::{FindingCode, Severity};

use crate::{
    cell_value::ReadValue,
    date::TypedDateTime,
    mark::{FindingDetail, TargetFinding, TextParameters},
    target::TargetFields,
};

/// Checks that a date isn't in the past.
#[derive(Debug)]
pub(super) struct PastDateCheck {
    target: usize,
    reference: Arc<ReferenceSnapshot>,
    now: DateTime,
}

impl PastDateCheck {
    pub(super) fn new(target: usize, reference: &Arc<ReferenceSnapshot>) -> Self {
        Self { target, reference: Arc::clone(reference), now: reference.local_now() }
    }

    pub(super) fn check(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let ReadValue::DateTime(written) = values.get(self.target)?.as_ref()? else { return None };
        let at = site_time(*written, &self.reference);
        // A day without a time means the whole day.
        let passed = if is_day(at) { at.date() < self.now.date() } else { at < self.now };
        passed.then_some(TargetFinding {
            target: self.target,
            severity: Severity::Warning,
            code: FindingCode::InThePast,
            detail: FindingDetail::None,
        })
    }
}

/// Checks that a start is in one of the station's shifts.
#[derive(Debug)]
pub(super) struct ShiftCheck {
    target: usize,
    station: usize,
    reference: Arc<ReferenceSnapshot>,
    calendars: HashMap<Box<str>, Calendar>,
}

/// The weekly shifts of a station.
#[derive(Debug)]
struct Calendar {
    intervals: Vec<ShiftInterval>,
    /// By weekday from Monday, the parameters of findings about a start outside the shifts.
    parameters: [Arc<TextParameters>; 7],
}

impl ShiftCheck {
    pub(super) fn new(
        target: usize,
        station: usize,
        check: &ReferenceCheck,
        targets: &TargetFields,
        reference_list: &ReferenceList,
        reference: &Arc<ReferenceSnapshot>,
    ) -> Option<Self> {
        let ReferenceCheck::InShifts { intervals, weekday, begin, end, .. } = check else { return None };
        let named = targets.fields.get(station)?.refers_to.as_ref()?;
        let (top, below) = intervals.split_once('.').unwrap_or((intervals, ""));
        let (code, calendar_index) = (reference_list.column_index(&named.field)?, reference_list.column_index(top)?);
        let mut calendars = HashMap::new();
        for row in 0..reference_list.rows() {
            let (Some(code), Some(stored)) =
                (reference_list.value(row, code).and_then(Value::as_str), reference_list.value(row, calendar_index))
            else {
                continue;
            };
            let mut parts = Vec::new();
            collect_at_path(stored, below, &mut parts);
            let intervals = parts.into_iter().filter_map(|part| ShiftInterval::parse(part, [weekday, begin, end]));
            let intervals: Vec<ShiftInterval> = intervals.collect();
            // Stations without shifts aren't checked.
            if !intervals.is_empty() {
                calendars.insert(code.into(), Calendar::new(code, intervals));
            }
        }
        Some(Self { target, station, reference: Arc::clone(reference), calendars })
    }

    pub(super) fn check(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let ReadValue::DateTime(written) = values.get(self.target)?.as_ref()? else { return None };
        let calendar = self.calendars.get(comparable_text(values, self.station)?.as_ref())?;
        let at = site_time(*written, &self.reference);
        let works = if is_day(at) {
            calendar.intervals.iter().any(|interval| interval.weekday == at.date().weekday() || interval.contains(at))
        } else {
            calendar.intervals.iter().any(|interval| interval.contains(at))
        };
        let detail = || {
            let day = usize::try_from(at.date().weekday().to_monday_zero_offset()).unwrap_or_default();
            calendar
                .parameters
                .get(day)
                .map_or(FindingDetail::None, |shared| FindingDetail::Parameters(Arc::clone(shared)))
        };
        (!works).then(|| TargetFinding {
            target: self.target,
            severity: Severity::Warning,
            code: FindingCode::OutsideShifts,
            detail: detail(),
        })
    }
}

impl Calendar {
    fn new(station: &str, intervals: Vec<ShiftInterval>) -> Self {
        let parameters_of_day = |day: i8| {
            let mut hours: Vec<String> = intervals
                .iter()
                .filter(|interval| interval.weekday.to_monday_zero_offset() == day)
                .map(ShiftInterval::format_hours)
                .collect();
            hours.sort();
            hours.dedup();
            let hours = if hours.is_empty() { "–".to_owned() } else { hours.join(", ") };
            Arc::new(TextParameters::from([("station", station.to_owned()), ("hours", hours)]))
        };
        let parameters = [0, 1, 2, 3, 4, 5, 6].map(parameters_of_day);
        Self { intervals, parameters }
    }
}

/// Returns the site's local time. Without an offset, it's local already.
fn site_time(written: TypedDateTime, reference: &ReferenceSnapshot) -> DateTime {
    let timestamp = written.offset.and_then(|minutes| {
        let offset = Offset::from_seconds(minutes.checked_mul(60)?).ok()?;
        offset.to_timestamp(written.at).ok()
    });
    timestamp.map_or(written.at, |timestamp| reference.local(timestamp))
}

fn is_day(at: DateTime) -> bool {
    at.time() == Time::midnight()
}
