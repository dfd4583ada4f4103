//! The parts of an overview: stations, orders, alerts, supplies, deliveries and requests.

use serde::Serialize;

use crate::LogEntry;

/// A work station with its orders.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StationView {
    pub code: String,
    pub description: String,
    /// Running and paused orders.
    pub current: Vec<OrderView>,
    /// The next planned orders, at most 3.
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
    /// As in the service's responses.
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

/// A target of events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TargetView {
    pub id: u32,
    pub url: String,
    /// Whether its events are signed.
    pub signed: bool,
    /// IDs of the accepted events. Empty accepts all.
    pub events: Vec<u32>,
}

/// One event and its delivery to one target. Without a target, it had no subscriber.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeliveryView {
    pub id: u32,
    /// The event's ID, 0 to 11.
    pub event: u32,
    pub name: String,
    /// A work order's code and operation, or the ID of an alert or a supply.
    pub subject: String,
    /// The plant's time.
    pub at: String,
    pub target: Option<String>,
    pub state: DeliveryState,
    pub attempts: u32,
    /// Why it isn't delivered, or why the receiver refused.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum DeliveryState {
    /// No target accepts it.
    Untold,
    /// Waits for its first or next attempt.
    Waiting,
    Delivered,
    /// Given up.
    Failed,
}

/// A request to the plant.
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

/// The most entries of each list in an overview.
pub(crate) const MAX_ENTRIES: usize = 50;

impl RequestView {
    pub(crate) fn from_entry(entry: &LogEntry) -> Self {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let applied = entry.applied.iter().filter(|item| item.get("success") == Some(&true.into()));
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
