//! The views of the history for the window and the command line.

use serde::{Deserialize, Serialize};
use takt_journal::SubmissionState;

use crate::submission::SubmissionView;

/// A filter of submissions. Absent fields match every submission.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct HistoryQuery {
    /// Part of a file name, an operation, a site, a person, a row's key, a reason, or the submission's ID.
    pub text: Option<String>,
    pub site: Option<String>,
    pub state: Option<SubmissionState>,
    /// Only submissions with unconfirmed rows.
    pub unconfirmed: bool,
    /// The earliest start (ISO 8601 with an offset).
    pub since: Option<String>,
    /// The start before which submissions match (ISO 8601 with an offset).
    pub until: Option<String>,
}

/// A page of the matching submissions, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HistoryList {
    pub total: u32,
    pub offset: u32,
    pub submissions: Vec<SubmissionView>,
}

/// The context of a submission.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SubmissionContext {
    /// The chain of follow-ups with the submission, the oldest first.
    pub chain: Vec<SubmissionView>,
    /// The mapping as a mapping file. Absent if the rows were entered in the window.
    pub mapping: Option<String>,
}
