//! Where an error's body carries the service's words.

use serde::{Deserialize, Serialize};

/// Members of an error's body. Each is read in any shape: a text, a list of them, an object with a list per field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ErrorForm {
    /// The first that says something is shown.
    pub reasons: Vec<String>,
    /// By which the service's people find the error in their log.
    pub log_id: Vec<String>,
}
