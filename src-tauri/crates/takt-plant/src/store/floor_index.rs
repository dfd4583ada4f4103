//! An index of each station's orders, of open alerts, and of running labor times. It is updated with every row.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::DateTime;

use super::{
    members::{ENDED, IN_EXECUTION, Members, PLANNED, get_order_state, get_text},
    resource::Resource,
};

/// The planned and current orders of a work station.
#[derive(Debug, Clone, Default)]
struct StationOrders {
    /// Planned orders with a planned begin, by begin and position.
    planned: BTreeSet<(DateTime, u32)>,
    /// Running and paused orders by position. The flag is true if the order is running.
    current: BTreeMap<u32, bool>,
}

/// The entry of an order in the index, which is removed when its row changes.
#[derive(Debug, Clone, Copy)]
enum OrderEntry {
    Absent,
    Planned { station_index: u32, begin: DateTime },
    Current { station_index: u32, runs: bool },
}

/// An alert that isn't closed.
#[derive(Debug, Clone)]
pub(crate) struct OpenAlert {
    pub(crate) id: i64,
    pub(crate) station: Box<str>,
    pub(crate) opened: Option<DateTime>,
    pub(crate) is_acknowledged: bool,
}

/// A labor time without an end.
#[derive(Debug, Clone)]
pub(crate) struct OpenLaborTime {
    pub(crate) badge: Box<str>,
    code: Box<str>,
    operation: Box<str>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct FloorIndex {
    orders: Vec<StationOrders>,
    /// The positions in `orders`, by the codes of work stations.
    stations: HashMap<Box<str>, u32>,
    /// By the position of the work order.
    entries: Vec<OrderEntry>,
    alerts: BTreeMap<u32, OpenAlert>,
    labor_times: BTreeMap<u32, OpenLaborTime>,
}

impl FloorIndex {
    /// Updates the index for a row. `begin` is the planned begin of an order or the opening of an alert, in the plant's
    /// time.
    pub(super) fn update(&mut self, resource: Resource, position: u32, row: &Members, begin: Option<DateTime>) {
        match resource {
            Resource::WorkOrders => self.update_order(position, row, begin),
            Resource::Alerts => self.update_alert(position, row, begin),
            Resource::LaborTimes => self.update_labor_time(position, row),
            _ => {}
        }
    }

    /// Removes a row from the index.
    pub(super) fn remove(&mut self, position: u32) {
        self.remove_order(position);
        self.alerts.remove(&position);
        self.labor_times.remove(&position);
    }

    /// Returns the planned orders of a work station, by planned begin and position.
    pub(crate) fn planned_orders(&self, station: &str) -> impl Iterator<Item = (DateTime, u32)> {
        self.station_orders(station).into_iter().flat_map(|orders| orders.planned.iter().copied())
    }

    /// Returns the positions of the running and paused orders of a work station. The flag is true if the order is
    /// running.
    pub(crate) fn current_orders(&self, station: &str) -> impl Iterator<Item = (u32, bool)> {
        self.station_orders(station)
            .into_iter()
            .flat_map(|orders| orders.current.iter().map(|(position, runs)| (*position, *runs)))
    }

    pub(crate) fn open_alerts(&self) -> impl Iterator<Item = &OpenAlert> {
        self.alerts.values()
    }

    /// Returns the positions and badges of the running labor times of an operation.
    pub(crate) fn open_labor_times(&self, code: &str, operation: &str) -> impl Iterator<Item = (u32, &str)> {
        let of_it = move |labor_time: &OpenLaborTime| &*labor_time.code == code && &*labor_time.operation == operation;
        self.labor_times
            .iter()
            .filter(move |(_, labor_time)| of_it(labor_time))
            .map(|(position, labor_time)| (*position, &*labor_time.badge))
    }

    /// Returns whether an operator has a running labor time.
    pub(crate) fn is_busy(&self, badge: &str) -> bool {
        self.labor_times.values().any(|labor_time| &*labor_time.badge == badge)
    }

    fn station_orders(&self, station: &str) -> Option<&StationOrders> {
        self.stations.get(station).and_then(|station_index| self.orders.get(*station_index as usize))
    }

    fn update_order(&mut self, position: u32, row: &Members, begin: Option<DateTime>) {
        self.remove_order(position);
        let station = get_text(row, "workStationCode");
        let entry = match (get_order_state(row), begin) {
            _ if station.is_empty() => OrderEntry::Absent,
            (ENDED, _) | (PLANNED, None) => OrderEntry::Absent,
            (PLANNED, Some(begin)) => OrderEntry::Planned { station_index: self.find_or_add_station(station), begin },
            (state, _) => {
                OrderEntry::Current { station_index: self.find_or_add_station(station), runs: state == IN_EXECUTION }
            }
        };
        match entry {
            OrderEntry::Absent => {}
            OrderEntry::Planned { station_index, begin } => {
                self.orders[station_index as usize].planned.insert((begin, position));
            }
            OrderEntry::Current { station_index, runs } => {
                self.orders[station_index as usize].current.insert(position, runs);
            }
        }
        let index = position as usize;
        if self.entries.len() <= index {
            self.entries.resize(index + 1, OrderEntry::Absent);
        }
        self.entries[index] = entry;
    }

    fn remove_order(&mut self, position: u32) {
        let Some(entry) = self.entries.get_mut(position as usize) else { return };
        match std::mem::replace(entry, OrderEntry::Absent) {
            OrderEntry::Absent => {}
            OrderEntry::Planned { station_index, begin } => {
                self.orders[station_index as usize].planned.remove(&(begin, position));
            }
            OrderEntry::Current { station_index, .. } => {
                self.orders[station_index as usize].current.remove(&position);
            }
        }
    }

    fn find_or_add_station(&mut self, station: &str) -> u32 {
        if let Some(station_index) = self.stations.get(station) {
            return *station_index;
        }
        let station_index = u32::try_from(self.orders.len()).unwrap_or(u32::MAX);
        self.orders.push(StationOrders::default());
        self.stations.insert(station.into(), station_index);
        station_index
    }

    fn update_alert(&mut self, position: u32, row: &Members, opened: Option<DateTime>) {
        if !get_text(row, "closed").is_empty() {
            self.alerts.remove(&position);
            return;
        }
        let alert = OpenAlert {
            id: row.get("id").and_then(serde_json::Value::as_i64).unwrap_or_default(),
            station: get_text(row, "workStationCode").into(),
            opened,
            is_acknowledged: !get_text(row, "acknowledged").is_empty(),
        };
        self.alerts.insert(position, alert);
    }

    fn update_labor_time(&mut self, position: u32, row: &Members) {
        if !get_text(row, "end").is_empty() {
            self.labor_times.remove(&position);
            return;
        }
        let of = |name: &str| get_text(row, name).into();
        let labor_time =
            OpenLaborTime { badge: of("employeeBadge"), code: of("workOrderCode"), operation: of("operationCode") };
        self.labor_times.insert(position, labor_time);
    }
}
