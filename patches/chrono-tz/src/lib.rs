//! Time zones by name for chrono, out of jiff's database: the one that the rest of Takt tells the time by.
//!
//! Owns what cel uses of the crate of this name, which brings a database of its own: a megabyte of tables and as much again of addresses that are
//! written when a program starts.

use std::str::FromStr;

use chrono::{FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, Offset, TimeZone};
use jiff::{Timestamp, civil, tz};

/// Coordinated universal time.
pub const UTC: Tz = Tz(tz::TimeZone::UTC);

/// A time zone of the IANA database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tz(tz::TimeZone);

/// There is no time zone of this name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseError;

impl std::fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("unknown time zone")
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Tz {
    type Err = ParseError;

    /// Names are written as the database writes them.
    fn from_str(name: &str) -> Result<Self, ParseError> {
        let zone = tz::TimeZone::get(name).map_err(|_| ParseError)?;
        if zone.iana_name() == Some(name) || name == "UTC" { Ok(Self(zone)) } else { Err(ParseError) }
    }
}

/// How far a time zone is from UTC at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TzOffset {
    zone: Tz,
    fixed: FixedOffset,
}

impl Offset for TzOffset {
    fn fix(&self) -> FixedOffset {
        self.fixed
    }
}

impl Tz {
    /// UTC's where the moment or the offset is out of what the other crate can say, which cel's years from 1 to 9999 never are.
    fn at(&self, moment: Result<Timestamp, jiff::Error>) -> TzOffset {
        let seconds = moment.map_or(0, |moment| self.0.to_offset(moment).seconds());
        TzOffset { zone: self.clone(), fixed: FixedOffset::east_opt(seconds).unwrap_or_else(|| chrono::Utc.fix()) }
    }

    fn local(&self, local: &NaiveDateTime) -> MappedLocalTime<TzOffset> {
        use chrono::{Datelike, Timelike};
        let small = |number: u32| i8::try_from(number).ok();
        let civil = || {
            civil::DateTime::new(
                i16::try_from(local.year()).ok()?,
                small(local.month())?,
                small(local.day())?,
                small(local.hour())?,
                small(local.minute())?,
                small(local.second())?,
                0,
            )
            .ok()
        };
        let Some(civil) = civil() else { return MappedLocalTime::None };
        let found = self.0.to_ambiguous_timestamp(civil);
        match found.offset() {
            tz::AmbiguousOffset::Unambiguous { .. } => MappedLocalTime::Single(self.at(found.compatible())),
            tz::AmbiguousOffset::Gap { .. } => MappedLocalTime::None,
            tz::AmbiguousOffset::Fold { .. } => {
                MappedLocalTime::Ambiguous(self.at(found.clone().earlier()), self.at(found.later()))
            }
        }
    }
}

impl TimeZone for Tz {
    type Offset = TzOffset;

    fn from_offset(offset: &TzOffset) -> Self {
        offset.zone.clone()
    }

    fn offset_from_local_date(&self, local: &NaiveDate) -> MappedLocalTime<TzOffset> {
        self.local(&NaiveDateTime::from(*local))
    }

    fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> MappedLocalTime<TzOffset> {
        self.local(local)
    }

    fn offset_from_utc_date(&self, utc: &NaiveDate) -> TzOffset {
        self.offset_from_utc_datetime(&NaiveDateTime::from(*utc))
    }

    fn offset_from_utc_datetime(&self, utc: &NaiveDateTime) -> TzOffset {
        self.at(Timestamp::from_second(utc.and_utc().timestamp()))
    }
}
