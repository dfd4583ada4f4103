//! The availability of a team's database. All sessions of a store share one state, so that only the first caller waits
//! for a silent server.
//!
//! A statement may take long, for example because of a lock. So the server counts as silent only if a caller waits and
//! even the probe's trivial queries get no byte (`availability_probe`). Waiting and new callers then fail immediately
//! until the probe gets a response. Statements in flight may or may not have run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::PostgresError;

/// The number of consecutive ticks without a received byte after which the server is silent.
const SILENT_TICKS: u32 = 5;
/// The number of ticks in the time limit. It has one more tick, because the probe starts after the first one.
const TICKS_PER_TIMEOUT: u32 = SILENT_TICKS + 1;

/// The availability of a team's database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// No failure is known.
    Available,
    /// The server refuses or ends connections. The next call tries again at once.
    Unreachable,
    /// The server doesn't respond. Calls fail immediately until it responds again.
    Silent,
}

impl Availability {
    #[must_use]
    pub fn is_available(self) -> bool {
        self == Self::Available
    }
}

/// The state that the sessions of a store share.
#[derive(Debug)]
pub(super) struct Liveness {
    /// Counts the bytes received from the server.
    received: Arc<AtomicU64>,
    /// Its receivers are the callers that wait or watch.
    state: watch::Sender<Availability>,
    watch_requested: Notify,
    tick: Duration,
}

impl Liveness {
    /// `silence_timeout` is the time without a received byte after which the database is treated as silent.
    pub(super) fn new(silence_timeout: Duration) -> Self {
        let state = watch::Sender::new(Availability::Available);
        Self {
            received: Arc::default(),
            state,
            watch_requested: Notify::new(),
            tick: silence_timeout / TICKS_PER_TIMEOUT,
        }
    }

    /// Returns the interval at which received bytes are checked.
    pub(super) fn tick(&self) -> Duration {
        self.tick
    }

    /// Starts to measure the silence of all sessions.
    pub(super) fn measure_silence(&self) -> Silence {
        self.measure_session_silence(&self.received)
    }

    /// Starts to measure the silence of one session, which counts its bytes in `received`.
    pub(super) fn measure_session_silence(&self, received: &Arc<AtomicU64>) -> Silence {
        let mut ticks = interval_at(Instant::now() + self.tick, self.tick);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Silence { last: received.load(Ordering::Relaxed), received: Arc::clone(received), ticks, silent_ticks: 0 }
    }

    pub(super) fn received(&self) -> &Arc<AtomicU64> {
        &self.received
    }

    /// Returns a receiver of the availability. The database is probed as long as the receiver exists.
    pub(super) fn subscribe(&self) -> watch::Receiver<Availability> {
        let receiver = self.state.subscribe();
        self.watch_requested.notify_waiters();
        receiver
    }

    pub(super) fn set(&self, availability: Availability) {
        self.state.send_if_modified(|known| {
            // A silent server stays silent until it responds.
            let is_changed = match (*known, availability) {
                (Availability::Silent, Availability::Unreachable) => false,
                (before, after) => before != after,
            };
            if is_changed {
                *known = availability;
            }
            is_changed
        });
        self.watch_requested.notify_waiters();
    }

    /// Records a sign of life that isn't a received byte, such as a refused connection.
    pub(super) fn record_sign_of_life(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
    }

    /// Fails if the database is known to be silent.
    ///
    /// # Errors
    /// [`PostgresError::Unavailable`]: the database is silent.
    pub(super) fn ensure_responding(&self) -> Result<(), PostgresError> {
        if *self.state.borrow() == Availability::Silent { Err(Self::silence_error()) } else { Ok(()) }
    }

    /// Returns once the database is known to be silent.
    pub(super) async fn wait_until_silent(&self) {
        // Fails only if the sender is dropped, but `self` owns it.
        let _ = self.subscribe().wait_for(|known| *known == Availability::Silent).await;
    }

    pub(super) fn silence_error() -> PostgresError {
        PostgresError::Unavailable("it doesn't answer".to_owned())
    }

    /// Returns whether a caller waits or watches, or the database is known to be unavailable.
    pub(super) fn has_watcher(&self) -> bool {
        self.state.receiver_count() > 0 || !self.state.borrow().is_available()
    }

    /// Returns once a caller waits or watches, or the database is known to be unavailable.
    pub(super) async fn wait_until_watched(&self) {
        loop {
            // Created before the check, so that no notification is missed.
            let watch_requested = self.watch_requested.notified();
            if self.has_watcher() {
                return;
            }
            watch_requested.await;
        }
    }
}

/// Measures the time without a received byte.
pub(super) struct Silence {
    received: Arc<AtomicU64>,
    last: u64,
    /// If this process was suspended, only one of the missed ticks is counted.
    ticks: Interval,
    silent_ticks: u32,
}

impl Silence {
    /// Waits for the next tick, and returns whether the silence is then so long that no response is expected.
    pub(super) async fn is_long_after_next_tick(&mut self) -> bool {
        self.ticks.tick().await;
        let received = self.received.load(Ordering::Relaxed);
        self.silent_ticks = if received == self.last { self.silent_ticks + 1 } else { 0 };
        self.last = received;
        self.silent_ticks >= SILENT_TICKS
    }

    /// Returns once the silence is long.
    pub(super) async fn wait_until_long(mut self) {
        while !self.is_long_after_next_tick().await {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::DEFAULT_SILENCE_TIMEOUT;

    /// The documented time limit, unless the address sets another.
    const PROMISED_TIMEOUT: Duration = Duration::from_secs(2);

    /// Counts ticks instead of measuring time: on a busy computer they take longer, but there aren't more.
    #[tokio::test]
    async fn a_silence_is_told_after_as_many_ticks_as_fill_the_time_that_a_database_is_given() {
        for timeout in [DEFAULT_SILENCE_TIMEOUT / 10, DEFAULT_SILENCE_TIMEOUT / 5] {
            let liveness = Liveness::new(timeout);
            let mut silence = liveness.measure_silence();
            for _ in 1..SILENT_TICKS {
                assert!(!silence.is_long_after_next_tick().await);
            }
            // One byte restarts the count with its tick.
            liveness.record_sign_of_life();
            let mut ticks = 1;
            while !silence.is_long_after_next_tick().await {
                ticks += 1;
            }
            assert_eq!((ticks, silence.ticks.period()), (TICKS_PER_TIMEOUT, liveness.tick()));
            assert!(liveness.tick() * ticks <= timeout, "{timeout:?}");
        }
        assert!(DEFAULT_SILENCE_TIMEOUT <= PROMISED_TIMEOUT);
    }
}
