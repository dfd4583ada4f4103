//! Waits after failures and refusals, for the service's sake, and when it is time to ask a person.

use std::time::{Duration, Instant};

/// Failures one after another, after which a person is asked.
const MAX_FAILURES: u32 = 5;
/// Answers "come back later" after another, after which a person is asked.
const MAX_DEFERRALS: u32 = 20;
const MIN_BACKOFF: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// What one run has seen so far.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    failures: Streak,
    deferrals: Streak,
}

/// One after another: of requests that were on their way together one counts.
#[derive(Debug, Default)]
struct Streak {
    count: u32,
    last: Option<Instant>,
}

impl Streak {
    fn one_more(&mut self, began: Instant) -> u32 {
        if self.last.is_none_or(|last| began >= last) {
            self.count += 1;
            self.last = Some(Instant::now());
        }
        self.count
    }
}

impl Backoff {
    /// An answer that settled rows.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Counts a request that left unconfirmed rows. How long to wait before the next, or `None` where it is time to ask.
    pub(super) fn failed(&mut self, began: Instant) -> Option<Duration> {
        let failures = self.failures.one_more(began);
        let longer = 2_u32.saturating_pow(failures - 1);
        (failures < MAX_FAILURES).then(|| MIN_BACKOFF * longer)
    }

    /// Counts a request that the service wants later. The wait is the one that the service asks for (`stated`), or grows from `first`.
    pub(super) fn deferred(&mut self, began: Instant, stated: Option<Duration>, first: Duration) -> Option<Duration> {
        let deferrals = self.deferrals.one_more(began);
        if deferrals > MAX_DEFERRALS {
            return None;
        }
        let longer = 2_u32.saturating_pow(deferrals - 1);
        Some(stated.unwrap_or_else(|| first.saturating_mul(longer).min(MAX_BACKOFF)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_in_a_row_ask_and_one_success_forgives() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..5).map(|_| backoff.failed(Instant::now()).map(|wait| wait.as_millis())).collect();
        assert_eq!(waits, [Some(100), Some(200), Some(400), Some(800), None]);
        backoff.reset();
        assert!(backoff.failed(Instant::now()).is_some());
    }

    #[test]
    fn deferrals_heed_the_service_and_end() {
        let mut backoff = Backoff::default();
        let (seven, first) = (Duration::from_secs(7), Duration::from_secs(1));
        let began = Instant::now();
        assert_eq!(backoff.deferred(began, Some(seven), first), Some(seven));
        assert_eq!(
            backoff.deferred(began, None, first),
            Some(Duration::from_secs(1)),
            "they were on their way together"
        );
        assert_eq!(backoff.deferred(Instant::now(), None, first), Some(Duration::from_secs(2)));
        for _ in 0..30 {
            backoff.deferred(Instant::now(), None, first);
        }
        assert_eq!(backoff.deferred(Instant::now(), None, first), None);
    }
}
