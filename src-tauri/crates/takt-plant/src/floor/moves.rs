//! Moves on the floor, their results and errors.

use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};

use crate::{PlantError, store::Members};

/// An operation of a work order. Without `operation`, it is the first operation whose state allows the move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderName {
    pub code: String,
    pub operation: Option<String>,
}

/// An action on the floor by an operator or planner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "move")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Move {
    /// Schedules or shifts an order, or moves it to another station. Without dates and station, unschedules the order.
    /// Date-times are in ISO 8601.
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
    /// Adds to the produced quantities of an order.
    Track {
        order: OrderName,
        good: f64,
        bad: f64,
    },
    /// Records that an order consumed a raw material.
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

/// The changed row of an order, alert or supply.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MoveResult {
    pub row: serde_json::Value,
}

/// The reason why a move failed. A failed move has no effect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The order, alert, station, material or supply doesn't exist.
    #[error("{0}")]
    Unknown(String),
    /// The state doesn't allow the move, for example pausing an order that isn't running.
    #[error("{0}")]
    InvalidState(String),
    /// A receiver of events 10 or 11 refused the move, with these reasons.
    #[error("{}", .0.join(" "))]
    Refused(Vec<String>),
    /// A value is invalid, for example a negative quantity.
    #[error("{0}")]
    InvalidValue(String),
    /// The change couldn't be saved.
    #[error("{0}")]
    NotSaved(String),
}

/// The time of a move, and its operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MoveContext<'a> {
    pub(crate) now: DateTime,
    /// The operator's badge. None means the current operator of the order, or a free one.
    pub(crate) badge: Option<&'a str>,
}

/// The changed row, or the reason why the move failed.
pub(super) type RowResult = Result<Members, MoveError>;

impl From<PlantError> for MoveError {
    fn from(error: PlantError) -> Self {
        Self::NotSaved(error.to_string())
    }
}

/// Converts violations that the store reports for a valid move.
pub(super) fn save_error(reasons: &[String]) -> MoveError {
    MoveError::NotSaved(reasons.join(" "))
}
