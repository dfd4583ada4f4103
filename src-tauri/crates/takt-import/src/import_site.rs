//! The site of an import. Its rows are checked, previewed and sent for exactly one site.

use serde::{Deserialize, Serialize};
use takt_journal::SubmissionId;

/// The site that an import is checked, previewed and sent for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ImportSite {
    pub site: String,
    /// The reason why the site can't be changed. `None` if the user may change it.
    pub fixed: Option<FixedBy>,
}

/// Why an import is bound to its site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum FixedBy {
    /// It follows this submission, whose rows are at that site.
    Submission { id: SubmissionId },
    /// It's a sample, whose rows only make sense in the practice plant.
    Sample,
}
