//! What people do on the floor: begin, pause, resume, end and reset orders, record quantities and lots, raise and close
//! alerts, pay supplies.
//!
//! Owns the moves between states and what each leaves behind. Leaves to `store` how rows are kept, and to `event` who is told.
//! The states are assumed: the specification names the moments between them (its events) and nothing else.

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

/// One operation of a work order. Without `operation`: the first that the move fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct OrderName {
    pub code: String,
    pub operation: Option<String>,
}

/// One thing that somebody does on the floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "move")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum Move {
    /// Schedules, shifts or (without dates) unschedules an order. Date-times are ISO 8601.
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
    /// Records quantities on top of what was produced.
    Track {
        order: OrderName,
        good: f64,
        bad: f64,
    },
    /// Records that an order consumed of a raw material.
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

/// What a move came to: the row as it stands now (an order, an alert or a supply).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moved {
    pub row: serde_json::Value,
}

/// Why a move wasn't made. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// There is no such order, alert, station, material or supply.
    #[error("{0}")]
    Unknown(String),
    /// The state doesn't allow it, for example pausing what doesn't run.
    #[error("{0}")]
    NotNow(String),
    /// A receiver of events 10 or 11 refused it, with these reasons.
    #[error("{}", .0.join(" "))]
    Refused(Vec<String>),
    /// What was given can't be: a quantity below zero, an end before its begin.
    #[error("{0}")]
    Wrong(String),
    /// The change couldn't be kept, so nothing was changed.
    #[error("{0}")]
    NotKept(String),
}

/// Who makes a move, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MoveContext<'a> {
    pub(crate) now: DateTime,
    /// The operator. If absent: the one who works on the order, or a free one.
    pub(crate) badge: Option<&'a str>,
}

impl Store {
    /// What the receivers of events 10 and 11 are asked before a move; none where they aren't. An order's operation that the
    /// move leaves open is settled here, so that what was asked about is what is done.
    pub(crate) fn question(&self, wanted: &mut Move, badge: Option<&str>) -> Result<Option<DomainEvent>, MoveError> {
        let (kind, order, row) = match wanted {
            Move::End { order } => {
                let row = self.endable(order)?;
                (EventKind::CanWorkOrderFinalize, order, row)
            }
            Move::Track { order, good, bad } => {
                let row = self.trackable(order, *good, *bad)?;
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

    /// Makes a move by its rules. An error means that nothing was changed.
    pub(crate) fn make(&mut self, wanted: &Move, hand: &MoveContext<'_>) -> Result<Moved, MoveError> {
        let row = match wanted {
            Move::Plan { order, begin, end, station } => {
                self.plan(order, begin.as_deref(), end.as_deref(), station.as_deref(), hand)
            }
            Move::Begin { order } => self.begin(order, hand),
            Move::Pause { order, reason } => self.pause(order, reason.as_deref(), hand),
            Move::Resume { order } => self.resume(order, hand),
            Move::End { order } => self.end(order, hand),
            Move::Reset { order } => self.reset(order, hand),
            Move::Track { order, good, bad } => self.record(order, *good, *bad, hand),
            Move::Consume { order, material, quantity, serial_number } => {
                self.take(order, material, *quantity, serial_number, hand)
            }
            Move::RaiseAlert { station, kind, note } => self.raise(station, kind.as_deref(), note.as_deref(), hand),
            Move::AcknowledgeAlert { id } => self.acknowledge(*id, hand),
            Move::CloseAlert { id } => self.close(*id, hand),
            Move::PaySupply { id } => return self.pay(*id).map(|row| Moved { row }),
        };
        row.map(|row| Moved { row: Value::Object(row) })
    }
}

/// The row as it stands after a move.
type RowResult = Result<Members, MoveError>;

impl From<PlantError> for MoveError {
    fn from(error: PlantError) -> Self {
        Self::NotKept(error.to_string())
    }
}

/// What the store refused where a move's own rules had nothing against it.
fn refused(reasons: &[String]) -> MoveError {
    MoveError::NotKept(reasons.join(" "))
}
