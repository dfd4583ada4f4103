//! What items add up to, for whoever must decide about many of them at once.

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// Which field of an operation's items is added up, and by which fields the sums are told apart (`x-takt-total`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Total {
    /// A number.
    pub of: String,
    pub by: Vec<String>,
    pub provenance: Provenance,
}
