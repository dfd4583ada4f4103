//! What people do on the floor: begin, pause, resume, end and reset orders, record quantities and lots, raise and close
//! alerts, pay supplies.
//!
//! Owns the moves between states and what each leaves behind. Leaves to `store` how rows are kept, and to `event` who is told.

use serde::Serialize;

/// One operation of a work order. Without `operation`: the first that the move fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderName {
    pub code: String,
    pub operation: Option<String>,
}

/// One thing that somebody does on the floor.
#[derive(Debug, Clone, PartialEq)]
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
}
