//! What the people of a work station do in one tick of the day. They decide by what the store says and by the tick's dice.

use jiff::{SignedDuration, civil::DateTime};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::{Move, OrderName, calendar::Crew, day::TICK, quantities::exact, times};
use crate::{
    api::date_time,
    seed::{ALERTS, EMPLOYEES, PAUSES},
    store::{Members, Resource, Store, produced, text},
};

/// The reason of a pause between the shifts; it ends with the next one.
const END_OF_SHIFT: &str = "End of shift";
const OUT_OF_USE: &str = "Work station out of use";
/// Quantities are recorded no more often.
const BETWEEN_RECORDS: SignedDuration = SignedDuration::from_mins(30);
/// How far ahead people look for what the next order needs.
const AHEAD: SignedDuration = SignedDuration::from_hours(8);
/// They look in every so many ticks.
const LOOKS: i64 = 6;
/// From which planned time on an order is long, and in every how many ticks somebody looks at a long one.
const LONG: SignedDuration = SignedDuration::from_hours(2);
const LOOKS_AT_LONG: i64 = 3;
/// How long an order takes whose plan doesn't say.
const USUAL: SignedDuration = SignedDuration::from_hours(4);

/// How likely things are in one tick of five minutes; a pause, whenever somebody looks.
const PAUSE: f64 = 0.03;
const RESUME: f64 = 0.25;
const BEGIN: f64 = 0.7;
const LOT: f64 = 0.35;
const BAD: f64 = 0.12;
const RAISE: f64 = 0.002;
const ACKNOWLEDGE: f64 = 0.3;
const CLOSE: f64 = 0.08;
const PAY: f64 = 0.5;

/// One thing that somebody does.
#[derive(Debug, Clone)]
pub(super) struct Deed {
    pub(super) what: What,
    pub(super) badge: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub(super) enum What {
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
pub(super) struct Scene<'a> {
    pub(super) store: &'a Store,
    pub(super) crew: &'a Crew,
    pub(super) tick: i64,
    pub(super) now: DateTime,
    /// Whether a receiver refused the order a while ago: nobody tries again yet.
    pub(super) is_refused: &'a dyn Fn(&str, &str) -> bool,
    dice: ChaCha8Rng,
    deeds: Vec<Deed>,
}

impl<'a> Scene<'a> {
    /// `seed` is the plant's, `place` the station's number: the same three, the same dice.
    pub(super) fn new(
        store: &'a Store,
        crew: &'a Crew,
        (seed, tick, place): (u64, i64, u64),
        now: DateTime,
        is_refused: &'a dyn Fn(&str, &str) -> bool,
    ) -> Self {
        let mut dice = ChaCha8Rng::seed_from_u64(seed ^ tick.unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15));
        dice.set_stream(place);
        Self { store, crew, tick, now, is_refused, dice, deeds: Vec::new() }
    }

