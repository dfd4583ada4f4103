//! The service's events with their names, fields and effects on the floor. [`EventKind::asks`] shows whether the
//! service waits for a reply, and [`ReplyRules`] has the data for rules that reply.

use serde::{Deserialize, Serialize};

use crate::{Field, Names, Provenance};

/// An event that the service can send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct EventKind {
    /// The number that identifies the event on the wire.
    pub id: i32,
    /// The name in the specification.
    pub name: String,
    /// The trigger of the event, as described in the specification.
    pub fired: String,
    /// The name of the payload in the specification.
    pub payload: String,
    /// Whether the service waits for a reply, which may refuse the operator's action.
    pub asks: bool,
    pub fields: Vec<Field>,
    /// The event's effect on the floor. None if it has no effect, or if the document doesn't describe one.
    pub floor: Option<FloorEffect>,
    pub names: Names,
    pub provenance: Provenance,
}

/// The effect of an event on the floor (`x-takt-floor`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FloorEffect {
    pub moves: EventOutcome,
    /// The states in which the event changes an order. Empty means any state. An order in an unknown state is always
    /// changed.
    #[serde(default)]
    pub from: Vec<EventOutcome>,
    /// The order's date that is the time of the event. Absent if the event has no time.
    #[serde(default)]
    pub at: Option<FloorDate>,
    pub provenance: Provenance,
}

/// The state of an order or an alert after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum EventOutcome {
    /// The order waits for its start.
    Planned,
    Running,
    Paused,
    Ended,
    /// An alert. Its own times show whether it is open.
    Alert,
}

/// A date of an order that can be the time of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum FloorDate {
    Begun,
    Ended,
}

/// The data for rules about events with a reply. Empty if the document has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ReplyRules {
    /// The list whose first element is the order that the operator works on.
    pub order: Option<String>,
    pub examples: Vec<RuleExample>,
}

/// An example of a rule, for planners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RuleExample {
    pub id: String,
    pub names: Names,
    /// The numbers of the events to which the rule applies.
    pub events: Vec<i32>,
    /// The condition as a CEL expression.
    pub when: String,
    /// The message to the operator, with CEL expressions in `{…}`. Absent if the rule allows the action.
    #[serde(default)]
    pub refuse: Option<Names>,
}
