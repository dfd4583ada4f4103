//! The floor at work: a move that somebody makes, and the day that plays by itself while the plant's time passes.
//!
//! Owns that each tick is played once. Leaves to `floor` the rules of moves, and what people do in a tick.

mod play;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{
    Move, MoveError, Moved, Pace, Plant, PlantError,
    floor::{MoveContext, day::TICK},
};

/// The clock can be advanced by at most this much at once.
const MAX_ADVANCE: SignedDuration = SignedDuration::from_hours(366 * 24);

/// Real time between two steps of the simulation while its clock runs.
const TICK_INTERVAL: Duration = Duration::from_millis(200);

impl Plant {
    /// Makes a move, at the plant's time, with everything that follows from it: rows, history, hours, events. Before an
    /// order ends or quantities are recorded, whoever listens to events 10 and 11 is asked. An error means that nothing was changed.
    ///
    /// # Errors
    ///
    /// - [`MoveError::Unknown`]: there is no such thing.
    /// - [`MoveError::NotNow`]: its state doesn't allow the move.
    /// - [`MoveError::Wrong`]: what was given can't be.
    /// - [`MoveError::Refused`]: a receiver of the events that ask refused it.
    /// - [`MoveError::NotKept`]: it couldn't be written down.
    pub async fn act(&self, mut wanted: Move) -> Result<Moved, MoveError> {
        let question = self.store.read().question(&mut wanted, None)?;
        if let Some(question) = question {
            self.ask(question).await.map_err(MoveError::Refused)?;
        }
        // What was asked about may have changed since: the move looks again.
        self.change(None, |store, now, _| store.make(&wanted, &MoveContext { now, badge: None }))?
    }

    /// Moves the plant's time ahead and plays the day over that span. Returns when it is played. An error where `by` is
    /// negative or longer than 366 days.
    ///
    /// # Errors
    ///
    /// [`PlantError::Advance`]: `by` is negative, too long, or leads out of the calendar.
    pub async fn advance(&self, by: SignedDuration) -> Result<(), PlantError> {
        self.advance_from(|now| now.checked_add(by).ok()).await
    }

    /// Moves the plant's time ahead to `to`. As [`Plant::advance`].
    pub(crate) async fn advance_to(&self, to: Timestamp) -> Result<(), PlantError> {
        self.advance_from(|_| Some(to)).await
    }

    async fn advance_from(&self, target: impl FnOnce(Timestamp) -> Option<Timestamp>) -> Result<(), PlantError> {
        let _turn = self.day.turn.lock().await;
        let from = self.time();
        let target = target(from).filter(|to| *to >= from && to.duration_since(from) <= MAX_ADVANCE);
        let to = target.ok_or(PlantError::Advance)?;
        let (idle, beginnings) = (self.is_idle(), self.day.progress.lock().beginnings);
        if idle {
            self.day.skip_to(from);
        }
        self.play_until(to, beginnings, true).await;
        if !self.closing.is_cancelled() {
            self.lead(to, beginnings);
        }
        self.persist_clock();
        Ok(())
    }

    /// Lets the day play while the clock runs, until the plant closes.
    pub(crate) async fn live(&self) {
        loop {
            self.play().await;
            let runs = matches!(self.clock.lock().pace(), Pace::Running { .. });
            tokio::select! {
                () = self.closing.cancelled() => return,
                () = tokio::time::sleep(TICK_INTERVAL), if runs => {}
                () = self.day.paced.notified(), if !runs => {}
            }
        }
    }

    /// Advances the day to the plant's time, unless the simulation is off.
    pub(crate) async fn play(&self) {
        let _turn = self.day.turn.lock().await;
        let beginnings = self.day.progress.lock().beginnings;
        if !self.is_idle() {
            self.play_until(self.time(), beginnings, false).await;
        }
    }

    /// Plays tick by tick, unless the plant begins anew or closes meanwhile; with `leading` the clock goes along.
    async fn play_until(&self, to: Timestamp, beginnings: u64, leading: bool) {
        let mut crews = None;
        while let Some(tick) = self.day.next(beginnings).filter(|_| !self.closing.is_cancelled()) {
            let Some(moment) = Timestamp::from_second(tick * TICK).ok().filter(|moment| *moment <= to) else { return };
            if leading {
                self.lead(moment, beginnings);
            }
            let crews = crews.get_or_insert_with(|| self.crews());
            self.tick(tick, moment, crews, beginnings).await;
            self.day.played(tick, beginnings);
            tokio::task::yield_now().await;
        }
    }

    /// Moves the clock ahead to `inside`, unless it is there already or is another's by now.
    fn lead(&self, inside: Timestamp, beginnings: u64) {
        let outside = self.now();
        let progress = self.day.progress.lock();
        let mut clock = self.clock.lock();
        if progress.beginnings == beginnings && clock.at(outside) < inside {
            clock.set(inside, outside);
        }
    }

    fn is_idle(&self) -> bool {
        self.clock.lock().pace() == Pace::Idle
    }
}
