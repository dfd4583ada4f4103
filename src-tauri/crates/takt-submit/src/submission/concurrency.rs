//! Limits the requests in flight. Steady responses raise the limit, slow ones lower it by a quarter, and failures halve
//! it.

use std::time::{Duration, Instant};

/// The limit never exceeds this number of requests.
const MAX_REQUESTS: u32 = 8;
/// A response is slow if it exceeds the average times this factor plus this margin.
const SLOW_FACTOR: f64 = 1.5;
const SLOW_MARGIN: Duration = Duration::from_millis(20);
/// The weight of the newest response in the average.
const NEWEST_WEIGHT: f64 = 0.1;

/// The limit of requests in flight.
#[derive(Debug)]
pub(super) struct Concurrency {
    now: u32,
    max: u32,
    steady: u32,
    /// The average time of a response in seconds.
    average: Option<f64>,
    /// Requests that began earlier don't change the limit.
    since: Instant,
}

impl Concurrency {
    /// Creates the limit. `is_serial` allows only one request at a time.
    pub(super) fn new(is_serial: bool) -> Self {
        Self { now: 1, max: if is_serial { 1 } else { MAX_REQUESTS }, steady: 0, average: None, since: Instant::now() }
    }

    #[cfg(test)]
    fn get(&self) -> u32 {
        self.now
    }

    /// Returns whether another request may be sent while `open` are unfinished.
    ///
    /// `persisting` of them are answered and only being stored, so they no longer load the service. They are ignored up
    /// to the limit, so that a kill leaves at most twice the limit to resolve.
    pub(super) fn can_send(&self, open: usize, persisting: usize) -> bool {
        let now = self.now as usize;
        let persisting = if self.max == 1 { 0 } else { persisting.min(now) };
        open < now + persisting
    }

    /// Records a good response. Steady responses raise the limit, and a slow one lowers it.
    pub(super) fn record_steady(&mut self, began: Instant, took: Duration) {
        let (seconds, average) = (took.as_secs_f64(), self.average.unwrap_or(took.as_secs_f64()));
        self.average = Some(average + (seconds - average) * NEWEST_WEIGHT);
        if began < self.since {
            return;
        }
        if seconds > average * SLOW_FACTOR + SLOW_MARGIN.as_secs_f64() {
            self.set_limit(self.now - self.now.div_ceil(4));
            return;
        }
        self.steady += 1;
        if self.steady > self.now && self.now < self.max {
            self.now += 1;
            self.steady = 0;
        }
    }

    /// Halves the limit after a deferral, timeout or failure.
    pub(super) fn decrease(&mut self, began: Instant) {
        if began >= self.since {
            self.set_limit(self.now / 2);
        }
    }

    fn set_limit(&mut self, concurrency: u32) {
        self.now = concurrency.max(1);
        self.steady = 0;
        self.since = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Duration = Duration::from_millis(100);

    fn steady(concurrency: &mut Concurrency, times: u32) {
        for _ in 0..times {
            concurrency.record_steady(Instant::now(), USUAL);
        }
    }

    #[test]
    fn concurrency_grows_by_one_and_is_halved_once() {
        let mut concurrency = Concurrency::new(false);
        steady(&mut concurrency, 1);
        assert_eq!(concurrency.get(), 1, "one answer proves little");
        steady(&mut concurrency, 1);
        assert_eq!(concurrency.get(), 2);
        steady(&mut concurrency, 100);
        assert_eq!(concurrency.get(), MAX_REQUESTS);
        let wave = Instant::now();
        for _ in 0..5 {
            concurrency.decrease(wave);
        }
        assert_eq!(concurrency.get(), MAX_REQUESTS / 2, "a wave that went out together counts once");
        steady(&mut concurrency, 5);
        assert_eq!(concurrency.get(), MAX_REQUESTS / 2 + 1);
    }

    #[test]
    fn requests_being_stored_dont_delay_others() {
        let mut concurrency = Concurrency::new(false);
        steady(&mut concurrency, 100);
        assert!(concurrency.can_send(7, 0) && !concurrency.can_send(8, 0));
        assert!(concurrency.can_send(10, 3) && !concurrency.can_send(11, 3));
        assert!(!concurrency.can_send(16, 16), "no more than as many again");
        assert!(!Concurrency::new(true).can_send(1, 1), "what can't be read back goes one by one");
    }

    #[test]
    fn slow_responses_reduce_concurrency() {
        let mut concurrency = Concurrency::new(false);
        steady(&mut concurrency, 100);
        concurrency.record_steady(Instant::now(), USUAL * 3);
        assert_eq!(concurrency.get(), 6);
        let mut alone = Concurrency::new(true);
        steady(&mut alone, 100);
        assert_eq!(alone.get(), 1);
    }
}
