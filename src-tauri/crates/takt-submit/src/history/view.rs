//! What the window and the command line see when they look back.

use serde::{Deserialize, Serialize};
use takt_journal::SubmissionState;

use crate::submission::SubmissionView;

/// What a person remembers of a submission. Absent: whatever it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct HistoryQuery {
    /// Part of a file's name, an operation, a site, a person, a row's key or a reason; or its number.
    pub text: Option<String>,
    pub site: Option<String>,
    pub state: Option<SubmissionState>,
    /// Only those with unconfirmed rows.
    pub unconfirmed: bool,
    /// Started at this moment or later; ISO 8601 with an offset.
    pub since: Option<String>,
    /// Started before this moment; ISO 8601 with an offset.
    pub until: Option<String>,
}

/// A window onto the submissions that fit, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HistoryList {
    pub total: u32,
    pub offset: u32,
    pub submissions: Vec<SubmissionView>,
}

/// What stands around a submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SubmissionContext {
    /// What it follows from and what followed from it, oldest first, itself among them.
    pub chain: Vec<SubmissionView>,
    /// The mapping that was used, as a mapping file; absent where the rows came from the window.
    pub mapping: Option<String>,
}
