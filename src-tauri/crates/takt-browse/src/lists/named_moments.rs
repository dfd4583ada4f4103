//! Resolves named time spans (`today`, `next-shift`) and typed dates to date-times for requests: local times of the
//! site, with an excluded end.

use std::collections::BTreeMap;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};
use takt_client::Canceller;
use takt_contract::{FieldKind, Operation, Parameter, SpanEnd};
use takt_core::blocking::run_blocking;
use takt_core::site_time::SiteTime;
use takt_core::{Code, Problem};
use takt_sites::SiteConnection;

use crate::lists::list_reader::Browse;
use crate::reference::ShiftInterval;
use crate::request::BrowseQuery;

/// Shifts are searched in this many days, because at least one of them is a working day of a station.
const SHIFT_SEARCH_DAYS: i32 = 15;
const SHIFT_NAMES: [&str; 2] = ["this-shift", "next-shift"];
const SPAN_NAMES: [&str; 10] = [
    "today",
    "yesterday",
    "tomorrow",
    "this-week",
    "last-week",
    "next-week",
    "last-7-days",
    "next-7-days",
    SHIFT_NAMES[0],
    SHIFT_NAMES[1],
];

/// A named time span with its current begin and end. Its name can be the value of a parameter for either end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct NamedSpan {
    pub name: String,
    /// In the site's local time: `2026-11-22T06:00:00`.
    pub begin: String,
    /// In the site's local time, excluded.
    pub end: String,
}

impl Browse {
    /// Returns the named spans of a site as of now. Includes shifts if the stations' hours are cached.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [journal code](takt_core::problem#journal-codes): the sites can't be read.
    pub fn named_spans(&self, site: &str) -> Result<Vec<NamedSpan>, Problem> {
        let (now, hours) = (self.local_now(site)?, self.references.hours(site));
        let resolve = |name: &str| {
            let (begin, end) = resolve_span(name, now, &hours)?;
            Some(NamedSpan { name: name.to_owned(), begin: format_date_time(begin), end: format_date_time(end) })
        };
        Ok(SPAN_NAMES.iter().filter_map(|name| resolve(name)).collect())
    }

    /// Replaces every name and day in a query by its date-time at the site. Fails if a span ends before it begins, or a
    /// value isn't a date.
    pub(super) async fn resolve_named_moments(
        &self,
        connection: &SiteConnection,
        query: &BrowseQuery,
    ) -> Result<BrowseQuery, Problem> {
        let site = connection.site.as_str();
        let Some(operation) = connection.contract.operation(&query.operation) else { return Ok(query.clone()) };
        let dates = || span_parameters(operation).filter_map(|parameter| query.parameters.get(&parameter.name));
        if dates().any(|value| SHIFT_NAMES.contains(&normalized_name(value).as_str())) {
            self.references.refresh_hours(site, &Canceller::new()).await;
        }
        if dates().next().is_none() {
            return Ok(query.clone());
        }
        let (browse, name) = (self.clone(), site.to_owned());
        let now = run_blocking(move || browse.local_now(&name)).await?;
        let moments = NamedMoments { now, hours: self.references.hours(site) };
        let mut parameters = query.parameters.clone();
        for parameter in span_parameters(operation) {
            if let Some(value) = parameters.get_mut(&parameter.name).filter(|value| !value.trim().is_empty()) {
                *value = moments.resolve(value, parameter.span)?;
            }
        }
        check_span_order(operation, &parameters)?;
        Ok(BrowseQuery { operation: query.operation.clone(), parameters })
    }

    fn local_now(&self, site: &str) -> Result<DateTime, Problem> {
        let zone = TimeZone::get(&self.sites.find(site)?.time_zone).unwrap_or(TimeZone::UTC);
        Ok(zone.to_datetime((self.clock)()))
    }
}

struct NamedMoments {
    now: DateTime,
    hours: Vec<ShiftInterval>,
}

