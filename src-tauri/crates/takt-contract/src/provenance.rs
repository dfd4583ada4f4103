//! The provenance of the contract's statements. The user interface shows the four levels.

use serde::{Deserialize, Serialize};

/// The level of a statement's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ProvenanceLevel {
    /// The interface specification states it.
    Specified,
    /// The specification is silent, and the contract document decides.
    Assumed,
    /// The site's responses show it.
    Observed,
    /// The site's OpenAPI document or its integrator replaced the assumption.
    Site,
}

/// A level with its source, for example `Endpoints, fully specified operation 1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Provenance {
    pub level: ProvenanceLevel,
    /// The part of the specification, or the reason for an assumption.
    pub source: String,
}

impl ProvenanceLevel {
    /// Returns the level as it is written in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Specified => "specified",
            Self::Assumed => "assumed",
            Self::Observed => "observed",
            Self::Site => "site",
        }
    }
}
