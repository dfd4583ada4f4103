//! The stored words for the result of a change preview, and for the relation between submissions.

use crate::SubmissionId;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// The effect of sending an item, as far as the service could be asked.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, EnumString, Serialize, Deserialize,
)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Change {
    New,
    Changed,
    Same,
    /// The service's value differs from the one that the workbook was made from, or it may not be changed.
    Conflict,
    /// The service can't be asked, or wasn't asked.
    Unknown,
}

/// Why a submission follows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Relation {
    /// Sends the items that were rejected in the other.
    Retry,
    /// Does the same as the other with another file.
    Again,
    /// Reverts the changes of the other.
    Undo,
}

/// The submission that another one follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SubmissionOrigin {
    pub submission: SubmissionId,
    pub relation: Relation,
}
