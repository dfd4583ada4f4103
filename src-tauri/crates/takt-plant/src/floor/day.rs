//! The day: what happens on the floor by itself while the plant's time passes, in ticks of five minutes.
//!
//! Owns which ticks are still to be played. Leaves to `simulation` that they are, and to `shift` what people do in one.
//! The dice of a tick depend on the seed, the tick and the station alone, so a day is the same however it is cut.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Seconds of the plant's time.
pub(crate) const TICK: i64 = 300;
/// After how many ticks an operator tries again what a receiver refused.
const RETRY_TICKS: i64 = 4;
/// How far the day has been played.
#[derive(Debug)]
pub(crate) struct Day {
    /// Who plays has this, so that no tick is played twice.
    pub(crate) turn: tokio::sync::Mutex<()>,
    pub(crate) progress: Mutex<Progress>,
    /// Told when the clock may have begun to run.
    pub(crate) paced: Notify,
}

#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The last tick that was played, counted from 1970.
    played: i64,
    /// Counts the times that the plant began anew: whoever plays an older day stops.
    pub(crate) beginnings: u64,
    /// Until which tick a refused order isn't tried again.
    refused: HashMap<(String, String), i64>,
}

impl Day {
    /// A day that begins at that time of the plant.
    pub(crate) fn from(time: Timestamp) -> Self {
        let progress = Progress { played: tick_of(time), ..Progress::default() };
        Self { turn: tokio::sync::Mutex::default(), progress: Mutex::new(progress), paced: Notify::new() }
    }

    /// What lies before that time isn't played any more.
    pub(crate) fn skip_to(&self, time: Timestamp) {
        let mut progress = self.progress.lock();
        progress.played = progress.played.max(tick_of(time));
    }

    /// The clock goes at another pace, or may.
    pub(crate) fn paced(&self) {
        self.paced.notify_one();
    }

    /// The plant's rows and clock are about to be others. Whoever replaces them holds the store meanwhile, and says this first:
    /// then nothing of the old day reaches them.
    pub(crate) fn begin_anew(&self, time: Timestamp) {
        let mut progress = self.progress.lock();
        let beginnings = progress.beginnings + 1;
        *progress = Progress { played: tick_of(time), beginnings, refused: HashMap::new() };
        drop(progress);
        self.paced();
    }

    /// Whether the plant hasn't begun anew since there were so many beginnings.
    pub(crate) fn is_of(&self, beginnings: u64) -> bool {
        self.progress.lock().beginnings == beginnings
    }

    /// The next tick to play; none where the plant began anew since there were so many `beginnings`.
    pub(crate) fn next(&self, beginnings: u64) -> Option<i64> {
        let progress = self.progress.lock();
        (progress.beginnings == beginnings).then_some(progress.played + 1)
    }

    pub(crate) fn played(&self, tick: i64, beginnings: u64) {
        let mut progress = self.progress.lock();
        if progress.beginnings == beginnings {
            progress.played = tick;
        }
    }

    pub(crate) fn is_refused(&self, code: &str, operation: &str, tick: i64) -> bool {
        let progress = self.progress.lock();
        // Usually no order is refused.
        !progress.refused.is_empty()
            && progress.refused.get(&(code.to_owned(), operation.to_owned())).is_some_and(|until| tick < *until)
    }

    /// Notes in a tick that a receiver refused an order.
    pub(crate) fn refuse(&self, code: String, operation: String, tick: i64) {
        let until = tick + RETRY_TICKS;
        let mut progress = self.progress.lock();
        progress.refused.retain(|_, known| *known > tick);
        progress.refused.insert((code, operation), until);
    }
}

fn tick_of(time: Timestamp) -> i64 {
    time.as_second().div_euclid(TICK)
}
