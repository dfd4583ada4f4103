//! What was answered to an event that asked, and why: as it is written down with the event and shown again.

use serde::{Deserialize, Serialize};

use super::fault::RuleFault;

/// What led to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum AnsweredBy {
    /// A rule spoke.
    Rule,
    /// No rule spoke.
    Default,
    /// A rule failed, and no other one decided.
    Failure,
    /// The rules weren't done in time.
    Slow,
}

/// A rule that spoke, as it was then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Spoke {
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

/// What was answered to an event, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventAnswer {
    pub allowed: bool,
    pub by: AnsweredBy,
    /// What the operator was told; empty where it was allowed.
    pub errors: Vec<String>,
    pub spoke: Vec<Spoke>,
    pub failed: Vec<RuleFailure>,
    /// Which edit of the site's rules it was; 0: there were none.
    pub version: u32,
    /// What time it was for the rules; ISO 8601 in UTC.
    pub now: String,
    /// From the event's arrival until its answer was ready to be written down.
    pub milliseconds: u32,
}
