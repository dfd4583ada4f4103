//! Whether a team's database answers: one state for all sessions of a store, so that only the first who waits has to find out.
//!
//! A statement may take long, for what it does or for a lock. So silence is told by bytes: nothing came over any session while somebody waited and
//! the probe asked for something that takes no time (`probe`). Then whoever waits is told, and whoever asks next at once, until the probe is
//! answered again. What was on its way by then may be done or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::PostgresError;

/// So many ticks in a row without a byte are a silence.
const SILENT_TICKS: u32 = 5;
/// Ticks in the time that a database is given: one more, before the probe asks.
const TICKS: u32 = SILENT_TICKS + 1;

/// Whether a team's database can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// As far as is known.
    Available,
    /// It refuses connections or ends them. The next call finds out at once whether it still does.
    Unreachable,
    /// It is silent. No call waits for it until it answers again.
    Silent,
}

impl Availability {
    #[must_use]
    pub fn is_available(self) -> bool {
        self == Self::Available
    }
}

/// What the sessions of a store know together.
#[derive(Debug)]
pub(super) struct Liveness {
    /// Grows with everything that comes from the server.
    heard: Arc<AtomicU64>,
    /// Its receivers are those who wait, or watch.
    state: watch::Sender<Availability>,
    wanted: Notify,
    tick: Duration,
}

impl Liveness {
    /// A database from which nothing came for `patience` counts as silent.
    pub(super) fn new(patience: Duration) -> Self {
        let state = watch::Sender::new(Availability::Available);
        Self { heard: Arc::default(), state, wanted: Notify::new(), tick: patience / TICKS }
    }

    /// So often it is looked whether anything came.
    pub(super) fn tick(&self) -> Duration {
        self.tick
    }

    /// Counts from now on how long nothing comes over any session.
    pub(super) fn silence(&self) -> Silence {
        self.silence_of(&self.heard)
    }

    /// The same over one session alone, which counts in `heard` what it gets.
    pub(super) fn silence_of(&self, heard: &Arc<AtomicU64>) -> Silence {
        let mut ticks = interval_at(Instant::now() + self.tick, self.tick);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Silence { last: heard.load(Ordering::Relaxed), heard: Arc::clone(heard), ticks, silent: 0 }
    }

    pub(super) fn heard(&self) -> &Arc<AtomicU64> {
        &self.heard
    }

    /// As long as the receiver lives, the database is watched.
    pub(super) fn subscribe(&self) -> watch::Receiver<Availability> {
        let receiver = self.state.subscribe();
        self.wanted.notify_waiters();
        receiver
    }

    pub(super) fn set(&self, availability: Availability) {
        self.state.send_if_modified(|known| {
            // A silence goes on until something is answered.
            let is_changed = match (*known, availability) {
                (Availability::Silent, Availability::Unreachable) => false,
                (before, after) => before != after,
            };
            if is_changed {
                *known = availability;
            }
            is_changed
        });
        self.wanted.notify_waiters();
    }

    /// The server's computer refused: that is a sign of life, too.
    pub(super) fn hear(&self) {
        self.heard.fetch_add(1, Ordering::Relaxed);
    }

    /// # Errors
    /// [`PostgresError::Away`]: it is silent.
    pub(super) fn ensure_answers(&self) -> Result<(), PostgresError> {
        if *self.state.borrow() == Availability::Silent { Err(Self::silent()) } else { Ok(()) }
    }

    /// Returns once it is known to be silent, at once where it is.
    pub(super) async fn until_silent(&self) {
        // The sender is here, so this ends only so.
        let _ = self.subscribe().wait_for(|known| *known == Availability::Silent).await;
    }

    pub(super) fn silent() -> PostgresError {
        PostgresError::Away("it doesn't answer".to_owned())
    }

    /// Whether somebody waits for an answer or watches, or the database is known to be away.
    pub(super) fn is_watched(&self) -> bool {
        self.state.receiver_count() > 0 || !self.state.borrow().is_available()
    }

    pub(super) async fn until_watched(&self) {
        loop {
            // Made before the look, so that nothing is missed that happens after it.
            let wanted = self.wanted.notified();
            if self.is_watched() {
                return;
            }
            wanted.await;
        }
    }
}

/// Counts how long nothing comes.
pub(super) struct Silence {
    heard: Arc<AtomicU64>,
    last: u64,
    /// A process that stood still itself counts that as one tick.
    ticks: Interval,
    silent: u32,
}

impl Silence {
    /// Waits for the next tick, and says whether nothing came for so long that nothing will.
    pub(super) async fn is_long(&mut self) -> bool {
        self.ticks.tick().await;
        let heard = self.heard.load(Ordering::Relaxed);
        self.silent = if heard == self.last { self.silent + 1 } else { 0 };
        self.last = heard;
        self.silent >= SILENT_TICKS
    }

    /// Returns once that is so.
    pub(super) async fn long(mut self) {
        while !self.is_long().await {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::DEFAULT_SILENCE_TIMEOUT;

    /// What people are promised where the address asks for nothing else.
    const PROMISED_TIMEOUT: Duration = Duration::from_secs(2);

    /// Ticks are counted and not measured: a busy computer makes them longer, not more.
    #[tokio::test]
    async fn a_silence_is_told_after_as_many_ticks_as_fill_the_time_that_a_database_is_given() {
        for patience in [DEFAULT_SILENCE_TIMEOUT / 10, DEFAULT_SILENCE_TIMEOUT / 5] {
            let liveness = Liveness::new(patience);
            let mut silence = liveness.silence();
            for _ in 1..SILENT_TICKS {
                assert!(!silence.is_long().await);
            }
            // One byte, and it begins anew with the tick in which that came.
            liveness.hear();
            let mut ticks = 1;
            while !silence.is_long().await {
                ticks += 1;
            }
            assert_eq!((ticks, silence.ticks.period()), (TICKS, liveness.tick()));
            assert!(liveness.tick() * ticks <= patience, "{patience:?}");
        }
        assert!(DEFAULT_SILENCE_TIMEOUT <= PROMISED_TIMEOUT);
    }
}
