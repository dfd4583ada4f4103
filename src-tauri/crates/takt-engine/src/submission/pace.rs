//! How fast to go: rate and remaining time for people, waits and batch size for the service's sake.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Requests over which the rate is taken.
const RECENT: usize = 20;
/// Failures of one kind after another, after which a person is asked.
const PATIENCE: u32 = 5;
/// Answers "come back later" after another, after which a person is asked.
const DEFERRALS: u32 = 20;
const FIRST_BACKOFF: Duration = Duration::from_millis(100);
const FIRST_DEFERRAL: Duration = Duration::from_secs(1);
const LONGEST_DEFERRAL: Duration = Duration::from_secs(60);

/// What one run has seen so far.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When a request began, when it was settled, and its rows.
    recent: VecDeque<(Instant, Instant, u32)>,
    failures: u32,
    deferrals: u32,
}

impl Pace {
    /// An answer that settled rows.
    pub(super) fn settled(&mut self, began: Instant, ended: Instant, rows: u32) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((began, ended, rows));
        self.failures = 0;
        self.deferrals = 0;
    }

    /// Counts a request that left rows in doubt. How long to wait before the next, or `None` where it is time to ask.
    pub(super) fn failed(&mut self) -> Option<Duration> {
        self.failures += 1;
        let longer = 2_u32.saturating_pow(self.failures - 1);
        (self.failures < PATIENCE).then(|| FIRST_BACKOFF * longer)
    }

    /// Counts a request that the service wants later; `stated` is the wait that it asks for.
    pub(super) fn deferred(&mut self, stated: Option<Duration>) -> Option<Duration> {
        self.deferrals += 1;
        if self.deferrals > DEFERRALS {
            return None;
        }
        let longer = 2_u32.saturating_pow(self.deferrals - 1);
        Some(stated.unwrap_or_else(|| FIRST_DEFERRAL.saturating_mul(longer).min(LONGEST_DEFERRAL)))
    }

    /// Rows per second, waits for the rate limit included.
    pub(super) fn rate(&self) -> Option<f64> {
        let (first, last) = (self.recent.front()?, self.recent.back()?);
        let rows: u32 = self.recent.iter().map(|(_, _, rows)| rows).sum();
        let seconds = last.1.duration_since(first.0).as_secs_f64();
        (seconds > 0.0).then(|| f64::from(rows) / seconds)
    }
}

/// Half of what was just too much.
pub(super) fn smaller(sent: usize) -> u32 {
    u32::try_from(sent / 2).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_requests() {
        let mut pace = Pace::default();
        assert_eq!(pace.rate(), None);
        let start = Instant::now();
        for second in 0..30_u64 {
            // The first ten are slow in rows; they must be forgotten.
            let rows = if second < 10 { 1 } else { 100 };
            let began = start + Duration::from_secs(second);
            pace.settled(began, began + Duration::from_secs(1), rows);
        }
        assert_eq!(pace.rate(), Some(100.0));
    }

    #[test]
    fn five_failures_in_a_row_ask_and_one_success_forgives() {
        let mut pace = Pace::default();
        let waits: Vec<_> = (0..5).map(|_| pace.failed().map(|wait| wait.as_millis())).collect();
        assert_eq!(waits, [Some(100), Some(200), Some(400), Some(800), None]);
        pace.settled(Instant::now(), Instant::now(), 1);
        assert!(pace.failed().is_some());
    }

    #[test]
    fn deferrals_heed_the_service_and_end() {
        let mut pace = Pace::default();
        assert_eq!(pace.deferred(Some(Duration::from_secs(7))), Some(Duration::from_secs(7)));
        assert_eq!(pace.deferred(None), Some(Duration::from_secs(2)));
        for _ in 0..30 {
            pace.deferred(None);
        }
        assert_eq!(pace.deferred(None), None);
        assert_eq!((smaller(100), smaller(1), smaller(0)), (50, 1, 1));
    }
}
