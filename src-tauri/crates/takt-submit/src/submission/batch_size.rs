//! The number of items per request: the setting of the user, site or contract, and its adaptation to responses.

use super::change_operation::ChangeOperation;

/// Limits the setting of the user, site or contract, in items.
const MAX_BATCH_SIZE: u32 = 10_000;
/// The good responses before the size grows by a step.
const GOOD_BEFORE_GROWTH: u32 = 3;
/// A size grows by the requested size divided by this number.
const GROWTH_STEPS: u32 = 8;
/// The good responses after which a size that was too large is retried.
const GOOD_BEFORE_RETRY: u32 = 100;

/// Returns the requested size, else the site's, else the contract's. Items that can't be read back are sent in requests
/// no larger than the contract's, unless the user requests another size.
pub(super) fn batch_size(asked: Option<u32>, site: Option<u32>, target: &ChangeOperation) -> u32 {
    let site = site.map(|size| if target.readable { size } else { size.min(target.batch_size) });
    asked.or(site).unwrap_or(target.batch_size).clamp(1, MAX_BATCH_SIZE)
}

/// The number of items per request. Grows step by step with good responses, and is halved if a request was too large.
/// That size is retried after [`GOOD_BEFORE_RETRY`] good responses.
#[derive(Debug)]
pub(super) struct BatchSize {
    current: u32,
    requested: u32,
    good_responses: u32,
    /// The size that was too large, and the good responses since.
    failed_size: Option<(u32, u32)>,
}

impl BatchSize {
    pub(super) fn new(now: u32, asked: u32) -> Self {
        Self { current: now, requested: asked.max(now), good_responses: 0, failed_size: None }
    }

    pub(super) fn get(&self) -> u32 {
        self.current
    }

    /// Shrinks because a request of `sent` items was too large. Returns whether the size changed.
    pub(super) fn shrink(&mut self, sent: u32) -> bool {
        let before = self.current;
        self.current = self.current.min((sent / 2).max(1));
        self.failed_size = Some((sent, 0));
        self.good_responses = 0;
        self.current != before
    }

    /// Records a good request of `sent` items. Returns whether the size changed.
    pub(super) fn record_good(&mut self, sent: u32) -> bool {
        if let Some((_, since)) = &mut self.failed_size {
            *since += 1;
        }
        self.failed_size = self.failed_size.filter(|(_, since)| *since < GOOD_BEFORE_RETRY);
        if sent < self.current || self.current >= self.requested {
            return false;
        }
        self.good_responses += 1;
        let grown = (self.current + self.requested.div_ceil(GROWTH_STEPS)).min(self.requested);
        let grown = self.failed_size.map_or(grown, |(failed_size, _)| grown.min(failed_size.saturating_sub(1)));
        if self.good_responses < GOOD_BEFORE_GROWTH || grown <= self.current {
            return false;
        }
        (self.current, self.good_responses) = (grown, 0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_is_halved_and_grows_in_steps_below_the_failed_size() {
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
