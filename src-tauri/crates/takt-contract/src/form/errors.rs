//! Where an error's body carries the service's words.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::put_at_path;

/// Members of an error's body. Each is read in any shape: a text, a list of them, an object with a list per field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ErrorForm {
    /// The first that says something is shown.
    pub reasons: Vec<String>,
    /// The members of which a response that says that there is no such thing has one. Empty: those of `reasons`.
    pub absent: Vec<String>,
    /// By which the service's people find the error in their log.
    pub log_id: Vec<String>,
}

impl ErrorForm {
    /// An error's body with these words, as a service would write it that says errors so.
    #[must_use]
    pub fn body(&self, reasons: &[String], log_id: Option<&str>) -> Value {
        let mut body = Value::Object(Map::new());
        if let Some(path) = self.reasons.first() {
            let said = if let [only] = reasons { Value::from(only.as_str()) } else { Value::from(reasons) };
            put_at_path(&mut body, path, said);
        }
        if let (Some(path), Some(log_id)) = (self.log_id.first(), log_id) {
            put_at_path(&mut body, path, Value::from(log_id));
        }
        body
    }
}
