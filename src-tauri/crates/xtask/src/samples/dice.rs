//! Chance from the one seed. Each sample throws dice of its own, so that more rows of one don't change another.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::SEED;

#[derive(Debug)]
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub(super) fn new(stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(SEED);
        random.set_stream(stream);
        Self(random)
    }

    /// A whole number, both ends included.
    pub(super) fn whole(&mut self, least: i64, most: i64) -> i64 {
        self.0.random_range(least..=most)
    }

    /// True in so many of a hundred throws.
    pub(super) fn percent(&mut self, odds: i64) -> bool {
        self.whole(1, 100) <= odds
    }

    /// One of them; there is at least one.
    pub(super) fn one<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.0.random_range(0..among.len())]
    }
}
