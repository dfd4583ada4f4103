//! What is open on the floor, found without looking at every row: the orders of each work station, alerts that aren't
//! closed, and hours that still run. Kept up to date wherever a row is put.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::civil::DateTime;

use crate::store::{ENDED, IN_EXECUTION, Members, PLANNED, Resource, apply::text, orders::state};

/// The orders of one work station.
#[derive(Debug, Clone, Default)]
struct Lane {
    /// Planned ones that are scheduled, by their planned begin and position.
    planned: BTreeSet<(DateTime, u32)>,
    /// Running and paused ones, by position; whether they run.
    current: BTreeMap<u32, bool>,
}

/// Where an order stands in its lane, so that it is found again when its row changes.
#[derive(Debug, Clone, Copy)]
enum Place {
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

/// Hours that somebody is logging.
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
    /// By position; of work orders only.
    places: Vec<Place>,
    alerts: BTreeMap<u32, OpenAlert>,
    hours: BTreeMap<u32, OpenHours>,
}

impl FloorIndex {
    /// Notes how the row at `position` stands now; `begin` is its begin in the plant's time (planned, or opened).
    pub(super) fn note(&mut self, resource: Resource, position: u32, row: &Members, begin: Option<DateTime>) {
        match resource {
            Resource::WorkOrders => self.order(position, row, begin),
            Resource::Alerts => self.alert(position, row, begin),
            Resource::LaborTimes => self.hours(position, row),
            _ => {}
        }
    }

    /// There is no row at `position` any more.
    pub(super) fn forget(&mut self, position: u32) {
        self.leave(position);
        self.alerts.remove(&position);
        self.hours.remove(&position);
    }

    /// Positions of the scheduled orders of a work station that are still planned, by planned begin.
    pub(crate) fn planned(&self, station: &str) -> impl Iterator<Item = (DateTime, u32)> {
        self.lane(station).into_iter().flat_map(|lane| lane.planned.iter().copied())
    }

    /// Positions of the orders that run or pause on a work station, and whether they run.
    pub(crate) fn current(&self, station: &str) -> impl Iterator<Item = (u32, bool)> {
        self.lane(station).into_iter().flat_map(|lane| lane.current.iter().map(|(position, runs)| (*position, *runs)))
    }

    /// Alerts that aren't closed.
    pub(crate) fn alerts(&self) -> impl Iterator<Item = &OpenAlert> {
        self.alerts.values()
    }

    /// Positions of the hours that are being logged for an operation of an order, and whose they are.
    pub(crate) fn hours_of(&self, code: &str, operation: &str) -> impl Iterator<Item = (u32, &str)> {
        let of_it = move |hours: &OpenHours| &*hours.code == code && &*hours.operation == operation;
        self.hours.iter().filter(move |(_, hours)| of_it(hours)).map(|(position, hours)| (*position, &*hours.badge))
    }

    /// Whether somebody is logging hours.
    pub(crate) fn is_busy(&self, badge: &str) -> bool {
        self.hours.values().any(|hours| &*hours.badge == badge)
    }

    fn lane(&self, station: &str) -> Option<&Lane> {
        self.stations.get(station).and_then(|lane| self.lanes.get(*lane as usize))
    }

    fn order(&mut self, position: u32, row: &Members, begin: Option<DateTime>) {
        self.leave(position);
        let station = text(row, "workStationCode");
        let place = match (state(row), begin) {
            _ if station.is_empty() => Place::Nowhere,
            (ENDED, _) | (PLANNED, None) => Place::Nowhere,
            (PLANNED, Some(begin)) => Place::Planned { lane: self.lane_of(station), begin },
            (state, _) => Place::Current { lane: self.lane_of(station), runs: state == IN_EXECUTION },
        };
        match place {
            Place::Nowhere => {}
            Place::Planned { lane, begin } => drop(self.lanes[lane as usize].planned.insert((begin, position))),
            Place::Current { lane, runs } => drop(self.lanes[lane as usize].current.insert(position, runs)),
        }
        let index = position as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, Place::Nowhere);
        }
        self.places[index] = place;
    }

    fn leave(&mut self, position: u32) {
        let Some(place) = self.places.get_mut(position as usize) else { return };
        match std::mem::replace(place, Place::Nowhere) {
            Place::Nowhere => {}
            Place::Planned { lane, begin } => drop(self.lanes[lane as usize].planned.remove(&(begin, position))),
            Place::Current { lane, .. } => drop(self.lanes[lane as usize].current.remove(&position)),
        }
    }

    fn lane_of(&mut self, station: &str) -> u32 {
        if let Some(lane) = self.stations.get(station) {
            return *lane;
        }
        let lane = u32::try_from(self.lanes.len()).unwrap_or(u32::MAX);
        self.lanes.push(Lane::default());
        self.stations.insert(station.into(), lane);
        lane
    }

    fn alert(&mut self, position: u32, row: &Members, opened: Option<DateTime>) {
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

    fn hours(&mut self, position: u32, row: &Members) {
        if !text(row, "end").is_empty() {
            self.hours.remove(&position);
            return;
        }
        let of = |name: &str| text(row, name).into();
        let hours = OpenHours { badge: of("employeeBadge"), code: of("workOrderCode"), operation: of("operationCode") };
        self.hours.insert(position, hours);
    }
}
