//! Merges the service's last report of a site's floor with the state reported by events.
//!
//! Events don't report orders that began while the receiver wasn't running. The service's state of an order is used
//! until a later event changes it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::{Timestamp, tz::TimeZone};
use takt_contract::picture::StatusValues;
use takt_core::site_time::parse_site_timestamp;
use takt_journal::{
    Inbox, JournalError,
    inbox::{FloorAlert, FloorOrder, FloorState},
};

use super::view::{
    FloorAlertView, FloorOrderView, FloorStationName, LateOrder, ServiceReport, StationAlert, order_view, station_alert,
};

/// The code and operation of an order.
pub(super) type OrderKey = (String, String);

/// An order on the service.
#[derive(Debug, Clone)]
pub(super) struct ServiceOrder {
    /// Planned, running (begun, whether running or paused) or ended.
    pub(super) state: FloorState,
    pub(super) status: Option<String>,
    pub(super) station: Option<String>,
    pub(super) begun: Option<String>,
    pub(super) requested: Option<f64>,
    pub(super) good: Option<f64>,
    pub(super) bad: Option<f64>,
}

/// An alert on the service.
#[derive(Debug, Clone)]
pub(super) struct ServiceAlert {
    pub(super) station: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) opened: Option<Timestamp>,
    pub(super) acknowledged: Option<Timestamp>,
    pub(super) is_closed: bool,
}

/// The orders, alerts and stations of a site, as the service reported them at one time.
#[derive(Debug, Clone)]
pub(super) struct ServiceFloor {
    pub(super) at: Timestamp,
    /// The last event before the read.
    pub(super) last_event: i64,
    /// Orders that were begun and not ended.
    pub(super) begun: BTreeMap<OrderKey, ServiceOrder>,
    /// Orders that are at a station by their events, but planned or ended on the service.
    pub(super) not_running: BTreeSet<OrderKey>,
    pub(super) stations: Vec<FloorStationName>,
    /// The recent alerts by their IDs, open and closed. `None` if they couldn't be read.
    pub(super) alerts: Option<BTreeMap<i64, ServiceAlert>>,
    /// The number of orders whose planned end has passed and that haven't ended.
    pub(super) late_orders: u32,
    pub(super) longest_late: Vec<LateOrder>,
    /// The contract's status words for running and paused.
    pub(super) status_values: Option<StatusValues>,
}

impl ServiceFloor {
    pub(super) fn report(&self) -> ServiceReport<'_> {
        ServiceReport {
            at: self.at,
            stations: &self.stations,
            has_alerts: self.alerts.is_some(),
            late_orders: self.late_orders,
            longest_late: &self.longest_late,
        }
    }

    /// Returns the open alerts: the events' state, or the service's state if no later event contradicts it. `open` are
    /// the alerts that are open by events, and `event_alerts` the events' states of the alerts on the service.
    pub(super) fn open_alerts(
        &self,
        open: Vec<FloorAlert>,
        event_alerts: &HashMap<i64, FloorAlert>,
    ) -> Vec<StationAlert> {
        let Some(service_alerts) = &self.alerts else { return open.into_iter().map(station_alert).collect() };
        let is_newer = |alert: &FloorAlert| alert.event > self.last_event;
        let is_closed = |alert: &FloorAlert| service_alerts.get(&alert.alert).is_some_and(|alert| alert.is_closed);
        let mut alerts: Vec<StationAlert> =
            open.into_iter().filter(|alert| is_newer(alert) || !is_closed(alert)).map(station_alert).collect();
        for (id, alert) in service_alerts.iter().filter(|(_, alert)| !alert.is_closed) {
            let is_reported = event_alerts.get(id).is_some_and(|known| is_newer(known) || known.closed.is_none());
            if !is_reported {
                alerts.push(alert.at_station(self.at));
            }
        }
        alerts
    }

    /// Returns the orders at stations: the events' state, or the service's state if no later event contradicts it.
    /// `event_orders` are the events' states of the orders that have begun on the service.
    pub(super) fn orders(
        &self,
        known: Vec<FloorOrder>,
        event_orders: &HashMap<OrderKey, FloorOrder>,
        zone: &TimeZone,
    ) -> Vec<FloorOrderView> {
        let status_states = self.collect_status_states(&known);
        let is_newer = |order: &FloorOrder| order.event > self.last_event;
        let mut orders = Vec::new();
        for order in known {
            let key = order_key(&order);
            if is_newer(&order) {
                orders.push(view_of_newer_order(order, self.begun.get(&key), &status_states));
            } else if let Some(service_order) = self.begun.get(&key) {
                orders.push(view_of_older_order(order, service_order, &status_states));
            } else if !self.not_running.contains(&key) {
                // The service's list may be incomplete, so a missing order isn't proof that it ended.
                orders.push(order_view(order));
            }
        }
        for (key, service_order) in &self.begun {
            let is_reported = event_orders
                .get(key)
                .is_some_and(|order| (is_newer(order) && has_location(order)) || is_at_station(order));
            if !is_reported {
                orders.push(service_order.view(key, &status_states, zone));
            }
        }
        orders
    }

    /// Returns the states that status words mean, from the contract and from events. The keys are in lower case.
    fn collect_status_states(&self, known: &[FloorOrder]) -> HashMap<String, FloorState> {
        let contract_words = self.status_values.iter().flat_map(|words| {
            let running = words.running.iter().map(|word| (word, FloorState::Running));
            running.chain(words.paused.iter().map(|word| (word, FloorState::Paused)))
        });
        let mut states: HashMap<_, _> = contract_words.map(|(word, state)| (word.to_lowercase(), state)).collect();
        for order in known.iter().filter(|order| matches!(order.state, FloorState::Running | FloorState::Paused)) {
            if let Some(status) = &order.status {
                states.entry(status.to_lowercase()).or_insert(order.state);
            }
        }
        states
    }
}

