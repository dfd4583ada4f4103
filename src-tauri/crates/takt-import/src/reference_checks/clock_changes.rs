//! Local times that the site's clock skips or repeats.

use std::{cmp::Ordering, sync::Arc};

use jiff::{
    SignedDuration, Timestamp,
    civil::DateTime,
    tz::{Offset, TimeZone},
};
use takt_contract::{LocalTime, form::ValueForm};

use takt_core::finding::{FindingCode, Severity};

use crate::{
    cell_value::ReadValue,
    column_layout::ColumnLayout,
    date::TypedDateTime,
    mark::{FindingDetail, TargetFinding, TextParameters},
    target::TargetField,
};

/// Years whose changes are looked up in advance. Times in other years are looked up one by one.
const KNOWN_YEARS: std::ops::Range<i16> = 1970..2100;

/// The local times of a zone that are skipped or repeated.
#[derive(Debug)]
pub(super) struct ClockChanges {
    zone: TimeZone,
    /// Sorted by their ends, the earliest first.
    spans: Vec<ChangedSpan>,
}

/// Local times from `start` to `end`, which is exclusive.
#[derive(Debug)]
struct ChangedSpan {
    start: DateTime,
    end: DateTime,
    /// The parameters of findings about these times. Shared, since a sheet may have one in every row.
    parameters: Arc<TextParameters>,
}

impl ChangedSpan {
    /// Returns `None` if both offsets are the same.
    fn new(change: Timestamp, before: Offset, after: Offset, zone: &TimeZone) -> Option<Self> {
        let (from, to) = (before.to_datetime(change), after.to_datetime(change));
        let named = match from.cmp(&to) {
            Ordering::Equal => return None,
            Ordering::Less => [("from", clock_text(from)), ("to", clock_text(to))],
            Ordering::Greater => [("first", offset_text(before)), ("second", offset_text(after))],
        };
        let mut parameters = TextParameters::from(named);
        parameters.insert("zone", zone.iana_name().unwrap_or_default().to_owned());
        Some(Self { start: from.min(to), end: from.max(to), parameters: Arc::new(parameters) })
    }
}

impl ClockChanges {
    pub(super) fn new(zone: &TimeZone) -> Self {
        let first = DateTime::constant(KNOWN_YEARS.start, 1, 1, 0, 0, 0, 0);
        let start = zone.to_timestamp(first).unwrap_or(Timestamp::UNIX_EPOCH);
        let mut spans = Vec::new();
        let mut before = zone.to_offset(start);
        for change in zone.following(start) {
            if before.to_datetime(change.timestamp()).year() >= KNOWN_YEARS.end {
                break;
            }
            spans.extend(ChangedSpan::new(change.timestamp(), before, change.offset(), zone));
            before = change.offset();
        }
        spans.sort_unstable_by_key(|span| span.end);
        Self { zone: zone.clone(), spans }
    }

    /// Returns true if the clock never changes.
    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns a skipped or repeated time, or `None` for a time that exists once.
    fn find_changed_time(&self, at: DateTime) -> Option<(LocalTime, Arc<TextParameters>)> {
        let next = self.spans.partition_point(|span| span.end <= at);
        let is_known = KNOWN_YEARS.contains(&at.year());
        let span = self.spans.iter().skip(next).take(2).find(|span| span.start <= at);
        if is_known && span.is_none() {
            return None;
        }
        let local = LocalTime::resolve(at, &self.zone).filter(|local| !matches!(local, LocalTime::Once(_)))?;
        let parameters = span.map_or_else(|| self.parameters(local), |span| Arc::clone(&span.parameters));
        Some((local, parameters))
    }

    /// Returns the parameters of findings about a time in other years.
    fn parameters(&self, local: LocalTime) -> Arc<TextParameters> {
        let (change, before, after) = match local {
            LocalTime::Skipped { change } => {
                (change, self.zone.to_offset(change - SignedDuration::from_secs(1)), self.zone.to_offset(change))
            }
            LocalTime::Repeated { first, second } => (first.at, first.offset, second.offset),
            LocalTime::Once(at) => (at, Offset::UTC, Offset::UTC),
        };
        ChangedSpan::new(change, before, after, &self.zone).map(|span| span.parameters).unwrap_or_default()
    }
}

/// Checks that a date-time exists at the site, and only once.
#[derive(Debug)]
pub(super) struct ClockChangeCheck {
    target: usize,
    needs_exact_time: bool,
    /// True if a finding can quote the cell.
    has_column: bool,
    changes: Arc<ClockChanges>,
}

