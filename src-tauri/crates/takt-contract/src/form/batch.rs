//! The form of a batch's response: the results of its items and the values that mean success.

use serde::{Deserialize, Serialize};

use super::Scalar;

/// The member of a result that states success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SuccessMember {
    pub name: String,
    /// Values of an accepted item.
    pub accepted: Vec<Scalar>,
    /// Values of a rejected item. Any other value leaves the item unconfirmed.
    pub rejected: Vec<Scalar>,
}

/// The member of a result with the item's index in the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IndexMember {
    pub name: String,
    /// The first item's index.
    pub first: u32,
}

/// The response of a sync or a batch delete. Paths are dotted. An empty path is the body itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct BatchForm {
    /// The path of the list of results.
    pub results: String,
    /// Whether only failed items are listed. The others count as accepted if the counts allow it.
    pub only_failures: bool,
    /// Absent if a result doesn't state success.
    pub success: Option<SuccessMember>,
    /// Whether results lack the item's key. Without an index, they count only if all of them are equal.
    pub lacks_key: bool,
    /// Absent if results are in request order.
    pub index: Option<IndexMember>,
    /// Members with the service's reasons, in the order in which they are read.
    pub reasons: Vec<String>,
    /// The path of the number of items. Absent if the response doesn't have it.
    pub total: Option<String>,
    /// The path of the number of accepted items.
    pub accepted: Option<String>,
    /// The path of the number of rejected items.
    pub rejected: Option<String>,
    /// Whether a response without a body accepts everything.
    pub empty_accepts: bool,
}
