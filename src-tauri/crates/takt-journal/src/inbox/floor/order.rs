//! The last known state of an order, and its row.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::database::{Row, SqlValue};
use crate::inbox::stored_time::{optional_milliseconds, optional_time, time_from_milliseconds};
use crate::{JournalError, StoredWord};

/// The state of an order, as far as events tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum FloorState {
    /// Events name it, but none has its state.
    Seen,
    Planned,
    Running,
    Paused,
    Ended,
}

/// The last known state of an operation of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct FloorOrder {
    pub site: String,
    pub code: String,
    /// Empty if events don't name it.
    pub operation: String,
    pub state: FloorState,
    /// The start of this state.
    pub since: Timestamp,
    pub station: Option<String>,
    pub station_name: Option<String>,
    pub employee: Option<String>,
    pub person: Option<String>,
    pub material: Option<String>,
    /// The state in the service's words, with its reason.
    pub status: Option<String>,
    pub reason: Option<String>,
    pub requested: Option<f64>,
    pub good: Option<f64>,
    pub bad: Option<f64>,
    /// The newest run that its events describe.
    pub begun: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// True if every event of that run had a time.
    pub exact: bool,
    /// The date of the newest quantities.
    pub recorded: Option<Timestamp>,
    /// The event that caused this state.
    pub event: i64,
    /// The last event that names it, and when it was received.
    pub last: i64,
    pub last_at: Timestamp,
    /// The number of events that came too late to change it.
    pub late: u32,
}

pub(super) const ORDER_COLUMNS: &str =
    "site, code, operation, state, since, station, station_name, employee, person, material, status,
    reason, requested, good, bad, begun, ended, exact, recorded, event, last, last_at, late";

pub(super) fn order_from_row(row: Row<'_>) -> Result<FloorOrder, JournalError> {
    Ok(FloorOrder {
        site: row.get(0)?,
        code: row.get(1)?,
        operation: row.get(2)?,
        state: FloorState::from_word(&row.get::<_, String>(3)?)?,
        since: time_from_milliseconds(row.get(4)?)?,
        station: row.get(5)?,
        station_name: row.get(6)?,
        employee: row.get(7)?,
        person: row.get(8)?,
        material: row.get(9)?,
        status: row.get(10)?,
        reason: row.get(11)?,
        requested: row.get(12)?,
        good: row.get(13)?,
        bad: row.get(14)?,
        begun: optional_time(row, 15)?,
        ended: optional_time(row, 16)?,
        exact: row.get(17)?,
        recorded: optional_time(row, 18)?,
        event: row.get(19)?,
        last: row.get(20)?,
        last_at: time_from_milliseconds(row.get(21)?)?,
        late: row.get(22)?,
    })
}

/// Returns the values in the order of [`ORDER_COLUMNS`].
pub(super) fn order_values(order: &FloorOrder) -> Vec<SqlValue> {
    vec![
        order.site.clone().into(),
        order.code.clone().into(),
        order.operation.clone().into(),
        order.state.word().to_owned().into(),
        order.since.as_millisecond().into(),
        order.station.clone().into(),
        order.station_name.clone().into(),
        order.employee.clone().into(),
        order.person.clone().into(),
        order.material.clone().into(),
        order.status.clone().into(),
        order.reason.clone().into(),
        order.requested.into(),
        order.good.into(),
        order.bad.into(),
        optional_milliseconds(order.begun).into(),
        optional_milliseconds(order.ended).into(),
        order.exact.into(),
        optional_milliseconds(order.recorded).into(),
        order.event.into(),
        order.last.into(),
        order.last_at.as_millisecond().into(),
        order.late.into(),
    ]
}
