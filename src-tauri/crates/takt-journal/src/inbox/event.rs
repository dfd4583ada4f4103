//! An event as it was received, its duplicates, and the result of storing it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::stored_time::time_from_milliseconds;
use crate::database::Row;
use crate::{JournalError, StoredWord};

/// The result of checking an event's signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, EnumString)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum SignatureState {
    /// The site has no secret, so nothing was checked.
    Unchecked,
    Valid,
    /// The site has a secret, but the event has no signature.
    Missing,
    /// The signature doesn't have the expected form.
    Unreadable,
    /// No secret of the site produces this signature.
    Wrong,
    /// The signature is valid, but its time is too far from the current time.
    Stale,
}

impl SignatureState {
    /// Returns whether the event is trusted: its signature is valid, or none is expected.
    #[must_use]
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::Unchecked | Self::Valid)
    }
}

/// A received event to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub site: String,
    pub received: Timestamp,
    /// The headers in order, with their original names. Bytes that aren't text are written as `\xNN`.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The key to find duplicates. An event with the same key is a duplicate only if its bytes are equal.
    pub key: i64,
    /// Like `key`, but equal for the same signature of the same bytes, regardless of the delivery's ID. Absent if the
    /// signature covers the ID or isn't valid.
    pub signed_key: Option<i64>,
    /// This event duplicates only events that were received at this time or later. Absent if their age doesn't matter.
    pub duplicates_since: Option<Timestamp>,
    pub signed: SignatureState,
    /// True if a replay sent the event, and not the service.
    pub replay: bool,
}

/// The result of storing an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreOutcome {
    New(i64),
    /// The event is a duplicate and was stored as a copy of an earlier event. `copies` is their number, with this one.
    Copy {
        event: i64,
        copies: u32,
    },
    /// The event isn't trusted and was only counted, because the limit of such events is reached or the disk is nearly
    /// full.
    Omitted,
}

/// A complete event as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEvent {
    pub id: i64,
    pub site: String,
    pub received: Timestamp,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub signed: SignatureState,
    pub replay: bool,
}

/// A duplicate of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCopy {
    pub received: Timestamp,
    pub headers: Vec<(String, String)>,
}

impl StoreOutcome {
    /// Returns the number of the new or earlier event, or none if the event was omitted.
    #[must_use]
    pub fn event(self) -> Option<i64> {
        match self {
            Self::New(event) | Self::Copy { event, .. } => Some(event),
            Self::Omitted => None,
        }
    }
}

/// The columns that [`raw_from_row`] reads.
pub(super) const RAW_COLUMNS: &str = "id, site, received, headers, body, signed, replay";

pub(super) fn raw_from_row(row: Row<'_>) -> Result<RawEvent, JournalError> {
    let headers: String = row.get(3)?;
    Ok(RawEvent {
        id: row.get(0)?,
        site: row.get(1)?,
        received: time_from_milliseconds(row.get(2)?)?,
        headers: serde_json::from_str(&headers)?,
        body: row.get(4)?,
        signed: SignatureState::from_word(&row.get::<_, String>(5)?)?,
        replay: row.get(6)?,
    })
}
