//! Work on an order that runs: it produces as it is planned to, uses up its materials, pauses now and then, and ends.

use jiff::{SignedDuration, civil::DateTime};
use rand::{Rng, seq::IndexedRandom};
use serde_json::Value;

use super::{
    Move,
    quantities::exact,
    shift::{BEGIN, StationTurn, key, named},
    times,
};
use crate::{
    sample_words::PAUSES,
    store::{Members, produced, text},
    time_window::date_time,
};

/// Quantities are recorded no more often.
const RECORD_INTERVAL: SignedDuration = SignedDuration::from_mins(30);
/// How long an order takes whose plan doesn't say.
const DEFAULT_DURATION: SignedDuration = SignedDuration::from_hours(4);

/// How likely a pause is whenever somebody looks; and, when quantities are recorded, that a lot was used, or something spoilt.
const PAUSE: f64 = 0.03;
const LOT: f64 = 0.35;
const BAD: f64 = 0.12;

impl StationTurn<'_> {
    /// Somebody works on a running order; `alone`: nothing else lies on the station, so that the next may follow.
    pub(super) fn work(&mut self, row: &Members, alone: bool) {
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
        if !is_done && self.now.duration_since(last) < RECORD_INTERVAL {
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
        let planned = planned.filter(|planned| planned.is_positive()).unwrap_or(DEFAULT_DURATION).as_secs_f64();
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
}

fn quantity(row: &Members, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or_default()
}
