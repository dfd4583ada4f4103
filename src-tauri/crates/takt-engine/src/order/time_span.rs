//! The time span of an order: from the first to the last date of its rows, with a margin of a week before and after.

use jiff::{Span, Timestamp, ToSpan, civil::DateTime, tz::TimeZone};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{Field, FieldKind, RowSchema};

use takt_core::site_time::parse_site_date_time;

/// A begin and an end for a list's parameters, in the site's local time without an offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderTimeSpan {
    pub from: String,
    pub to: String,
}

/// The range of the dates in an order's rows.
#[derive(Debug, Default)]
struct DateLimits {
    first: Option<DateTime>,
    last: Option<DateTime>,
    /// True if a date is missing, so that the order may not have ended.
    is_open: bool,
}

/// Returns the margin for data of an order that is recorded before its first or after its last date.
fn margin() -> Span {
    1.week()
}

impl OrderTimeSpan {
    /// Returns the time span, or `None` if no row has a date. If a date is missing, the span lasts at least until now.
    pub(super) fn from_rows(shape: &RowSchema, rows: &[Value], zone: &str, now: Timestamp) -> Option<Self> {
        let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
        let mut dates = DateLimits::default();
        rows.iter().for_each(|row| dates.add(&shape.fields, row, &zone));
        let now = zone.to_datetime(now);
        let (first, last) = (dates.first?, dates.last?);
        let last = if dates.is_open { last.max(now) } else { last };
        let format = |at: DateTime| at.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        Some(Self { from: format(first.saturating_sub(margin())), to: format(last.saturating_add(margin())) })
    }
}

impl DateLimits {
    fn add(&mut self, fields: &[Field], row: &Value, zone: &TimeZone) {
        for field in fields {
            match (field.kind, row.get(&field.name)) {
                (FieldKind::DateTime, Some(Value::String(text))) => {
                    if let Some(at) = parse_site_date_time(text, zone) {
                        self.first = Some(self.first.map_or(at, |first| first.min(at)));
                        self.last = Some(self.last.map_or(at, |last| last.max(at)));
                    }
                }
                (FieldKind::DateTime, _) => self.is_open = true,
                (FieldKind::List, Some(Value::Array(parts))) => {
                    parts.iter().for_each(|part| self.add(&field.fields, part, zone));
                }
                _ => {}
            }
        }
    }
}
