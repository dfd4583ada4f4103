//! The day: what happens on the floor by itself while the plant's time passes, in ticks of five minutes.
//!
//! Owns which ticks are still to be played, and that each is played once. Leaves to `floor::shift` what people do in one.
//! The dice of a tick depend on the seed, the tick and the station alone, so a day is the same however it is cut.

use std::{collections::HashMap, sync::Mutex, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::Notify;

use crate::{Pace, Plant, PlantError, lock::locked};

/// Seconds of the plant's time.
pub(super) const TICK: i64 = 300;
/// The longest way that the clock goes ahead at once.
const LONGEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// After how many ticks an operator tries again what a receiver refused.
const PATIENCE: i64 = 4;
/// How often the day is brought up to a clock that runs, by the time outside.
const BREATH: Duration = Duration::from_millis(200);

/// How far the day has been played.
#[derive(Debug)]
pub(crate) struct Day {
    /// Who plays has this, so that no tick is played twice.
    turn: tokio::sync::Mutex<()>,
    progress: Mutex<Progress>,
    /// Told when the clock may have begun to run.
    paced: Notify,
}

#[derive(Debug, Default)]
struct Progress {
    /// The last tick that was played, counted from 1970.
    played: i64,
    /// Counts the times that the plant began anew: whoever plays an older day stops.
    beginnings: u64,
    /// Until which tick nobody tries an order again that a receiver refused.
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
        let mut progress = locked(&self.progress);
        progress.played = progress.played.max(tick_of(time));
    }

    /// The clock goes at another pace, or may.
    pub(crate) fn paced(&self) {
        self.paced.notify_one();
    }

    /// The plant's rows and clock are about to be others. Whoever replaces them holds the store meanwhile, and says this first:
    /// then nothing of the old day reaches them.
    pub(crate) fn begin_anew(&self, time: Timestamp) {
        let mut progress = locked(&self.progress);
        let beginnings = progress.beginnings + 1;
        *progress = Progress { played: tick_of(time), beginnings, refused: HashMap::new() };
        drop(progress);
        self.paced();
    }

    /// Whether the plant hasn't begun anew since there were so many beginnings.
    pub(super) fn is_of(&self, beginnings: u64) -> bool {
        locked(&self.progress).beginnings == beginnings
    }

    /// The next tick to play; none where the plant began anew since there were so many `beginnings`.
    fn next(&self, beginnings: u64) -> Option<i64> {
        let progress = locked(&self.progress);
        (progress.beginnings == beginnings).then_some(progress.played + 1)
    }

    fn played(&self, tick: i64, beginnings: u64) {
        let mut progress = locked(&self.progress);
        if progress.beginnings == beginnings {
            progress.played = tick;
        }
    }

    pub(super) fn is_refused(&self, code: &str, operation: &str, tick: i64) -> bool {
        let progress = locked(&self.progress);
        // Mostly nobody refuses anything.
        !progress.refused.is_empty()
            && progress.refused.get(&(code.to_owned(), operation.to_owned())).is_some_and(|until| tick < *until)
    }

    /// Notes in a tick that a receiver refused an order.
    pub(super) fn refuse(&self, code: String, operation: String, tick: i64) {
        let until = tick + PATIENCE;
        let mut progress = locked(&self.progress);
        progress.refused.retain(|_, known| *known > tick);
        progress.refused.insert((code, operation), until);
    }
}

impl Plant {
    /// Moves the plant's time ahead and plays the day over that span. Returns when it is played. An error where `by` is
    /// negative or longer than 366 days.
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
        let target = target(from).filter(|to| *to >= from && to.duration_since(from) <= LONGEST);
        let to = target.ok_or(PlantError::Advance)?;
        let (idle, beginnings) = (self.is_idle(), locked(&self.day.progress).beginnings);
        if idle {
            self.day.skip_to(from);
        }
        self.play_until(to, beginnings, true).await;
        if !self.closing.is_cancelled() {
            self.lead(to, beginnings);
        }
        self.keep_clock();
        Ok(())
    }

    /// Lets the day play while the clock runs, until the plant closes.
    pub(crate) async fn live(&self) {
        loop {
            self.play().await;
            let runs = matches!(locked(&self.clock).pace(), Pace::Running { .. });
            tokio::select! {
                () = self.closing.cancelled() => return,
                () = tokio::time::sleep(BREATH), if runs => {}
                () = self.day.paced.notified(), if !runs => {}
            }
        }
    }

    /// Brings the day up to the plant's time, unless nobody works by themselves.
    pub(crate) async fn play(&self) {
        let _turn = self.day.turn.lock().await;
        let beginnings = locked(&self.day.progress).beginnings;
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
        let progress = locked(&self.day.progress);
        let mut clock = locked(&self.clock);
        if progress.beginnings == beginnings && clock.at(outside) < inside {
            clock.set(inside, outside);
        }
    }

    fn is_idle(&self) -> bool {
        locked(&self.clock).pace() == Pace::Idle
    }
}

fn tick_of(time: Timestamp) -> i64 {
    time.as_second().div_euclid(TICK)
}
