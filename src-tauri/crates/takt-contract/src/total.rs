//! Totals of items, for decisions about many items at once.

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// A total of an operation's items (`x-takt-total`): the field to add up, and the fields to group by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Total {
    /// The field to add up, a number.
    pub of: String,
    pub by: Vec<String>,
    pub provenance: Provenance,
}
