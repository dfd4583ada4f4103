//! The sources of the contract's statements, at one of four levels.

use serde::{Deserialize, Serialize};

/// The kind of source that supports a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ProvenanceLevel {
    /// The interface specification.
    Specified,
    /// The contract document, since the specification is silent.
    Assumed,
    /// The site's responses.
    Observed,
    /// The site's OpenAPI document or its integrator, which replace an assumption.
    Site,
}

/// A level with its source, for example `Endpoints, fully specified operation 1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Provenance {
    pub level: ProvenanceLevel,
    /// A part of the specification, or the reason for an assumption.
    pub source: String,
}

impl ProvenanceLevel {
    /// Returns the level's name in JSON.
    #[must_use]
    pub fn json_name(self) -> &'static str {
        match self {
            Self::Specified => "specified",
            Self::Assumed => "assumed",
            Self::Observed => "observed",
            Self::Site => "site",
        }
    }
}
