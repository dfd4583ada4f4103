//! The rows that are skipped when a submission starts.

use serde::Deserialize;
use takt_engine::submission::ClaimChoice;

/// The rows that are skipped. Rows that aren't skipped refuse the submission.
#[derive(Debug, Clone, Copy, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkipChoice {
    /// Rows with errors.
    pub(super) errors: bool,
    /// Rows whose keys another desk of the team is sending.
    pub(super) claimed: bool,
}

impl SkipChoice {
    pub(super) fn claim_choice(self) -> ClaimChoice {
        claim_choice(self.claimed)
    }
}

/// Returns whether rows that colleagues are sending are skipped or refuse the submission.
pub(super) fn claim_choice(skip_claimed: bool) -> ClaimChoice {
    if skip_claimed { ClaimChoice::LeaveOut } else { ClaimChoice::Refuse }
}
