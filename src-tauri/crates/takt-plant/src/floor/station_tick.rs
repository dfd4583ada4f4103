//! Decides the actions of a station's operators in one tick, which depend on the store and on random numbers.
//!
//! A running order produces according to plan, consumes materials, pauses occasionally, and ends.

use jiff::{SignedDuration, civil::DateTime};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use super::{
    day::TICK_SECONDS,
    moves::{Move, OrderName},
    order_times,
    orders::round_quantity,
    shift_calendar::ShiftCalendar,
};
use crate::{
    sample_words::{ALERTS, EMPLOYEES, PAUSE_REASONS},
    store::{ENDED, Members, PLANNED, Resource, Store, get_order_state, get_produced_quantities, get_text},
    time_window::parse_date_time,
};

/// The reason for pauses between shifts. The next shift resumes the order.
const END_OF_SHIFT_REASON: &str = "End of shift";
const OUT_OF_USE_REASON: &str = "Work station out of use";
/// Operators prepare the next order from this time before its planned begin.
const SUPPLY_HORIZON: SignedDuration = SignedDuration::from_hours(8);
/// The maximum number of a station's due orders that are checked for the next one.
const MAX_DUE_ORDERS: usize = 20;
/// The number of ticks between two preparations of a station's next order.
const PREPARE_INTERVAL: i64 = 6;
/// The minimum planned duration of orders that are checked only every [`LONG_ORDER_INTERVAL`] ticks.
const MIN_LONG_ORDER: SignedDuration = SignedDuration::from_hours(2);
const LONG_ORDER_INTERVAL: i64 = 3;
/// The minimum time between two records of quantities.
const RECORD_INTERVAL: SignedDuration = SignedDuration::from_mins(30);
/// The assumed duration of an order without planned dates.
const DEFAULT_DURATION: SignedDuration = SignedDuration::from_hours(4);

/// The probabilities of actions per tick of five minutes.
const RESUME_PROBABILITY: f64 = 0.25;
const BEGIN_PROBABILITY: f64 = 0.7;
const RAISE_PROBABILITY: f64 = 0.002;
const ACKNOWLEDGE_PROBABILITY: f64 = 0.3;
const CLOSE_PROBABILITY: f64 = 0.08;
const PAY_PROBABILITY: f64 = 0.5;
/// The probabilities of a pause per check, and of a consumed lot or bad pieces per record of quantities.
const PAUSE_PROBABILITY: f64 = 0.03;
const LOT_PROBABILITY: f64 = 0.35;
const BAD_PROBABILITY: f64 = 0.12;

/// An action of an operator.
#[derive(Debug, Clone)]
pub(crate) struct OperatorAction {
    pub(crate) kind: ActionKind,
    pub(crate) badge: Option<&'static str>,
}

#[derive(Debug, Clone)]
pub(crate) enum ActionKind {
    Move(Move),
    /// Assigns an order to an operator of the next shift.
    ReplaceOperator {
        code: String,
        operation: String,
    },
    /// Requests the raw materials of an order.
    RequestSupplies {
        code: String,
        operation: String,
    },
}

/// Decides the actions at one station in one tick.
pub(crate) struct StationTick<'a> {
    store: &'a Store,
    calendar: &'a ShiftCalendar,
    tick: i64,
    now: DateTime,
    /// Returns whether a receiver refused the order so recently that it isn't tried again.
    is_refused: &'a dyn Fn(&str, &str) -> bool,
    random: ChaCha8Rng,
    actions: Vec<OperatorAction>,
}

/// The inputs that determine the random numbers for a station and a tick.
pub(crate) struct TickSeed {
    pub(crate) plant: u64,
    pub(crate) tick: i64,
    /// The index of the station.
    pub(crate) station: u64,
}

impl<'a> StationTick<'a> {
    pub(crate) fn new(
        store: &'a Store,
        calendar: &'a ShiftCalendar,
        seed: &TickSeed,
        now: DateTime,
        is_refused: &'a dyn Fn(&str, &str) -> bool,
    ) -> Self {
        let &TickSeed { plant, tick, station } = seed;
        let mut random = ChaCha8Rng::seed_from_u64(plant ^ tick.unsigned_abs().wrapping_mul(0x9E37_79B9_7F4A_7C15));
        random.set_stream(station);
        Self { store, calendar, tick, now, is_refused, random, actions: Vec::new() }
    }

