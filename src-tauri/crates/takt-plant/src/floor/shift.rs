//! The actions of a station's operators in one tick, which depend on the store and the tick's dice.
//!
//! Leaves the progress of a running order to `floor::work`.

use jiff::{SignedDuration, civil::DateTime};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;

use super::{
    calendar::Crew,
    day::TICK,
    moves::{Move, OrderName},
};
use crate::{
    sample_words::{ALERTS, EMPLOYEES},
    store::{Members, Resource, Store, text},
};

/// The reason for a pause between shifts. The next shift resumes the order.
const END_OF_SHIFT_REASON: &str = "End of shift";
const OUT_OF_USE: &str = "Work station out of use";
/// The time before its begin at which operators prepare the next order.
const SUPPLY_HORIZON: SignedDuration = SignedDuration::from_hours(8);
/// The next order is prepared every this many ticks.
const PREPARE_INTERVAL: i64 = 6;
/// An order planned for at least this long is checked every [`LONG_ORDER_INTERVAL`] ticks only.
const MIN_LONG_ORDER: SignedDuration = SignedDuration::from_hours(2);
const LONG_ORDER_INTERVAL: i64 = 3;

/// The probabilities of actions in one tick of five minutes.
const RESUME_ODDS: f64 = 0.25;
pub(crate) const BEGIN_ODDS: f64 = 0.7;
const RAISE_ODDS: f64 = 0.002;
const ACKNOWLEDGE_ODDS: f64 = 0.3;
const CLOSE_ODDS: f64 = 0.08;
const PAY_ODDS: f64 = 0.5;

/// An action of an operator.
#[derive(Debug, Clone)]
pub(crate) struct OperatorAction {
    pub(crate) kind: ActionKind,
    pub(crate) badge: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub(crate) enum ActionKind {
    Move(Move),
    /// Hands an order over to the next shift's operator.
    Relieve {
        code: String,
        operation: String,
    },
    /// Requests the raw materials of an order.
    Ask {
        code: String,
        operation: String,
    },
}

/// Decides the actions at a station in a tick.
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

/// The seed of a station's dice in a tick.
pub(crate) struct DiceSeed {
    pub(crate) plant: u64,
    pub(crate) tick: i64,
    /// The station's index.
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

    /// Returns the actions of this tick in order. After one fails, the rest is skipped.
    pub(crate) fn actions(mut self) -> Vec<OperatorAction> {
        let floor = self.store.table(Resource::WorkOrders).floor();
        let current: Vec<(u32, bool)> = floor.current(&self.crew.station).collect();
        let Some(shift) = self.crew.shift_at(self.now) else {
            self.pause_all(&current);
            return self.actions;
        };
        self.handle_alerts();
        let before = self.crew.shift_at(self.now.saturating_sub(SignedDuration::from_secs(TICK)));
        let is_shift_change = before.is_some_and(|before| before != shift);
        let mut is_free = current.iter().all(|(_, runs)| !runs);
        for (position, runs) in &current {
            let checked = !runs || is_shift_change || self.is_checked(*position);
            let Some(row) = checked.then(|| self.row(*position)).flatten() else { continue };
            if *runs {
                if is_shift_change {
                    let (code, operation) = order_key(&row);
                    self.push_action(ActionKind::Relieve { code, operation });
                }
                self.advance_order(&row, current.len() == 1);
            } else if is_free
                && (text(&row, "statusAdditionalDescription") == END_OF_SHIFT_REASON || self.chance(RESUME_ODDS))
            {
                is_free = false;
                self.push_move(Move::Resume { order: order_name(&row) });
            }
        }
        if current.is_empty() && self.chance(BEGIN_ODDS) {
            self.begin_next();
        } else if self.tick % PREPARE_INTERVAL == 0 {
            self.prepare_next();
        }
        self.actions
    }

    /// Pauses all running orders at the end of a shift.
    fn pause_all(&mut self, current: &[(u32, bool)]) {
        for (position, _) in current.iter().filter(|(_, runs)| *runs) {
            if let Some(row) = self.row(*position) {
                let reason = if self.crew.is_used() { END_OF_SHIFT_REASON } else { OUT_OF_USE };
                self.push_move(Move::Pause { order: order_name(&row), reason: Some(reason.to_owned()) });
            }
        }
    }

