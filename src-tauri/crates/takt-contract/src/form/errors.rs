//! The members of error bodies with the service's reasons.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::member_path::put_at_path;

/// The members of an error's body. Each may be a text, a list of texts, or an object with a list per field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ErrorForm {
    /// Paths of the reasons. The first non-empty one is shown.
    pub reasons: Vec<String>,
    /// Paths of members that mark a response as "not found", if it has one of them. Empty: those of `reasons`.
    pub absent: Vec<String>,
    /// Paths of the ID with which the service's administrators find the error in their log.
    pub log_id: Vec<String>,
}

impl ErrorForm {
    /// Returns an error's body with these reasons, as a service with this form would write it.
    #[must_use]
    pub fn body(&self, reasons: &[String], log_id: Option<&str>) -> Value {
        let mut body = Value::Object(Map::new());
        if let Some(path) = self.reasons.first() {
            let reason = if let [only] = reasons { Value::from(only.as_str()) } else { Value::from(reasons) };
            put_at_path(&mut body, path, reason);
        }
        if let (Some(path), Some(log_id)) = (self.log_id.first(), log_id) {
            put_at_path(&mut body, path, Value::from(log_id));
        }
        body
    }
}
