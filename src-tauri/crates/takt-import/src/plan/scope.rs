//! The sheets that a plan covers.

use serde::{Deserialize, Serialize};

/// Which sheets are sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// The current sheet.
    Sheet,
    /// All sheets with rows. Every visible sheet was opened.
    Workbook,
    /// This sheet, whichever is current.
    Only(String),
}
