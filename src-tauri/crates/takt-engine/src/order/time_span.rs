//! The time of an order: from the first to the last date that its rows have, with a week before and after.

use jiff::{Span, Timestamp, ToSpan, civil::DateTime, tz::TimeZone};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use takt_contract::{Field, FieldKind, Shape};

use takt_core::site_time::site_date_time;

/// From and to, as a list's parameters take them: by the site's clocks, without an offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderTimeSpan {
    pub from: String,
    pub to: String,
}

#[derive(Debug, Default)]
struct Dates {
    first: Option<DateTime>,
    last: Option<DateTime>,
    /// True where a date is still to come.
    open: bool,
}

/// What belongs to an order may come before it begins, and after its end.
fn margin() -> Span {
    1.week()
}

impl OrderTimeSpan {
    /// Absent where no row has a date. What isn't over yet lasts until now.
    pub(super) fn of(shape: &Shape, rows: &[Value], zone: &str, now: Timestamp) -> Option<Self> {
        let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
        let mut dates = Dates::default();
        rows.iter().for_each(|row| dates.see(&shape.fields, row, &zone));
        let now = zone.to_datetime(now);
        let (first, last) = (dates.first?, dates.last?);
        let last = if dates.open { last.max(now) } else { last };
        let text = |at: DateTime| at.strftime("%Y-%m-%dT%H:%M:%S").to_string();
        Some(Self { from: text(first.saturating_sub(margin())), to: text(last.saturating_add(margin())) })
    }
}

impl Dates {
    fn see(&mut self, fields: &[Field], row: &Value, zone: &TimeZone) {
        for field in fields {
            match (field.kind, row.get(&field.name)) {
                (FieldKind::DateTime, Some(Value::String(text))) => {
                    if let Some(at) = site_date_time(text, zone) {
                        self.first = Some(self.first.map_or(at, |first| first.min(at)));
                        self.last = Some(self.last.map_or(at, |last| last.max(at)));
                    }
                }
                (FieldKind::DateTime, _) => self.open = true,
                (FieldKind::List, Some(Value::Array(parts))) => {
                    parts.iter().for_each(|part| self.see(&field.fields, part, zone));
                }
                _ => {}
            }
        }
    }
}
