//! Waits after failures and deferrals, and the limits after which the user is asked.

use std::time::{Duration, Instant};

/// The consecutive failures after which the user is asked.
const MAX_FAILURES: u32 = 5;
/// The consecutive deferrals after which the user is asked.
const MAX_DEFERRALS: u32 = 20;
const MIN_BACKOFF: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// The consecutive failures and deferrals of one run.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: Streak,
    deferrals: Streak,
}

/// A count of consecutive events. Requests that were in flight together count once.
#[derive(Debug, Default)]
struct Streak {
    count: u32,
    last: Option<Instant>,
}

impl Streak {
    fn increment(&mut self, started_at: Instant) -> u32 {
        if self.last.is_none_or(|last| started_at >= last) {
            self.count += 1;
            self.last = Some(Instant::now());
        }
        self.count
    }
}

impl Backoff {
    /// Resets the counts after a response that settled rows.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Counts a request that left unconfirmed rows. Returns the wait before the next one, or `None` if the user must be
    /// asked.
    pub(super) fn record_failure(&mut self, started_at: Instant) -> Option<Duration> {
        let failures = self.failures.increment(started_at);
        let factor = 2_u32.saturating_pow(failures - 1);
        (failures < MAX_FAILURES).then(|| MIN_BACKOFF * factor)
    }

    /// Counts a deferred request. Returns the wait that the service states, or a wait that grows from `first`. Returns
    /// `None` if the user must be asked.
    pub(super) fn record_deferral(
        &mut self,
        started_at: Instant,
        stated: Option<Duration>,
        first: Duration,
    ) -> Option<Duration> {
        let deferrals = self.deferrals.increment(started_at);
        if deferrals > MAX_DEFERRALS {
            return None;
        }
        let factor = 2_u32.saturating_pow(deferrals - 1);
        Some(stated.unwrap_or_else(|| first.saturating_mul(factor).min(MAX_BACKOFF)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_in_a_row_ask_and_one_success_forgives() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> =
            (0..5).map(|_| backoff.record_failure(Instant::now()).map(|wait| wait.as_millis())).collect();
        assert_eq!(waits, [Some(100), Some(200), Some(400), Some(800), None]);
        backoff.reset();
        assert!(backoff.record_failure(Instant::now()).is_some());
    }

    #[test]
    fn deferrals_heed_the_service_and_end() {
        let mut backoff = Backoff::default();
        let (seven, first) = (Duration::from_secs(7), Duration::from_secs(1));
        let started_at = Instant::now();
        assert_eq!(backoff.record_deferral(started_at, Some(seven), first), Some(seven));
        assert_eq!(
            backoff.record_deferral(started_at, None, first),
            Some(Duration::from_secs(1)),
            "they were on their way together"
        );
        assert_eq!(backoff.record_deferral(Instant::now(), None, first), Some(Duration::from_secs(2)));
        for _ in 0..30 {
            backoff.record_deferral(Instant::now(), None, first);
        }
        assert_eq!(backoff.record_deferral(Instant::now(), None, first), None);
    }
}
