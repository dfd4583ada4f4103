//! An index of open work: the orders of each work station, open alerts, and running hours. Updated with every row.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::DateTime;

use super::{
    members::{Members, text},
    order_state::{ENDED, IN_EXECUTION, PLANNED, state},
    resource::Resource,
};

/// The orders of one work station.
#[derive(Debug, Clone, Default)]
struct Lane {
    /// Scheduled orders that are planned, by planned begin and position.
    planned: BTreeSet<(DateTime, u32)>,
    /// Running and paused orders by position, with a flag for running ones.
    current: BTreeMap<u32, bool>,
}

/// An order's entry in its lane, to remove it when the row changes.
#[derive(Debug, Clone, Copy)]
enum LaneEntry {
    Nowhere,
    Planned { lane: u32, begin: DateTime },
    Current { lane: u32, runs: bool },
}

/// An alert that isn't closed.
#[derive(Debug, Clone)]
pub(crate) struct OpenAlert {
    pub(crate) id: i64,
    pub(crate) station: Box<str>,
    pub(crate) opened: Option<DateTime>,
    pub(crate) is_acknowledged: bool,
}

/// Hours without an end.
#[derive(Debug, Clone)]
pub(crate) struct OpenHours {
    pub(crate) badge: Box<str>,
    code: Box<str>,
    operation: Box<str>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct FloorIndex {
    lanes: Vec<Lane>,
    stations: HashMap<Box<str>, u32>,
    /// By position, for work orders only.
    entries: Vec<LaneEntry>,
    alerts: BTreeMap<u32, OpenAlert>,
    hours: BTreeMap<u32, OpenHours>,
}

impl FloorIndex {
    /// Updates the index for the row at `position`. `begin` is its planned begin or opening in the plant's time.
    pub(super) fn update(&mut self, resource: Resource, position: u32, row: &Members, begin: Option<DateTime>) {
        match resource {
            Resource::WorkOrders => self.update_order(position, row, begin),
            Resource::Alerts => self.update_alert(position, row, begin),
            Resource::LaborTimes => self.update_hours(position, row),
            _ => {}
        }
    }

    /// Removes the row at `position` from the index.
    pub(super) fn remove(&mut self, position: u32) {
        self.remove_order(position);
        self.alerts.remove(&position);
        self.hours.remove(&position);
    }

    /// Returns the scheduled orders of a work station that are planned, by planned begin and position.
    pub(crate) fn planned(&self, station: &str) -> impl Iterator<Item = (DateTime, u32)> {
        self.lane(station).into_iter().flat_map(|lane| lane.planned.iter().copied())
    }

    /// Returns positions of the running and paused orders of a work station, with a flag for running ones.
    pub(crate) fn current(&self, station: &str) -> impl Iterator<Item = (u32, bool)> {
        self.lane(station).into_iter().flat_map(|lane| lane.current.iter().map(|(position, runs)| (*position, *runs)))
    }

    /// Returns open alerts.
    pub(crate) fn alerts(&self) -> impl Iterator<Item = &OpenAlert> {
        self.alerts.values()
    }

    /// Returns positions and badges of the running hours of an order's operation.
    pub(crate) fn hours_of(&self, code: &str, operation: &str) -> impl Iterator<Item = (u32, &str)> {
        let of_it = move |hours: &OpenHours| &*hours.code == code && &*hours.operation == operation;
        self.hours.iter().filter(move |(_, hours)| of_it(hours)).map(|(position, hours)| (*position, &*hours.badge))
    }

    /// Whether the operator has running hours.
    pub(crate) fn is_busy(&self, badge: &str) -> bool {
        self.hours.values().any(|hours| &*hours.badge == badge)
    }

    fn lane(&self, station: &str) -> Option<&Lane> {
        self.stations.get(station).and_then(|lane| self.lanes.get(*lane as usize))
    }

    fn update_order(&mut self, position: u32, row: &Members, begin: Option<DateTime>) {
        self.remove_order(position);
        let station = text(row, "workStationCode");
        let entry = match (state(row), begin) {
            _ if station.is_empty() => LaneEntry::Nowhere,
            (ENDED, _) | (PLANNED, None) => LaneEntry::Nowhere,
            (PLANNED, Some(begin)) => LaneEntry::Planned { lane: self.lane_or_insert(station), begin },
            (state, _) => LaneEntry::Current { lane: self.lane_or_insert(station), runs: state == IN_EXECUTION },
        };
        match entry {
            LaneEntry::Nowhere => {}
            LaneEntry::Planned { lane, begin } => drop(self.lanes[lane as usize].planned.insert((begin, position))),
            LaneEntry::Current { lane, runs } => drop(self.lanes[lane as usize].current.insert(position, runs)),
        }
        let index = position as usize;
        if self.entries.len() <= index {
            self.entries.resize(index + 1, LaneEntry::Nowhere);
        }
        self.entries[index] = entry;
    }

    fn remove_order(&mut self, position: u32) {
        let Some(entry) = self.entries.get_mut(position as usize) else { return };
        match std::mem::replace(entry, LaneEntry::Nowhere) {
            LaneEntry::Nowhere => {}
            LaneEntry::Planned { lane, begin } => drop(self.lanes[lane as usize].planned.remove(&(begin, position))),
            LaneEntry::Current { lane, .. } => drop(self.lanes[lane as usize].current.remove(&position)),
        }
    }

    fn lane_or_insert(&mut self, station: &str) -> u32 {
        if let Some(lane) = self.stations.get(station) {
            return *lane;
        }
        let lane = u32::try_from(self.lanes.len()).unwrap_or(u32::MAX);
        self.lanes.push(Lane::default());
        self.stations.insert(station.into(), lane);
        lane
    }

    fn update_alert(&mut self, position: u32, row: &Members, opened: Option<DateTime>) {
        if !text(row, "closed").is_empty() {
            self.alerts.remove(&position);
            return;
        }
        let alert = OpenAlert {
            id: row.get("id").and_then(serde_json::Value::as_i64).unwrap_or_default(),
            station: text(row, "workStationCode").into(),
            opened,
            is_acknowledged: !text(row, "acknowledged").is_empty(),
        };
        self.alerts.insert(position, alert);
    }

    fn update_hours(&mut self, position: u32, row: &Members) {
        if !text(row, "end").is_empty() {
            self.hours.remove(&position);
            return;
        }
        let of = |name: &str| text(row, name).into();
        let hours = OpenHours { badge: of("employeeBadge"), code: of("workOrderCode"), operation: of("operationCode") };
        self.hours.insert(position, hours);
    }
}
