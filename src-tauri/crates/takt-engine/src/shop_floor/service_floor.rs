//! What the service itself said last of a site's floor, and how it stands beside what events say.
//!
//! Events tell nothing of an order that began before anybody listened, or while nobody did. What the service says of it holds
//! until an event that came since moves it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::{Timestamp, tz::TimeZone};
use takt_contract::picture::StatusWords;
use takt_core::site_time::site_moment;
use takt_journal::inbox::{FloorOrder, FloorState};

use super::{FloorOrderView, difference::FloorStationName, view};

/// An operation of an order, by its code and its own.
pub(super) type OrderKey = (String, String);

/// An order as the service has it.
#[derive(Debug, Clone)]
pub(super) struct ServiceOrder {
    /// Planned, running (begun, whether it runs or is paused) or ended.
    pub(super) state: FloorState,
    pub(super) status: Option<String>,
    pub(super) station: Option<String>,
    pub(super) begun: Option<String>,
    pub(super) requested: Option<f64>,
    pub(super) good: Option<f64>,
    pub(super) bad: Option<f64>,
}

/// All that the service said of a site at one time.
#[derive(Debug, Clone)]
pub(super) struct ServiceFloor {
    pub(super) at: Timestamp,
    /// The last event that had come before the service was asked.
    pub(super) front: i64,
    /// What was begun and not ended.
    pub(super) begun: BTreeMap<OrderKey, ServiceOrder>,
    /// What lay on a station by events, and by the service is planned or ended.
    pub(super) gone: BTreeSet<OrderKey>,
    pub(super) stations: Vec<FloorStationName>,
    /// The contract's words for what runs and what is paused.
    pub(super) words: Option<StatusWords>,
}

impl ServiceFloor {
    /// What lies on the stations: what events say, and where no event since says otherwise, what the service said. `told` is what
    /// events say of the orders that the service has begun, in whatever state.
    pub(super) fn orders(
        &self,
        known: Vec<FloorOrder>,
        told: &HashMap<OrderKey, FloorOrder>,
        zone: &TimeZone,
    ) -> Vec<FloorOrderView> {
        let words = self.words(&known);
        let is_newer = |order: &FloorOrder| order.event > self.front;
        let mut orders = Vec::new();
        for order in known {
            let key = key(&order);
            if is_newer(&order) {
                orders.push(moved(order, self.begun.get(&key), &words));
            } else if let Some(said) = self.begun.get(&key) {
                orders.push(confirmed(order, said, &words));
            } else if !self.gone.contains(&key) {
                // A list may leave out what it is asked for.
                orders.push(view::order(order));
            }
        }
        for (key, said) in &self.begun {
            let is_told = told.get(key).is_some_and(|order| (is_newer(order) && says_where(order)) || lies(order));
            if !is_told {
                orders.push(said.view(key, &words, zone));
            }
        }
        orders
    }

    /// What the status's words mean: the contract's, and those that came with events that say it.
    fn words(&self, known: &[FloorOrder]) -> HashMap<String, FloorState> {
        let written = self.words.iter().flat_map(|words| {
            let running = words.running.iter().map(|word| (word, FloorState::Running));
            running.chain(words.paused.iter().map(|word| (word, FloorState::Paused)))
        });
        let mut meanings: HashMap<_, _> = written.map(|(word, state)| (word.to_lowercase(), state)).collect();
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

    fn view(
        &self,
        (code, operation): &OrderKey,
        words: &HashMap<String, FloorState>,
        zone: &TimeZone,
    ) -> FloorOrderView {
        let state = self.meaning(words).unwrap_or(FloorState::Seen);
        let begun = || site_moment(self.begun.as_deref()?, zone);
        FloorOrderView {
            code: code.clone(),
            operation: operation.clone(),
            state,
            // Since when it is paused, or runs again, the service doesn't say.
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

/// An order that an event named since the service was asked. Where that event doesn't say whether the order runs, what the service
/// said of it holds.
fn moved(order: FloorOrder, said: Option<&ServiceOrder>, words: &HashMap<String, FloorState>) -> FloorOrderView {
    let meaning = said.filter(|_| order.state == FloorState::Seen).and_then(|said| said.meaning(words));
    let mut view = view::order(order);
    if let Some(state) = meaning {
        (view.state, view.since) = (state, None);
    }
    view
}

/// An order that both know: since the service was asked last no event moved it.
fn confirmed(order: FloorOrder, said: &ServiceOrder, words: &HashMap<String, FloorState>) -> FloorOrderView {
    let meaning = said.meaning(words).filter(|meaning| *meaning != order.state);
    let mut view = view::order(order);
    if let Some(state) = meaning {
        (view.state, view.since, view.event) = (state, None, None);
        view.status.clone_from(&said.status);
    }
    view
}

/// Whether events say that it is on a station or has left it: an order that was only named may be anywhere.
fn says_where(order: &FloorOrder) -> bool {
    order.state != FloorState::Seen || order.begun.is_some() || order.ended.is_some()
}

/// Whether events alone put it on its station.
fn lies(order: &FloorOrder) -> bool {
    match order.state {
        FloorState::Running | FloorState::Paused => true,
        FloorState::Seen => order.begun.is_some() && order.ended.is_none(),
        FloorState::Planned | FloorState::Ended => false,
    }
}

fn key(order: &FloorOrder) -> OrderKey {
    (order.code.clone(), order.operation.clone())
}
