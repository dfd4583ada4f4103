//! What the window and the command line see of rules and answers.

use serde::{Deserialize, Serialize};
use takt_contract::{EventKind, RuleExample};

use super::rule::Rules;
use crate::events::{EventAnswer, EventLine, RuleFault};

/// A site's rules as they are in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct RuleSet {
    /// Goes up with each edit; 0: there was none.
    pub version: u32,
    /// ISO 8601 in UTC; absent where there was no edit.
    pub saved: Option<String>,
    pub rules: Rules,
}

/// How far a rule's text has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleCheck {
    pub faults: Vec<RuleFault>,
    /// This very text was tried on past events.
    pub tried: bool,
}

/// An event whose answer would be another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TrialChange {
    pub line: EventLine,
    pub answer: EventAnswer,
}

/// What a rule did with past events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleTrial {
    pub name: String,
    pub spoke: u32,
    pub failed: u32,
    /// Why it failed the first time.
    pub fault: Option<RuleFault>,
}

/// How far a trial is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct TrialProgress {
    pub tried: u32,
    pub of: u32,
}

/// What the rules would have answered to events of the past.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Trial {
    /// Events that were tried, newest first; and how many there are.
    pub tried: u32,
    pub of: u32,
    pub allowed: u32,
    pub refused: u32,
    /// Events of which a rule failed.
    pub failed: u32,
    /// How many answers would be other than they were.
    pub changed: u32,
    /// The newest of them.
    pub changes: Vec<TrialChange>,
    pub rules: Vec<RuleTrial>,
    /// A person stopped it.
    pub stopped: bool,
}

/// What rules can speak of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleWords {
    /// The events that ask.
    pub events: Vec<EventKind>,
    /// Names of variables; their meaning is in the language files, section `variable`.
    pub variables: Vec<String>,
    /// The event's member whose first part is the variable `order`.
    pub order: Option<String>,
    pub examples: Vec<RuleExample>,
    /// Whether the service is assumed to allow the action without a reply. Absent if that isn't known.
    pub unanswered: Option<bool>,
}
