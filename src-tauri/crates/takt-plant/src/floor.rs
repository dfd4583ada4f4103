//! Moves on the floor: begin, pause, resume, end and reset orders, record quantities and lots, raise and close alerts,
//! pay supplies.
//!
//! Owns the transitions between states and their effects. Leaves rows to `store`, and delivery to `event`.
//! The states are assumed. The specification only has events for the transitions between them.

mod alerts;
pub(crate) mod calendar;
pub(crate) mod day;
mod orders;
mod quantities;
pub(crate) mod shift;
mod supplies;
mod times;
mod view;
mod work;

pub(crate) use day::Day;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    PlantError,
    domain_event::{DomainEvent, EventKind, EventSubject},
    store::{Members, Store, text},
};

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
pub struct Moved {
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
    NotNow(String),
    /// A receiver of events 10 or 11 refused it, with these reasons.
    #[error("{}", .0.join(" "))]
    Refused(Vec<String>),
    /// A value is invalid: a quantity below zero, an end before its begin.
    #[error("{0}")]
    Wrong(String),
    /// The change couldn't be saved.
    #[error("{0}")]
    NotKept(String),
}

/// The time of a move and its operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MoveContext<'a> {
    pub(crate) now: DateTime,
    /// The operator. If absent, the one who works on the order, or a free one.
    pub(crate) badge: Option<&'a str>,
}

impl Store {
    /// Returns the check to send before a move (events 10 and 11). None if the move needs no check. Sets the order's
    /// operation if it's open, so that the checked operation is the changed one.
    pub(crate) fn required_check(
        &self,
        wanted: &mut Move,
        badge: Option<&str>,
    ) -> Result<Option<DomainEvent>, MoveError> {
        let (kind, order, row) = match wanted {
            Move::End { order } => {
                let row = self.find_endable(order)?;
                (EventKind::CanWorkOrderFinalize, order, row)
            }
            Move::Track { order, good, bad } => {
                let row = self.find_trackable(order, *good, *bad)?;
                (EventKind::CanWorkOrderTrackQuantity, order, row)
            }
            _ => return Ok(None),
        };
        let operation = text(&row, "operationCode").to_owned();
        order.operation = Some(operation.clone());
        let badge = badge.map(str::to_owned).or_else(|| self.operator_of(&row));
        Ok(Some(DomainEvent {
            kind,
            subject: EventSubject::Order { code: order.code.clone(), operation },
            user: None,
            badge,
        }))
    }

    /// Applies a move. An error means that nothing was changed.
    pub(crate) fn apply_move(&mut self, wanted: &Move, ctx: &MoveContext<'_>) -> Result<Moved, MoveError> {
        let row = match wanted {
            Move::Plan { order, begin, end, station } => {
                self.plan(order, begin.as_deref(), end.as_deref(), station.as_deref(), ctx)
            }
            Move::Begin { order } => self.begin(order, ctx),
            Move::Pause { order, reason } => self.pause(order, reason.as_deref(), ctx),
            Move::Resume { order } => self.resume(order, ctx),
            Move::End { order } => self.end(order, ctx),
            Move::Reset { order } => self.reset(order, ctx),
            Move::Track { order, good, bad } => self.track_quantities(order, *good, *bad, ctx),
            Move::Consume { order, material, quantity, serial_number } => {
                self.consume(order, material, *quantity, serial_number, ctx)
            }
            Move::RaiseAlert { station, kind, note } => self.raise(station, kind.as_deref(), note.as_deref(), ctx),
            Move::AcknowledgeAlert { id } => self.acknowledge(*id, ctx),
            Move::CloseAlert { id } => self.close(*id, ctx),
            Move::PaySupply { id } => return self.pay(*id).map(|row| Moved { row }),
        };
        row.map(|row| Moved { row: Value::Object(row) })
    }
}

/// The row after a move.
type RowResult = Result<Members, MoveError>;

impl From<PlantError> for MoveError {
    fn from(error: PlantError) -> Self {
        Self::NotKept(error.to_string())
    }
}

/// Converts the store's refusal of a move that the move's own rules allow.
fn not_saved(reasons: &[String]) -> MoveError {
    MoveError::NotKept(reasons.join(" "))
}
