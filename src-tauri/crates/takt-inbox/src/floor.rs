//! The orders on the floor, updated from each batch of readings by the contract.
//!
//! [`FloorBatch`] applies events in order of arrival. It ignores replays, unknown or malformed events, and events with
//! an invalid signature. Events that are too late change nothing. The contract's `x-takt-floor`
//! defines which kinds move an order, and which of their dates is the time of the move.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};
use std::sync::Arc;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use takt_contract::wire::{AlertEventData, FloorEventData, OrderEventData};
use takt_contract::{Contract, EventOutcome, FloorDate, FloorEffect};
use takt_core::Problem;
use takt_core::site_time::{parse_site_date_time, parse_site_timestamp};
use takt_journal::Inbox;
use takt_journal::inbox::{
    EventState, FloorAlert, FloorChange, FloorOrder, FloorState, FloorStation, RawEvent, Reading, SignatureState,
};

/// A function that returns a site's time zone.
pub(crate) type TimeZoneSource = Arc<dyn Fn(&str) -> Result<TimeZone, Problem> + Send + Sync>;

/// The key of an order's operation at a site.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderKey {
    site: String,
    order: String,
    operation: String,
}

/// The state of the floor while a batch of events is applied.
pub(crate) struct FloorBatch<'a> {
    contract: &'a Contract,
    inbox: &'a Inbox,
    zones: &'a TimeZoneSource,
    /// The date that means "not reached".
    unset: Option<DateTime>,
    /// True if no stored state is used because the floor is rebuilt.
    is_rebuilt: bool,
    site_zones: BTreeMap<String, TimeZone>,
    orders: BTreeMap<OrderKey, FloorOrder>,
    alerts: BTreeMap<(String, i64), FloorAlert>,
    stations: BTreeMap<(String, String), FloorStation>,
    late_events: BTreeSet<i64>,
}

impl<'a> FloorBatch<'a> {
    /// Creates a batch. `after` is the last event that the floor contains, or 0 to rebuild it.
    pub(crate) fn new(contract: &'a Contract, inbox: &'a Inbox, zones: &'a TimeZoneSource, after: i64) -> Self {
        let unset = contract
            .assumption("event-date-unset")
            .and_then(|value| parse_site_date_time(value.as_str()?, &TimeZone::UTC));
        Self {
            contract,
            inbox,
            zones,
            unset,
            is_rebuilt: after == 0,
            site_zones: BTreeMap::new(),
            orders: BTreeMap::new(),
            alerts: BTreeMap::new(),
            stations: BTreeMap::new(),
            late_events: BTreeSet::new(),
        }
    }

    /// Applies the next event.
    pub(crate) fn apply(&mut self, raw: &RawEvent, reading: &Reading, data: &FloorEventData) -> Result<(), Problem> {
        let understood = matches!(reading.state, EventState::Sound | EventState::Odd);
        if raw.replay || !understood || !matches!(raw.signed, SignatureState::Unchecked | SignatureState::Valid) {
            return Ok(());
        }
        self.apply_station(raw, reading);
        let contract = self.contract;
        let kind = contract.events().iter().find(|kind| reading.kind == Some(i64::from(kind.id)));
        let moves = kind.and_then(|kind| kind.floor.as_ref());
        if moves.is_some_and(|moves| moves.moves == EventOutcome::Alert)
            && let Some(alert) = &data.alert
        {
            self.apply_alert(raw, reading, alert)?;
        }
        data.orders.iter().try_for_each(|order| self.apply_order(raw, reading, moves, order))
    }

    /// Updates the station. Its known name stays if the event has none.
    fn apply_station(&mut self, raw: &RawEvent, reading: &Reading) {
        let Some(code) = &reading.station else { return };
        let key = (raw.site.clone(), code.clone());
        let known = self.stations.remove(&key).and_then(|station| station.name);
        let station = FloorStation {
            site: raw.site.clone(),
            code: code.clone(),
            name: reading.station_name.clone().or(known),
            last: raw.id,
            last_at: raw.received,
        };
        self.stations.insert(key, station);
    }

