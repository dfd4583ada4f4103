//! The progress of the simulated day, in ticks of five minutes of the plant's time.
//!
//! Owns which ticks are still to be simulated. Leaves running them to `simulation`, and the operators' actions to
//! `station_turn`.
//! A tick's dice depend on seed, tick and station only, so a day doesn't depend on how it's divided.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Seconds of the plant's time.
pub(crate) const TICK_SECONDS: i64 = 300;
/// The number of ticks before a refused order is tried again.
const RETRY_TICKS: i64 = 4;

/// The progress of the simulated day.
#[derive(Debug)]
pub(crate) struct Day {
    /// Locked while the day is simulated, so that no tick runs twice.
    pub(crate) simulation_lock: tokio::sync::Mutex<()>,
    pub(crate) progress: Mutex<Progress>,
    /// Notified when the clock may have started to run.
    pub(crate) pace_changed: Notify,
}

#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The last simulated tick, counted from 1970.
    last_tick: i64,
    /// Counts restarts of the day. A simulation of an earlier day stops.
    pub(crate) generation: u64,
    /// The tick until which each refused order isn't tried again.
    refused: HashMap<(String, String), i64>,
}

impl Day {
    /// Creates a day that begins at that time of the plant.
    pub(crate) fn starting_at(time: Timestamp) -> Self {
        let progress = Progress { last_tick: tick_at(time), ..Progress::default() };
        Self {
            simulation_lock: tokio::sync::Mutex::default(),
            progress: Mutex::new(progress),
            pace_changed: Notify::new(),
        }
    }

    /// Skips all ticks up to that time.
    pub(crate) fn skip_to(&self, time: Timestamp) {
        let mut progress = self.progress.lock();
        progress.last_tick = progress.last_tick.max(tick_at(time));
    }

    /// Signals that the clock's pace may have changed.
    pub(crate) fn notify_pace_change(&self) {
        self.pace_changed.notify_one();
    }

    /// Starts a new day. Called under the store's write lock before the plant's rows and clock are replaced. So actions
    /// of the old day don't change the new rows.
    pub(crate) fn restart(&self, time: Timestamp) {
        let mut progress = self.progress.lock();
        let generation = progress.generation + 1;
        *progress = Progress { last_tick: tick_at(time), generation, refused: HashMap::new() };
        drop(progress);
        self.notify_pace_change();
    }

    /// Whether the day wasn't restarted since `generation` was read.
    pub(crate) fn is_current(&self, generation: u64) -> bool {
        self.progress.lock().generation == generation
    }

    /// Returns the next tick. None if the day was restarted since `generation` was read.
    pub(crate) fn next_tick(&self, generation: u64) -> Option<i64> {
        let progress = self.progress.lock();
        (progress.generation == generation).then_some(progress.last_tick + 1)
    }

    pub(crate) fn finish_tick(&self, tick: i64, generation: u64) {
        let mut progress = self.progress.lock();
        if progress.generation == generation {
            progress.last_tick = tick;
        }
    }

    pub(crate) fn is_refused(&self, code: &str, operation: &str, tick: i64) -> bool {
        let progress = self.progress.lock();
        // Usually no order is refused.
        !progress.refused.is_empty()
            && progress.refused.get(&(code.to_owned(), operation.to_owned())).is_some_and(|until| tick < *until)
    }

    /// Records the tick in which a receiver refused an order.
    pub(crate) fn record_refusal(&self, code: String, operation: String, tick: i64) {
        let until = tick + RETRY_TICKS;
        let mut progress = self.progress.lock();
        progress.refused.retain(|_, known| *known > tick);
        progress.refused.insert((code, operation), until);
    }
}

fn tick_at(time: Timestamp) -> i64 {
    time.as_second().div_euclid(TICK_SECONDS)
}
