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
    limit: u32,
    max: u32,
    steady_responses: u32,
    /// The average time of a response in seconds.
    average: Option<f64>,
    /// Requests that began earlier don't change the limit.
    changed_at: Instant,
}

impl Concurrency {
    /// Creates the limit. `is_serial` allows only one request at a time.
    pub(super) fn new(is_serial: bool) -> Self {
        Self {
            limit: 1,
            max: if is_serial { 1 } else { MAX_REQUESTS },
            steady_responses: 0,
            average: None,
            changed_at: Instant::now(),
        }
    }

    #[cfg(test)]
    fn get(&self) -> u32 {
        self.limit
    }

    /// Returns whether another request may be sent while `open` are unfinished.
    ///
    /// `persisting` of them are answered and only being stored, so they no longer load the service. They are ignored up
    /// to the limit, so that a kill leaves at most twice the limit to resolve.
    pub(super) fn can_send(&self, open: usize, persisting: usize) -> bool {
        let limit = self.limit as usize;
        let persisting = if self.max == 1 { 0 } else { persisting.min(limit) };
        open < limit + persisting
    }

    /// Records a good response. Steady responses raise the limit, and a slow one lowers it.
    pub(super) fn record_steady(&mut self, started_at: Instant, duration: Duration) {
        let (seconds, average) = (duration.as_secs_f64(), self.average.unwrap_or(duration.as_secs_f64()));
        self.average = Some(average + (seconds - average) * NEWEST_WEIGHT);
        if started_at < self.changed_at {
            return;
        }
        if seconds > average * SLOW_FACTOR + SLOW_MARGIN.as_secs_f64() {
            self.set_limit(self.limit - self.limit.div_ceil(4));
            return;
        }
        self.steady_responses += 1;
        if self.steady_responses > self.limit && self.limit < self.max {
            self.limit += 1;
            self.steady_responses = 0;
        }
    }

    /// Halves the limit after a deferral, timeout or failure.
    pub(super) fn decrease(&mut self, started_at: Instant) {
        if started_at >= self.changed_at {
            self.set_limit(self.limit / 2);
        }
    }

    fn set_limit(&mut self, concurrency: u32) {
        self.limit = concurrency.max(1);
        self.steady_responses = 0;
        self.changed_at = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Duration = Duration::from_millis(100);

    fn record_steady_responses(concurrency: &mut Concurrency, times: u32) {
        for _ in 0..times {
            concurrency.record_steady(Instant::now(), USUAL);
        }
    }

    #[test]
    fn concurrency_grows_by_one_and_is_halved_once() {
        let mut concurrency = Concurrency::new(false);
        record_steady_responses(&mut concurrency, 1);
        assert_eq!(concurrency.get(), 1, "one answer proves little");
        record_steady_responses(&mut concurrency, 1);
        assert_eq!(concurrency.get(), 2);
        record_steady_responses(&mut concurrency, 100);
        assert_eq!(concurrency.get(), MAX_REQUESTS);
        let wave = Instant::now();
        for _ in 0..5 {
            concurrency.decrease(wave);
        }
        assert_eq!(concurrency.get(), MAX_REQUESTS / 2, "a wave that went out together counts once");
        record_steady_responses(&mut concurrency, 5);
        assert_eq!(concurrency.get(), MAX_REQUESTS / 2 + 1);
    }

    #[test]
    fn requests_being_stored_dont_delay_others() {
        let mut concurrency = Concurrency::new(false);
        record_steady_responses(&mut concurrency, 100);
        assert!(concurrency.can_send(7, 0) && !concurrency.can_send(8, 0));
        assert!(concurrency.can_send(10, 3) && !concurrency.can_send(11, 3));
        assert!(!concurrency.can_send(16, 16), "no more than as many again");
        assert!(!Concurrency::new(true).can_send(1, 1), "what can't be read back goes one by one");
    }

    #[test]
    fn slow_responses_reduce_concurrency() {
        let mut concurrency = Concurrency::new(false);
        record_steady_responses(&mut concurrency, 100);
        concurrency.record_steady(Instant::now(), USUAL * 3);
        assert_eq!(concurrency.get(), 6);
        let mut alone = Concurrency::new(true);
        record_steady_responses(&mut alone, 100);
        assert_eq!(alone.get(), 1);
    }
}
