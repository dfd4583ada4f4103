//! The rows with which a plant begins: invented data of a machine shop, or the rows that a site's lists showed.
//!
//! Invented rows follow from a seed and the clock. They show the plant at midnight, or at noon from noon on. So the same seed
//! gives the same orders in the same states at every time of the day; only their dates differ.
//!
//! Owns how many rows there are and how they hang together. Leaves the words to `sample_words` and the rows' shape to the contract.

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

/// How many rows there are of each kind.
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

/// A store full of rows: those of a copy, where there is one, else invented ones.
pub(crate) fn grown(contract: &Contract, config: &PlantConfig, zone: &TimeZone) -> Result<Store, PlantError> {
    reported(contract, config, zone).map(|(store, _)| store)
}

/// As [`grown`], with what became of the copy's rows.
pub(crate) fn reported(
    contract: &Contract,
    config: &PlantConfig,
    zone: &TimeZone,
) -> Result<(Store, Option<CopyReport>), PlantError> {
    match &config.copy {
        Some(copy) => copied::copied(copy, contract, zone).map(|(store, report)| (store, Some(report))),
        None => Ok((invented(contract, config, zone)?, None)),
    }
}

fn invented(contract: &Contract, config: &PlantConfig, zone: &TimeZone) -> Result<Store, PlantError> {
    let mut store = Store::new(contract, zone.clone())?;
    let now = store.local((config.clock)());
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
    seeder.patch(1).materials()?;
    seeder.patch(2).floor()?;
    let planned = seeder.patch(3).orders()?;
    seeder.patch(4).quality(&planned)?;
    seeder.patch(5).records(&planned)?;
    seeder.patch(6).supplies(&planned);
    // What grew isn't a change: the seed grows it again.
    drop(store.take_changes());
    Ok(store)
}

/// Where rows grow: the store, the dice, and the time around which everything happens.
struct Seeder<'a> {
    store: &'a mut Store,
    counts: Counts,
    seed: u64,
    /// Today's noon in the plant, around which people work.
    noon: DateTime,
    /// The latest midnight or noon in the plant. Orders lie around it, and nothing has happened after it.
    now: DateTime,
    random: ChaCha8Rng,
}

/// What other rows need to know of an order.
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

/// What an order consumed of one of its parts.
#[derive(Debug, Clone)]
struct Lot {
    part: usize,
    serial: String,
    quantity: i64,
    date: Option<DateTime>,
}

impl Seeder<'_> {
    /// Gives the next kind of rows dice of its own, so that more rows of one kind don't change another.
    fn patch(&mut self, stream: u64) -> &mut Self {
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

    fn one<T: Copy>(&mut self, among: &[T]) -> Option<T> {
        among.choose(&mut self.random).copied()
    }

    fn text(&mut self, among: &[&'static str]) -> &'static str {
        self.one(among).unwrap_or_default()
    }

    fn whole(&mut self, least: i64, most: i64) -> i64 {
        self.random.random_range(least..=most)
    }

    fn chance(&mut self, odds: f64) -> bool {
        self.random.random::<f64>() < odds
    }
}

fn later(time: DateTime, minutes: i64) -> DateTime {
    time.saturating_add(SignedDuration::from_mins(minutes))
}

fn station_code(index: usize) -> String {
    format!("WS-{:02}", index + 1)
}

fn process_code(index: usize) -> String {
    format!("IP-{:02}", index + 1)
}
