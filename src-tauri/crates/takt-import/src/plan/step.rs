//! The steps of a plan, and the sheets that it covers.

use serde::{Deserialize, Serialize};

use crate::check::ImportCounts;

/// Whether a step can be sent, or needs the user's attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StepState {
    Ready,
    /// The user should review the step, because of warnings, an unsettled mapping, or no row that can be sent.
    Look,
    Errors,
    /// The user left out the sheet, or the sheet with its items.
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

/// A list that a sheet's rows can be parts of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PartChoice {
    pub part: StepPart,
    /// 0 to 1, like a proposal's score.
    pub score: f64,
}

/// A sheet of the plan, with its place in the order of sending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PlanStep {
    pub sheet: String,
    /// The operation that the rows are sent with. A sheet of parts has its items' operation.
    pub operation: String,
    pub part: Option<StepPart>,
    pub state: StepState,
    /// 1-based. A sheet of parts has the same number as its items.
    pub order: u32,
    /// The sheets that this one's rows refer to. They're sent first.
    pub waits_for: Vec<String>,
    /// True if the user may move the step before the previous one.
    pub may_go_earlier: bool,
    /// True if the user may move the step after the next one.
    pub may_go_later: bool,
    pub counts: ImportCounts,
}

/// The sheets that the plan covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlanScope {
    /// The current sheet only.
    Sheet,
    /// All sheets with rows. Every visible sheet was opened.
    Workbook,
    /// The sheet with this name, even if another sheet is current.
    Only(String),
}