impl ServiceAlert {
    /// Returns the alert for the floor. An alert without a valid opening is shown as opened at the time of the read.
    fn at_station(&self, read_at: Timestamp) -> StationAlert {
        let view = FloorAlertView {
            kind: self.kind.clone(),
            note: None,
            employee: None,
            opened: self.opened.unwrap_or(read_at).to_string(),
            acknowledged: self.acknowledged.map(|at| at.to_string()),
            event: None,
        };
        StationAlert { station: self.station.clone(), view }
    }
}

impl ServiceOrder {
    /// Returns the state that the order's status means, if it is known.
    fn state_by_status(&self, status_states: &HashMap<String, FloorState>) -> Option<FloorState> {
        status_states.get(&self.status.as_ref()?.to_lowercase()).copied()
    }

    fn view(&self, key: &OrderKey, status_states: &HashMap<String, FloorState>, zone: &TimeZone) -> FloorOrderView {
        let (code, operation) = key.clone();
        let state = self.state_by_status(status_states).unwrap_or(FloorState::Seen);
        let begun = || parse_site_timestamp(self.begun.as_deref()?, zone);
        FloorOrderView {
            code,
            operation,
            state,
            // The service doesn't report the time at which an order was paused or resumed.
            since: (state == FloorState::Seen).then(begun).flatten().map(|begun| begun.to_string()),
            station: self.station.clone(),
            employee: None,
            person: None,
            material: None,
            status: self.status.clone(),
            reason: None,
            requested: self.requested,
            good: self.good,
            bad: self.bad,
            event: None,
            late: 0,
        }
    }
}

/// Shows an order whose state comes from an event after the read. If the event doesn't show whether the order runs,
/// uses the service's status.
fn view_of_newer_order(
    order: FloorOrder,
    service_order: Option<&ServiceOrder>,
    status_states: &HashMap<String, FloorState>,
) -> FloorOrderView {
    let service_state = service_order
        .filter(|_| order.state == FloorState::Seen)
        .and_then(|order| order.state_by_status(status_states));
    let mut view = order_view(order);
    if let Some(state) = service_state {
        (view.state, view.since) = (state, None);
    }
    view
}

/// Shows an order whose state comes from an event before the read. If the service's status means another state, uses
/// that state.
fn view_of_older_order(
    order: FloorOrder,
    service_order: &ServiceOrder,
    status_states: &HashMap<String, FloorState>,
) -> FloorOrderView {
    let service_state = service_order.state_by_status(status_states).filter(|state| *state != order.state);
    let mut view = order_view(order);
    if let Some(state) = service_state {
        (view.state, view.since, view.event) = (state, None, None);
        view.status.clone_from(&service_order.status);
    }
    view
}

/// Returns true if events report that the order is or was at a station. An order that was only named may be anywhere.
fn has_location(order: &FloorOrder) -> bool {
    order.state != FloorState::Seen || order.begun.is_some() || order.ended.is_some()
}

/// Returns true if events alone put the order on its station.
fn is_at_station(order: &FloorOrder) -> bool {
    match order.state {
        FloorState::Running | FloorState::Paused => true,
        FloorState::Seen => order.begun.is_some() && order.ended.is_none(),
        FloorState::Planned | FloorState::Ended => false,
    }
}

fn order_key(order: &FloorOrder) -> OrderKey {
    (order.code.clone(), order.operation.clone())
}

/// Returns the orders that events reported, in any state.
pub(super) fn load_event_orders(
    inbox: &Inbox,
    site: &str,
    keys: impl IntoIterator<Item = OrderKey>,
) -> Result<Vec<(OrderKey, FloorOrder)>, JournalError> {
    let mut orders = Vec::new();
    for (code, operation) in keys {
        if let Some(order) = inbox.floor().order(site, &code, &operation)? {
            orders.push(((code, operation), order));
        }
    }
    Ok(orders)
}

/// Returns the alerts that events reported, open or closed, by their IDs.
pub(super) fn load_event_alerts(
    inbox: &Inbox,
    site: &str,
    ids: impl IntoIterator<Item = i64>,
) -> Result<HashMap<i64, FloorAlert>, JournalError> {
    let mut alerts = HashMap::new();
    for id in ids {
        if let Some(alert) = inbox.floor().alert(site, id)? {
            alerts.insert(id, alert);
        }
    }
    Ok(alerts)
}
