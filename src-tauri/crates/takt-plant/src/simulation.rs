//! Moves on the floor, and the simulated day that follows the plant's time.
//!
//! Ensures that each tick runs once. Leaves the rules of moves and the operators' actions to `floor`.

mod play;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{
    Move, MoveError, Moved, Pace, Plant, PlantError,
    floor::{MoveContext, day::TICK},
};

/// The longest advance of the clock at once.
const MAX_ADVANCE: SignedDuration = SignedDuration::from_hours(366 * 24);

/// Real time between two steps of the simulation while its clock runs.
const TICK_INTERVAL: Duration = Duration::from_millis(200);

impl Plant {
    /// Makes a move at the plant's time with all its effects: rows, history, hours, events. Before an order ends or
    /// quantities are recorded, receivers of events 10 and 11 are asked. An error means that nothing was changed.
    ///
    /// # Errors
    ///
    /// - [`MoveError::Unknown`]: the order, alert, station, material or supply doesn't exist.
    /// - [`MoveError::NotNow`]: the state doesn't allow the move.
    /// - [`MoveError::Wrong`]: a value is invalid.
    /// - [`MoveError::Refused`]: a receiver of events 10 or 11 refused it.
    /// - [`MoveError::NotKept`]: it couldn't be saved.
    pub async fn act(&self, mut wanted: Move) -> Result<Moved, MoveError> {
        let check = self.store.read().required_check(&mut wanted, None)?;
        if let Some(check) = check {
            self.run_check(check).await.map_err(MoveError::Refused)?;
        }
        // The state may have changed since the check, so the move validates it again.
        self.change(None, |store, now, _| store.apply_move(&wanted, &MoveContext { now, badge: None }))?
    }

    /// Moves the plant's time ahead and simulates that span. Returns when it's done.
    ///
    /// # Errors
    ///
    /// [`PlantError::Advance`]: `by` is negative, longer than 366 days, or leads out of the calendar.
    pub async fn advance(&self, by: SignedDuration) -> Result<(), PlantError> {
        self.advance_from(|now| now.checked_add(by).ok()).await
    }

    /// Moves the plant's time ahead to `to`, like [`Plant::advance`].
    pub(crate) async fn advance_to(&self, to: Timestamp) -> Result<(), PlantError> {
        self.advance_from(|_| Some(to)).await
    }

    async fn advance_from(&self, target: impl FnOnce(Timestamp) -> Option<Timestamp>) -> Result<(), PlantError> {
        let _simulation_lock = self.day.simulation_lock.lock().await;
        let from = self.time();
        let target = target(from).filter(|to| *to >= from && to.duration_since(from) <= MAX_ADVANCE);
        let to = target.ok_or(PlantError::Advance)?;
        let (idle, generation) = (self.is_idle(), self.day.progress.lock().generation);
        if idle {
            self.day.skip_to(from);
        }
        self.run_ticks(to, generation, true).await;
        if !self.closing.is_cancelled() {
            self.move_clock_to(to, generation);
        }
        self.persist_clock();
        Ok(())
    }

    /// Simulates the day while the clock runs, until the plant closes.
    pub(crate) async fn simulate(&self) {
        loop {
            self.catch_up().await;
            let runs = matches!(self.clock.lock().pace(), Pace::Running { .. });
            tokio::select! {
                () = self.closing.cancelled() => return,
                () = tokio::time::sleep(TICK_INTERVAL), if runs => {}
                () = self.day.pace_changed.notified(), if !runs => {}
            }
        }
    }

    /// Advances the day to the plant's time, unless the simulation is off.
    pub(crate) async fn catch_up(&self) {
        let _simulation_lock = self.day.simulation_lock.lock().await;
        let generation = self.day.progress.lock().generation;
        if !self.is_idle() {
            self.run_ticks(self.time(), generation, false).await;
        }
    }

    /// Runs tick by tick until the plant's time `to`. Stops if the day restarts or the plant closes. If `moves_clock`
    /// is set, also moves the clock.
    async fn run_ticks(&self, to: Timestamp, generation: u64, moves_clock: bool) {
        let mut crews = None;
        while let Some(tick) = self.day.next_tick(generation).filter(|_| !self.closing.is_cancelled()) {
            let Some(time) = Timestamp::from_second(tick * TICK).ok().filter(|time| *time <= to) else { return };
            if moves_clock {
                self.move_clock_to(time, generation);
            }
            let crews = crews.get_or_insert_with(|| self.crews());
            self.run_tick(tick, time, crews, generation).await;
            self.day.finish_tick(tick, generation);
            tokio::task::yield_now().await;
        }
    }

    /// Moves the clock ahead to `inside` if it's earlier and the day wasn't restarted.
    fn move_clock_to(&self, inside: Timestamp, generation: u64) {
        let outside = self.now();
        let progress = self.day.progress.lock();
        let mut clock = self.clock.lock();
        if progress.generation == generation && clock.at(outside) < inside {
            clock.set(inside, outside);
        }
    }

    fn is_idle(&self) -> bool {
        self.clock.lock().pace() == Pace::Idle
    }
}
