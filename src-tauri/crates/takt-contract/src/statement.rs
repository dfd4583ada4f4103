//! Statements of an operation, each with who says so: an operation may be specified in its method and assumed in its path.

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// What a statement is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StatementAbout {
    /// To which functional area it belongs.
    Area,
    Method,
    Path,
    /// What it is for.
    Purpose,
    /// Of what is sent and answered, where that has a schema of its own (GraphQL).
    Schema,
    /// That it answers with the status in [`Statement::at`].
    Status,
    /// A keyword of what is specified otherwise: [`Statement::at`] names the place and the keyword.
    Keyword,
}

/// One statement that the contract makes of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Statement {
    pub about: StatementAbout,
    /// The status, or place and keyword such as `limit schema.default`. Empty for the others.
    pub at: String,
    pub provenance: Provenance,
}