impl NamedMoments {
    /// Resolves a name, a day or a date-time. A date-time with an offset stays unchanged.
    fn resolve(&self, typed: &str, end: Option<SpanEnd>) -> Result<String, Problem> {
        let (typed, name) = (typed.trim(), normalized_name(typed));
        let named = resolve_span(&name, self.now, &self.hours);
        let day = || typed.parse::<Date>().ok().filter(|_| !typed.contains([':', 'T'])).and_then(day_span);
        if name == "now" {
            return Ok(format_date_time(self.now));
        }
        if let Some((begin, after)) = named.or_else(day) {
            return Ok(format_date_time(if end == Some(SpanEnd::End) { after } else { begin }));
        }
        let time = typed.split_once(['T', ' ']).map(|(_, time)| time);
        let has_offset = time.is_some_and(|time| time.contains(['Z', 'z', '+', '-']));
        match typed.parse::<DateTime>() {
            Ok(_) if has_offset => Ok(typed.to_owned()),
            Ok(moment) => Ok(format_date_time(moment)),
            Err(_) if has_offset && typed.parse::<Timestamp>().is_ok() => Ok(typed.to_owned()),
            Err(_) => Err(Problem::new(Code::InvalidInput).parameter("what", typed)),
        }
    }
}

/// Returns the date parameters that the contract declares as an end of a time span.
fn span_parameters(operation: &Operation) -> impl Iterator<Item = &Parameter> {
    operation.parameters.iter().filter(|parameter| parameter.kind == FieldKind::DateTime && parameter.span.is_some())
}

fn check_span_order(operation: &Operation, parameters: &BTreeMap<String, String>) -> Result<(), Problem> {
    let moment = |end| {
        let parameter = span_parameters(operation).find(|parameter| parameter.span == Some(end))?;
        let text = parameters.get(&parameter.name)?;
        Some((text, SiteTime::parse(text)?))
    };
    let Some(((from, begin), (to, end))) = moment(SpanEnd::Begin).zip(moment(SpanEnd::End)) else { return Ok(()) };
    let is_reversed = match (begin, end) {
        (SiteTime::Timestamp(begin), SiteTime::Timestamp(end)) => begin >= end,
        (SiteTime::Local(begin), SiteTime::Local(end)) => begin >= end,
        // Only the service can compare a local time with a time that has an offset.
        _ => false,
    };
    match is_reversed {
        true => Err(Problem::obstacle_with("dates-reversed", &[("from", from), ("to", to)])),
        false => Ok(()),
    }
}

/// Normalizes a typed name such as `Last 7 days`.
fn normalized_name(typed: &str) -> String {
    typed.trim().to_lowercase().replace([' ', '_'], "-")
}

fn format_date_time(at: DateTime) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S").to_string()
}

fn day_span(date: Date) -> Option<(DateTime, DateTime)> {
    Some((midnight(date), midnight(date.tomorrow().ok()?)))
}

fn midnight(date: Date) -> DateTime {
    date.to_datetime(Time::midnight())
}

/// Returns the begin and end of a named span. Weeks begin on Monday. If shifts overlap, the current shift is the shift
/// that began last, and the next shift is the shift that begins first.
fn resolve_span(name: &str, now: DateTime, hours: &[ShiftInterval]) -> Option<(DateTime, DateTime)> {
    let today = now.date();
    let days = |from: i32, to: i32| {
        let day = |ahead: i32| today.checked_add(ahead.days()).ok().map(midnight);
        Some((day(from)?, day(to)?))
    };
    let monday = -i32::from(today.weekday().to_monday_zero_offset());
    match name {
        "today" => days(0, 1),
        "yesterday" => days(-1, 0),
        "tomorrow" => days(1, 2),
        "this-week" => days(monday, monday + 7),
        "last-week" => days(monday - 7, monday),
        "next-week" => days(monday + 7, monday + 14),
        "last-7-days" => days(-6, 1),
        "next-7-days" => days(0, 7),
        "this-shift" => shift_spans(now, hours).filter(|(begin, end)| *begin <= now && now < *end).max(),
        "next-shift" => shift_spans(now, hours).filter(|(begin, _)| *begin > now).min(),
        _ => None,
    }
}