    /// Returns the changes of all applied events.
    pub(crate) fn into_change(self, after: i64, event: i64) -> FloorChange {
        FloorChange {
            after,
            event,
            orders: self.orders.into_values().collect(),
            alerts: self.alerts.into_values().collect(),
            stations: self.stations.into_values().collect(),
            late: self.late_events.into_iter().collect(),
        }
    }

    fn apply_order(
        &mut self,
        raw: &RawEvent,
        reading: &Reading,
        moves: Option<&FloorEffect>,
        data: &OrderEventData,
    ) -> Result<(), Problem> {
        let key = OrderKey { site: raw.site.clone(), order: data.code.clone(), operation: data.operation.clone() };
        let stored = match self.orders.remove(&key) {
            Some(order) => Some(order),
            None if self.is_rebuilt => None,
            None => self.inbox.floor().order(&key.site, &key.order, &key.operation)?,
        };
        let mut order = stored.unwrap_or_else(|| new_order(raw, data));
        let dates = OrderDates {
            begun: self.timestamp(&raw.site, data.begun.as_deref())?,
            ended: self.timestamp(&raw.site, data.ended.as_deref())?,
            recorded: self.timestamp(&raw.site, data.recorded.as_deref())?,
        };
        let at = dates.move_time(moves);
        order.last = raw.id;
        order.last_at = raw.received;
        if is_late(&order, &dates, at) {
            order.late += 1;
            self.late_events.insert(raw.id);
        } else {
            update_order(&mut order, reading, data, &dates, moves);
            apply_move(&mut order, raw, moves, &dates, at);
        }
        self.orders.insert(key, order);
        Ok(())
    }

    fn apply_alert(&mut self, raw: &RawEvent, reading: &Reading, data: &AlertEventData) -> Result<(), Problem> {
        let key = (raw.site.clone(), data.id);
        let stored = match self.alerts.remove(&key) {
            Some(alert) => Some(alert),
            None if self.is_rebuilt => None,
            None => self.inbox.floor().alert(&key.0, key.1)?,
        };
        let opened = self.timestamp(&raw.site, data.opened.as_deref())?;
        let acknowledged = self.timestamp(&raw.site, data.acknowledged.as_deref())?;
        let closed = self.timestamp(&raw.site, data.closed.as_deref())?;
        let alert = FloorAlert {
            site: raw.site.clone(),
            alert: data.id,
            station: reading.station.clone(),
            station_name: reading.station_name.clone(),
            employee: reading.employee.clone(),
            kind: data.kind.clone(),
            note: data.note.clone(),
            opened: opened.filter(|opened| *opened <= raw.received + MAX_CLOCK_LEAD).unwrap_or(raw.received),
            acknowledged,
            closed,
            newest: opened.max(acknowledged).max(closed).unwrap_or(raw.received),
            event: raw.id,
        };
        // An alert only advances: opened, acknowledged, closed.
        let steps = |alert: &FloorAlert| (alert.newest, alert.closed.is_some(), alert.acknowledged.is_some());
        let alert = match stored {
            Some(stored) if steps(&alert) < steps(&stored) => {
                self.late_events.insert(raw.id);
                stored
            }
            Some(stored) => FloorAlert { opened: stored.opened, ..alert },
            None => alert,
        };
        self.alerts.insert(key, alert);
        Ok(())
    }

    /// Parses a date, in the site's time zone if it has no offset. Returns `None` if the date isn't reached or is
    /// invalid.
    fn timestamp(&mut self, site: &str, text: Option<&str>) -> Result<Option<Timestamp>, Problem> {
        let Some(text) = text else { return Ok(None) };
        let zone = match self.site_zones.entry(site.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert((self.zones)(site)?),
        };
        if parse_site_date_time(text, &TimeZone::UTC) == self.unset {
            return Ok(None);
        }
        Ok(parse_site_timestamp(text, zone))
    }
}

/// The maximum time by which a site's clock may be ahead of this computer's. If it is further ahead, the time of
/// arrival is used.
const MAX_CLOCK_LEAD: SignedDuration = SignedDuration::from_mins(2);

/// The dates of an event.
struct OrderDates {
    begun: Option<Timestamp>,
    ended: Option<Timestamp>,
    recorded: Option<Timestamp>,
}

