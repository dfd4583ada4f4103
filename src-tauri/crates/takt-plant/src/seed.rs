//! The initial rows: invented data of a machine shop, or the rows of a site's lists.
//!
//! Invented rows depend on the seed and the clock. They show the plant at the latest midnight or noon.
//! So a seed always gives the same orders in the same states, and only their dates differ.
//! Owns the numbers of rows and their relations. Leaves the words to `sample_words` and the rows' shape to the
//! contract.

mod copied;
mod floor;
mod materials;
mod orders;
mod quality;
mod records;
mod supplies;

use jiff::{
    SignedDuration,
    civil::{DateTime, Time},
    tz::TimeZone,
};
use rand::{Rng, SeedableRng, seq::IndexedRandom};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;
use takt_contract::Contract;

use crate::{
    PlantConfig, PlantError, Size,
    copy::CopyReport,
    store::{Members, Resource, Store},
};

/// The number of rows of each kind.
#[derive(Debug, Clone, Copy)]
struct Counts {
    materials: usize,
    raw_materials: usize,
    orders: usize,
    inspections: usize,
    alerts: usize,
    hours: usize,
    lots: usize,
    history: usize,
    checks: usize,
    supplies: usize,
}

const STATIONS: usize = 12;
const TEMPLATES: i64 = 24;
const PROCESSES: usize = 40;

impl Counts {
    fn of(size: Size) -> Self {
        match size {
            Size::Small => Self::small(),
            Size::Factory => Self {
                materials: 4_000,
                raw_materials: 1_000,
                orders: 50_000,
                inspections: 20_000,
                alerts: 5_000,
                hours: 60_000,
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
            hours: 400,
            lots: 500,
            history: 600,
            checks: 300,
            supplies: 60,
        }
    }
}

/// Builds a store with the rows of a copy, or with invented ones.
pub(crate) fn build(contract: &Contract, config: &PlantConfig, zone: &TimeZone) -> Result<Store, PlantError> {
    build_with_report(contract, config, zone).map(|(store, _)| store)
}

/// Like [`build`], but also returns the report on a copy.
pub(crate) fn build_with_report(
    contract: &Contract,
    config: &PlantConfig,
    zone: &TimeZone,
) -> Result<(Store, Option<CopyReport>), PlantError> {
    match &config.copy {
        Some(copy) => copied::build_copied(copy, contract, zone).map(|(store, report)| (store, Some(report))),
        None => Ok((build_invented(contract, config, zone)?, None)),
    }
}

fn build_invented(contract: &Contract, config: &PlantConfig, zone: &TimeZone) -> Result<Store, PlantError> {
    let mut store = Store::new(contract, zone.clone())?;
    let now = store.local_time((config.clock)());
    let today = now.date();
    let midnight = today.to_datetime(Time::midnight());
    let noon = midnight.saturating_add(SignedDuration::from_hours(12));
    let mut seeder = Seeder {
        store: &mut store,
        counts: Counts::of(config.size),
        seed: config.seed,
        noon,
        now: if now < noon { midnight } else { noon },
        random: ChaCha8Rng::seed_from_u64(config.seed),
    };
    seeder.with_stream(1).materials()?;
    seeder.with_stream(2).floor()?;
    let planned = seeder.with_stream(3).orders()?;
    seeder.with_stream(4).quality(&planned)?;
    seeder.with_stream(5).records(&planned)?;
    seeder.with_stream(6).supplies(&planned);
    // The seed reproduces these rows, so they aren't changes.
    drop(store.take_changes());
    Ok(store)
}

/// Adds invented rows to a store.
struct Seeder<'a> {
    store: &'a mut Store,
    counts: Counts,
    seed: u64,
    /// Today's noon in the plant. Working hours are around it.
    noon: DateTime,
    /// The latest midnight or noon in the plant. Orders are around it, and nothing has happened after it.
    now: DateTime,
    random: ChaCha8Rng,
}

/// The data of an order that other rows use.
#[derive(Debug, Clone)]
struct PlannedOrder {
    index: usize,
    code: String,
    operation: &'static str,
    material: String,
    station: usize,
    begin: DateTime,
    end: DateTime,
    begin_real: Option<DateTime>,
    end_real: Option<DateTime>,
    state: &'static str,
    good: i64,
    bad: i64,
    parts: Vec<Part>,
    lots: Vec<Lot>,
}

/// A raw material of an order.
#[derive(Debug, Clone)]
struct Part {
    code: String,
    description: Value,
    unit: Value,
}

/// A lot of a raw material that an order consumed.
#[derive(Debug, Clone)]
struct Lot {
    part: usize,
    serial: String,
    quantity: i64,
    date: Option<DateTime>,
}

impl Seeder<'_> {
    /// Restarts the dice for the next kind of rows, so that more rows of one kind don't change another.
    fn with_stream(&mut self, stream: u64) -> &mut Self {
        self.random = ChaCha8Rng::seed_from_u64(self.seed);
        self.random.set_stream(stream);
        self
    }

    fn put(&mut self, resource: Resource, row: Value) -> Result<(), PlantError> {
        let row: Members = match row {
            Value::Object(row) => row,
            _ => Members::new(),
        };
        self.store.put(resource, row)
    }

    fn pick<T: Copy>(&mut self, among: &[T]) -> Option<T> {
        among.choose(&mut self.random).copied()
    }

    fn pick_text(&mut self, among: &[&'static str]) -> &'static str {
        self.pick(among).unwrap_or_default()
    }

    fn integer(&mut self, least: i64, most: i64) -> i64 {
        self.random.random_range(least..=most)
    }

    fn chance(&mut self, odds: f64) -> bool {
        self.random.random::<f64>() < odds
    }
}

fn add_minutes(time: DateTime, minutes: i64) -> DateTime {
    time.saturating_add(SignedDuration::from_mins(minutes))
}

fn station_code(index: usize) -> String {
    format!("WS-{:02}", index + 1)
}

fn process_code(index: usize) -> String {
    format!("IP-{:02}", index + 1)
}
