//! The initial rows: invented data of a machine shop, or the rows of a site's lists.
//!
//! Invented rows depend on the seed and the clock. They show the plant at the latest midnight or noon.
//! So a seed always gives the same orders in the same states, and only their dates differ.
//! Owns the numbers of rows and their relations. Leaves the words to `sample_words` and the rows' shape to the
//! contract.

mod master_data;
mod orders;
mod seeder;
mod site_copy;

use jiff::tz::TimeZone;
use takt_contract::Contract;

use crate::{PlantConfig, PlantError, copy::CopyReport, store::Store};

use seeder::Seeder;

/// Builds a store with the rows of a copy, or with invented ones.
pub(crate) fn build_store(contract: &Contract, config: &PlantConfig, zone: &TimeZone) -> Result<Store, PlantError> {
    build_store_with_report(contract, config, zone).map(|(store, _)| store)
}

/// Like [`build_store`], but also returns the report on a copy.
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
    // The seed generates these rows again at each start, so they aren't saved as changes.
    drop(store.take_changes());
    Ok(store)
}
