//! A summary of the plant for a user interface or terminal.

use serde::Serialize;
use serde_json::Value;

use crate::{
    LogEntry, Pace, Plant,
    event::DeliveryView,
    store::{Members, Resource, Store, Supply, get_text},
    target::TargetView,
};

/// The maximum number of entries in each list of an overview.
const MAX_ENTRIES: usize = 50;
/// The maximum number of planned orders per station.
const MAX_NEXT_ORDERS: usize = 3;

/// The state of the plant and its latest events and requests.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Overview {
    /// The plant's time, in ISO 8601 without an offset, in `time_zone`.
    pub now: String,
    pub time_zone: String,
    /// The plant's date at which its rows were created. Their times are around it.
    pub created_on: String,
    pub pace: Pace,
    pub holdings: Vec<RowCount>,
    /// All work stations, in order.
    pub stations: Vec<StationView>,
    /// Open alerts, newest first, at most 50.
    pub alerts: Vec<AlertView>,
    /// Unpaid supplies, oldest first, at most 50.
    pub supplies: Vec<SupplyView>,
    /// Faults as on the command line, for example `error-500:0.1`.
    pub faults: Vec<String>,
    pub fault_seed: f64,
    pub targets: Vec<TargetView>,
    /// The latest deliveries of events, newest first, at most 50.
    pub deliveries: Vec<DeliveryView>,
    /// The number of logged requests. With a data folder, it includes earlier runs.
    pub requests: f64,
    /// The latest requests, newest first, at most 50.
    pub latest: Vec<RequestView>,
    pub snapshots: Vec<String>,
    /// Whether the state is stored in a data folder, so that it survives a restart.
    pub durable: bool,
}

/// A resource and how many rows it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowCount {
    /// As in the control interface, for example `work-orders`.
    pub resource: String,
    pub rows: u32,
}

impl Plant {
    /// Returns a summary of the plant.
    pub fn overview(&self) -> Overview {
        let (faults, fault_seed) = {
            let fault_selector = self.fault_selector.lock();
            (fault_selector.faults().iter().map(ToString::to_string).collect(), fault_selector.seed())
        };
        let store = self.store.read();
        let rows = |resource: &Resource| u32::try_from(store.table(*resource).len()).unwrap_or(u32::MAX);
        let holding = |resource: &Resource| RowCount { resource: resource.name().to_owned(), rows: rows(resource) };
        #[expect(clippy::cast_precision_loss, reason = "a number to look at")]
        Overview {
            now: store.local_time(self.plant_time()).to_string(),
            time_zone: self.config.time_zone.clone(),
            created_on: self.created_on.lock().to_string(),
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

/// An operation of a work order.
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
    /// In ISO 8601, without an offset.
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
    /// 0 for opened, 1 for acknowledged, 2 for closed (assumed).
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

/// A logged request.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RequestView {
    pub number: f64,
    /// In UTC.
    pub at: String,
    pub method: String,
    pub path: String,
    pub operation: Option<String>,
    pub user: Option<String>,
    pub status: Option<u16>,
    pub fault: Option<String>,
    /// The number of items of a batch. `applied` is the number of them that were applied.
    pub items: u32,
    pub applied: u32,
}

impl RequestView {
    fn from_entry(entry: &LogEntry) -> Self {
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

impl Store {
    fn station_views(&self) -> Vec<StationView> {
        self.table(Resource::WorkStations)
            .all_positions()
            .filter_map(|position| self.row_at(Resource::WorkStations, position))
            .map(|row| self.station_view(&row))
            .collect()
    }

    /// Returns the latest open alerts, newest first.
    fn alert_views(&self) -> Vec<AlertView> {
        let mut open: Vec<_> = self.table(Resource::Alerts).floor_index().open_alerts().collect();
        open.sort_by_key(|alert| std::cmp::Reverse((alert.opened, alert.id)));
        let row = |id: i64| self.row(Resource::Alerts, &[&id.to_string()]);
        open.into_iter().take(MAX_ENTRIES).filter_map(|alert| row(alert.id)).map(|row| alert_view(&row)).collect()
    }

    /// Returns the oldest unpaid supplies, oldest first.
    fn supply_views(&self) -> Vec<SupplyView> {
        self.open_supplies().take(MAX_ENTRIES).map(supply_view).collect()
    }

    fn station_view(&self, station: &Members) -> StationView {
        let code = get_text(station, "code");
        let floor = self.table(Resource::WorkOrders).floor_index();
        let view = |position: u32| self.row_at(Resource::WorkOrders, position).map(|row| order_view(&row));
        StationView {
            code: code.to_owned(),
            description: get_text(station, "description").to_owned(),
            current: floor.current_orders(code).filter_map(|(position, _)| view(position)).collect(),
            next: floor.planned_orders(code).take(MAX_NEXT_ORDERS).filter_map(|(_, position)| view(position)).collect(),
        }
    }
}

fn order_view(row: &Members) -> OrderView {
    let date = |name: &str| Some(get_text(row, name).to_owned()).filter(|date| !date.is_empty());
    OrderView {
        code: get_text(row, "code").to_owned(),
        operation_code: get_text(row, "operationCode").to_owned(),
        material_code: get_text(row, "materialCode").to_owned(),
        status_description: get_text(row, "statusDescription").to_owned(),
        requested_quantity: get_number(row, "requestedQuantity"),
        produced_good_quantity: get_number(row, "producedGoodQuantity"),
        produced_bad_quantity: get_number(row, "producedBadQuantity"),
        begin_planned: date("beginPlanned"),
        end_planned: date("endPlanned"),
    }
}

fn alert_view(row: &Members) -> AlertView {
    AlertView {
        id: get_number(row, "id"),
        kind: get_text(row, "type").to_owned(),
        note: get_text(row, "note").to_owned(),
        work_station_code: get_text(row, "workStationCode").to_owned(),
        status: get_number(row, "status"),
        opened: get_text(row, "opened").to_owned(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a number to look at")]
fn supply_view(supply: &Supply) -> SupplyView {
    SupplyView {
        id: supply.id as f64,
        work_order_code: supply.work_order_code.clone(),
        operation_code: supply.operation_code.clone(),
        code: supply.code.clone(),
        description: supply.description.clone(),
        quantity: supply.quantity,
    }
}

fn get_number(row: &Members, name: &str) -> f64 {
    row.get(name).and_then(Value::as_f64).unwrap_or_default()
}