    /// Returns the actions of this tick in order. If an action fails, the following ones are skipped.
    pub(crate) fn decide_actions(mut self) -> Vec<OperatorAction> {
        let floor = self.store.table(Resource::WorkOrders).floor_index();
        let current: Vec<(u32, bool)> = floor.current_orders(&self.calendar.station).collect();
        let Some(shift) = self.calendar.shift_at(self.now) else {
            self.pause_all(&current);
            return self.actions;
        };
        self.handle_alerts();
        let before = self.calendar.shift_at(self.now.saturating_sub(SignedDuration::from_secs(TICK_SECONDS)));
        let is_shift_change = before.is_some_and(|before| before != shift);
        let mut is_free = current.iter().all(|(_, runs)| !runs);
        for (position, runs) in &current {
            let checked = !runs || is_shift_change || self.is_check_due(*position);
            let Some(row) = checked.then(|| self.order_row(*position)).flatten() else { continue };
            if *runs {
                if is_shift_change {
                    let (code, operation) = get_order_key(&row);
                    self.push_action(ActionKind::ReplaceOperator { code, operation });
                }
                self.advance_order(&row, current.len() == 1);
            } else if is_free
                && (get_text(&row, "statusAdditionalDescription") == END_OF_SHIFT_REASON
                    || self.happens(RESUME_PROBABILITY))
            {
                is_free = false;
                self.push_move(Move::Resume { order: get_order_name(&row) });
            }
        }
        if current.is_empty() && self.happens(BEGIN_PROBABILITY) {
            self.begin_next();
        } else if self.tick % PREPARE_INTERVAL == 0 {
            self.prepare_next();
        }
        self.actions
    }

    /// Pauses all running orders, since there is no shift.
    fn pause_all(&mut self, current: &[(u32, bool)]) {
        for (position, _) in current.iter().filter(|(_, runs)| *runs) {
            if let Some(row) = self.order_row(*position) {
                let reason = if self.calendar.has_working_hours() { END_OF_SHIFT_REASON } else { OUT_OF_USE_REASON };
                self.push_move(Move::Pause { order: get_order_name(&row), reason: Some(reason.to_owned()) });
            }
        }
    }

    /// Returns whether a running order is checked in this tick. Long orders are checked every 15 minutes.
    fn is_check_due(&self, position: u32) -> bool {
        let planned = self.store.table(Resource::WorkOrders).planned_duration(position);
        let is_short = planned.is_some_and(|planned| planned < MIN_LONG_ORDER);
        is_short || (self.tick + i64::from(position)) % LONG_ORDER_INTERVAL == 0
    }

    fn order_row(&self, position: u32) -> Option<Members> {
        self.store.row_at(Resource::WorkOrders, position)
    }

    /// Pays the supplies of the next due order and begins the order.
    fn begin_next(&mut self) {
        let Some(row) = self.find_next_due_order(self.now) else { return };
        for supply in self.store.supplies_of(get_text(&row, "code"), get_text(&row, "operationCode")) {
            if !supply.is_completed {
                self.actions
                    .push(OperatorAction { kind: ActionKind::Move(Move::PaySupply { id: supply.id }), badge: None });
            }
        }
        let turn = self.random.random_range(0..EMPLOYEES.len());
        if let Some(badge) = self.store.find_free_operator(turn) {
            let begin = Move::Begin { order: get_order_name(&row) };
            self.actions.push(OperatorAction { kind: ActionKind::Move(begin), badge: Some(badge) });
        }
    }

    /// Requests the supplies of the next order. If they were already requested, pays some of them.
    fn prepare_next(&mut self) {
        let Some(row) = self.find_next_due_order(self.now.saturating_add(SUPPLY_HORIZON)) else { return };
        let (code, operation) = get_order_key(&row);
        let open: Vec<(i64, bool)> =
            self.store.supplies_of(&code, &operation).map(|supply| (supply.id, supply.is_completed)).collect();
        if open.is_empty() {
            self.push_action(ActionKind::RequestSupplies { code, operation });
        }
        for (id, is_completed) in open {
            if !is_completed && self.happens(PAY_PROBABILITY) {
                self.push_move(Move::PaySupply { id });
            }
        }
    }

    /// Returns the station's next planned order that is due at the time `by` and whose earlier operations have ended.
    fn find_next_due_order(&self, by: DateTime) -> Option<Members> {
        let planned = self.store.table(Resource::WorkOrders).floor_index().planned_orders(&self.calendar.station);
        let due = planned.take_while(|(begin, _)| *begin <= by).take(MAX_DUE_ORDERS);
        due.filter_map(|(_, position)| self.order_row(position)).find(|row| !self.waits_for_operation(row))
    }

    /// Returns whether an earlier operation of the order is running, or is planned for a station.
    fn waits_for_operation(&self, row: &Members) -> bool {
        let operation = get_text(row, "operationCode");
        self.store.order_rows(Resource::WorkOrders, get_text(row, "code")).iter().any(|other| {
            get_text(other, "operationCode") < operation
                && match get_order_state(other) {
                    ENDED => false,
                    PLANNED => ["workStationCode", "beginPlanned"].iter().all(|name| !get_text(other, name).is_empty()),
                    _ => true,
                }
        })
    }

