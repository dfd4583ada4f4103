//! Events that the service sends: what each is called, what it carries, what it moves, and whether it waits for an answer.

use serde::{Deserialize, Serialize};

use crate::{Field, Names, Provenance};

/// One of the service's events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EventKind {
    /// The service's number for it.
    pub id: i32,
    /// The service's name for it.
    pub name: String,
    /// When it is fired, in the specification's words.
    pub fired: String,
    /// The specification's name of what it carries.
    pub payload: String,
    /// True where the service waits for an answer that may refuse.
    pub asks: bool,
    /// What it carries.
    pub fields: Vec<Field>,
    /// What it changes on the floor. Absent where it changes nothing there, or the document doesn't say.
    pub floor: Option<FloorMove>,
    pub names: Names,
    pub provenance: Provenance,
}

/// What an event changes on the floor (`x-takt-floor`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FloorMove {
    pub moves: FloorTurn,
    /// Only orders in one of these states are moved, and those of which nothing is known. Empty: whatever state they are in.
    #[serde(default)]
    pub from: Vec<FloorTurn>,
    /// Which of the order's dates is the moment at which it happened. Absent where the event has no time of its own.
    #[serde(default)]
    pub at: Option<FloorMoment>,
    pub provenance: Provenance,
}

/// Where an event brings what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum FloorTurn {
    /// The order waits to be begun.
    Planned,
    Running,
    Paused,
    Ended,
    /// It tells of an alert, whose own times say whether it is open.
    Alert,
}

/// A date of an order in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum FloorMoment {
    Begun,
    Ended,
}
