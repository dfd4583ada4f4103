//! The progress of a running order: production by plan, consumption, occasional pauses, and its end.

use jiff::{SignedDuration, civil::DateTime};
use rand::{Rng, seq::IndexedRandom};
use serde_json::Value;

use super::{
    moves::Move,
    quantities::round_quantity,
    shift::{BEGIN_ODDS, StationTurn, order_key, order_name},
    times,
};
use crate::{
    sample_words::PAUSES,
    store::{Members, produced, text},
    time_window::date_time,
};

/// The shortest time between two recorded quantities.
const RECORD_INTERVAL: SignedDuration = SignedDuration::from_mins(30);
/// The duration of an order without planned dates.
const DEFAULT_DURATION: SignedDuration = SignedDuration::from_hours(4);

/// The probability of a pause per check, and of a consumed lot or bad pieces when quantities are recorded.
const PAUSE_ODDS: f64 = 0.03;
const LOT_ODDS: f64 = 0.35;
const BAD_ODDS: f64 = 0.12;

impl StationTurn<'_> {
    /// Advances a running order. If it ends and `is_only_order` is set, the station's next order may begin.
    pub(super) fn advance_order(&mut self, row: &Members, is_only_order: bool) {
        let (code, operation) = order_key(row);
        if (self.is_refused)(&code, &operation) {
            return;
        }
        let (good, bad) = self.new_quantities(row);
        let requested = quantity(row, "requestedQuantity");
        let is_done = produced(row).0 + good >= requested;
        let zone = self.store.zone();
        let history = row.get("producedQuantityHistory").and_then(Value::as_array);
        let last = history.and_then(|history| date_time(history.last()?["date"].as_str()?, zone));
        let last = last.max(date_time(text(row, "beginReal"), zone)).unwrap_or(DateTime::MIN);
        if !is_done && self.now.duration_since(last) < RECORD_INTERVAL {
            if self.chance(PAUSE_ODDS) {
                let reason = PAUSES.choose(&mut self.dice).map(|reason| (*reason).to_owned());
                self.push_move(Move::Pause { order: order_name(row), reason });
            }
            return;
        }
        if good + bad > 0.0 {
            self.push_move(Move::Track { order: order_name(row), good, bad });
            if self.chance(LOT_ODDS) {
                self.consume(row);
            }
        }
        if is_done {
            self.push_move(Move::End { order: order_name(row) });
            if is_only_order && self.chance(BEGIN_ODDS) {
                self.begin_next();
            }
        }
    }

    /// Returns the good and bad quantities produced since the last record. The good one follows the share of the
    /// planned time that has passed.
    fn new_quantities(&mut self, row: &Members) -> (f64, f64) {
        let (requested, (known, _)) = (quantity(row, "requestedQuantity"), produced(row));
        let time_member = |name: &str| date_time(text(row, name), self.store.zone());
        let planned =
            time_member("beginPlanned").zip(time_member("endPlanned")).map(|(begin, end)| end.duration_since(begin));
        let planned = planned.filter(|planned| planned.is_positive()).unwrap_or(DEFAULT_DURATION).as_secs_f64();
        let share = times::running_seconds(row, self.now, self.store.zone()) / planned;
        let by_now = if share >= 1.0 {
            requested
        } else if requested.fract() == 0.0 {
            (requested * share).floor()
        } else {
            round_quantity((requested * share * 1000.0).floor() / 1000.0)
        };
        let good = round_quantity(by_now - known).max(0.0);
        let bad = if good > 0.0 && self.chance(BAD_ODDS) { f64::from(self.dice.random_range(1..=3_u8)) } else { 0.0 };
        (good, bad)
    }

    /// Consumes part of one of the order's raw materials.
    fn consume(&mut self, row: &Members) {
        let parts = row.get("rawMaterials").and_then(Value::as_array).cloned().unwrap_or_default();
        let Some(part) = parts.choose(&mut self.dice).and_then(Value::as_object) else { return };
        let (needed, consumed) = (quantity(part, "quantity"), quantity(part, "quantityConsumed"));
        let share = self.dice.random_range(0.15..0.5);
        let is_in_pieces = text(part, "uoM") == "pcs";
        let used = if is_in_pieces { (needed * share).ceil() } else { (needed * share * 1000.0).ceil() / 1000.0 };
        let quantity = round_quantity(used.min(needed - consumed));
        if quantity > 0.0 {
            let serial_number = format!("LOT-{:06}", self.dice.random_range(100_000..1_000_000));
            let material = text(part, "code").to_owned();
            self.push_move(Move::Consume { order: order_name(row), material, quantity, serial_number });
        }
    }
}

fn quantity(row: &Members, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or_default()
}