    /// What is done in this tick, in order. What follows a deed that fails is left.
    pub(super) fn deeds(mut self) -> Vec<Deed> {
        let floor = self.store.table(Resource::WorkOrders).floor();
        let current: Vec<(u32, bool)> = floor.current(&self.crew.station).collect();
        let Some(shift) = self.crew.shift_at(self.now) else {
            self.leave(&current);
            return self.deeds;
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
                    self.put(What::Relieve { code, operation });
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
        self.deeds
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
        let is_short = planned.is_some_and(|planned| planned < LONG);
        is_short || (self.tick + i64::from(position)) % LOOKS_AT_LONG == 0
    }

    fn row(&self, position: u32) -> Option<Members> {
        self.store.row_at(Resource::WorkOrders, position)
    }

    /// Somebody works on a running order; `alone`: nothing else lies on the station, so that the next may follow.
    fn work(&mut self, row: &Members, alone: bool) {
        let (code, operation) = key(row);
        if (self.is_refused)(&code, &operation) {
            return;
        }
        let (good, bad) = self.progress(row);
        let requested = quantity(row, "requestedQuantity");
        let is_done = produced(row).0 + good >= requested;
        let zone = self.store.zone();
        let history = row.get("producedQuantityHistory").and_then(Value::as_array);
        let last = history.and_then(|history| date_time(history.last()?["date"].as_str()?, zone));
        let last = last.max(date_time(text(row, "beginReal"), zone)).unwrap_or(DateTime::MIN);
        if !is_done && self.now.duration_since(last) < BETWEEN_RECORDS {
            if self.chance(PAUSE) {
                let reason = PAUSES.choose(&mut self.dice).map(|reason| (*reason).to_owned());
                self.act(Move::Pause { order: named(row), reason });
            }
            return;
        }
        if good + bad > 0.0 {
            self.act(Move::Track { order: named(row), good, bad });
            if self.chance(LOT) {
                self.consume(row);
            }
        }
        if is_done {
            self.act(Move::End { order: named(row) });
            if alone && self.chance(BEGIN) {
                self.begin_next();
            }
        }
    }

    /// How much more an order has produced by now: as much of what is requested as of the planned time has passed.
    fn progress(&mut self, row: &Members) -> (f64, f64) {
        let (requested, (known, _)) = (quantity(row, "requestedQuantity"), produced(row));
        let moment = |name: &str| date_time(text(row, name), self.store.zone());
        let planned = moment("beginPlanned").zip(moment("endPlanned")).map(|(begin, end)| end.duration_since(begin));
        let planned = planned.filter(|planned| planned.is_positive()).unwrap_or(USUAL).as_secs_f64();
        let share = times::run(row, self.now, self.store.zone()) / planned;
        let by_now = if share >= 1.0 {
            requested
        } else if requested.fract() == 0.0 {
            (requested * share).floor()
        } else {
            exact((requested * share * 1000.0).floor() / 1000.0)
        };
        let good = exact(by_now - known).max(0.0);
        let bad = if good > 0.0 && self.chance(BAD) { f64::from(self.dice.random_range(1..=3_u8)) } else { 0.0 };
        (good, bad)
    }

    /// A lot of one of the order's raw materials is used, whole or in part.
    fn consume(&mut self, row: &Members) {
        let parts = row.get("rawMaterials").and_then(Value::as_array).cloned().unwrap_or_default();
        let Some(part) = parts.choose(&mut self.dice).and_then(Value::as_object) else { return };
        let (needed, consumed) = (quantity(part, "quantity"), quantity(part, "quantityConsumed"));
        let share = self.dice.random_range(0.15..0.5);
        let whole = text(part, "uoM") == "pcs";
        let used = if whole { (needed * share).ceil() } else { (needed * share * 1000.0).ceil() / 1000.0 };
        let quantity = exact(used.min(needed - consumed));
        if quantity > 0.0 {
            let serial_number = format!("LOT-{:06}", self.dice.random_range(100_000..1_000_000));
            let material = text(part, "code").to_owned();
            self.act(Move::Consume { order: named(row), material, quantity, serial_number });
        }
    }

    /// The next order that is due is begun, with its supplies paid.
    fn begin_next(&mut self) {
        let Some(row) = self.next(self.now) else { return };
        for supply in self.store.supplies_of(text(&row, "code"), text(&row, "operationCode")) {
            if !supply.is_completed {
                self.deeds.push(Deed { what: What::Move(Move::PaySupply { id: supply.id }), badge: None });
            }
        }
        let turn = self.dice.random_range(0..EMPLOYEES.len());
        if let Some(badge) = self.store.free_operator(turn) {
            let begin = Move::Begin { order: named(&row) };
            self.deeds.push(Deed { what: What::Move(begin), badge: Some(badge) });
        }
    }

    /// What the next order needs is asked for and, bit by bit, paid.
    fn prepare_next(&mut self) {
        let Some(row) = self.next(self.now.saturating_add(AHEAD)) else { return };
        let (code, operation) = key(&row);
        let open: Vec<(i64, bool)> =
            self.store.supplies_of(&code, &operation).map(|supply| (supply.id, supply.is_completed)).collect();
        if open.is_empty() {
            self.put(What::Ask { code, operation });
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
                self.deeds.push(Deed { what: What::Move(wanted), badge });
            }
        }
        if self.chance(RAISE)
            && let Some((kind, note)) = ALERTS.choose(&mut self.dice)
        {
            let (kind, note) = (Some((*kind).to_owned()), Some((*note).to_owned()));
            self.act(Move::RaiseAlert { station: self.crew.station.clone(), kind, note });
        }
    }

    fn chance(&mut self, odds: f64) -> bool {
        self.dice.random::<f64>() < odds
    }

    fn act(&mut self, wanted: Move) {
        self.put(What::Move(wanted));
    }

    fn put(&mut self, what: What) {
        self.deeds.push(Deed { what, badge: None });
    }
}

fn named(row: &Members) -> OrderName {
    let (code, operation) = key(row);
    OrderName { code, operation: Some(operation) }
}

fn key(row: &Members) -> (String, String) {
    (text(row, "code").to_owned(), text(row, "operationCode").to_owned())
}

fn quantity(row: &Members, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or_default()
}
