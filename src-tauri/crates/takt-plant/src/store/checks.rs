//! Quality checks of work orders.

use jiff::civil::DateTime;
use serde_json::json;

use super::{
    members::{Members, text},
    resource::Resource,
    rows::Store,
};
use crate::PlantError;

impl Store {
    /// Completes an operation's open quality checks as passed.
    pub(crate) fn complete_checks(
        &mut self,
        row: &Members,
        badge: Option<&str>,
        now: DateTime,
    ) -> Result<(), PlantError> {
        let operation = text(row, "operationCode");
        for mut check in self.rows_of(Resource::QualityChecks, text(row, "code")) {
            if text(&check, "operationCode") == operation && text(&check, "executedDate").is_empty() {
                check.insert("status".to_owned(), json!("Executed"));
                check.insert("executedDate".to_owned(), json!(now.to_string()));
                check.insert("result".to_owned(), json!("OK"));
                check.insert("employeeBadge".to_owned(), json!(badge));
                self.put(Resource::QualityChecks, check)?;
            }
        }
        Ok(())
    }
}
