//! The day: what happens on the floor by itself while the plant's time passes, in ticks of five minutes.
//!
//! Owns which ticks are still to be played, and that each is played once. Leaves to `floor::shift` what people do in one.
//! The dice of a tick depend on the seed, the tick and the station alone, so a day is the same however it is cut.

use std::{collections::HashMap, sync::Mutex};

use jiff::{SignedDuration, Timestamp, civil::DateTime};

use super::{
    Hand, MoveError,
    calendar::Crew,
    shift::{Deed, Scene, What},
};
use crate::{
    Pace, Plant, PlantError,
    event::Subject,
    lock::{locked, reading},
    store::Resource,
};

/// Seconds of the plant's time.
pub(super) const TICK: i64 = 300;
/// The longest way that the clock goes ahead at once.
const LONGEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// After how many ticks an operator tries again what a receiver refused.
const PATIENCE: i64 = 4;

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

    fn is_refused(&self, code: &str, operation: &str, tick: i64) -> bool {
        let progress = locked(&self.progress);
        // Mostly nobody refuses anything.
        !progress.refused.is_empty()
            && progress.refused.get(&(code.to_owned(), operation.to_owned())).is_some_and(|until| tick < *until)
    }

    fn refuse(&self, code: String, operation: String, until: i64) {
        let mut progress = locked(&self.progress);
        progress.refused.retain(|_, known| *known + PATIENCE > until);
        progress.refused.insert((code, operation), until);
    }
}

/// Why somebody didn't do what they were about to do.
enum Hindered {
    /// A receiver of events 10 or 11 refused it.
    Refused {
        code: String,
        operation: String,
    },
    Otherwise(String),
}

impl Hindered {
    fn by(subject: Subject) -> Self {
        match subject {
            Subject::Order { code, operation } => Self::Refused { code, operation },
            other => Self::Otherwise(format!("{other:?} was refused")),
        }
    }
}

impl From<MoveError> for Hindered {
    fn from(error: MoveError) -> Self {
        Self::Otherwise(error.to_string())
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
        let crews = self.crews();
        while let Some(tick) = self.day.next(beginnings).filter(|_| !self.closing.is_cancelled()) {
            let Some(moment) = Timestamp::from_second(tick * TICK).ok().filter(|moment| *moment <= to) else {
                return true;
            };
            if leading && self.time() < moment {
                self.set_time(moment);
            }
            self.tick(tick, moment, &crews).await;
            self.day.played(tick, beginnings);
            tokio::task::yield_now().await;
        }
        false
    }

    fn crews(&self) -> Vec<Crew> {
        let store = reading(&self.store);
        let stations = store.table(Resource::WorkStations);
        let positions = 0..u32::try_from(stations.len()).unwrap_or(u32::MAX);
        let rows = positions.filter_map(|position| store.row_at(Resource::WorkStations, position));
        rows.map(|row| Crew::of(&row)).collect()
    }

    fn set_time(&self, inside: Timestamp) {
        let outside = self.now();
        locked(&self.clock).set(inside, outside);
    }

    async fn tick(&self, tick: i64, moment: Timestamp, crews: &[Crew]) {
        for (place, crew) in (0..).zip(crews) {
            let (now, deeds) = {
                let store = reading(&self.store);
                let now = store.local(moment);
                let is_refused = |code: &str, operation: &str| self.day.is_refused(code, operation, tick);
                let dice = (self.config.seed, tick, place);
                (now, Scene::new(&store, crew, dice, now, &is_refused).deeds())
            };
            for deed in deeds {
                match self.perform(deed, now).await {
                    Ok(()) => {}
                    Err(Hindered::Refused { code, operation }) => {
                        self.day.refuse(code, operation, tick + PATIENCE);
                        break;
                    }
                    Err(Hindered::Otherwise(reason)) => {
                        tracing::debug!(reason, station = crew.station, "the day goes on without a deed");
                        break;
                    }
                }
            }
        }
    }

    async fn perform(&self, Deed { what, badge }: Deed, now: DateTime) -> Result<(), Hindered> {
        let hand = Hand { now, badge };
        let outcome = match what {
            What::Move(mut wanted) => {
                let question = reading(&self.store).question(&mut wanted, badge)?;
                if let Some(question) = question {
                    let subject = question.subject.clone();
                    self.ask(question).await.map_err(|_| Hindered::by(subject))?;
                }
                self.change(None, |store, _, _| store.make(&wanted, &hand).map(drop))
            }
            What::Relieve { code, operation } => self.change(None, |store, _, _| {
                let row = store.row(Resource::WorkOrders, &[&code, &operation]).unwrap_or_default();
                store.relieve(&row, now).map_err(MoveError::from)
            }),
            What::Ask { code, operation } => self.change(None, |store, _, _| {
                let row = store.row(Resource::WorkOrders, &[&code, &operation]).unwrap_or_default();
                store.ask_for_supplies(&row);
                Ok(())
            }),
        };
        Ok(outcome.map_err(MoveError::from)??)
    }
}

fn tick_of(time: Timestamp) -> i64 {
    time.as_second().div_euclid(TICK)
}
