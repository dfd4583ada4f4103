//! The views of rules and answers for the window and the command line.

use serde::{Deserialize, Serialize};
use takt_contract::{EventKind, RuleExample};

use super::rule::Rules;
use crate::events::{EventAnswer, EventLine, RuleFault};

/// A site's rules in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RuleSet {
    /// Incremented by each edit. 0 if there was none.
    pub version: u32,
    /// The time of the last edit, ISO 8601 in UTC. Absent if there was none.
    pub saved: Option<String>,
    pub rules: Rules,
}

/// The state of a rule's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleCheck {
    pub faults: Vec<RuleFault>,
    /// Whether this exact text was tried on past events.
    pub tried: bool,
}

/// A past event with a different answer under the tried rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TrialChange {
    pub line: EventLine,
    pub answer: EventAnswer,
}

/// The results of one rule in a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleTrial {
    pub name: String,
    pub spoke: u32,
    pub failed: u32,
    /// The first failure.
    pub fault: Option<RuleFault>,
}

/// The progress of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TrialProgress {
    pub tried: u32,
    pub of: u32,
}

/// The result of a trial of rules on past events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Trial {
    /// Events that were tried, the newest first, and all events of the site.
    pub tried: u32,
    pub of: u32,
    pub allowed: u32,
    pub refused: u32,
    /// Events on which a rule failed.
    pub failed: u32,
    /// Events with a different answer than they got.
    pub changed: u32,
    /// The newest of these changes.
    pub changes: Vec<TrialChange>,
    pub rules: Vec<RuleTrial>,
    /// Whether the user stopped the trial.
    pub stopped: bool,
}

/// The events, variables and examples for an editor of rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleWords {
    /// The events that wait for an answer.
    pub events: Vec<EventKind>,
    /// Names of variables, with meanings in the language files, section `variable`.
    pub variables: Vec<String>,
    /// The event's member whose first element is the variable `order`.
    pub order: Option<String>,
    pub examples: Vec<RuleExample>,
    /// Whether the service is assumed to allow the action without a reply. Absent if unknown.
    pub unanswered: Option<bool>,
}
