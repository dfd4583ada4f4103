//! The answer to an event and its reasons, as stored with the event and shown.

use serde::{Deserialize, Serialize};

use super::fault::RuleFault;

/// The origin of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum AnsweredBy {
    /// A rule matched.
    Rule,
    /// No rule matched.
    Default,
    /// A rule failed, and no other rule decided.
    Failure,
    /// The rules timed out.
    Slow,
}

/// A rule that matched, with its text at that time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct MatchedRule {
    pub name: String,
    pub when: String,
    pub refuse: Option<String>,
}

/// A rule that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RuleFailure {
    pub name: String,
    pub fault: RuleFault,
}

/// The answer to an event, and its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventAnswer {
    pub allowed: bool,
    pub by: AnsweredBy,
    /// The messages for the operator. Empty if the event was allowed.
    pub errors: Vec<String>,
    pub spoke: Vec<MatchedRule>,
    pub failed: Vec<RuleFailure>,
    /// The number of the edit that saved the rules. 0 if there were no rules.
    pub version: u32,
    /// The time at the site that the rules used (ISO 8601 in UTC).
    pub now: String,
    /// The time from the event's arrival until its answer was ready to be stored.
    pub milliseconds: u32,
}
