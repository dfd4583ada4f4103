//! What a batch answers: where each item's result stands, and what in it means yes.

use serde::{Deserialize, Serialize};

use super::Scalar;

/// The member of a result that decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SuccessMember {
    pub name: String,
    /// Values by which an item is accepted.
    pub accepted: Vec<Scalar>,
    /// Values by which it is rejected. Any other value leaves it unconfirmed.
    pub rejected: Vec<Scalar>,
}

/// The member of a result that numbers the item in the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IndexMember {
    pub name: String,
    /// The first item's number.
    pub first: u32,
}

/// The answer of a sync or a batch delete. Paths are dotted; an empty one is the body itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct BatchForm {
    /// The list of results.
    pub results: String,
    /// True where only items that failed are listed; the others are accepted where the counts allow it.
    pub only_failures: bool,
    /// Absent where a result says nothing but that it is listed.
    pub success: Option<SuccessMember>,
    /// True where results don't repeat the item's key. Without numbers they are believed only where all say the same.
    pub lacks_key: bool,
    /// Absent where results stand in request order.
    pub index: Option<IndexMember>,
    /// Members with the service's words, in the order in which they are asked.
    pub reasons: Vec<String>,
    /// How many items there were. Absent where the answer doesn't say.
    pub total: Option<String>,
    /// How many were accepted.
    pub accepted: Option<String>,
    /// How many were rejected.
    pub rejected: Option<String>,
    /// True where an answer without a body accepts everything.
    pub empty_accepts: bool,
}
