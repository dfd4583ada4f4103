//! What the window and the command line see of a plan.

use serde::{Deserialize, Serialize};

use crate::import::ImportCounts;

/// How a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StepState {
    Ready,
    /// Somebody should look at it first: columns without a field, warnings, nothing that can be sent.
    Look,
    Errors,
    /// A person left the sheet out, or the one that it belongs to.
    Skipped,
}

/// A sheet whose rows are parts of another sheet's items.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StepPart {
    /// The sheet with the items.
    pub of: String,
    /// The items' list field that the rows are members of, for example `rawMaterials`.
    pub list: String,
}

/// What a sheet's rows can be parts of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PartChoice {
    pub part: StepPart,
    /// 0 to 1, as a proposal's.
    pub score: f64,
}

/// A sheet of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PlanStep {
    pub sheet: String,
    /// What its rows are sent with; a sheet of parts has its items' one.
    pub operation: String,
    pub part: Option<StepPart>,
    pub state: StepState,
    /// 1-based; a sheet of parts goes with its items and shares their place.
    pub order: u32,
    /// The sheets with rows that this one's refer to; they go first.
    pub waits_for: Vec<String>,
    /// True where a person may have it go before the step in front of it, or behind the next one.
    pub may_go_earlier: bool,
    pub may_go_later: bool,
    pub counts: ImportCounts,
}
