//! A summary of the plant for a panel or a terminal.
//!
//! Owns the shapes. Leaves their contents to the parts of the plant.

use serde::Serialize;

use crate::{
    Pace, Plant,
    store::Resource,
    view::{AlertView, DeliveryView, MAX_ENTRIES, RequestView, StationView, SupplyView, TargetView},
};

/// The state of the plant and its recent activity.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Overview {
    /// The plant's own time. ISO 8601 without an offset, in `time_zone`.
    pub now: String,
    pub time_zone: String,
    pub pace: Pace,
    pub holdings: Vec<Holding>,
    /// Every work station, in order.
    pub stations: Vec<StationView>,
    /// Open alerts, newest first, at most 50.
    pub alerts: Vec<AlertView>,
    /// Unpaid supplies, oldest first, at most 50.
    pub supplies: Vec<SupplyView>,
    /// Faults as on the command line, for example `error-500:0.1`.
    pub faults: Vec<String>,
    pub fault_seed: f64,
    pub targets: Vec<TargetView>,
    /// The latest events, newest first, at most 50.
    pub deliveries: Vec<DeliveryView>,
    /// How many requests were logged. With a data folder, this includes earlier runs.
    pub requests: f64,
    /// The latest requests, newest first, at most 50.
    pub latest: Vec<RequestView>,
    /// The names of the snapshots.
    pub snapshots: Vec<String>,
    /// Whether the state survives a restart.
    pub durable: bool,
}

/// The number of rows of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Holding {
    /// The name in the control interface, for example `work-orders`.
    pub resource: String,
    pub rows: u32,
}

impl Plant {
    /// Returns a summary of the plant.
    pub fn overview(&self) -> Overview {
        let (faults, fault_seed) = {
            let dice = self.dice.lock();
            (dice.faults().iter().map(ToString::to_string).collect(), dice.seed())
        };
        let store = self.store.read();
        let rows = |resource: &Resource| u32::try_from(store.table(*resource).len()).unwrap_or(u32::MAX);
        let holding = |resource: &Resource| Holding { resource: resource.name().to_owned(), rows: rows(resource) };
        #[expect(clippy::cast_precision_loss, reason = "a number to look at")]
        Overview {
            now: store.local_time(self.time()).to_string(),
            time_zone: self.config.time_zone.clone(),
            pace: self.clock.lock().pace(),
            holdings: Resource::ALL.iter().map(holding).collect(),
            stations: store.station_views(),
            alerts: store.alert_views(),
            supplies: store.supply_views(),
            faults,
            fault_seed: fault_seed as f64,
            targets: self.targets(),
            deliveries: self.deliveries(None, MAX_ENTRIES),
            requests: self.log.latest_number() as f64,
            latest: self.log.latest(MAX_ENTRIES).unwrap_or_default().iter().map(RequestView::from_entry).collect(),
            snapshots: self.snapshots(),
            durable: self.persistence.is_some(),
        }
    }
}
