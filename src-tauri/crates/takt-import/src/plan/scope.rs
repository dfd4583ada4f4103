//! The sheets that a plan covers.

use serde::{Deserialize, Serialize};

/// The sheets that are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// The current sheet.
    Sheet,
    /// All sheets with rows. Every visible sheet was opened.
    Workbook,
    /// The sheet with this name, even if another sheet is current.
    Only(String),
}
