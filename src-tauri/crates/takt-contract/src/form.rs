//! Describes how a site's requests and responses differ from Takt's contract.
//!
//! Within Takt, each kind of value has one format and each field one name. [`crate::codec`] translates requests and
//! responses.

mod reply;
mod value;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ContractError;
pub use reply::ReplyForm;
pub use value::{CodeName, DurationUnit, EpochUnit, Scalar, ValueForm};

/// The forms that apply to all operations (`x-takt-forms`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CommonForms {
    pub(crate) paging: Paging,
    pub(crate) batch: BatchForm,
    pub(crate) errors: ErrorForm,
    pub(crate) reply: ReplyForm,
    /// Paths at which services usually publish their OpenAPI document.
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
    /// A header, by name.
    Header(String),
    /// A member of the body, by its dotted path.
    Member(String),
}

/// The parameters for the pages of a list, and the places of the counts in responses. The counts aren't trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Paging {
    /// The parameter for the page number. It is a dotted path if the parameters are in the body.
    pub page: String,
    /// The parameter for the rows per page, or its dotted path in the body. Absent if the service sets the page size.
    pub limit: Option<String>,
    /// The number of the first page, usually 0 or 1.
    pub first: u32,
    /// The maximum rows per page. It is 0 if unknown.
    pub rows: u32,
    /// Whether `page` is a number of rows to skip, not a page number.
    pub counts_rows: bool,
    /// Whether both parameters are in the body of the request.
    pub in_body: bool,
    /// The place of the total number of rows in a response.
    pub total: Option<CountPlace>,
    /// The place of the number of pages in a response.
    pub pages: Option<CountPlace>,
    /// The place of the page's number in a response.
    pub current: Option<CountPlace>,
}

impl Paging {
    /// Returns the value of the page parameter for a 1-based `page` with `rows` rows per page.
    #[must_use]
    pub fn page_value(&self, page: u32, rows: u32) -> u32 {
        let before = page.saturating_sub(1);
        if self.counts_rows { before.saturating_mul(rows) } else { self.first.saturating_add(before) }
    }

    /// Returns how many rows come before the page with this page parameter, given `rows` rows per page. None if the
    /// number is less than the first page's.
    #[must_use]
    pub fn rows_before_page(&self, number: u32, rows: u32) -> Option<u64> {
        if self.counts_rows {
            return Some(number.into());
        }
        Some(u64::from(number.checked_sub(self.first)?) * u64::from(rows))
    }

    /// Returns whether a parameter is for the page or for the rows per page.
    #[must_use]
    pub fn is_paging_parameter(&self, parameter: &str) -> bool {
        self.page == parameter || self.limit.as_deref() == Some(parameter)
    }
}

/// The member of a result that shows whether the item was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SuccessMember {
    pub name: String,
    /// The values that mean that the item was accepted.
    pub accepted: Vec<Scalar>,
    /// The values that mean that the item was rejected. The result of an item with any other value is unknown.
    pub rejected: Vec<Scalar>,
}

/// The member of a result with the position of its item in the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct IndexMember {
    pub name: String,
    /// The index of the first item, usually 0 or 1.
    pub first: u32,
}

/// The response to a sync or a batch delete. Paths are dotted, and an empty path is the body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct BatchForm {
    /// The path of the results in the body.
    pub results: String,
    /// Whether only failed items have a result. The others are accepted unless the counts contradict that.
    pub only_failures: bool,
    /// Absent if results don't show success.
    pub success: Option<SuccessMember>,
    /// Whether results don't repeat the item's key. Without an index, such results are used only if all are equal.
    pub lacks_key: bool,
    /// Absent if the results are in the order of the request.
    pub index: Option<IndexMember>,
    /// The members with the service's reasons. The first one with a reason is used.
    pub reasons: Vec<String>,
    /// The path of the number of items. Absent if the response doesn't state it.
    pub total: Option<String>,
    /// The path of the number of accepted items. Absent if the response doesn't state it.
    pub accepted: Option<String>,
    /// The path of the number of rejected items. Absent if the response doesn't state it.
    pub rejected: Option<String>,
    /// Whether a response without a body means that all items were accepted.
    pub empty_accepts: bool,
}

/// The members of an error's body. Each is a text, a list of texts, or an object with a list for each field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ErrorForm {
    /// The paths of the reasons. The first path with a reason is used.
    pub reasons: Vec<String>,
    /// The paths of members that mark a response as "not found". If there are no paths, any reason does.
    pub absent: Vec<String>,
    /// The paths of the ID by which the service's administrators find the error in their log.
    pub log_id: Vec<String>,
}

impl ErrorForm {
    /// Returns an error body in this form, as the service would send it.
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

/// Sets a part of a body at a dotted path. An empty path replaces the whole body. Values on the path that aren't
/// objects are replaced.
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

/// Returns the part of a body at a dotted path. An empty path returns the whole body.
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
                let skipped = paging.rows_before_page(paging.page_value(page, rows), rows);
                assert_eq!(skipped, Some(u64::from((page - 1) * rows)));
            }
        }
        assert_eq!(Paging { first: 1, ..Paging::default() }.rows_before_page(0, 25), None);
    }
}
