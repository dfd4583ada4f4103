//! Stores rows by position, templates and supplies in the file.

use std::{collections::HashSet, path::Path};

use jiff::tz::TimeZone;
use rusqlite::{Connection, params};
use takt_contract::{Contract, wire::TemplateProcessLink};

use super::file;
use crate::{
    PlantError,
    store::{Changes, Resource, Store, Supply},
};

/// Saves the current state of everything that changed.
pub(super) fn write_changes(connection: &Connection, store: &Store, changes: &Changes) -> Result<(), PlantError> {
    let mut written = HashSet::with_capacity(changes.rows.len());
    for change in &changes.rows {
        let key = row_key(change.resource, change.position);
        if let (true, Some(row)) = (written.insert(key), store.table(change.resource).row_text_at(change.position)) {
            write_row(connection, key, row)?;
        }
    }
    for change in &changes.templates {
        write_template(connection, change.id, store.template(change.id).unwrap_or_default())?;
    }
    for change in &changes.supplies {
        if let Some(supply) = store.supply(change.id) {
            write_supply(connection, supply)?;
        }
    }
    if !changes.rows.is_empty() || !changes.supplies.is_empty() {
        file::put_property(connection, file::LAST_ID, &store.last_id().to_string())?;
    }
    Ok(())
}

/// Replaces all stored rows, templates and supplies.
pub(super) fn write_store(connection: &Connection, store: &Store) -> Result<(), PlantError> {
    connection.execute_batch("DELETE FROM rows; DELETE FROM templates; DELETE FROM supplies;")?;
    for resource in Resource::ALL {
        for (position, row) in (0_u32..).zip(store.table(resource).row_texts()) {
            write_row(connection, row_key(resource, position), row)?;
        }
    }
    for (id, links) in store.templates() {
        write_template(connection, id, links)?;
    }
    store.supplies().try_for_each(|supply| write_supply(connection, supply))?;
    file::put_property(connection, file::LAST_ID, &store.last_id().to_string())
}

/// Reads the store. Rows keep their positions, so that pages are stable.
pub(super) fn read_store(
    connection: &Connection,
    path: &Path,
    contract: &Contract,
    zone: &TimeZone,
) -> Result<Store, PlantError> {
    check_tables(connection, path)?;
    // Rows that another contract determined may lack members.
    let same_shape =
        file::get_property(connection, file::CONTRACT)?.as_deref() == Some(&*file::fingerprint_contract(contract));
    let mut store = Store::new(contract, zone.clone())?;
    read_rows(connection, path, &mut store, same_shape)?;
    let mut statement = connection.prepare("SELECT id, links FROM templates ORDER BY id")?;
    let mut templates = statement.query([])?;
    while let Some(row) = templates.next()? {
        let (id, text): (i64, String) = (row.get(0)?, row.get(1)?);
        let links = serde_json::from_str(&text);
        store.load_template(id, links.map_err(|error| file::damage_error(path, format!("template {id}: {error}")))?);
    }
    let mut statement = connection.prepare("SELECT id, supply FROM supplies ORDER BY id")?;
    let mut supplies = statement.query([])?;
    while let Some(row) = supplies.next()? {
        let (id, text): (i64, String) = (row.get(0)?, row.get(1)?);
        let supply = serde_json::from_str(&text);
        store.put_supply(supply.map_err(|error| file::damage_error(path, format!("supply {id}: {error}")))?);
    }
    store.set_last_id(file::parse_property(connection, path, file::LAST_ID)?.unwrap_or_default());
    // Rows that were loaded aren't changes.
    drop(store.take_changes());
    Ok(store)
}

fn read_rows(connection: &Connection, path: &Path, store: &mut Store, same_shape: bool) -> Result<(), PlantError> {
    let mut statement = connection.prepare("SELECT place, row FROM rows ORDER BY place")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (at, text): (i64, String) = (row.get(0)?, row.get(1)?);
        let resource = Resource::ALL.into_iter().find(|resource| resource_number(*resource) == at >> 32);
        let resource = resource.ok_or_else(|| file::damage_error(path, format!("nothing belongs at place {at}")))?;
        let wrong = |error: PlantError| file::damage_error(path, format!("the row at place {at}: {error}"));
        let position = store.load_row(resource, text, same_shape).map_err(wrong)?;
        if row_key(resource, position) != at {
            return Err(file::damage_error(
                path,
                format!("the row at place {at} stands twice, or one before it is missing"),
            ));
        }
    }
    Ok(())
}

/// Checks the tables for damage. The log isn't checked, since it may be large and the plant doesn't depend on it.
fn check_tables(connection: &Connection, path: &Path) -> Result<(), PlantError> {
    for table in ["meta", "rows", "templates", "supplies"] {
        let result = connection.query_row(&format!("PRAGMA quick_check({table})"), [], |row| row.get::<_, String>(0));
        let result = result?;
        if result != "ok" {
            return Err(file::damage_error(path, result));
        }
    }
    Ok(())
}

fn write_row(connection: &Connection, key: i64, row: &str) -> Result<(), PlantError> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO rows (place, row) VALUES (?1, ?2)")?;
    statement.execute(params![key, row])?;
    Ok(())
}

fn write_template(connection: &Connection, id: i64, links: &[TemplateProcessLink]) -> Result<(), PlantError> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO templates (id, links) VALUES (?1, ?2)")?;
    statement.execute(params![id, serde_json::to_string(links)?])?;
    Ok(())
}

fn write_supply(connection: &Connection, supply: &Supply) -> Result<(), PlantError> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO supplies (id, supply) VALUES (?1, ?2)")?;
    statement.execute(params![supply.id, serde_json::to_string(supply)?])?;
    Ok(())
}

fn row_key(resource: Resource, position: u32) -> i64 {
    resource_number(resource) << 32 | i64::from(position)
}

/// Returns the number of a resource in files. Numbers must never change, since existing files contain them.
fn resource_number(resource: Resource) -> i64 {
    match resource {
        Resource::Materials => 1,
        Resource::Stock => 2,
        Resource::WorkOrders => 3,
        Resource::Alerts => 4,
        Resource::LaborTimes => 5,
        Resource::Inspections => 6,
        Resource::InspectionProcesses => 7,
        Resource::QualityChecks => 8,
        Resource::ConsumedLots => 9,
        Resource::OrderHistory => 10,
        Resource::WorkStations => 11,
    }
}
