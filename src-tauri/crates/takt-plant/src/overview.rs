//! The plant at a glance, for whoever stands before it: a panel or a terminal.
//!
//! Owns the shapes. Leaves to the parts of the plant what stands in them.

use serde::Serialize;

use crate::{
    LogEntry, Pace, Plant,
    lock::{locked, reading},
    store::Resource,
};

/// What the plant holds and what goes on in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Overview {
    /// The plant's own time, ISO 8601 without an offset, in `time_zone`.
    pub now: String,
    pub time_zone: String,
    pub pace: Pace,
    pub holdings: Vec<Holding>,
    /// Every work station, in order.
    pub stations: Vec<StationView>,
    /// Alerts that aren't closed, newest first; at most 50.
    pub alerts: Vec<AlertView>,
    /// Supplies that aren't paid, oldest first; at most 50.
    pub supplies: Vec<SupplyView>,
    /// As on the command line, for example `error-500:0.1`.
    pub faults: Vec<String>,
    pub fault_seed: f64,
    pub targets: Vec<TargetView>,
    /// The latest events, newest first; at most 50.
    pub deliveries: Vec<DeliveryView>,
    /// How many requests were answered since the start.
    pub requests: f64,
    /// The latest requests, newest first; at most 50.
    pub latest: Vec<RequestView>,
    /// The names under which the plant's state was put aside.
    pub snapshots: Vec<String>,
    /// Whether its state survives a restart.
    pub durable: bool,
}

/// How many rows there are of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Holding {
    /// As in the control interface, for example `work-orders`.
    pub resource: String,
    pub rows: u32,
}

/// A work station with what lies on it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StationView {
    pub code: String,
    pub description: String,
    /// Orders that run or pause here.
    pub current: Vec<OrderView>,
    /// The orders that are planned next; at most 3.
    pub next: Vec<OrderView>,
}

/// One operation of a work order.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderView {
    pub code: String,
    pub operation_code: String,
    pub material_code: String,
    /// As the service answers it.
    pub status_description: String,
    pub requested_quantity: f64,
    pub produced_good_quantity: f64,
    pub produced_bad_quantity: f64,
    /// ISO 8601 without an offset.
    pub begin_planned: Option<String>,
    pub end_planned: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AlertView {
    pub id: f64,
    pub kind: String,
    pub note: String,
    pub work_station_code: String,
    /// 0 opened, 1 acknowledged, 2 closed (assumed).
    pub status: f64,
    pub opened: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SupplyView {
    pub id: f64,
    pub work_order_code: String,
    pub operation_code: Option<String>,
    pub code: String,
    pub description: String,
    pub quantity: f64,
}

/// Who is told of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TargetView {
    pub id: u32,
    pub url: String,
    /// Whether what it is sent carries a signature.
    pub signed: bool,
    /// Ids of the events that it is told; empty: all.
    pub events: Vec<u32>,
}

/// One event on its way to one target; or, without a target, one that nobody was told.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeliveryView {
    pub id: u32,
    /// The event's id, 0 to 11.
    pub event: u32,
    pub name: String,
    /// What it is about: a work order's code and operation, an alert's or a supply's id.
    pub subject: String,
    /// The plant's time.
    pub at: String,
    pub target: Option<String>,
    pub state: DeliveryState,
    pub attempts: u32,
    /// Why it isn't delivered, or what the receiver refused.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum DeliveryState {
    /// There is no target for it.
    Untold,
    /// Waits for its first or next attempt.
    Waiting,
    Delivered,
    /// Given up.
    Failed,
}

/// One request to the service.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RequestView {
    pub number: f64,
    /// UTC.
    pub at: String,
    pub method: String,
    pub path: String,
    pub operation: Option<String>,
    pub user: Option<String>,
    pub status: Option<u16>,
    pub fault: Option<String>,
    /// Items of a batch, and how many of them were applied.
    pub items: u32,
    pub applied: u32,
}

/// How many of anything an overview shows.
pub(crate) const SHOWN: usize = 50;

impl Plant {
    /// The plant at a glance.
    pub fn overview(&self) -> Overview {
        let (faults, fault_seed) = {
            let dice = locked(&self.dice);
            (dice.faults().iter().map(ToString::to_string).collect(), dice.seed())
        };
        let store = reading(&self.store);
        let rows = |resource: &Resource| u32::try_from(store.table(*resource).len()).unwrap_or(u32::MAX);
        let holding = |resource: &Resource| Holding { resource: resource.name().to_owned(), rows: rows(resource) };
        #[expect(clippy::cast_precision_loss, reason = "a number to look at")]
        Overview {
            now: store.local(self.time()).to_string(),
            time_zone: self.config.time_zone.clone(),
            pace: locked(&self.clock).pace(),
            holdings: Resource::ALL.iter().map(holding).collect(),
            stations: store.station_views(),
            alerts: store.alert_views(),
            supplies: store.supply_views(),
            faults,
            fault_seed: fault_seed as f64,
            targets: self.targets(),
            deliveries: self.deliveries(None, SHOWN),
            requests: self.log.written() as f64,
            latest: self.log.latest(SHOWN).unwrap_or_default().iter().map(RequestView::of).collect(),
            snapshots: self.snapshots(),
            durable: self.keep.is_some(),
        }
    }
}

impl RequestView {
    fn of(entry: &LogEntry) -> Self {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let applied = entry.applied.iter().filter(|line| line.get("success") == Some(&true.into()));
        #[expect(clippy::cast_precision_loss, reason = "a number to look at")]
        Self {
            number: entry.number as f64,
            at: entry.at.to_string(),
            method: entry.method.clone(),
            path: entry.path.clone(),
            operation: entry.operation.clone(),
            user: entry.user.clone(),
            status: entry.status,
            fault: entry.fault.clone(),
            items: count(entry.applied.len()),
            applied: count(applied.count()),
        }
    }
}
