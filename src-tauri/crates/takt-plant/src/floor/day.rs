//! The day: what happens on the floor by itself while the plant's time passes, in ticks of five minutes.
//!
//! Owns which ticks are still to be played, and that each is played once. Leaves to `floor::shift` what people do in one.
//! The dice of a tick depend on the seed, the tick and the station alone, so a day is the same however it is cut.

use std::{collections::HashMap, sync::Mutex};

use jiff::{SignedDuration, Timestamp};

use crate::{Pace, Plant, PlantError, lock::locked};

/// Seconds of the plant's time.
pub(super) const TICK: i64 = 300;
/// The longest way that the clock goes ahead at once.
const LONGEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// How far the day has been played.
#[derive(Debug)]
pub(crate) struct Day {
    /// Who plays has this, so that no tick is played twice.
    turn: tokio::sync::Mutex<()>,
    progress: Mutex<Progress>,
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
        Self { turn: tokio::sync::Mutex::default(), progress: Mutex::new(progress) }
    }

    /// What lies before that time isn't played any more.
    pub(crate) fn skip_to(&self, time: Timestamp) {
        let mut progress = locked(&self.progress);
        progress.played = progress.played.max(tick_of(time));
    }

    /// The plant's rows and clock are others now.
    pub(crate) fn begin_anew(&self, time: Timestamp) {
        let mut progress = locked(&self.progress);
        let beginnings = progress.beginnings + 1;
        *progress = Progress { played: tick_of(time), beginnings, refused: HashMap::new() };
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
        let to =
            target(from).filter(|to| *to >= from && to.duration_since(from) <= LONGEST).ok_or(PlantError::Advance)?;
        let idle = locked(&self.clock).pace() == Pace::Idle;
        if idle {
            self.day.skip_to(from);
        }
        if self.play_until(to, true).await && self.time() < to {
            self.set_time(to);
        }
        self.keep_clock();
        Ok(())
    }

    /// Brings the day up to the plant's time, unless nobody works by themselves.
    pub(crate) async fn play(&self) {
        let _turn = self.day.turn.lock().await;
        let idle = locked(&self.clock).pace() == Pace::Idle;
        if !idle {
            self.play_until(self.time(), false).await;
        }
    }

    /// Plays tick by tick; with `leading` the clock goes along. False where the plant began anew or closes meanwhile.
    async fn play_until(&self, to: Timestamp, leading: bool) -> bool {
        let beginnings = locked(&self.day.progress).beginnings;
        loop {
            let tick = {
                let progress = locked(&self.day.progress);
                if progress.beginnings != beginnings || self.closing.is_cancelled() {
                    return false;
                }
                progress.played + 1
            };
            let Some(moment) = Timestamp::from_second(tick * TICK).ok().filter(|moment| *moment <= to) else {
                return true;
            };
            if leading && self.time() < moment {
                self.set_time(moment);
            }
            self.tick(tick, moment).await;
            let mut progress = locked(&self.day.progress);
            if progress.beginnings == beginnings {
                progress.played = tick;
            }
            drop(progress);
            tokio::task::yield_now().await;
        }
    }

    fn set_time(&self, inside: Timestamp) {
        let outside = self.now();
        locked(&self.clock).set(inside, outside);
    }

    async fn tick(&self, _tick: i64, _moment: Timestamp) {}
}

fn tick_of(time: Timestamp) -> i64 {
    time.as_second().div_euclid(TICK)
}
