//! What the window and the command line see of the floor.

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use takt_inbox::{
    answers::RulesFailing,
    events::{EventGap, short},
};
use takt_journal::inbox::{FloorAlert, FloorKnown, FloorOrder, FloorState};
use takt_sites::Site;

use super::service_floor::ServiceFloor;

/// The floor of a site, as the events have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Floor {
    pub site: String,
    /// The site's time zone, an IANA name.
    pub zone: String,
    /// When this was asked; ISO 8601 in UTC, as every time here.
    pub now: String,
    /// Those with an open alert first, then what runs, what is paused, what is idle, and of what nothing is known. A station
    /// without a code stands for orders whose events name none.
    pub stations: Vec<FloorStationView>,
    /// When the last event came; absent where none ever did.
    pub last: Option<String>,
    /// When the service itself was last asked for all of it; absent where it wasn't since Takt was started.
    pub asked: Option<String>,
    /// When the receiver was last seen alive.
    pub listening: Option<String>,
    /// The newest span of time in which nothing could come.
    pub gap: Option<EventGap>,
    /// Events that came and aren't counted here yet.
    pub behind: u32,
    /// What of the rules that answer events failed lately; absent where they answer.
    pub rules_failing: Option<RulesFailing>,
}

/// What a station does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum StationState {
    /// An alert is open, whatever runs beside.
    Alarm,
    Running,
    Paused,
    /// An order is begun there, and nothing told whether it runs or is paused.
    Begun,
    /// Nothing lies there: the service said so, and no event since says otherwise.
    Idle,
    /// No event tells of an order there, and the service wasn't asked: one may have begun before anybody listened.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FloorStationView {
    /// Empty for orders whose events name no station.
    pub code: String,
    pub name: Option<String>,
    pub state: StationState,
    /// Since the newest of what it does; absent where it is idle, or where only the service says so.
    pub since: Option<String>,
    pub orders: Vec<FloorOrderView>,
    pub alerts: Vec<FloorAlertView>,
    /// The last event that names it, and when that came; absent where none does.
    pub event: Option<i32>,
    pub last: Option<String>,
}

/// An operation of an order. Its texts are not trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FloorOrderView {
    pub code: String,
    /// Empty where events don't say.
    pub operation: String,
    pub state: FloorState,
    /// Absent where only the service says that it is in this state, and not since when.
    pub since: Option<String>,
    pub station: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub material: Option<String>,
    /// The service's words for its state, and what it says beside.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
    /// The event that brought it into this state; absent where only the service says so.
    pub event: Option<i32>,
    /// Events of it that came too late to change it.
    pub late: u32,
}

/// An alert that is open. Its note is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FloorAlertView {
    pub kind: Option<String>,
    pub note: Option<String>,
    pub employee: Option<String>,
    pub opened: String,
    pub acknowledged: Option<String>,
    pub event: i32,
}

/// What is known of a site's floor. `orders` are what lies on its stations, as events and service have it.
pub(super) fn floor(
    site: &Site,
    orders: Vec<FloorOrderView>,
    known: FloorKnown,
    said: Option<&ServiceFloor>,
    now: Timestamp,
) -> Floor {
    let FloorKnown { alerts, stations, .. } = known;
    let last = stations.iter().map(|station| station.last_at).max();
    let mut found: BTreeMap<String, FloorStationView> = BTreeMap::new();
    for station in said.iter().flat_map(|said| &said.stations) {
        found.insert(
            station.code.clone(),
            FloorStationView { name: station.name.clone(), ..bare(station.code.clone()) },
        );
    }
    for station in stations {
        let name = station.name.or_else(|| found.remove(&station.code)?.name);
        let (event, last) = (Some(short(station.last)), Some(station.last_at.to_string()));
        found.insert(station.code.clone(), FloorStationView { name, event, last, ..bare(station.code) });
    }
    for order in orders {
        let code = order.station.clone().unwrap_or_default();
        found.entry(code.clone()).or_insert_with(|| bare(code)).orders.push(order);
    }
    for alert in alerts {
        let code = alert.station.clone().unwrap_or_default();
        found.entry(code.clone()).or_insert_with(|| bare(code)).alerts.push(self::alert(alert));
    }
    let free = if said.is_some() { StationState::Idle } else { StationState::Unknown };
    let settled = |station| settled(station, free);
    let mut stations: Vec<_> = found.into_values().map(settled).collect();
    stations.sort_by(|one, other| (one.state, &one.code).cmp(&(other.state, &other.code)));
    Floor {
        site: site.name.clone(),
        zone: TimeZone::get(&site.time_zone).map_or_else(|_| "UTC".to_owned(), |_| site.time_zone.clone()),
        now: now.to_string(),
        stations,
        last: last.map(|last| last.to_string()),
        asked: said.map(|said| said.at.to_string()),
        listening: None,
        gap: None,
        behind: 0,
        rules_failing: None,
    }
}

pub(super) fn order(order: FloorOrder) -> FloorOrderView {
    FloorOrderView {
        code: order.code,
        operation: order.operation,
        state: order.state,
        since: Some(order.since.to_string()),
        station: order.station,
        employee: order.employee,
        person: order.person,
        material: order.material,
        status: order.status,
        reason: order.reason,
        requested: order.requested,
        good: order.good,
        bad: order.bad,
        event: Some(short(order.event)),
        late: order.late,
    }
}

fn alert(alert: FloorAlert) -> FloorAlertView {
    FloorAlertView {
        kind: alert.kind,
        note: alert.note,
        employee: alert.employee,
        opened: alert.opened.to_string(),
        acknowledged: alert.acknowledged.map(|at| at.to_string()),
        event: short(alert.event),
    }
}

fn bare(code: String) -> FloorStationView {
    FloorStationView {
        code,
        name: None,
        state: StationState::Unknown,
        since: None,
        orders: Vec::new(),
        alerts: Vec::new(),
        event: None,
        last: None,
    }
}

/// What the station does follows from what lies on it: what runs comes first. `free` is what it is with nothing on it.
fn settled(mut station: FloorStationView, free: StationState) -> FloorStationView {
    let rank = |order: &FloorOrderView| match order.state {
        FloorState::Running => StationState::Running,
        FloorState::Paused => StationState::Paused,
        _ => StationState::Begun,
    };
    station.orders.sort_by_key(&rank);
    let first = station.orders.first();
    station.state = match (station.alerts.first(), first) {
        (Some(_), _) => StationState::Alarm,
        (None, Some(order)) => rank(order),
        (None, None) => free,
    };
    station.since = match station.alerts.first() {
        Some(alert) => Some(alert.opened.clone()),
        None => first.and_then(|order| order.since.clone()),
    };
    station
}
