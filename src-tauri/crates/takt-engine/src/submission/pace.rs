//! How fast it goes: rate and remaining time for people, and waits after failures for the service's sake.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Requests over which the rate is taken.
const RECENT: usize = 40;
/// Failures one after another, after which a person is asked.
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

impl Pace {
    /// An answer that settled rows.
    pub(super) fn settled(&mut self, began: Instant, ended: Instant, rows: u32) {
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((began, ended, rows));
        self.failures = Streak::default();
        self.deferrals = Streak::default();
    }

    /// Counts a request that left rows in doubt. How long to wait before the next, or `None` where it is time to ask.
    pub(super) fn failed(&mut self, began: Instant) -> Option<Duration> {
        let failures = self.failures.one_more(began);
        let longer = 2_u32.saturating_pow(failures - 1);
        (failures < PATIENCE).then(|| FIRST_BACKOFF * longer)
    }

    /// Counts a request that the service wants later; `stated` is the wait that it asks for.
    pub(super) fn deferred(&mut self, began: Instant, stated: Option<Duration>) -> Option<Duration> {
        let deferrals = self.deferrals.one_more(began);
        if deferrals > DEFERRALS {
            return None;
        }
        let longer = 2_u32.saturating_pow(deferrals - 1);
        Some(stated.unwrap_or_else(|| FIRST_DEFERRAL.saturating_mul(longer).min(LONGEST_DEFERRAL)))
    }

    /// Rows per second, waits for the rate limit included, and no more than so many requests per second allow.
    pub(super) fn rate(&self, requests: Option<f64>) -> Option<f64> {
        let first = self.recent.iter().map(|(began, _, _)| *began).min()?;
        let last = self.recent.iter().map(|(_, ended, _)| *ended).max()?;
        let rows: u32 = self.recent.iter().map(|(_, _, rows)| rows).sum();
        let seconds = last.duration_since(first).as_secs_f64();
        let count = f64::from(u32::try_from(self.recent.len()).unwrap_or(u32::MAX));
        let allowed = requests.map_or(f64::INFINITY, |requests| requests * f64::from(rows) / count);
        (seconds > 0.0).then(|| (f64::from(rows) / seconds).min(allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_requests() {
        let mut pace = Pace::default();
        assert_eq!(pace.rate(None), None);
        let start = Instant::now();
        for second in 0..50_u64 {
            // The first ten are slow in rows; they must be forgotten.
            let rows = if second < 10 { 1 } else { 100 };
            let began = start + Duration::from_secs(second);
            pace.settled(began, began + Duration::from_secs(1), rows);
        }
        assert_eq!(pace.rate(None), Some(100.0));
        assert_eq!(pace.rate(Some(0.25)), Some(25.0), "the limit allows no more");
    }

    #[test]
    fn five_failures_in_a_row_ask_and_one_success_forgives() {
        let mut pace = Pace::default();
        let waits: Vec<_> = (0..5).map(|_| pace.failed(Instant::now()).map(|wait| wait.as_millis())).collect();
        assert_eq!(waits, [Some(100), Some(200), Some(400), Some(800), None]);
        pace.settled(Instant::now(), Instant::now(), 1);
        assert!(pace.failed(Instant::now()).is_some());
    }

    #[test]
    fn deferrals_heed_the_service_and_end() {
        let mut pace = Pace::default();
        let seven = Duration::from_secs(7);
        let began = Instant::now();
        assert_eq!(pace.deferred(began, Some(seven)), Some(seven));
        assert_eq!(pace.deferred(began, None), Some(Duration::from_secs(1)), "they were on their way together");
        assert_eq!(pace.deferred(Instant::now(), None), Some(Duration::from_secs(2)));
        for _ in 0..30 {
            pace.deferred(Instant::now(), None);
        }
        assert_eq!(pace.deferred(Instant::now(), None), None);
    }
}
