//! What one event changes of what is known of an order.
//!
//! Owns when an event comes too late to change anything. Which events move what, and which of their dates is the moment of
//! the move, is the contract's (`x-takt-floor`).

use jiff::{SignedDuration, Timestamp};
use takt_contract::{FloorMoment, FloorMove, FloorTurn, wire::OrderEventData};
use takt_journal::inbox::{FloorOrder, FloorState, RawEvent, Reading};

/// A site's clock may be ahead of this computer's by this much. If it is ahead by more, durations count from the event's arrival.
pub(super) const MAX_CLOCK_LEAD: SignedDuration = SignedDuration::from_mins(2);

/// Dates of one event, as moments.
pub(super) struct Dates {
    pub(super) begun: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
    pub(super) recorded: Option<Timestamp>,
}

impl Dates {
    /// When what the event tells of happened; none where it has no time of its own.
    pub(super) fn at(&self, moves: Option<&FloorMove>) -> Option<Timestamp> {
        match moves?.at? {
            FloorMoment::Begun => self.begun,
            FloorMoment::Ended => self.ended,
        }
    }
}

/// An order of which nothing was known.
pub(super) fn first(raw: &RawEvent, told: &OrderEventData) -> FloorOrder {
    FloorOrder {
        site: raw.site.clone(),
        code: told.code.clone(),
        operation: told.operation.clone(),
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

/// Whether an event tells of a moment before the newest that is known: of an earlier run, of one that has ended since, or of
/// the begin itself where something that moved it after is known already. What has no date is as new as its arrival.
pub(super) fn is_late(known: &FloorOrder, dates: &Dates, at: Option<Timestamp>) -> bool {
    let (Some(begun), Some(known_begun)) = (dates.begun, known.begun) else { return false };
    let (told, newest) = ((begun, dates.ended), (known_begun, known.ended));
    told < newest || (told == newest && at.is_some() && !known.exact)
}

/// What an event says of an order beside its state.
pub(super) fn update_order(order: &mut FloorOrder, reading: &Reading, told: &OrderEventData, dates: &Dates) {
    fn put(place: &mut Option<String>, text: Option<&String>) {
        if let Some(text) = text {
            *place = Some(text.clone());
        }
    }
    put(&mut order.station, reading.station.as_ref());
    put(&mut order.station_name, reading.station_name.as_ref());
    put(&mut order.employee, reading.employee.as_ref());
    put(&mut order.person, reading.person.as_ref());
    put(&mut order.material, told.material.as_ref());
    order.status.clone_from(&told.status);
    order.reason.clone_from(&told.reason);
    order.requested = told.requested.or(order.requested);
    let is_of_this_run = dates.begun.is_some() && dates.begun == order.begun;
    if !is_of_this_run || dates.recorded >= order.recorded {
        order.good = told.good.or(order.good);
        order.bad = told.bad.or(order.bad);
        order.recorded = dates.recorded;
    }
}

/// Brings the order where the event says, or, where that moves nothing, where its dates say.
pub(super) fn turn(
    order: &mut FloorOrder,
    raw: &RawEvent,
    moves: Option<&FloorMove>,
    dates: &Dates,
    at: Option<Timestamp>,
) {
    let is_another_run = dates.begun.is_some() && dates.begun != order.begun;
    let moved = moves.and_then(|moves| goes_to(order, moves, dates));
    // What moves nothing says nothing of when the run was moved: its begin may still come.
    order.exact = match (dates.begun, moved) {
        (None, _) => true,
        (Some(_), Some(_)) => at.is_some(),
        (Some(_), None) => order.exact || is_another_run,
    };
    // Where nothing is begun any more, the next run may begin at the very moment at which this one did.
    order.begun = dates.begun.or(order.begun);
    order.ended = dates.ended.filter(|_| dates.begun.is_some());
    let dated = dated(order, dates, is_another_run);
    let Some((state, since)) = moved.map(|state| (state, at)).or(dated) else { return };
    // What has no time of its own is a move even to where the order was: the one between didn't come.
    let is_repeated = moved.is_some() && at.is_none();
    if order.state != state || is_another_run || is_repeated {
        order.state = state;
        order.since = since.filter(|at| *at <= raw.received + MAX_CLOCK_LEAD).unwrap_or(raw.received);
        order.event = raw.id;
    }
}

/// Where an event of that kind brings the order; none where it moves nothing, or not from where the order is.
fn goes_to(order: &FloorOrder, moves: &FloorMove, dates: &Dates) -> Option<FloorState> {
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

/// Where an event's dates say otherwise than what is known, and since when: the event that moved it there didn't come, or not
/// yet. Begun is what is seen then: whether it runs isn't known.
fn dated(order: &FloorOrder, dates: &Dates, is_another_run: bool) -> Option<(FloorState, Option<Timestamp>)> {
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
