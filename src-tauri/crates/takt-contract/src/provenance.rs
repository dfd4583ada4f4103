//! Where a statement of the contract comes from. The four levels are those that a person sees in the window.

use serde::{Deserialize, Serialize};

/// Who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum ProvenanceLevel {
    /// It stands in the interface specification.
    Specified,
    /// The specification is silent; the contract document decides.
    Assumed,
    /// The site's answers show it.
    Observed,
    /// The site's own OpenAPI document or its integrator said so and replaced the assumption.
    Site,
}

/// A level together with the place that backs it, for example `Endpoints, fully specified operation 1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Provenance {
    pub level: ProvenanceLevel,
    /// The part of the specification, or why it was assumed.
    pub source: String,
}

impl ProvenanceLevel {
    /// The level's word, as it stands in JSON.
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
