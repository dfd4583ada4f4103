//! Describes how a site's requests and responses differ from Takt's own contract, as data.
//!
//! Inside Takt every value has one form and every field one name. [`crate::codec`] translates when a request is built
//! and when a response is read.

mod reply;
mod value;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ContractError;
pub use reply::ReplyForm;
pub use value::{CodeName, DurationUnit, EpochUnit, Scalar, ValueForm};

/// The default forms of all operations (`x-takt-forms`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CommonForms {
    pub(crate) paging: Paging,
    pub(crate) batch: BatchForm,
    pub(crate) errors: ErrorForm,
    pub(crate) reply: ReplyForm,
    /// The usual paths of a service's OpenAPI document.
    pub(crate) document_places: Vec<String>,
}

impl CommonForms {
    pub(crate) fn read(document: &Value) -> Result<Self, ContractError> {
        let Some(forms) = document.get("x-takt-forms") else { return Ok(Self::default()) };
        Self::deserialize(forms).map_err(|cause| ContractError::Unusable {
            at: "the document".to_owned(),
            member: "x-takt-forms".to_owned(),
            reason: cause.to_string(),
        })
    }
}

/// The place of a count in a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum CountPlace {
    /// The name of a header.
    Header(String),
    /// A dotted path in the body.
    Member(String),
}

/// The paging of a list. The counts are claims of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Paging {
    /// The parameter for the page. A dotted path if the parameters are in the body.
    pub page: String,
    /// The parameter for the rows per page, or its dotted path in the body. Absent if the service decides.
    pub limit: Option<String>,
    /// The first page's number.
    pub first: u32,
    /// The maximum rows per page. 0 if unknown.
    pub rows: u32,
    /// Whether `page` is the number of rows to skip.
    pub counts_rows: bool,
    /// Whether both parameters are in the request's body.
    pub in_body: bool,
    /// The place of the number of rows.
    pub total: Option<CountPlace>,
    /// The place of the number of pages.
    pub pages: Option<CountPlace>,
    /// The place of the current page's number.
    pub current: Option<CountPlace>,
}

impl Paging {
    /// Returns the value of the page parameter for the 1-based `page` with `rows` rows per page.
    #[must_use]
    pub fn page_value(&self, page: u32, rows: u32) -> u32 {
        let before = page.saturating_sub(1);
        if self.counts_rows { before.saturating_mul(rows) } else { self.first.saturating_add(before) }
    }

    /// Returns how many rows a value of the page parameter skips, with `rows` rows per page. None if there is no such
    /// page.
    #[must_use]
    pub fn skipped(&self, number: u32, rows: u32) -> Option<u64> {
        if self.counts_rows {
            return Some(number.into());
        }
        Some(u64::from(number.checked_sub(self.first)?) * u64::from(rows))
    }

    /// Returns whether a parameter belongs to the paging.
    #[must_use]
    pub fn is_paging_parameter(&self, parameter: &str) -> bool {
        self.page == parameter || self.limit.as_deref() == Some(parameter)
    }
}

/// The member of a result that states success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SuccessMember {
    pub name: String,
    /// Values of an accepted item.
    pub accepted: Vec<Scalar>,
    /// Values of a rejected item. Any other value leaves the item unconfirmed.
    pub rejected: Vec<Scalar>,
}

/// The member of a result with the item's index in the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IndexMember {
    pub name: String,
    /// The first item's index.
    pub first: u32,
}

/// The response of a sync or a batch delete. Paths are dotted. An empty path is the body itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct BatchForm {
    /// The path of the list of results.
    pub results: String,
    /// Whether only failed items are listed. The others count as accepted if the counts allow it.
    pub only_failures: bool,
    /// Absent if a result doesn't state success.
    pub success: Option<SuccessMember>,
    /// Whether results lack the item's key. Without an index, they count only if all of them are equal.
    pub lacks_key: bool,
    /// Absent if results are in request order.
    pub index: Option<IndexMember>,
    /// Members with the service's reasons, in the order in which they are read.
    pub reasons: Vec<String>,
    /// The path of the number of items. Absent if the response doesn't have it.
    pub total: Option<String>,
    /// The path of the number of accepted items.
    pub accepted: Option<String>,
    /// The path of the number of rejected items.
    pub rejected: Option<String>,
    /// Whether a response without a body accepts everything.
    pub empty_accepts: bool,
}

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

/// Sets a part of a body at a dotted path. An empty path is the body itself. Values on the path that aren't objects are
/// replaced.
pub fn put_at_path(body: &mut Value, path: &str, part: Value) {
    if path.is_empty() {
        *body = part;
        return;
    }
    let mut node = body;
    for name in path.split('.') {
        if !node.is_object() {
            *node = Value::Object(Map::new());
        }
        node = &mut node[name];
    }
    *node = part;
}

/// Returns the part of a body at a dotted path. An empty path is the body itself.
#[must_use]
pub fn at_path<'a>(body: &'a Value, path: &str) -> Option<&'a Value> {
    if path.is_empty() {
        return Some(body);
    }
    path.split('.').try_fold(body, |value, name| value.get(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_passes_over_is_what_its_number_says() {
        for (first, counts_rows) in [(0, false), (1, false), (0, true)] {
            let paging = Paging { first, counts_rows, ..Paging::default() };
            for (page, rows) in [(1, 25), (2, 25), (40, 100)] {
                let skipped = paging.skipped(paging.page_value(page, rows), rows);
                assert_eq!(skipped, Some(u64::from((page - 1) * rows)));
            }
        }
        assert_eq!(Paging { first: 1, ..Paging::default() }.skipped(0, 25), None);
    }
}
