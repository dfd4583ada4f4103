//! Statements about an operation, each with its provenance. The method may be specified and the path assumed.

use serde::{Deserialize, Serialize};

use crate::Provenance;

/// The subject of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum StatementAbout {
    /// The functional area of the operation.
    Area,
    Method,
    Path,
    /// The purpose of the operation.
    Purpose,
    /// The schema of requests and responses in their own language (GraphQL).
    Schema,
    /// The status in [`Statement::at`] of a response.
    Status,
    /// An assumed keyword of a part that is specified. [`Statement::at`] names the part and the keyword.
    Keyword,
}

/// One statement of the contract about an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Statement {
    pub about: StatementAbout,
    /// The status, or part and keyword, for example `limit schema.default`. Empty for other subjects.
    pub at: String,
    pub provenance: Provenance,
}
