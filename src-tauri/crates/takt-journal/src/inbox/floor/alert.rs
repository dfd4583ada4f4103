//! The last known state of an alert, and its row.

use jiff::Timestamp;

use crate::JournalError;
use crate::database::{Row, SqlValue};
use crate::inbox::stored_time::{optional_milliseconds, optional_time, time_from_milliseconds};

/// An alert of a work station. Its note is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FloorAlert {
    pub site: String,
    /// The number that the service assigned.
    pub alert: i64,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub kind: Option<String>,
    pub note: Option<String>,
    pub opened: Timestamp,
    pub acknowledged: Option<Timestamp>,
    /// Absent while the alert is open.
    pub closed: Option<Timestamp>,
    /// The newest of its times, and the event with that time.
    pub newest: Timestamp,
    pub event: i64,
}

pub(super) const ALERT_COLUMNS: &str =
    "site, alert, station, station_name, employee, kind, note, opened, acknowledged, closed, newest, event";

pub(super) fn alert_from_row(row: Row<'_>) -> Result<FloorAlert, JournalError> {
    Ok(FloorAlert {
        site: row.get(0)?,
        alert: row.get(1)?,
        station: row.get(2)?,
        station_name: row.get(3)?,
        employee: row.get(4)?,
        kind: row.get(5)?,
        note: row.get(6)?,
        opened: time_from_milliseconds(row.get(7)?)?,
        acknowledged: optional_time(row, 8)?,
        closed: optional_time(row, 9)?,
        newest: time_from_milliseconds(row.get(10)?)?,
        event: row.get(11)?,
    })
}

/// Returns the values in the order of [`ALERT_COLUMNS`].
pub(super) fn alert_values(alert: &FloorAlert) -> Vec<SqlValue> {
    vec![
        alert.site.clone().into(),
        alert.alert.into(),
        alert.station.clone().into(),
        alert.station_name.clone().into(),
        alert.employee.clone().into(),
        alert.kind.clone().into(),
        alert.note.clone().into(),
        alert.opened.as_millisecond().into(),
        optional_milliseconds(alert.acknowledged).into(),
        optional_milliseconds(alert.closed).into(),
        alert.newest.as_millisecond().into(),
        alert.event.into(),
    ]
}
