//! Judges the age of reference data.

use jiff::{SignedDuration, Timestamp};

/// A list that was read within this time counts as current.
const MAX_CURRENT_AGE: SignedDuration = SignedDuration::from_mins(15);
/// An older list isn't used.
const MAX_USABLE_AGE: SignedDuration = SignedDuration::from_hours(12);

/// The reliability of reference data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// A code that isn't listed doesn't exist.
    Fresh,
    /// A code that isn't listed may have been added since.
    Aged,
    /// Too old to be used.
    Stale,
}

/// Returns the freshness at `now` of a list that was read at `at`.
pub(super) fn age(at: Timestamp, now: Timestamp) -> Freshness {
    let passed = now.duration_since(at);
    match passed {
        passed if passed < MAX_CURRENT_AGE => Freshness::Fresh,
        passed if passed < MAX_USABLE_AGE => Freshness::Aged,
        _ => Freshness::Stale,
    }
}
