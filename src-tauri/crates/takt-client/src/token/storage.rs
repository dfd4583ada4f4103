//! A pair of tokens as it comes, as it lies in the vault, and as it is used.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Secret;

/// How long before its end a token is renewed: a tenth of its life, at most this.
const LONGEST_MARGIN: Duration = Duration::from_secs(60);
/// No token lives longer, whatever the provider says; a year keeps the sums within bounds.
const LONGEST_LIFE: Duration = Duration::from_secs(365 * 24 * 3600);

/// What a provider gave.
#[derive(Debug, Clone)]
pub struct NewTokens {
    pub access: Secret,
    pub refresh: Option<Secret>,
    pub expires_in: Option<Duration>,
}

/// What lies in the vault.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) access: Secret,
    pub(super) refresh: Option<Secret>,
    received: Timestamp,
    life: Option<Duration>,
}

impl Kept {
    /// A renewal that gives no refresh token leaves the one from `before` good.
    pub(super) fn new(tokens: NewTokens, before: Option<Secret>, now: Timestamp) -> Self {
        Self {
            access: tokens.access,
            refresh: tokens.refresh.or(before),
            received: now,
            life: tokens.expires_in.map(|life| life.min(LONGEST_LIFE)),
        }
    }

    pub(super) fn to_secret(&self) -> Secret {
        Secret::new(serde_json::to_string(self).unwrap_or_default())
    }

    /// Nothing where it was written by a Takt that kept something else.
    pub(super) fn from_secret(secret: &Secret) -> Option<Self> {
        serde_json::from_str(secret.reveal()).ok()
    }

    /// What is left of its life by the calendar; used once, when it comes out of the vault. A clock that was set back must
    /// not make a token older or younger than it can be.
    fn left(&self, now: Timestamp) -> Option<Duration> {
        let life = self.life?;
        let age = Duration::try_from(now.duration_since(self.received)).unwrap_or_default();
        Some(life.saturating_sub(age))
    }
}

/// What is used. From here on the age is measured by a clock that nobody sets.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) kept: Kept,
    end: Option<Instant>,
    due: Option<Instant>,
}

impl Held {
    pub(super) fn new(kept: Kept, now: Timestamp) -> Self {
        let instant = Instant::now();
        let end = kept.left(now).map(|left| instant + left);
        let margin = kept.life.unwrap_or_default().div_f64(10.0).min(LONGEST_MARGIN);
        let due = end.map(|end| end.checked_sub(margin).unwrap_or(instant));
        Self { kept, end, due }
    }

    /// Time to renew it. A token without a stated life is used until the service refuses it.
    pub(super) fn is_due(&self) -> bool {
        self.due.is_some_and(|due| Instant::now() >= due)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(life: u64) -> Kept {
        let tokens = NewTokens { access: Secret::new("a"), refresh: None, expires_in: Some(Duration::from_secs(life)) };
        Kept::new(tokens, Some(Secret::new("r")), Timestamp::UNIX_EPOCH)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap_or_default()
    }

    #[test]
    fn age_by_the_calendar_stays_within_its_life() {
        assert_eq!(kept(100).left(at(30)), Some(Duration::from_secs(70)));
        assert_eq!(kept(100).left(at(300)), Some(Duration::ZERO));
        assert_eq!(kept(100).left(at(-300)), Some(Duration::from_secs(100)));
    }

    #[test]
    fn due_a_tenth_before_its_end() {
        assert!(!Held::new(kept(100), at(80)).is_due());
        assert!(Held::new(kept(100), at(91)).is_due());
        assert!(!Held::new(kept(100), at(91)).has_ended());
        assert!(Held::new(kept(0), at(0)).has_ended());
    }

    #[test]
    fn the_vault_gives_back_what_was_kept() {
        let back = Kept::from_secret(&kept(100).to_secret());
        assert_eq!(back.and_then(|kept| kept.refresh), Some(Secret::new("r")));
        assert!(Kept::from_secret(&Secret::new("{}")).is_none());
    }
}
