//! Merges the service's last answers about a site's floor with the state reported by events.
//!
//! Events don't report orders that began while the receiver wasn't running. The service's state of an order is used
//! until a later event changes it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::{Timestamp, tz::TimeZone};
use takt_contract::picture::StatusValues;
use takt_core::site_time::site_timestamp;
use takt_journal::{
    Inbox, JournalError,
    inbox::{FloorOrder, FloorState},
};

use super::view::{FloorOrderView, FloorStationName, order_view};

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

/// The service's answers about a site at one time.
#[derive(Debug, Clone)]
pub(super) struct ServiceFloor {
    pub(super) at: Timestamp,
    /// The last event before the read.
    pub(super) last_event: i64,
    /// Orders that were begun and not ended.
    pub(super) begun: BTreeMap<OrderKey, ServiceOrder>,
    /// Orders that are at a station by their events, but planned or ended on the service.
    pub(super) gone: BTreeSet<OrderKey>,
    pub(super) stations: Vec<FloorStationName>,
    /// The contract's status words for running and paused.
    pub(super) words: Option<StatusValues>,
}

impl ServiceFloor {
    /// Returns the orders at stations: the events' state, or the service's state if no later event contradicts it.
    /// `event_orders` are the events' states of the orders that have begun on the service.
    pub(super) fn orders(
        &self,
        known: Vec<FloorOrder>,
        event_orders: &HashMap<OrderKey, FloorOrder>,
        zone: &TimeZone,
    ) -> Vec<FloorOrderView> {
        let words = self.status_meanings(&known);
        let is_newer = |order: &FloorOrder| order.event > self.last_event;
        let mut orders = Vec::new();
        for order in known {
            let key = order_key(&order);
            if is_newer(&order) {
                orders.push(with_newer_event(order, self.begun.get(&key), &words));
            } else if let Some(service_order) = self.begun.get(&key) {
                orders.push(with_older_event(order, service_order, &words));
            } else if !self.gone.contains(&key) {
                // A list may omit orders even if they are requested.
                orders.push(order_view(order));
            }
        }
        for (key, service_order) in &self.begun {
            let is_reported = event_orders
                .get(key)
                .is_some_and(|order| (is_newer(order) && has_location(order)) || is_at_station(order));
            if !is_reported {
                orders.push(service_order.view(key, &words, zone));
            }
        }
        orders
    }

    /// Returns the meaning of status words, from the contract and from events.
    fn status_meanings(&self, known: &[FloorOrder]) -> HashMap<String, FloorState> {
        let contract_words = self.words.iter().flat_map(|words| {
            let running = words.running.iter().map(|word| (word, FloorState::Running));
            running.chain(words.paused.iter().map(|word| (word, FloorState::Paused)))
        });
        let mut meanings: HashMap<_, _> = contract_words.map(|(word, state)| (word.to_lowercase(), state)).collect();
        for order in known.iter().filter(|order| matches!(order.state, FloorState::Running | FloorState::Paused)) {
            if let Some(status) = &order.status {
                meanings.entry(status.to_lowercase()).or_insert(order.state);
            }
        }
        meanings
    }
}

impl ServiceOrder {
    fn meaning(&self, words: &HashMap<String, FloorState>) -> Option<FloorState> {
        words.get(&self.status.as_ref()?.to_lowercase()).copied()
    }

    fn view(&self, key: &OrderKey, words: &HashMap<String, FloorState>, zone: &TimeZone) -> FloorOrderView {
        let (code, operation) = key.clone();
        let state = self.meaning(words).unwrap_or(FloorState::Seen);
        let begun = || site_timestamp(self.begun.as_deref()?, zone);
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

/// Shows an order that an event named since the read. If the event doesn't show whether the order runs, the service's
/// status decides.
fn with_newer_event(
    order: FloorOrder,
    service_order: Option<&ServiceOrder>,
    words: &HashMap<String, FloorState>,
) -> FloorOrderView {
    let meaning = service_order.filter(|_| order.state == FloorState::Seen).and_then(|order| order.meaning(words));
    let mut view = order_view(order);
    if let Some(state) = meaning {
        (view.state, view.since) = (state, None);
    }
    view
}

/// Shows an order that no event has named since the read.
fn with_older_event(
    order: FloorOrder,
    service_order: &ServiceOrder,
    words: &HashMap<String, FloorState>,
) -> FloorOrderView {
    let meaning = service_order.meaning(words).filter(|meaning| *meaning != order.state);
    let mut view = order_view(order);
    if let Some(state) = meaning {
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
