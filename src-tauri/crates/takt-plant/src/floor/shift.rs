//! What the people of a work station do in one tick of the day. They decide by what the store says and by the tick's dice.
//!
//! Leaves to `floor::work` what becomes of an order that runs.

use jiff::{SignedDuration, civil::DateTime};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use super::{Move, OrderName, calendar::Crew, day::TICK};
use crate::{
    sample_words::{ALERTS, EMPLOYEES},
    store::{Members, Resource, Store, text},
};

/// The reason of a pause between the shifts; it ends with the next one.
const END_OF_SHIFT: &str = "End of shift";
const OUT_OF_USE: &str = "Work station out of use";
/// How far ahead people look for what the next order needs.
const SUPPLY_HORIZON: SignedDuration = SignedDuration::from_hours(8);
/// They look in every so many ticks.
const LOOKS: i64 = 6;
/// From this planned time on, an order counts as long. A long order is looked at every so many ticks.
const MIN_LONG_ORDER: SignedDuration = SignedDuration::from_hours(2);
const LOOKS_AT_LONG: i64 = 3;

/// How likely things are in one tick of five minutes.
const RESUME: f64 = 0.25;
pub(crate) const BEGIN: f64 = 0.7;
const RAISE: f64 = 0.002;
const ACKNOWLEDGE: f64 = 0.3;
const CLOSE: f64 = 0.08;
const PAY: f64 = 0.5;

/// One thing that somebody does.
#[derive(Debug, Clone)]
pub(crate) struct OperatorAction {
    pub(crate) what: ActionKind,
    pub(crate) badge: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub(crate) enum ActionKind {
    Move(Move),
    /// The next shift's operator takes an order over.
    Relieve {
        code: String,
        operation: String,
    },
    /// The raw materials of an order are asked for.
    Ask {
        code: String,
        operation: String,
    },
}

/// Where and when somebody decides.
pub(crate) struct StationTurn<'a> {
    pub(crate) store: &'a Store,
    pub(crate) crew: &'a Crew,
    pub(crate) tick: i64,
    pub(crate) now: DateTime,
    /// Whether a receiver refused the order so recently that it isn't tried again.
    pub(crate) is_refused: &'a dyn Fn(&str, &str) -> bool,
    pub(crate) dice: ChaCha8Rng,
    actions: Vec<OperatorAction>,
}

/// What a station's dice are made from: the same three, the same dice.
pub(crate) struct DiceSeed {
    pub(crate) plant: u64,
    pub(crate) tick: i64,
    /// The station's number.
    pub(crate) station: u64,
}

