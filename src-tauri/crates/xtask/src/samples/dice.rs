//! Random numbers from a fixed seed. Each sample has its own stream, so that changes to one sample don't affect others.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The seed of all samples. Another seed changes every file.
pub(crate) const SEED: u64 = 20_261_123;

#[derive(Debug)]
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub(super) fn new(stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        random.set_stream(stream);
        Self(random)
    }

    /// Returns an integer from `min` to `max`, both included.
    pub(super) fn integer(&mut self, min: i64, max: i64) -> i64 {
        self.0.random_range(min..=max)
    }

    /// Returns true with a probability in percent.
    pub(super) fn percent(&mut self, probability: i64) -> bool {
        self.integer(1, 100) <= probability
    }

    /// Returns one of the items. Panics if there are none.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.0.random_range(0..items.len())]
    }
}
