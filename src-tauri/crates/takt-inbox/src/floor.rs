//! The orders on the floor, updated from each batch of readings by the contract.
//!
//! [`Fold`] applies events in order of arrival. It ignores replays, unknown or malformed events, and events with an
//! invalid signature. `turn` decides how an event changes an order.

mod turn;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use takt_contract::{
    Contract, FloorMove, FloorTurn,
    wire::{AlertEventData, FloorEventData, OrderEventData},
};
use takt_journal::{
    Inbox, JournalError,
    inbox::{EventState, FloorAlert, FloorChange, FloorOrder, FloorStation, RawEvent, Reading, SignatureState},
};

use self::turn::{Dates, MAX_CLOCK_LEAD, apply_move, is_late, new_order, update_order};
use takt_core::site_time::{site_date_time, site_moment};

/// A function that returns a site's time zone.
pub(crate) type Zones = Arc<dyn Fn(&str) -> TimeZone + Send + Sync>;

/// The key of an order's operation at a site.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderKey {
    site: String,
    order: String,
    operation: String,
}

/// The state of the floor while a batch of events is applied.
pub(crate) struct Fold<'a> {
    contract: &'a Contract,
    inbox: &'a Inbox,
    zones: &'a Zones,
    /// The date that means "not reached".
    unset: Option<DateTime>,
    /// True if no stored state is used because the floor is rebuilt.
    is_rebuilt: bool,
    site_zones: BTreeMap<String, TimeZone>,
    orders: BTreeMap<OrderKey, FloorOrder>,
    alerts: BTreeMap<(String, i64), FloorAlert>,
    stations: BTreeMap<(String, String), FloorStation>,
    late: BTreeSet<i64>,
}

impl<'a> Fold<'a> {
    /// Creates a fold. `after` is the last event that the floor contains, or 0 to rebuild it.
    pub(crate) fn new(contract: &'a Contract, inbox: &'a Inbox, zones: &'a Zones, after: i64) -> Self {
        let unset =
            contract.assumption("event-date-unset").and_then(|value| site_date_time(value.as_str()?, &TimeZone::UTC));
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
            late: BTreeSet::new(),
        }
    }

    /// Applies the next event.
    pub(crate) fn apply(
        &mut self,
        raw: &RawEvent,
        reading: &Reading,
        data: &FloorEventData,
    ) -> Result<(), JournalError> {
        let understood = matches!(reading.state, EventState::Sound | EventState::Odd);
        if raw.replay || !understood || !matches!(raw.signed, SignatureState::Unchecked | SignatureState::Valid) {
            return Ok(());
        }
        self.apply_station(raw, reading);
        let contract = self.contract;
        let kind = contract.events().iter().find(|kind| reading.kind == Some(i64::from(kind.id)));
        let moves = kind.and_then(|kind| kind.floor.as_ref());
        if moves.is_some_and(|moves| moves.moves == FloorTurn::Alert)
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
    pub(crate) fn change(self, after: i64, event: i64) -> FloorChange {
        FloorChange {
            after,
            event,
            orders: self.orders.into_values().collect(),
            alerts: self.alerts.into_values().collect(),
            stations: self.stations.into_values().collect(),
            late: self.late.into_iter().collect(),
        }
    }

    fn apply_order(
        &mut self,
        raw: &RawEvent,
        reading: &Reading,
        moves: Option<&FloorMove>,
        data: &OrderEventData,
    ) -> Result<(), JournalError> {
        let key = OrderKey { site: raw.site.clone(), order: data.code.clone(), operation: data.operation.clone() };
        let stored = match self.orders.remove(&key) {
            Some(order) => Some(order),
            None if self.is_rebuilt => None,
            None => self.inbox.floor().order(&key.site, &key.order, &key.operation)?,
        };
        let mut order = stored.unwrap_or_else(|| new_order(raw, data));
        let dates = Dates {
            begun: self.timestamp(&raw.site, data.begun.as_deref()),
            ended: self.timestamp(&raw.site, data.ended.as_deref()),
            recorded: self.timestamp(&raw.site, data.recorded.as_deref()),
        };
        let at = dates.at(moves);
        order.last = raw.id;
        order.last_at = raw.received;
        if is_late(&order, &dates, at) {
            order.late += 1;
            self.late.insert(raw.id);
        } else {
            update_order(&mut order, reading, data, &dates);
            apply_move(&mut order, raw, moves, &dates, at);
        }
        self.orders.insert(key, order);
        Ok(())
    }

    fn apply_alert(&mut self, raw: &RawEvent, reading: &Reading, data: &AlertEventData) -> Result<(), JournalError> {
        let key = (raw.site.clone(), data.id);
        let stored = match self.alerts.remove(&key) {
            Some(alert) => Some(alert),
            None if self.is_rebuilt => None,
            None => self.inbox.floor().alert(&key.0, key.1)?,
        };
        let opened = self.timestamp(&raw.site, data.opened.as_deref());
        let acknowledged = self.timestamp(&raw.site, data.acknowledged.as_deref());
        let closed = self.timestamp(&raw.site, data.closed.as_deref());
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
                self.late.insert(raw.id);
                stored
            }
            Some(stored) => FloorAlert { opened: stored.opened, ..alert },
            None => alert,
        };
        self.alerts.insert(key, alert);
        Ok(())
    }

    /// Parses a date, in the site's time zone if it has no offset. Returns `None` if it isn't reached or invalid.
    fn timestamp(&mut self, site: &str, text: Option<&str>) -> Option<Timestamp> {
        let text = text?;
        let zones = self.zones;
        let zone = self.site_zones.entry(site.to_owned()).or_insert_with(|| zones(site));
        if site_date_time(text, &TimeZone::UTC) == self.unset {
            return None;
        }
        site_moment(text, zone)
    }
}
