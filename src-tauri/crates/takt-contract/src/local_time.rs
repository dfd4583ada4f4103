//! Local times at changes of a zone's clock, which may exist once, twice or not at all.

use jiff::{
    Timestamp,
    civil::DateTime,
    tz::{AmbiguousOffset, Offset, TimeZone},
};

use crate::SpanEnd;

/// Whether a local time exists once, twice or not at all in a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalTime {
    Once(Timestamp),
    /// The clock is set forward at `change` and skips this time.
    Skipped {
        change: Timestamp,
    },
    /// The clock is set back and shows this time twice.
    Repeated {
        first: OffsetTimestamp,
        second: OffsetTimestamp,
    },
}

/// An exact time and its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetTimestamp {
    pub at: Timestamp,
    pub offset: Offset,
}

impl OffsetTimestamp {
    fn new(local: DateTime, offset: Offset) -> Option<Self> {
        Some(Self { at: offset.to_timestamp(local).ok()?, offset })
    }

    /// Returns the offset in minutes east of UTC.
    #[must_use]
    pub fn minutes(self) -> i32 {
        self.offset.seconds() / 60
    }
}

impl LocalTime {
    /// Returns None if the time is beyond the range of timestamps.
    #[must_use]
    pub fn resolve(local: DateTime, zone: &TimeZone) -> Option<Self> {
        match zone.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(local).ok().map(Self::Once),
            AmbiguousOffset::Gap { after, .. } => {
                // With the offset after the change, the skipped time is an exact time just before the change.
                let before = after.to_timestamp(local).ok()?;
                Some(Self::Skipped { change: zone.following(before).next()?.timestamp() })
            }
            AmbiguousOffset::Fold { before, after } => Some(Self::Repeated {
                first: OffsetTimestamp::new(local, before)?,
                second: OffsetTimestamp::new(local, after)?,
            }),
        }
    }

    /// Returns the exact time to send, which is the first of two occurrences. None for a skipped time.
    #[must_use]
    pub fn timestamp(self) -> Option<Timestamp> {
        match self {
            Self::Once(at) => Some(at),
            Self::Repeated { first, .. } => Some(first.at),
            Self::Skipped { .. } => None,
        }
    }

    /// Returns the exact time that bounds a time span. A time span includes both occurrences of a repeated time. For a
    /// skipped time, it is the change of the clock.
    #[must_use]
    pub fn bound(self, end: Option<SpanEnd>) -> Timestamp {
        match self {
            Self::Once(at) | Self::Skipped { change: at } => at,
            Self::Repeated { second, .. } if end == Some(SpanEnd::End) => second.at,
            Self::Repeated { first, .. } => first.at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin(text: &str) -> LocalTime {
        LocalTime::resolve(text.parse().unwrap_or_default(), &TimeZone::get("Europe/Berlin").unwrap_or(TimeZone::UTC))
            .unwrap_or(LocalTime::Once(Timestamp::UNIX_EPOCH))
    }

    fn at(text: &str) -> Option<Timestamp> {
        text.parse().ok()
    }

    #[test]
    fn a_local_time_exists_once_never_or_twice() {
        assert_eq!(berlin("2026-07-01T08:00").timestamp(), at("2026-07-01T06:00:00Z"));
        for skipped in ["2026-03-29T02:00", "2026-03-29T02:10", "2026-03-29T02:59:59"] {
            assert_eq!(berlin(skipped).timestamp(), None, "{skipped}");
            assert_eq!(Some(berlin(skipped).bound(None)), at("2026-03-29T01:00:00Z"), "{skipped}");
        }
        assert_eq!(berlin("2026-03-29T03:00").timestamp(), at("2026-03-29T01:00:00Z"));
        let repeated = berlin("2026-10-25T02:10");
        let LocalTime::Repeated { first, second } = repeated else { panic!("{repeated:?}") };
        assert_eq!((first.minutes(), second.minutes()), (120, 60));
        assert_eq!(repeated.timestamp(), at("2026-10-25T00:10:00Z"));
        assert_eq!(Some(repeated.bound(Some(SpanEnd::Begin))), at("2026-10-25T00:10:00Z"));
        assert_eq!(Some(repeated.bound(Some(SpanEnd::End))), at("2026-10-25T01:10:00Z"));
        assert_eq!(berlin("2026-10-25T03:00").timestamp(), at("2026-10-25T02:00:00Z"));
    }
}
