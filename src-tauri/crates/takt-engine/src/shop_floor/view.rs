//! The views of the shop floor for the window and the command line.

use std::collections::BTreeMap;

use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use takt_inbox::{
    answers::RulesFailing,
    events::{EventGap, short_id},
};
use takt_journal::inbox::{FloorAlert, FloorOrder, FloorState, FloorStation};
use takt_sites::Site;

/// The stations of a site with their states, and the health of event reception.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct Floor {
    pub site: String,
    /// The site's time zone, an IANA name.
    pub zone: String,
    /// The time of the request. Like every time here, in ISO 8601 and UTC.
    pub now: String,
    /// Stations with an open alert first, then running, paused, begun, idle and unknown ones. A station without a code
    /// collects orders whose events name no station.
    pub stations: Vec<FloorStationView>,
    /// The time of the last event. `None` if there never was one.
    pub last: Option<String>,
    /// The time of the last read from the service. `None` if there was none since Takt was started.
    pub asked: Option<String>,
    /// True if the alerts include those of the service. Otherwise they come from events only.
    pub alerts_read: bool,
    /// The number of orders whose planned end has passed and that haven't ended, by the last read from the service.
    /// `None` if there was no read.
    pub late_orders: Option<u32>,
    /// The orders that are late the longest, by the last read from the service. At most 10.
    pub longest_late: Vec<LateOrder>,
    /// The last time at which the receiver was running.
    pub listening: Option<String>,
    /// The latest period in which no events could be received.
    pub gap: Option<EventGap>,
    /// The number of received events that aren't evaluated yet.
    pub behind: u32,
    /// The recent failures of answer rules. `None` if they work.
    pub rules_failing: Option<RulesFailing>,
}

/// An order whose planned end has passed and that hasn't ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct LateOrder {
    pub code: String,
    /// Empty if the service doesn't tell operations apart.
    pub operation: String,
    pub planned_end: String,
}

/// The most important state of a station, by its alerts and orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum StationState {
    /// An alert is open, even if an order runs.
    Alarm,
    Running,
    Paused,
    /// An order was begun at the station, but it is unknown whether the order runs or is paused.
    Begun,
    /// The service reported no order at the station, and no later event contradicts it.
    Idle,
    /// No event reported an order, and the service wasn't read. An order may have begun before the receiver ran.
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
    /// The begin of the station's current state. `None` if it is idle, or if only the service reported the state.
    pub since: Option<String>,
    pub orders: Vec<FloorOrderView>,
    pub alerts: Vec<FloorAlertView>,
    /// The last event that names the station, and the time of its receipt. `None` without such an event.
    pub event: Option<i32>,
    pub last: Option<String>,
}

/// A work station of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FloorStationName {
    pub(super) code: String,
    pub(super) name: Option<String>,
}

/// An operation of an order. Its texts aren't trusted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FloorOrderView {
    pub code: String,
    /// Empty if events don't contain it.
    pub operation: String,
    pub state: FloorState,
    /// `None` if only the service reported the state.
    pub since: Option<String>,
    pub station: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub material: Option<String>,
    /// The status as the service names it, and its reason.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
    /// The event that caused this state. `None` if only the service reported it.
    pub event: Option<i32>,
    /// The number of events that came too late to change the state.
    pub late: u32,
}

/// An open alert. Its note isn't trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FloorAlertView {
    pub kind: Option<String>,
    pub note: Option<String>,
    pub employee: Option<String>,
    pub opened: String,
    pub acknowledged: Option<String>,
    /// The event that reported the alert. `None` if only the service reported it.
    pub event: Option<i32>,
}

/// An open alert with the code of its station.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StationAlert {
    pub(super) station: Option<String>,
    pub(super) view: FloorAlertView,
}

/// The parts of the service's last report that the floor shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServiceReport<'a> {
    pub(super) at: Timestamp,
    pub(super) stations: &'a [FloorStationName],
    pub(super) has_alerts: bool,
    pub(super) late_orders: u32,
    pub(super) longest_late: &'a [LateOrder],
}

