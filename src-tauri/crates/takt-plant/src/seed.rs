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
mod seeder;
mod supplies;

use jiff::tz::TimeZone;
use takt_contract::Contract;

use crate::{PlantConfig, PlantError, copy::CopyReport, store::Store};
use seeder::Seeder;

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
    let mut seeder = Seeder::new(&mut store, config);
    seeder.with_stream(1).materials()?;
    seeder.with_stream(2).floor()?;
    let planned = seeder.with_stream(3).orders()?;
    seeder.with_stream(4).quality(&planned)?;
    seeder.with_stream(5).records(&planned)?;
    seeder.with_stream(6).supplies(&planned);
    // The seed generates these rows again at each start, so they aren't saved as changes.
    drop(store.take_changes());
    Ok(store)
}
