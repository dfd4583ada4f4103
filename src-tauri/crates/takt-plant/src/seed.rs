//! Builds the initial rows, with invented data of a machine shop or from a site's lists.
//!
//! Invented rows depend on the seed and on the date. They show the plant at the last midnight or noon, so orders of the
//! same seed have the same states and only their dates differ. Words are in `sample_words`, and the contract determines
//! the members of rows.

mod master_data;
mod orders;
mod seeder;
mod site_copy;

use jiff::tz::TimeZone;
use takt_contract::Contract;

use crate::{PlantConfig, PlantError, copy::CopyReport, store::Store};

use seeder::Seeder;

/// Builds a store with copied or invented rows.
pub(crate) fn build_store(contract: &Contract, config: &PlantConfig, zone: &TimeZone) -> Result<Store, PlantError> {
    build_store_with_report(contract, config, zone).map(|(store, _)| store)
}

/// Like [`build_store`], but also returns the report on copied rows.
pub(crate) fn build_store_with_report(
    contract: &Contract,
    config: &PlantConfig,
    zone: &TimeZone,
) -> Result<(Store, Option<CopyReport>), PlantError> {
    match &config.copy {
        Some(copy) => site_copy::build_from_copy(copy, contract, zone).map(|(store, report)| (store, Some(report))),
        None => Ok((build_invented_store(contract, config, zone)?, None)),
    }
}

fn build_invented_store(contract: &Contract, config: &PlantConfig, zone: &TimeZone) -> Result<Store, PlantError> {
    let mut store = Store::new(contract, zone.clone())?;
    let mut seeder = Seeder::new(&mut store, config);
    seeder.with_stream(1).add_materials()?;
    seeder.with_stream(2).add_work_stations()?;
    let planned = seeder.with_stream(3).add_orders()?;
    seeder.with_stream(4).add_inspections_and_checks(&planned)?;
    seeder.with_stream(5).add_records(&planned)?;
    seeder.with_stream(6).add_supplies(&planned);
    // These rows are saved as a whole, not as changes.
    drop(store.take_changes());
    Ok(store)
}
