//! Tests of a site's document: reading, matching with the contract, export.
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod matching;
mod reader;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Returns random numbers from a printed seed, or from the seed in `TAKT_SEED`.
#[expect(clippy::print_stdout, reason = "a test that fails says its seed")]
fn seeded_random() -> ChaCha8Rng {
    let seed: u64 = std::env::var("TAKT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random);
    println!("TAKT_SEED={seed}");
    ChaCha8Rng::seed_from_u64(seed)
}
