//! From what events say to what is known of the floor: one event after the other, in the order in which they came.
//!
//! What wasn't believed, was replayed, or can't be understood moves nothing. Leaves to `turn` what an event changes of an order.

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

use super::turn::{Dates, MAX_CLOCK_LEAD, first, is_late, turn, update_order};
use takt_core::site_time::{site_date_time, site_moment};

/// A site's time zone by its name.
pub(in crate::inbox) type Zones = Arc<dyn Fn(&str) -> TimeZone + Send + Sync>;

/// What names an order's operation at a site.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OrderKey {
    site: String,
    order: String,
    operation: String,
}

/// What is known of the floor while some events are looked at.
pub(in crate::inbox) struct Fold<'a> {
    contract: &'a Contract,
    inbox: &'a Inbox,
    zones: &'a Zones,
    /// What stands for a date that isn't reached.
    unset: Option<DateTime>,
    /// True where nothing that is kept counts.
    anew: bool,
    known: BTreeMap<String, TimeZone>,
    orders: BTreeMap<OrderKey, FloorOrder>,
    alerts: BTreeMap<(String, i64), FloorAlert>,
    stations: BTreeMap<(String, String), FloorStation>,
    late: BTreeSet<i64>,
}

impl<'a> Fold<'a> {
    /// `after` is the last event that the floor holds; 0 where it is made anew.
    pub(in crate::inbox) fn new(contract: &'a Contract, inbox: &'a Inbox, zones: &'a Zones, after: i64) -> Self {
        let unset =
            contract.assumption("event-date-unset").and_then(|value| site_date_time(value.as_str()?, &TimeZone::UTC));
        Self {
            contract,
            inbox,
            zones,
            unset,
            anew: after == 0,
            known: BTreeMap::new(),
            orders: BTreeMap::new(),
            alerts: BTreeMap::new(),
            stations: BTreeMap::new(),
            late: BTreeSet::new(),
        }
    }

    /// Looks at the next event.
    pub(in crate::inbox) fn see(
        &mut self,
        raw: &RawEvent,
        reading: &Reading,
        told: &FloorEventData,
    ) -> Result<(), JournalError> {
        let understood = matches!(reading.state, EventState::Sound | EventState::Odd);
        if raw.replay || !understood || !matches!(raw.signed, SignatureState::Unchecked | SignatureState::Valid) {
            return Ok(());
        }
        self.station(raw, reading);
        let contract = self.contract;
        let kind = contract.events().iter().find(|kind| reading.kind == Some(i64::from(kind.id)));
        let moves = kind.and_then(|kind| kind.floor.as_ref());
        if moves.is_some_and(|moves| moves.moves == FloorTurn::Alert)
            && let Some(alert) = &told.alert
        {
            self.alert(raw, reading, alert)?;
        }
        told.orders.iter().try_for_each(|order| self.order(raw, reading, moves, order))
    }

    /// A name that was told once stands where a later event tells none.
    fn station(&mut self, raw: &RawEvent, reading: &Reading) {
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

    /// What all of them together changed.
    pub(in crate::inbox) fn change(self, after: i64, event: i64) -> FloorChange {
        FloorChange {
            after,
            event,
            orders: self.orders.into_values().collect(),
            alerts: self.alerts.into_values().collect(),
            stations: self.stations.into_values().collect(),
            late: self.late.into_iter().collect(),
        }
    }

    fn order(
        &mut self,
        raw: &RawEvent,
        reading: &Reading,
        moves: Option<&FloorMove>,
        told: &OrderEventData,
    ) -> Result<(), JournalError> {
        let key = OrderKey { site: raw.site.clone(), order: told.code.clone(), operation: told.operation.clone() };
        let held = match self.orders.remove(&key) {
            Some(order) => Some(order),
            None if self.anew => None,
            None => self.inbox.floor().order(&key.site, &key.order, &key.operation)?,
        };
        let mut order = held.unwrap_or_else(|| first(raw, told));
        let dates = Dates {
            begun: self.moment(&raw.site, told.begun.as_deref()),
            ended: self.moment(&raw.site, told.ended.as_deref()),
            recorded: self.moment(&raw.site, told.recorded.as_deref()),
        };
        let at = dates.at(moves);
        order.last = raw.id;
        order.last_at = raw.received;
        if is_late(&order, &dates, at) {
            order.late += 1;
            self.late.insert(raw.id);
        } else {
            update_order(&mut order, reading, told, &dates);
            turn(&mut order, raw, moves, &dates, at);
        }
        self.orders.insert(key, order);
        Ok(())
    }

    fn alert(&mut self, raw: &RawEvent, reading: &Reading, told: &AlertEventData) -> Result<(), JournalError> {
        let key = (raw.site.clone(), told.id);
        let held = match self.alerts.remove(&key) {
            Some(alert) => Some(alert),
            None if self.anew => None,
            None => self.inbox.floor().alert(&key.0, key.1)?,
        };
        let opened = self.moment(&raw.site, told.opened.as_deref());
        let acknowledged = self.moment(&raw.site, told.acknowledged.as_deref());
        let closed = self.moment(&raw.site, told.closed.as_deref());
        let alert = FloorAlert {
            site: raw.site.clone(),
            alert: told.id,
            station: reading.station.clone(),
            station_name: reading.station_name.clone(),
            employee: reading.employee.clone(),
            kind: told.kind.clone(),
            note: told.note.clone(),
            opened: opened.filter(|opened| *opened <= raw.received + MAX_CLOCK_LEAD).unwrap_or(raw.received),
            acknowledged,
            closed,
            newest: opened.max(acknowledged).max(closed).unwrap_or(raw.received),
            event: raw.id,
        };
        // An alert only goes on: opened, acknowledged, closed.
        let steps = |alert: &FloorAlert| (alert.newest, alert.closed.is_some(), alert.acknowledged.is_some());
        let alert = match held {
            Some(held) if steps(&alert) < steps(&held) => {
                self.late.insert(raw.id);
                held
            }
            Some(held) => FloorAlert { opened: held.opened, ..alert },
            None => alert,
        };
        self.alerts.insert(key, alert);
        Ok(())
    }

    /// A date as a moment, by the site's clocks where it has no offset. None where it isn't reached, or is no date.
    fn moment(&mut self, site: &str, text: Option<&str>) -> Option<Timestamp> {
        let text = text?;
        let zones = self.zones;
        let zone = self.known.entry(site.to_owned()).or_insert_with(|| zones(site));
        if site_date_time(text, &TimeZone::UTC) == self.unset {
            return None;
        }
        site_moment(text, zone)
    }
}