impl ClockChangeCheck {
    /// Returns `None` for fields that are sent as a date.
    pub(super) fn new(
        target: usize,
        field: &TargetField,
        layout: &ColumnLayout,
        changes: &Arc<ClockChanges>,
    ) -> Option<Self> {
        let is_date = field.form == ValueForm::DateOnly;
        let has_column = layout.columns.get(target).copied().flatten().is_some();
        let needs_exact_time = field.form.needs_exact_time();
        (!is_date).then(|| Self { target, needs_exact_time, has_column, changes: Arc::clone(changes) })
    }

    pub(super) fn check(&self, values: &[Option<ReadValue<'_>>]) -> Option<TargetFinding> {
        let ReadValue::DateTime(TypedDateTime { at, offset: None }) = values.get(self.target)?.as_ref()? else {
            return None;
        };
        let (local, mut parameters) = self.changes.find_changed_time(*at)?;
        let (severity, code) = match local {
            LocalTime::Skipped { .. } if self.needs_exact_time => (Severity::Error, FindingCode::SkippedTime),
            LocalTime::Skipped { .. } => (Severity::Warning, FindingCode::SkippedTime),
            LocalTime::Repeated { .. } if self.needs_exact_time => (Severity::Warning, FindingCode::RepeatedTime),
            LocalTime::Repeated { .. } => (Severity::Warning, FindingCode::RepeatedLocalTime),
            LocalTime::Once(_) => return None,
        };
        if !self.has_column {
            Arc::make_mut(&mut parameters).insert("value", at.strftime("%Y-%m-%d %H:%M").to_string());
        }
        Some(TargetFinding { target: self.target, severity, code, detail: FindingDetail::Parameters(parameters) })
    }
}

/// Returns a repeated time with its first or second offset, or `None` for any other time.
pub(crate) fn add_offset(written: TypedDateTime, zone: &TimeZone, second: bool) -> Option<TypedDateTime> {
    match LocalTime::resolve(written.at, zone)? {
        LocalTime::Repeated { first, second: later } if written.offset.is_none() => {
            let chosen = if second { later } else { first };
            Some(TypedDateTime { at: written.at, offset: Some(chosen.minutes()) })
        }
        _ => None,
    }
}

fn clock_text(at: DateTime) -> String {
    at.strftime("%H:%M").to_string()
}

fn offset_text(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_time_is_reported_whether_it_is_sent_as_a_moment_or_not() {
        let changes = Arc::new(ClockChanges::new(&TimeZone::get("Europe/Berlin").unwrap()));
        let code = |needs_exact_time: bool, text: &str, offset: Option<i32>| {
            let check =
                ClockChangeCheck { target: 0, needs_exact_time, has_column: true, changes: Arc::clone(&changes) };
            let at = text.parse().unwrap();
            check
                .check(&[Some(ReadValue::DateTime(TypedDateTime { at, offset }))])
                .map(|found| (found.severity, found.code))
        };
        let twice = "2027-10-31T02:30";
        assert_eq!(code(true, twice, None), Some((Severity::Warning, FindingCode::RepeatedTime)));
        assert_eq!(code(false, twice, None), Some((Severity::Warning, FindingCode::RepeatedLocalTime)));
        assert_eq!(code(false, twice, Some(60)), None);
        assert_eq!(code(false, "2027-10-31T03:30", None), None);
    }

    #[test]
    fn known_spans_find_every_time_that_a_lookup_finds() {
        for name in ["Europe/Berlin", "America/Sao_Paulo", "Africa/Casablanca", "Australia/Lord_Howe", "Africa/Cairo"] {
            let zone = TimeZone::get(name).unwrap();
            let changes = ClockChanges::new(&zone);
            let mut at = DateTime::constant(1996, 1, 1, 0, 0, 0, 0);
            let mut found = 0;
            while at.year() < 2040 {
                let expected = LocalTime::resolve(at, &zone).filter(|local| !matches!(local, LocalTime::Once(_)));
                assert_eq!(changes.find_changed_time(at).map(|(local, _)| local), expected, "{name} {at}");
                found += u32::from(expected.is_some());
                at = at.saturating_add(SignedDuration::from_mins(15));
            }
            assert!(found > 20, "{name} {found}");
        }
        assert!(ClockChanges::new(&TimeZone::UTC).is_empty());
        let changes = ClockChanges::new(&TimeZone::get("Europe/Berlin").unwrap());
        for (text, name, expected) in [
            ("2026-03-29T02:10", "to", "03:00"),
            ("2026-10-25T02:10", "second", "+01:00"),
            // The last Sunday of March and of October.
            ("2150-03-29T02:10", "from", "02:00"),
            ("2150-10-25T02:10", "first", "+02:00"),
        ] {
            let (_, parameters) = changes.find_changed_time(text.parse().unwrap()).unwrap();
            assert_eq!(parameters[name], expected, "{text}");
        }
    }
}
