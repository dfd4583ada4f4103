//! Applies one event to the known state of an order.
//!
//! Also decides which events are too late to change anything. The contract's `x-takt-floor` defines which kinds move an
//! order, and which of their dates is the time of the move.

use jiff::{SignedDuration, Timestamp};
use takt_contract::{FloorMoment, FloorMove, FloorTurn, wire::OrderEventData};
use takt_journal::inbox::{FloorOrder, FloorState, RawEvent, Reading};

/// The most that a site's clock may be ahead of this computer's. Beyond it, durations count from the event's arrival.
pub(super) const MAX_CLOCK_LEAD: SignedDuration = SignedDuration::from_mins(2);

/// The dates of an event.
pub(super) struct Dates {
    pub(super) begun: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    pub(super) recorded: Option<Timestamp>,
}

impl Dates {
    /// Returns the time of the move, or `None` if its event has no date for it.
    pub(super) fn at(&self, moves: Option<&FloorMove>) -> Option<Timestamp> {
        match moves?.at? {
            FloorMoment::Begun => self.begun,
            FloorMoment::Ended => self.ended,
        }
    }
}

/// Returns a new order.
pub(super) fn new_order(raw: &RawEvent, data: &OrderEventData) -> FloorOrder {
    FloorOrder {
        site: raw.site.clone(),
        code: data.code.clone(),
        operation: data.operation.clone(),
        state: FloorState::Seen,
        since: raw.received,
        station: None,
        station_name: None,
        employee: None,
        person: None,
        material: None,
        status: None,
        reason: None,
        requested: None,
        good: None,
        bad: None,
        begun: None,
        ended: None,
        exact: true,
        recorded: None,
        event: raw.id,
        last: raw.id,
        last_at: raw.received,
        late: 0,
    }
}

/// Returns whether an event describes an earlier time than the newest known one. That is an earlier run, a run that has
/// ended since, or the begin of a run that was moved since. An event without a date is never late.
pub(super) fn is_late(known: &FloorOrder, dates: &Dates, at: Option<Timestamp>) -> bool {
    let (Some(begun), Some(known_begun)) = (dates.begun, known.begun) else { return false };
    let (described, newest) = ((begun, dates.ended), (known_begun, known.ended));
    described < newest || (described == newest && at.is_some() && !known.exact)
}

/// Updates everything but the order's state.
pub(super) fn update_order(order: &mut FloorOrder, reading: &Reading, data: &OrderEventData, dates: &Dates) {
    fn put(field: &mut Option<String>, text: Option<&String>) {
        if let Some(text) = text {
            *field = Some(text.clone());
        }
    }
    put(&mut order.station, reading.station.as_ref());
    put(&mut order.station_name, reading.station_name.as_ref());
    put(&mut order.employee, reading.employee.as_ref());
    put(&mut order.person, reading.person.as_ref());
    put(&mut order.material, data.material.as_ref());
    order.status.clone_from(&data.status);
    order.reason.clone_from(&data.reason);
    order.requested = data.requested.or(order.requested);
    let is_of_this_run = dates.begun.is_some() && dates.begun == order.begun;
    if !is_of_this_run || dates.recorded >= order.recorded {
        order.good = data.good.or(order.good);
        order.bad = data.bad.or(order.bad);
        order.recorded = dates.recorded;
    }
}

/// Moves the order to the state of the event, or, if the event doesn't move it, to the state that its dates imply.
pub(super) fn apply_move(
    order: &mut FloorOrder,
    raw: &RawEvent,
    moves: Option<&FloorMove>,
    dates: &Dates,
    at: Option<Timestamp>,
) {
    let is_another_run = dates.begun.is_some() && dates.begun != order.begun;
    let moved = moves.and_then(|moves| state_after(order, moves, dates));
    // If the event doesn't move the order, its dates don't prove the begin of the run. The event for that begin may
    // still arrive.
    order.exact = match (dates.begun, moved) {
        (None, _) => true,
        (Some(_), Some(_)) => at.is_some(),
        (Some(_), None) => order.exact || is_another_run,
    };
    // Without a begin the known one stays, and the end is cleared so that a run with the same begin isn't late.
    order.begun = dates.begun.or(order.begun);
    order.ended = dates.ended.filter(|_| dates.begun.is_some());
    let implied = state_by_dates(order, dates, is_another_run);
    let Some((state, since)) = moved.map(|state| (state, at)).or(implied) else { return };
    // The event of the move in between is missing. So a move without a date counts as a new one, even if the state is
    // the same.
    let is_repeated = moved.is_some() && at.is_none();
    if order.state != state || is_another_run || is_repeated {
        order.state = state;
        order.since = since.filter(|at| *at <= raw.received + MAX_CLOCK_LEAD).unwrap_or(raw.received);
        order.event = raw.id;
    }
}

/// Returns the state after an event of this kind. Returns `None` if the event doesn't move the order from its state.
fn state_after(order: &FloorOrder, moves: &FloorMove, dates: &Dates) -> Option<FloorState> {
    let state = state_of(moves.moves)?;
    let from = match order.state {
        FloorState::Seen => dates.begun.is_none().then_some(FloorTurn::Planned),
        FloorState::Planned => Some(FloorTurn::Planned),
        FloorState::Running => Some(FloorTurn::Running),
        FloorState::Paused => Some(FloorTurn::Paused),
        FloorState::Ended => Some(FloorTurn::Ended),
    };
    let fits = moves.from.is_empty() || from.is_some_and(|from| moves.from.contains(&from));
    fits.then_some(state)
}

/// Returns the state that an event's dates imply, and since when, if it differs from the known state. The event of that
/// move is missing or late. A run that has begun is [`FloorState::Seen`] because its dates don't show whether it is
/// running.
fn state_by_dates(order: &FloorOrder, dates: &Dates, is_another_run: bool) -> Option<(FloorState, Option<Timestamp>)> {
    dates.begun?;
    match (order.state, dates.ended) {
        (FloorState::Running | FloorState::Paused | FloorState::Planned, Some(_)) => {
            Some((FloorState::Ended, dates.ended))
        }
        (FloorState::Planned | FloorState::Ended, None) => Some((FloorState::Seen, dates.begun)),
        (FloorState::Seen, None) if is_another_run => Some((FloorState::Seen, dates.begun)),
        _ => None,
    }
}

fn state_of(turn: FloorTurn) -> Option<FloorState> {
    Some(match turn {
        FloorTurn::Planned => FloorState::Planned,
        FloorTurn::Running => FloorState::Running,
        FloorTurn::Paused => FloorState::Paused,
        FloorTurn::Ended => FloorState::Ended,
        FloorTurn::Alert => return None,
    })
}
