//! Generates invented rows, with their numbers, their time and random values.

use jiff::{
    SignedDuration,
    civil::{DateTime, Time},
};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

use crate::{
    PlantConfig, PlantError, Size,
    store::{Members, Resource, Store},
};

/// The number of rows of each kind to generate.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowCounts {
    pub(super) materials: usize,
    pub(super) raw_materials: usize,
    pub(super) orders: usize,
    pub(super) inspections: usize,
    pub(super) alerts: usize,
    pub(super) labor_times: usize,
    pub(super) lots: usize,
    pub(super) history: usize,
    pub(super) checks: usize,
    pub(super) supplies: usize,
}

pub(super) const STATIONS: usize = 12;
pub(super) const TEMPLATES: i64 = 24;
pub(super) const PROCESSES: usize = 40;

impl RowCounts {
    fn from_size(size: Size) -> Self {
        match size {
            Size::Small => Self::small(),
            Size::Factory => Self {
                materials: 4_000,
                raw_materials: 1_000,
                orders: 50_000,
                inspections: 20_000,
                alerts: 5_000,
                labor_times: 60_000,
                lots: 60_000,
                history: 80_000,
                checks: 30_000,
                supplies: 600,
            },
            Size::Large => Self { materials: 950_000, raw_materials: 50_000, ..Self::small() },
        }
    }

    fn small() -> Self {
        Self {
            materials: 140,
            raw_materials: 60,
            orders: 300,
            inspections: 200,
            alerts: 120,
            labor_times: 400,
            lots: 500,
            history: 600,
            checks: 300,
            supplies: 60,
        }
    }
}

pub(super) struct Seeder<'a> {
    pub(super) store: &'a mut Store,
    pub(super) counts: RowCounts,
    seed: u64,
    /// Today's noon in the plant, around which working hours are.
    pub(super) noon: DateTime,
    /// The last midnight or noon in the plant. Orders are planned around it, and no event is later.
    pub(super) now: DateTime,
    pub(super) random: ChaCha8Rng,
}

impl<'a> Seeder<'a> {
    pub(super) fn new(store: &'a mut Store, config: &PlantConfig) -> Self {
        let now = store.local_time((config.clock)());
        let today = now.date();
        let midnight = today.to_datetime(Time::midnight());
        let noon = midnight.saturating_add(SignedDuration::from_hours(12));
        Self {
            store,
            counts: RowCounts::from_size(config.size),
            seed: config.seed,
            noon,
            now: if now < noon { midnight } else { noon },
            random: ChaCha8Rng::seed_from_u64(config.seed),
        }
    }
}

impl Seeder<'_> {
    /// Restarts the random numbers for a kind of rows, so that the number of rows of one kind doesn't affect others.
    pub(super) fn with_stream(&mut self, stream: u64) -> &mut Self {
        self.random = ChaCha8Rng::seed_from_u64(self.seed);
        self.random.set_stream(stream);
        self
    }

    pub(super) fn put(&mut self, resource: Resource, row: Value) -> Result<(), PlantError> {
        let row: Members = match row {
            Value::Object(row) => row,
            _ => Members::new(),
        };
        self.store.put(resource, row)
    }

    pub(super) fn choose_from<T: Copy>(&mut self, among: &[T]) -> Option<T> {
        among.choose(&mut self.random).copied()
    }

    pub(super) fn choose_text(&mut self, among: &[&'static str]) -> &'static str {
        self.choose_from(among).unwrap_or_default()
    }

    pub(super) fn random_integer(&mut self, least: i64, most: i64) -> i64 {
        self.random.random_range(least..=most)
    }

    /// Returns true with this probability.
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.random.random::<f64>() < probability
    }
}

pub(super) fn add_minutes(time: DateTime, minutes: i64) -> DateTime {
    time.saturating_add(SignedDuration::from_mins(minutes))
}

pub(super) fn station_code(index: usize) -> String {
    format!("WS-{:02}", index + 1)
}

pub(super) fn process_code(index: usize) -> String {
    format!("IP-{:02}", index + 1)
}
