//! Converts stored times, which are milliseconds since 1970.

use jiff::Timestamp;

use crate::JournalError;
use crate::database::Row;

pub(super) fn time_from_milliseconds(milliseconds: i64) -> Result<Timestamp, JournalError> {
    Ok(Timestamp::from_millisecond(milliseconds)?)
}

pub(super) fn optional_time(row: Row<'_>, column: usize) -> Result<Option<Timestamp>, JournalError> {
    row.get::<_, Option<i64>>(column)?.map(time_from_milliseconds).transpose()
}

pub(super) fn optional_milliseconds(time: Option<Timestamp>) -> Option<i64> {
    time.map(Timestamp::as_millisecond)
}
