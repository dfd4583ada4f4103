//! How much goes at once: requests on their way, and items per request.
//!
//! Both grow step by step while answers come steadily, and give way by half. What gave way is tried again, but not at once.

use std::time::{Duration, Instant};

/// Requests on their way at once, at most.
const MAX_REQUESTS: u32 = 8;
/// Slower than usual: by half of it and by so much.
const SLOWER: f64 = 1.5;
const SLOWER_BY: Duration = Duration::from_millis(20);
/// The weight of the newest answer in what is usual.
const NEWEST: f64 = 0.1;
/// Good answers before a request grows by a step.
const GOOD: u32 = 3;
/// Steps from nothing to the size that was asked for.
const STEPS: u32 = 8;
/// Good answers after which a size that was too much is tried again.
const FORGIVEN: u32 = 100;

/// How many requests may be on their way.
#[derive(Debug)]
pub(super) struct Concurrency {
    now: u32,
    most: u32,
    steady: u32,
    /// Seconds that an answer takes.
    usual: Option<f64>,
    /// Requests that began before this say nothing about what is now.
    since: Instant,
}

impl Concurrency {
    /// `alone` where the order must be kept.
    pub(super) fn new(alone: bool) -> Self {
        Self { now: 1, most: if alone { 1 } else { MAX_REQUESTS }, steady: 0, usual: None, since: Instant::now() }
    }

    #[cfg(test)]
    fn get(&self) -> u32 {
        self.now
    }

    /// Whether one more may leave beside `open` ones, of which `settling` were answered and are only being written down: those are no
    /// longer with the service. No more of them count than may be there, so that a kill leaves at most twice as many to be found out.
    pub(super) fn has_room(&self, open: usize, settling: usize) -> bool {
        let now = self.now as usize;
        let settling = if self.most == 1 { 0 } else { settling.min(now) };
        open < now + settling
    }

    /// An answer that came in good order.
    pub(super) fn record_steady(&mut self, began: Instant, took: Duration) {
        let (seconds, usual) = (took.as_secs_f64(), self.usual.unwrap_or(took.as_secs_f64()));
        self.usual = Some(usual + (seconds - usual) * NEWEST);
        if began < self.since {
            return;
        }
        if seconds > usual * SLOWER + SLOWER_BY.as_secs_f64() {
            self.settle_at(self.now - self.now.div_ceil(4));
            return;
        }
        self.steady += 1;
        if self.steady > self.now && self.now < self.most {
            self.now += 1;
            self.steady = 0;
        }
    }

    /// Too many, too late, or failed.
    pub(super) fn decrease(&mut self, began: Instant) {
        if began >= self.since {
            self.settle_at(self.now / 2);
        }
    }

    fn settle_at(&mut self, concurrency: u32) {
        self.now = concurrency.max(1);
        self.steady = 0;
        self.since = Instant::now();
    }
}

/// How many items a request carries.
#[derive(Debug)]
pub(super) struct BatchSize {
    now: u32,
    requested: u32,
    good: u32,
    /// What was too much, and the good answers since.
    too_much: Option<(u32, u32)>,
}

impl BatchSize {
    pub(super) fn new(now: u32, asked: u32) -> Self {
        Self { now, requested: asked.max(now), good: 0, too_much: None }
    }

    pub(super) fn get(&self) -> u32 {
        self.now
    }

    /// So many items were too much. True where the size is another one now.
    pub(super) fn shrink(&mut self, sent: u32) -> bool {
        let before = self.now;
        self.now = self.now.min((sent / 2).max(1));
        self.too_much = Some((sent, 0));
        self.good = 0;
        self.now != before
    }

    /// So many items went well. True where the size is another one now.
    pub(super) fn good(&mut self, sent: u32) -> bool {
        if let Some((_, since)) = &mut self.too_much {
            *since += 1;
        }
        self.too_much = self.too_much.filter(|(_, since)| *since < FORGIVEN);
        if sent < self.now || self.now >= self.requested {
            return false;
        }
        self.good += 1;
        let grown = (self.now + self.requested.div_ceil(STEPS)).min(self.requested);
        let grown = self.too_much.map_or(grown, |(too_much, _)| grown.min(too_much.saturating_sub(1)));
        if self.good < GOOD || grown <= self.now {
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
        assert!(concurrency.has_room(7, 0) && !concurrency.has_room(8, 0));
        assert!(concurrency.has_room(10, 3) && !concurrency.has_room(11, 3));
        assert!(!concurrency.has_room(16, 16), "no more than as many again");
        assert!(!Concurrency::new(true).has_room(1, 1), "what can't be read back goes one by one");
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
        let mut seen = vec![size.get()];
        for _ in 0..FORGIVEN + 10 {
            if size.good(size.get()) {
                seen.push(size.get());
            }
        }
        assert_eq!(seen, [50, 63, 76, 89, 99, 100]);
        assert!(!size.good(100));
        assert!(size.shrink(1) && size.get() == 1);
        assert!(!size.shrink(1));
    }
}