impl OrderDates {
    /// Returns the time of the move, or `None` if its event has no date for it.
    fn move_time(&self, moves: Option<&FloorEffect>) -> Option<Timestamp> {
        match moves?.at? {
            FloorDate::Begun => self.begun,
            FloorDate::Ended => self.ended,
        }
    }
}

/// Returns an order whose state isn't known yet.
fn new_order(raw: &RawEvent, data: &OrderEventData) -> FloorOrder {
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
fn is_late(known: &FloorOrder, dates: &OrderDates, at: Option<Timestamp>) -> bool {
    let (Some(begun), Some(known_begun)) = (dates.begun, known.begun) else { return false };
    let (described, newest) = ((begun, dates.ended), (known_begun, known.ended));
    described < newest || (described == newest && at.is_some() && !known.exact)
}

/// Updates everything but the order's state.
fn update_order(
    order: &mut FloorOrder,
    reading: &Reading,
    data: &OrderEventData,
    dates: &OrderDates,
    moves: Option<&FloorEffect>,
) {
    fn set_if_present(field: &mut Option<String>, text: Option<&String>) {
        if let Some(text) = text {
            *field = Some(text.clone());
        }
    }
    set_if_present(&mut order.station, reading.station.as_ref());
    set_if_present(&mut order.station_name, reading.station_name.as_ref());
    // Who plans an order doesn't work at its station.
    if moves.is_none_or(|effect| effect.moves != EventOutcome::Planned) {
        set_if_present(&mut order.employee, reading.employee.as_ref());
        set_if_present(&mut order.person, reading.person.as_ref());
    }
    set_if_present(&mut order.material, data.material.as_ref());
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
fn apply_move(
    order: &mut FloorOrder,
    raw: &RawEvent,
    moves: Option<&FloorEffect>,
    dates: &OrderDates,
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
    // Without a begin in the event, the known begin stays. The end is cleared, so that a run with the same begin isn't
    // late.
    order.begun = dates.begun.or(order.begun);
    order.ended = dates.ended.filter(|_| dates.begun.is_some());
    let implied = state_by_dates(order, dates, is_another_run);
    let Some((state, since)) = moved.map(|state| (state, at)).or(implied) else { return };
    // A move without a date is a new move even to the same state, because the event of the move in between is missing.
    let is_repeated = moved.is_some() && at.is_none();
    if order.state != state || is_another_run || is_repeated {
        order.state = state;
        order.since = since.filter(|at| *at <= raw.received + MAX_CLOCK_LEAD).unwrap_or(raw.received);
        order.event = raw.id;
    }
}

/// Returns the state after an event of this kind. Returns `None` if the event doesn't move the order from its state.
fn state_after(order: &FloorOrder, moves: &FloorEffect, dates: &OrderDates) -> Option<FloorState> {
    let state = floor_state(moves.moves)?;
    let from = match order.state {
        FloorState::Seen => dates.begun.is_none().then_some(EventOutcome::Planned),
        FloorState::Planned => Some(EventOutcome::Planned),
        FloorState::Running => Some(EventOutcome::Running),
        FloorState::Paused => Some(EventOutcome::Paused),
        FloorState::Ended => Some(EventOutcome::Ended),
    };
    let fits = moves.from.is_empty() || from.is_some_and(|from| moves.from.contains(&from));
    fits.then_some(state)
}

/// Returns the state that an event's dates imply, and the time of its begin, if it differs from the known state. The
/// event of that move is missing or late. A run that has begun is [`FloorState::Seen`] because its dates don't show
/// whether it is running.
fn state_by_dates(
    order: &FloorOrder,
    dates: &OrderDates,
    is_another_run: bool,
) -> Option<(FloorState, Option<Timestamp>)> {
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

fn floor_state(turn: EventOutcome) -> Option<FloorState> {
    Some(match turn {
        EventOutcome::Planned => FloorState::Planned,
        EventOutcome::Running => FloorState::Running,
        EventOutcome::Paused => FloorState::Paused,
        EventOutcome::Ended => FloorState::Ended,
        EventOutcome::Alert => return None,
    })
}