    fn handle_alerts(&mut self) {
        let floor = self.store.table(Resource::Alerts).floor_index();
        for alert in floor.open_alerts().filter(|alert| *alert.station == *self.calendar.station) {
            let id = alert.id;
            let settled = alert.opened.is_some_and(|opened| opened < self.now);
            let (probability, alert_move) = match alert.is_acknowledged {
                true => (CLOSE_PROBABILITY, Move::CloseAlert { id }),
                false => (ACKNOWLEDGE_PROBABILITY, Move::AcknowledgeAlert { id }),
            };
            if settled && self.happens(probability) {
                let badge = EMPLOYEES.choose(&mut self.random).map(|(badge, _)| *badge);
                self.actions.push(OperatorAction { kind: ActionKind::Move(alert_move), badge });
            }
        }
        if self.happens(RAISE_PROBABILITY)
            && let Some((kind, note)) = ALERTS.choose(&mut self.random)
        {
            let (kind, note) = (Some((*kind).to_owned()), Some((*note).to_owned()));
            self.push_move(Move::RaiseAlert { station: self.calendar.station.clone(), kind, note });
        }
    }

    /// Returns true with this probability.
    fn happens(&mut self, probability: f64) -> bool {
        self.random.random::<f64>() < probability
    }

    fn push_move(&mut self, requested_move: Move) {
        self.push_action(ActionKind::Move(requested_move));
    }

    fn push_action(&mut self, kind: ActionKind) {
        self.actions.push(OperatorAction { kind, badge: None });
    }

    /// Records quantities of a running order, or ends it. If it ends and `is_only_order` is set, the next order may
    /// begin.
    fn advance_order(&mut self, row: &Members, is_only_order: bool) {
        let (code, operation) = get_order_key(row);
        if (self.is_refused)(&code, &operation) {
            return;
        }
        let (good, bad) = self.decide_quantities(row);
        let requested = get_quantity(row, "requestedQuantity");
        let is_done = get_produced_quantities(row).0 + good >= requested;
        let zone = self.store.zone();
        let history = row.get("producedQuantityHistory").and_then(Value::as_array);
        let last = history.and_then(|history| parse_date_time(history.last()?["date"].as_str()?, zone));
        let last = last.max(parse_date_time(get_text(row, "beginReal"), zone)).unwrap_or(DateTime::MIN);
        if !is_done && self.now.duration_since(last) < RECORD_INTERVAL {
            if self.happens(PAUSE_PROBABILITY) {
                let reason = PAUSE_REASONS.choose(&mut self.random).map(|reason| (*reason).to_owned());
                self.push_move(Move::Pause { order: get_order_name(row), reason });
            }
            return;
        }
        if good + bad > 0.0 {
            self.push_move(Move::Track { order: get_order_name(row), good, bad });
            if self.happens(LOT_PROBABILITY) {
                self.consume_material(row);
            }
        }
        if is_done {
            self.push_move(Move::End { order: get_order_name(row) });
            if is_only_order && self.happens(BEGIN_PROBABILITY) {
                self.begin_next();
            }
        }
    }

    /// Returns the good and bad quantities since the last record. The good quantity is proportional to the elapsed
    /// share of the planned time.
    fn decide_quantities(&mut self, row: &Members) -> (f64, f64) {
        let (requested, (known, _)) = (get_quantity(row, "requestedQuantity"), get_produced_quantities(row));
        let time_member = |name: &str| parse_date_time(get_text(row, name), self.store.zone());
        let planned =
            time_member("beginPlanned").zip(time_member("endPlanned")).map(|(begin, end)| end.duration_since(begin));
        let planned = planned.filter(|planned| planned.is_positive()).unwrap_or(DEFAULT_DURATION).as_secs_f64();
        let share = order_times::running_seconds(row, self.now, self.store.zone()) / planned;
        let by_now = if share >= 1.0 {
            requested
        } else if requested.fract() == 0.0 {
            (requested * share).floor()
        } else {
            round_quantity((requested * share * 1000.0).floor() / 1000.0)
        };
        let good = round_quantity(by_now - known).max(0.0);
        let bad = if good > 0.0 && self.happens(BAD_PROBABILITY) {
            f64::from(self.random.random_range(1..=3_u8))
        } else {
            0.0
        };
        (good, bad)
    }

    /// Consumes part of a raw material of the order.
    fn consume_material(&mut self, row: &Members) {
        let parts = row.get("rawMaterials").and_then(Value::as_array).cloned().unwrap_or_default();
        let Some(part) = parts.choose(&mut self.random).and_then(Value::as_object) else { return };
        let (needed, consumed) = (get_quantity(part, "quantity"), get_quantity(part, "quantityConsumed"));
        let share = self.random.random_range(0.15..0.5);
        let is_in_pieces = get_text(part, "uoM") == "pcs";
        let used = if is_in_pieces { (needed * share).ceil() } else { (needed * share * 1000.0).ceil() / 1000.0 };
        let quantity = round_quantity(used.min(needed - consumed));
        if quantity > 0.0 {
            let serial_number = format!("LOT-{:06}", self.random.random_range(100_000..1_000_000));
            let material = get_text(part, "code").to_owned();
            self.push_move(Move::Consume { order: get_order_name(row), material, quantity, serial_number });
        }
    }
}

fn get_order_name(row: &Members) -> OrderName {
    let (code, operation) = get_order_key(row);
    OrderName { code, operation: Some(operation) }
}

fn get_order_key(row: &Members) -> (String, String) {
    (get_text(row, "code").to_owned(), get_text(row, "operationCode").to_owned())
}

fn get_quantity(row: &Members, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or_default()
}
