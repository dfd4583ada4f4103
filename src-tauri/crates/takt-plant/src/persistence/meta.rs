//! Properties of the plant in the file, by name: origin, clock, secrets.

use std::path::Path;

use jiff::tz::TimeZone;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use takt_contract::Contract;

use super::file;
use crate::{PlantConfig, PlantError};

pub(super) const SEED: &str = "seed";
pub(super) const SIZE: &str = "size";
pub(super) const TIME_ZONE: &str = "timeZone";
/// The plant's date when the rows were created.
pub(super) const CREATED_ON: &str = "grown";
/// The fingerprint of the contract that shaped the rows.
pub(super) const CONTRACT: &str = "contract";
/// The highest ID given to a row.
pub(super) const LAST_ID: &str = "lastId";
pub(super) const CLOCK: &str = "clock";
pub(super) const CLIENT_SECRET: &str = "clientSecret";
pub(super) const CONTROL_KEY: &str = "controlKey";
/// The number of the latest log entry when the log was cleared.
pub(super) const LOG_NUMBER: &str = "logNumber";

pub(super) fn get(connection: &Connection, name: &str) -> Result<Option<String>, PlantError> {
    let mut statement = connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

pub(super) fn put(connection: &Connection, name: &str, value: &str) -> Result<(), PlantError> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)")?;
    statement.execute(params![name, value])?;
    Ok(())
}

/// Returns a value that every plant's file contains.
pub(super) fn required(connection: &Connection, path: &Path, name: &str) -> Result<String, PlantError> {
    get(connection, name)?.ok_or_else(|| file::damaged(path, format!("it doesn't say its {name}")))
}

/// Returns a value that is JSON, for example a number.
pub(super) fn get_parsed<T: DeserializeOwned>(
    connection: &Connection,
    path: &Path,
    name: &str,
) -> Result<Option<T>, PlantError> {
    let Some(text) = get(connection, name)? else { return Ok(None) };
    let wrong = |error| file::damaged(path, format!("its {name} is `{text}`: {error}"));
    serde_json::from_str(&text).map(Some).map_err(wrong)
}

/// Returns the contract's SHA-256 in hexadecimal digits.
pub(super) fn fingerprint(contract: &Contract) -> String {
    let digest = Sha256::digest(contract.document().to_string());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Saves the origin of the rows.
pub(super) fn write_origin(
    connection: &Connection,
    config: &PlantConfig,
    contract: &Contract,
    zone: &TimeZone,
) -> Result<(), PlantError> {
    put(connection, SEED, &config.seed.to_string())?;
    put(connection, SIZE, &config.size.to_string())?;
    put(connection, TIME_ZONE, &config.time_zone)?;
    put(connection, CREATED_ON, &zone.to_datetime((config.clock)()).date().to_string())?;
    put(connection, CONTRACT, &fingerprint(contract))
}

/// Refuses a state with another seed, size or time zone. Its dates are local.
pub(super) fn check_origin(connection: &Connection, path: &Path, config: &PlantConfig) -> Result<(), PlantError> {
    let asked = [
        ("seed", SEED, config.seed.to_string()),
        ("size", SIZE, config.size.to_string()),
        ("time zone", TIME_ZONE, config.time_zone.clone()),
    ];
    for (what, name, asked) in asked {
        let kept = required(connection, path, name)?;
        if kept != asked {
            return Err(PlantError::DataDiffers { path: path.to_path_buf(), what, kept, asked });
        }
    }
    Ok(())
}