/// Returns a site's floor. `orders` and `alerts` are those at its stations, by events and the service. `stations` are known
/// by events.
pub(super) fn build_floor(
    site: &Site,
    orders: Vec<FloorOrderView>,
    alerts: Vec<StationAlert>,
    stations: Vec<FloorStation>,
    service: Option<ServiceReport<'_>>,
    now: Timestamp,
) -> Floor {
    let last = stations.iter().map(|station| station.last_at).max();
    let mut by_code: BTreeMap<String, FloorStationView> = BTreeMap::new();
    for station in service.map(|report| report.stations).into_iter().flatten() {
        by_code.insert(
            station.code.clone(),
            FloorStationView { name: station.name.clone(), ..empty_station(station.code.clone()) },
        );
    }
    for station in stations {
        let name = station.name.or_else(|| by_code.remove(&station.code)?.name);
        let (event, last) = (Some(short_id(station.last)), Some(station.last_at.to_string()));
        by_code.insert(station.code.clone(), FloorStationView { name, event, last, ..empty_station(station.code) });
    }
    for order in orders {
        let code = order.station.clone().unwrap_or_default();
        by_code.entry(code.clone()).or_insert_with(|| empty_station(code)).orders.push(order);
    }
    for alert in alerts {
        let code = alert.station.unwrap_or_default();
        by_code.entry(code.clone()).or_insert_with(|| empty_station(code)).alerts.push(alert.view);
    }
    let state_without_orders = if service.is_some() { StationState::Idle } else { StationState::Unknown };
    let with_state = |station| set_state(station, state_without_orders);
    let mut stations: Vec<_> = by_code.into_values().map(with_state).collect();
    stations.sort_by(|one, other| (one.state, &one.code).cmp(&(other.state, &other.code)));
    Floor {
        site: site.name.clone(),
        zone: TimeZone::get(&site.time_zone).map_or_else(|_| "UTC".to_owned(), |_| site.time_zone.clone()),
        now: now.to_string(),
        stations,
        last: last.map(|last| last.to_string()),
        asked: service.map(|report| report.at.to_string()),
        alerts_read: service.is_some_and(|report| report.has_alerts),
        late_orders: service.map(|report| report.late_orders),
        longest_late: service.map(|report| report.longest_late.to_vec()).unwrap_or_default(),
        listening: None,
        gap: None,
        behind: 0,
        rules_failing: None,
    }
}

pub(super) fn order_view(order: FloorOrder) -> FloorOrderView {
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
        event: Some(short_id(order.event)),
        late: order.late,
    }
}

pub(super) fn station_alert(alert: FloorAlert) -> StationAlert {
    let view = FloorAlertView {
        kind: alert.kind,
        note: alert.note,
        employee: alert.employee,
        opened: alert.opened.to_string(),
        acknowledged: alert.acknowledged.map(|at| at.to_string()),
        event: Some(short_id(alert.event)),
    };
    StationAlert { station: alert.station, view }
}

fn empty_station(code: String) -> FloorStationView {
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

/// Sets the station's state by its alerts and orders, and sorts both.
fn set_state(mut station: FloorStationView, state_without_orders: StationState) -> FloorStationView {
    let rank = |order: &FloorOrderView| match order.state {
        FloorState::Running => StationState::Running,
        FloorState::Paused => StationState::Paused,
        _ => StationState::Begun,
    };
    station.orders.sort_by_key(&rank);
    // Unacknowledged alerts come first.
    station.alerts.sort_by(|one, other| {
        (one.acknowledged.is_some(), &one.opened).cmp(&(other.acknowledged.is_some(), &other.opened))
    });
    let first = station.orders.first();
    station.state = match (station.alerts.first(), first) {
        (Some(_), _) => StationState::Alarm,
        (None, Some(order)) => rank(order),
        (None, None) => state_without_orders,
    };
    let oldest_alert = station.alerts.iter().map(|alert| &alert.opened).min().cloned();
    station.since = oldest_alert.or_else(|| first.and_then(|order| order.since.clone()));
    station
}
