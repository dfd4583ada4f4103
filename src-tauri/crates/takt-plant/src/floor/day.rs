//! The progress of the simulated day, in ticks of five minutes of the plant's time.
//!
//! Ticks are run by `simulation`, and `station_tick` decides the operators' actions. The random numbers of a tick
//! depend only on seed, tick and station, so the result doesn't depend on how the day is divided.

use std::collections::HashMap;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The length of a tick, in seconds of the plant's time.
pub(crate) const TICK_SECONDS: i64 = 300;
/// The number of ticks after which a refused order is tried again.
const RETRY_TICKS: i64 = 4;

/// The progress of the simulated day, and its synchronization.
#[derive(Debug)]
pub(crate) struct Day {
    /// Locked while ticks run, so that no tick runs twice.
    pub(crate) simulation_lock: tokio::sync::Mutex<()>,
    pub(crate) progress: Mutex<Progress>,
    /// Notified if the clock's pace may have changed.
    pub(crate) pace_changed: Notify,
}

#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The last tick that was run, counted from 1970.
    last_tick: i64,
    /// Incremented when the day restarts. A simulation with another generation stops.
    pub(crate) generation: u64,
    /// The tick until which each refused order isn't tried again, by code and operation.
    refused_until: HashMap<(String, String), i64>,
}

impl Day {
    /// Creates a day that starts at a time of the plant.
    pub(crate) fn starting_at(time: Timestamp) -> Self {
        let progress = Progress { last_tick: tick_at(time), ..Progress::default() };
        Self {
            simulation_lock: tokio::sync::Mutex::default(),
            progress: Mutex::new(progress),
            pace_changed: Notify::new(),
        }
    }

    /// Skips all ticks up to a time of the plant.
    pub(crate) fn skip_to(&self, time: Timestamp) {
        let mut progress = self.progress.lock();
        progress.last_tick = progress.last_tick.max(tick_at(time));
    }

    /// Notifies the simulation that the clock's pace may have changed.
    pub(crate) fn notify_pace_change(&self) {
        self.pace_changed.notify_one();
    }

    /// Starts a new day. Must be called with the store locked for writing, before rows and clock are replaced. Then
    /// actions of the old day can't change new rows.
    pub(crate) fn restart(&self, time: Timestamp) {
        let mut progress = self.progress.lock();
        let generation = progress.generation + 1;
        *progress = Progress { last_tick: tick_at(time), generation, refused_until: HashMap::new() };
        drop(progress);
        self.notify_pace_change();
    }

    /// Returns whether the day hasn't restarted since `generation` was read.
    pub(crate) fn is_current(&self, generation: u64) -> bool {
        self.progress.lock().generation == generation
    }

    /// Returns the next tick to run. None if the day has restarted since `generation` was read.
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
        // Checked first for speed, since usually no order is refused.
        !progress.refused_until.is_empty()
            && progress.refused_until.get(&(code.to_owned(), operation.to_owned())).is_some_and(|until| tick < *until)
    }

    /// Records that a receiver refused an order in a tick.
    pub(crate) fn record_refusal(&self, code: String, operation: String, tick: i64) {
        let until = tick + RETRY_TICKS;
        let mut progress = self.progress.lock();
        progress.refused_until.retain(|_, known| *known > tick);
        progress.refused_until.insert((code, operation), until);
    }
}

fn tick_at(time: Timestamp) -> i64 {
    time.as_second().div_euclid(TICK_SECONDS)
}
