//! Limits the requests in flight and the items per request.
//!
//! Both grow step by step while responses are steady, and are halved on trouble. A size that was too large is tried
//! again only later.

use std::time::{Duration, Instant};

/// The most requests in flight.
const MAX_REQUESTS: u32 = 8;
/// A response is slow if it exceeds the average times this factor plus this margin.
const SLOW_FACTOR: f64 = 1.5;
const SLOW_MARGIN: Duration = Duration::from_millis(20);
/// The weight of the newest response in the average.
const NEWEST_WEIGHT: f64 = 0.1;
/// The good responses before a request grows by a step.
const GOOD_BEFORE_GROWTH: u32 = 3;
/// The steps from nothing to the requested size.
const GROWTH_STEPS: u32 = 8;
/// The good responses after which a size that was too large is tried again.
const GOOD_BEFORE_RETRY: u32 = 100;

/// The limit of requests in flight.
#[derive(Debug)]
pub(super) struct Concurrency {
    now: u32,
    max: u32,
    steady: u32,
    /// The average time of a response in seconds.
    average: Option<f64>,
    /// Requests that began before don't count for the current limit.
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
    /// `settling` of those are answered and only being stored, so they no longer load the service. At most the limit of
    /// them is ignored, so that a kill leaves at most twice as many requests to resolve.
    pub(super) fn can_send(&self, open: usize, settling: usize) -> bool {
        let now = self.now as usize;
        let settling = if self.max == 1 { 0 } else { settling.min(now) };
        open < now + settling
    }

    /// Records a good response.
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

/// The number of items per request.
#[derive(Debug)]
pub(super) struct BatchSize {
    now: u32,
    requested: u32,
    good: u32,
    /// The size that was too large, and the good responses since.
    too_much: Option<(u32, u32)>,
}

impl BatchSize {
    pub(super) fn new(now: u32, asked: u32) -> Self {
        Self { now, requested: asked.max(now), good: 0, too_much: None }
    }

    pub(super) fn get(&self) -> u32 {
        self.now
    }

    /// Shrinks after a request of `sent` items was too large. Returns whether the size changed.
    pub(super) fn shrink(&mut self, sent: u32) -> bool {
        let before = self.now;
        self.now = self.now.min((sent / 2).max(1));
        self.too_much = Some((sent, 0));
        self.good = 0;
        self.now != before
    }

    /// Records a good request of `sent` items. Returns whether the size changed.
    pub(super) fn record_good(&mut self, sent: u32) -> bool {
        if let Some((_, since)) = &mut self.too_much {
            *since += 1;
        }
        self.too_much = self.too_much.filter(|(_, since)| *since < GOOD_BEFORE_RETRY);
        if sent < self.now || self.now >= self.requested {
            return false;
        }
        self.good += 1;
        let grown = (self.now + self.requested.div_ceil(GROWTH_STEPS)).min(self.requested);
        let grown = self.too_much.map_or(grown, |(too_much, _)| grown.min(too_much.saturating_sub(1)));
        if self.good < GOOD_BEFORE_GROWTH || grown <= self.now {
            return false;
        }
        (self.now, self.good) = (grown, 0);
        true
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
    fn width_grows_by_one_and_gives_way_by_half_once() {
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
    fn what_is_only_written_down_keeps_nothing_from_leaving() {
        let mut concurrency = Concurrency::new(false);
        steady(&mut concurrency, 100);
        assert!(concurrency.can_send(7, 0) && !concurrency.can_send(8, 0));
        assert!(concurrency.can_send(10, 3) && !concurrency.can_send(11, 3));
        assert!(!concurrency.can_send(16, 16), "no more than as many again");
        assert!(!Concurrency::new(true).can_send(1, 1), "what can't be read back goes one by one");
    }

    #[test]
    fn slower_answers_make_it_narrower() {
        let mut concurrency = Concurrency::new(false);
        steady(&mut concurrency, 100);
        concurrency.record_steady(Instant::now(), USUAL * 3);
        assert_eq!(concurrency.get(), 6);
        let mut alone = Concurrency::new(true);
        steady(&mut alone, 100);
        assert_eq!(alone.get(), 1);
    }

    #[test]
    fn size_is_halved_and_grows_in_steps_below_what_was_too_much() {
        let mut size = BatchSize::new(100, 100);
        assert!(size.shrink(100) && size.get() == 50);
        assert!(!size.shrink(100), "the same wave again");
        let mut sizes = vec![size.get()];
        for _ in 0..GOOD_BEFORE_RETRY + 10 {
            if size.record_good(size.get()) {
                sizes.push(size.get());
            }
        }
        assert_eq!(sizes, [50, 63, 76, 89, 99, 100]);
        assert!(!size.record_good(100));
        assert!(size.shrink(1) && size.get() == 1);
        assert!(!size.shrink(1));
    }
}