fn shift_spans(now: DateTime, hours: &[ShiftInterval]) -> impl Iterator<Item = (DateTime, DateTime)> {
    let days = (-1..SHIFT_SEARCH_DAYS).filter_map(move |ahead| now.date().checked_add(ahead.days()).ok());
    days.flat_map(|date| hours.iter().filter_map(move |interval| interval.range_on(date)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hours() -> Vec<ShiftInterval> {
        let names = ["day", "from", "to"].map(str::to_owned);
        let of = |day: i64, from: &str, to: &str| {
            let part = json!({ "day": day, "from": from, "to": to });
            ShiftInterval::parse(&part, [&names[0], &names[1], &names[2]]).unwrap()
        };
        (1..=5).flat_map(|day| [of(day, "06:00:00", "14:00:00"), of(day, "22:00:00", "06:00:00")]).collect()
    }

    fn at(now: &str) -> NamedMoments {
        NamedMoments { now: now.parse().unwrap(), hours: hours() }
    }

    #[test]
    fn names_stand_for_spans() {
        // 2026-11-22 is a Sunday.
        let moments = at("2026-11-22T10:30:00");
        for (name, begin, end) in [
            ("today", "2026-11-22T00:00:00", "2026-11-23T00:00:00"),
            ("Yesterday", "2026-11-21T00:00:00", "2026-11-22T00:00:00"),
            ("this week", "2026-11-16T00:00:00", "2026-11-23T00:00:00"),
            ("last-week", "2026-11-09T00:00:00", "2026-11-16T00:00:00"),
            ("next_week", "2026-11-23T00:00:00", "2026-11-30T00:00:00"),
            ("last-7-days", "2026-11-16T00:00:00", "2026-11-23T00:00:00"),
            ("next-7-days", "2026-11-22T00:00:00", "2026-11-29T00:00:00"),
            ("next-shift", "2026-11-23T06:00:00", "2026-11-23T14:00:00"),
            ("2026-02-28", "2026-02-28T00:00:00", "2026-03-01T00:00:00"),
        ] {
            assert_eq!(moments.resolve(name, Some(SpanEnd::Begin)).ok().as_deref(), Some(begin), "{name}");
            assert_eq!(moments.resolve(name, Some(SpanEnd::End)).ok().as_deref(), Some(end), "{name}");
        }
        assert!(moments.resolve("this-shift", Some(SpanEnd::Begin)).is_err(), "nobody works on a Sunday");
    }

    #[test]
    fn a_night_shift_is_this_one_until_the_morning() {
        let begin = |now: &str, name: &str| at(now).resolve(name, Some(SpanEnd::Begin)).ok();
        let end = |now: &str, name: &str| at(now).resolve(name, Some(SpanEnd::End)).ok();
        let night = "2026-11-24T03:00:00";
        assert_eq!(begin(night, "this-shift").as_deref(), Some("2026-11-23T22:00:00"));
        assert_eq!(end(night, "this-shift").as_deref(), Some("2026-11-24T06:00:00"));
        assert_eq!(begin(night, "next-shift").as_deref(), Some("2026-11-24T06:00:00"));
        assert_eq!(begin("2026-11-24T06:00:00", "this-shift").as_deref(), Some("2026-11-24T06:00:00"));
    }

    #[test]
    fn moments_are_taken_as_they_are() {
        let moments = at("2026-11-22T10:30:00");
        for (typed, asked) in [
            ("now", "2026-11-22T10:30:00"),
            ("2026-11-22 06:00", "2026-11-22T06:00:00"),
            ("2026-11-22T06:00:30", "2026-11-22T06:00:30"),
            ("2026-11-22T06:00:00Z", "2026-11-22T06:00:00Z"),
            ("2026-11-22T06:00:00-05:00", "2026-11-22T06:00:00-05:00"),
        ] {
            assert_eq!(moments.resolve(typed, Some(SpanEnd::End)).ok().as_deref(), Some(asked), "{typed}");
        }
        for typed in ["soon", "22.11.2026", "2026-13-01", "-"] {
            assert_eq!(moments.resolve(typed, Some(SpanEnd::Begin)).unwrap_err().code, Code::InvalidInput, "{typed}");
        }
    }
}