impl<'a> StationTurn<'a> {
    pub(crate) fn new(
        store: &'a Store,
        crew: &'a Crew,
        seed: &DiceSeed,
        now: DateTime,
        is_refused: &'a dyn Fn(&str, &str) -> bool,
    ) -> Self {
        let &DiceSeed { plant, tick, station } = seed;
        let mut dice = ChaCha8Rng::seed_from_u64(plant ^ tick.unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15));
        dice.set_stream(station);
        Self { store, crew, tick, now, is_refused, dice, actions: Vec::new() }
    }

    /// What is done in this tick, in order. What follows a deed that fails is left.
    pub(crate) fn actions(mut self) -> Vec<OperatorAction> {
        let floor = self.store.table(Resource::WorkOrders).floor();
        let current: Vec<(u32, bool)> = floor.current(&self.crew.station).collect();
        let Some(shift) = self.crew.shift_at(self.now) else {
            self.leave(&current);
            return self.actions;
        };
        self.alerts();
        let before = self.crew.shift_at(self.now.saturating_sub(SignedDuration::from_secs(TICK)));
        let relieves = before.is_some_and(|before| before != shift);
        let mut is_free = current.iter().all(|(_, runs)| !runs);
        for (position, runs) in &current {
            let looks = !runs || relieves || self.looks_at(*position);
            let Some(row) = looks.then(|| self.row(*position)).flatten() else { continue };
            if *runs {
                if relieves {
                    let (code, operation) = key(&row);
                    self.put(ActionKind::Relieve { code, operation });
                }
                self.work(&row, current.len() == 1);
            } else if is_free && (text(&row, "statusAdditionalDescription") == END_OF_SHIFT || self.chance(RESUME)) {
                is_free = false;
                self.act(Move::Resume { order: named(&row) });
            }
        }
        if current.is_empty() && self.chance(BEGIN) {
            self.begin_next();
        } else if self.tick % LOOKS == 0 {
            self.prepare_next();
        }
        self.actions
    }

    /// The shift is over: what still runs is paused.
    fn leave(&mut self, current: &[(u32, bool)]) {
        for (position, _) in current.iter().filter(|(_, runs)| *runs) {
            if let Some(row) = self.row(*position) {
                let reason = if self.crew.is_used() { END_OF_SHIFT } else { OUT_OF_USE };
                self.act(Move::Pause { order: named(&row), reason: Some(reason.to_owned()) });
            }
        }
    }

    /// Whether somebody looks at a running order in this tick: at a long one every quarter of an hour.
    fn looks_at(&self, position: u32) -> bool {
        let planned = self.store.table(Resource::WorkOrders).planned(position);
        let is_short = planned.is_some_and(|planned| planned < MIN_LONG_ORDER);
        is_short || (self.tick + i64::from(position)) % LOOKS_AT_LONG == 0
    }

    fn row(&self, position: u32) -> Option<Members> {
        self.store.row_at(Resource::WorkOrders, position)
    }

    /// The next order that is due is begun, with its supplies paid.
    pub(crate) fn begin_next(&mut self) {
        let Some(row) = self.next(self.now) else { return };
        for supply in self.store.supplies_of(text(&row, "code"), text(&row, "operationCode")) {
            if !supply.is_completed {
                self.actions
                    .push(OperatorAction { what: ActionKind::Move(Move::PaySupply { id: supply.id }), badge: None });
            }
        }
        let turn = self.dice.random_range(0..EMPLOYEES.len());
        if let Some(badge) = self.store.free_operator(turn) {
            let begin = Move::Begin { order: named(&row) };
            self.actions.push(OperatorAction { what: ActionKind::Move(begin), badge: Some(badge) });
        }
    }

    /// What the next order needs is asked for and, bit by bit, paid.
    fn prepare_next(&mut self) {
        let Some(row) = self.next(self.now.saturating_add(SUPPLY_HORIZON)) else { return };
        let (code, operation) = key(&row);
        let open: Vec<(i64, bool)> =
            self.store.supplies_of(&code, &operation).map(|supply| (supply.id, supply.is_completed)).collect();
        if open.is_empty() {
            self.put(ActionKind::Ask { code, operation });
        }
        for (id, is_completed) in open {
            if !is_completed && self.chance(PAY) {
                self.act(Move::PaySupply { id });
            }
        }
    }

    /// The next planned order of the station, where it is due by then.
    fn next(&self, by: DateTime) -> Option<Members> {
        let (begin, position) = self.store.table(Resource::WorkOrders).floor().planned(&self.crew.station).next()?;
        if begin <= by { self.row(position) } else { None }
    }

    fn alerts(&mut self) {
        let floor = self.store.table(Resource::Alerts).floor();
        for alert in floor.alerts().filter(|alert| *alert.station == *self.crew.station) {
            let id = alert.id;
            let settled = alert.opened.is_some_and(|opened| opened < self.now);
            let (odds, wanted) = match alert.is_acknowledged {
                true => (CLOSE, Move::CloseAlert { id }),
                false => (ACKNOWLEDGE, Move::AcknowledgeAlert { id }),
            };
            if settled && self.chance(odds) {
                let badge = EMPLOYEES.choose(&mut self.dice).map(|(badge, _)| *badge);
                self.actions.push(OperatorAction { what: ActionKind::Move(wanted), badge });
            }
        }
        if self.chance(RAISE)
            && let Some((kind, note)) = ALERTS.choose(&mut self.dice)
        {
            let (kind, note) = (Some((*kind).to_owned()), Some((*note).to_owned()));
            self.act(Move::RaiseAlert { station: self.crew.station.clone(), kind, note });
        }
    }

    pub(crate) fn chance(&mut self, odds: f64) -> bool {
        self.dice.random::<f64>() < odds
    }

    pub(crate) fn act(&mut self, wanted: Move) {
        self.put(ActionKind::Move(wanted));
    }

    fn put(&mut self, what: ActionKind) {
        self.actions.push(OperatorAction { what, badge: None });
    }
}

pub(crate) fn named(row: &Members) -> OrderName {
    let (code, operation) = key(row);
    OrderName { code, operation: Some(operation) }
}

pub(crate) fn key(row: &Members) -> (String, String) {
    (text(row, "code").to_owned(), text(row, "operationCode").to_owned())
}
