//! The events that the service sends: names, fields, effects on the floor, and whether the service waits for a reply.
//! [`Answering`] has the data for rules that reply.

use serde::{Deserialize, Serialize};

use crate::{Field, Names, Provenance};

/// One of the service's events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EventKind {
    /// The service's number of the event.
    pub id: i32,
    /// The service's name of the event.
    pub name: String,
    /// The trigger of the event, in the specification's words.
    pub fired: String,
    /// The specification's name of the payload.
    pub payload: String,
    /// Whether the service waits for a reply that may refuse.
    pub asks: bool,
    /// The fields of the payload.
    pub fields: Vec<Field>,
    /// The effect on the floor. None if there is no effect, or if the document states none.
    pub floor: Option<FloorEffect>,
    pub names: Names,
    pub provenance: Provenance,
}

/// The effect of an event on the floor (`x-takt-floor`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FloorEffect {
    pub moves: EventOutcome,
    /// The states from which an order is moved. Orders in an unknown state are always moved. Empty means any state.
    #[serde(default)]
    pub from: Vec<EventOutcome>,
    /// The date of the order at which the event happened. Absent if the event has no time.
    #[serde(default)]
    pub at: Option<FloorDate>,
    pub provenance: Provenance,
}

/// The state after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum EventOutcome {
    /// The order waits to be begun.
    Planned,
    Running,
    Paused,
    Ended,
    /// An alert, which is open or closed by its own times.
    Alert,
}

/// A date of an order in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum FloorDate {
    Begun,
    Ended,
}

/// How rules refer to events with a reply. Both parts are empty if the document states nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ReplyRules {
    /// The member whose first part is the operator's order.
    pub order: Option<String>,
    pub examples: Vec<RuleExample>,
}

/// An example of a rule for planners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RuleExample {
    pub id: String,
    pub names: Names,
    /// The service's numbers of the events that the rule applies to.
    pub events: Vec<i32>,
    /// The condition in CEL. The rule applies if it is true.
    pub when: String,
    /// The message to the operator, with `{…}` in CEL. Absent if the rule allows.
    #[serde(default)]
    pub refuse: Option<Names>,
}
