//! A work station that events name, and its row.

use jiff::Timestamp;

use crate::JournalError;
use crate::database::{Row, SqlValue};
use crate::inbox::stored_time::time_from_milliseconds;

/// A work station that an event named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorStation {
    pub site: String,
    pub code: String,
    pub name: Option<String>,
    /// The last event that names it, and when it was received.
    pub last: i64,
    pub last_at: Timestamp,
}

pub(super) const STATION_COLUMNS: &str = "site, code, name, last, last_at";

pub(super) fn station_from_row(row: Row<'_>) -> Result<FloorStation, JournalError> {
    Ok(FloorStation {
        site: row.get(0)?,
        code: row.get(1)?,
        name: row.get(2)?,
        last: row.get(3)?,
        last_at: time_from_milliseconds(row.get(4)?)?,
    })
}

/// Returns the values in the order of [`STATION_COLUMNS`].
pub(super) fn station_values(station: &FloorStation) -> Vec<SqlValue> {
    let FloorStation { site, code, name, last, last_at } = station;
    vec![site.clone().into(), code.clone().into(), name.clone().into(), (*last).into(), last_at.as_millisecond().into()]
}
