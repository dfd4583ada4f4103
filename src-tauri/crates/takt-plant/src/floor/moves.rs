//! A move on the floor, its result, and the reasons why it fails.

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

use crate::{PlantError, store::Members};

/// One operation of a work order. Without `operation`, the first one that the move fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderName {
    pub code: String,
    pub operation: Option<String>,
}

/// An action on the floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "move")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Move {
    /// Schedules or shifts an order, or moves it to another station. Without dates and station, unschedules it.
    /// Date-times are ISO 8601.
    Plan {
        order: OrderName,
        begin: Option<String>,
        end: Option<String>,
        station: Option<String>,
    },
    Begin {
        order: OrderName,
    },
    Pause {
        order: OrderName,
        reason: Option<String>,
    },
    Resume {
        order: OrderName,
    },
    End {
        order: OrderName,
    },
    Reset {
        order: OrderName,
    },
    /// Adds to the produced quantities.
    Track {
        order: OrderName,
        good: f64,
        bad: f64,
    },
    /// Records consumption of a raw material by an order.
    Consume {
        order: OrderName,
        material: String,
        quantity: f64,
        serial_number: String,
    },
    RaiseAlert {
        station: String,
        kind: Option<String>,
        note: Option<String>,
    },
    AcknowledgeAlert {
        id: i64,
    },
    CloseAlert {
        id: i64,
    },
    PaySupply {
        id: i64,
    },
}

/// The result of a move: the changed row of an order, alert or supply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoveResult {
    pub row: serde_json::Value,
}

/// Why a move failed. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The order, alert, station, material or supply doesn't exist.
    #[error("{0}")]
    Unknown(String),
    /// The state doesn't allow it, for example pausing an order that isn't running.
    #[error("{0}")]
    InvalidState(String),
    /// A receiver of events 10 or 11 refused it, with these reasons.
    #[error("{}", .0.join(" "))]
    Refused(Vec<String>),
    /// A value is invalid: a quantity below zero, an end before its begin.
    #[error("{0}")]
    InvalidValue(String),
    /// The change couldn't be saved.
    #[error("{0}")]
    NotSaved(String),
}

/// The time of a move and its operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MoveContext<'a> {
    pub(crate) now: DateTime,
    /// The operator. If absent, the one who works on the order, or a free one.
    pub(crate) badge: Option<&'a str>,
}

/// The row after a move.
pub(super) type RowResult = Result<Members, MoveError>;

impl From<PlantError> for MoveError {
    fn from(error: PlantError) -> Self {
        Self::NotSaved(error.to_string())
    }
}

/// Converts the store's refusal of a move that the move's own rules allow.
pub(super) fn save_error(reasons: &[String]) -> MoveError {
    MoveError::NotSaved(reasons.join(" "))
}