    /// Whether a running order is checked in this tick. A long order is checked every quarter of an hour.
    fn is_checked(&self, position: u32) -> bool {
        let planned = self.store.table(Resource::WorkOrders).planned(position);
        let is_short = planned.is_some_and(|planned| planned < MIN_LONG_ORDER);
        is_short || (self.tick + i64::from(position)) % LONG_ORDER_INTERVAL == 0
    }

    fn row(&self, position: u32) -> Option<Members> {
        self.store.row_at(Resource::WorkOrders, position)
    }

    /// Pays the supplies of the next due order and begins it.
    pub(crate) fn begin_next(&mut self) {
        let Some(row) = self.next_due(self.now) else { return };
        for supply in self.store.supplies_of(text(&row, "code"), text(&row, "operationCode")) {
            if !supply.is_completed {
                self.actions
                    .push(OperatorAction { kind: ActionKind::Move(Move::PaySupply { id: supply.id }), badge: None });
            }
        }
        let turn = self.dice.random_range(0..EMPLOYEES.len());
        if let Some(badge) = self.store.free_operator(turn) {
            let begin = Move::Begin { order: order_name(&row) };
            self.actions.push(OperatorAction { kind: ActionKind::Move(begin), badge: Some(badge) });
        }
    }

    /// Requests the supplies of the next order. If that is done, pays some of them.
    fn prepare_next(&mut self) {
        let Some(row) = self.next_due(self.now.saturating_add(SUPPLY_HORIZON)) else { return };
        let (code, operation) = order_key(&row);
        let open: Vec<(i64, bool)> =
            self.store.supplies_of(&code, &operation).map(|supply| (supply.id, supply.is_completed)).collect();
        if open.is_empty() {
            self.push_action(ActionKind::Ask { code, operation });
        }
        for (id, is_completed) in open {
            if !is_completed && self.chance(PAY_ODDS) {
                self.push_move(Move::PaySupply { id });
            }
        }
    }

    /// Returns the station's next planned order if it's due by then.
    fn next_due(&self, by: DateTime) -> Option<Members> {
        let (begin, position) = self.store.table(Resource::WorkOrders).floor().planned(&self.crew.station).next()?;
        if begin <= by { self.row(position) } else { None }
    }

    fn handle_alerts(&mut self) {
        let floor = self.store.table(Resource::Alerts).floor();
        for alert in floor.alerts().filter(|alert| *alert.station == *self.crew.station) {
            let id = alert.id;
            let settled = alert.opened.is_some_and(|opened| opened < self.now);
            let (odds, wanted) = match alert.is_acknowledged {
                true => (CLOSE_ODDS, Move::CloseAlert { id }),
                false => (ACKNOWLEDGE_ODDS, Move::AcknowledgeAlert { id }),
            };
            if settled && self.chance(odds) {
                let badge = EMPLOYEES.choose(&mut self.dice).map(|(badge, _)| *badge);
                self.actions.push(OperatorAction { kind: ActionKind::Move(wanted), badge });
            }
        }
        if self.chance(RAISE_ODDS)
            && let Some((kind, note)) = ALERTS.choose(&mut self.dice)
        {
            let (kind, note) = (Some((*kind).to_owned()), Some((*note).to_owned()));
            self.push_move(Move::RaiseAlert { station: self.crew.station.clone(), kind, note });
        }
    }

    pub(crate) fn chance(&mut self, odds: f64) -> bool {
        self.dice.random::<f64>() < odds
    }

    pub(crate) fn push_move(&mut self, wanted: Move) {
        self.push_action(ActionKind::Move(wanted));
    }

    fn push_action(&mut self, kind: ActionKind) {
        self.actions.push(OperatorAction { kind, badge: None });
    }
}

pub(crate) fn order_name(row: &Members) -> OrderName {
    let (code, operation) = order_key(row);
    OrderName { code, operation: Some(operation) }
}

pub(crate) fn order_key(row: &Members) -> (String, String) {
    (text(row, "code").to_owned(), text(row, "operationCode").to_owned())
}
