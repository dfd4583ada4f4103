//! What a change preview said of an item, and how one submission follows from another: words as they are kept.

use crate::SubmissionId;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// What sending an item would do, as far as the service could be asked.
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
    /// The service holds something else than what the workbook was made from, or what may not be changed.
    Conflict,
    /// The service can't be asked, or wasn't.
    Unknown,
}

/// Why a submission follows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr, EnumString, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum Relation {
    /// Sends what the other had rejected.
    Retry,
    /// Does the same with another file.
    Again,
    /// Takes back what the other changed.
    Undo,
}

/// The submission that another one follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SubmissionOrigin {
    pub submission: SubmissionId,
    pub relation: Relation,
}
