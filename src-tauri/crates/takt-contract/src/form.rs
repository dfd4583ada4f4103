//! How requests and answers travel: the forms in which a site's service differs from Takt's own contract, as data.
//!
//! Owns the descriptions. Inside Takt every value has one form, and every field one name; [`crate::codec`] translates at the
//! edge, where a request is built and where an answer is read.

mod batch;
mod errors;
mod paging;
mod reply;
mod value;

pub use batch::{BatchForm, IndexMember, SuccessMember};
pub use errors::ErrorForm;
pub use paging::{CountPlace, Paging};
pub use reply::ReplyForm;
pub use value::{CodeName, DurationUnit, EpochUnit, Scalar, ValueForm};

use serde::Deserialize;
use serde_json::Value;

use crate::ContractError;

/// The forms that hold for every operation that says nothing else (`x-takt-forms`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CommonForms {
    pub(crate) paging: Paging,
    pub(crate) batch: BatchForm,
    pub(crate) errors: ErrorForm,
    pub(crate) reply: ReplyForm,
    /// Where services usually keep their own document, as paths.
    pub(crate) document_places: Vec<String>,
}

impl CommonForms {
    pub(crate) fn of(document: &Value) -> Result<Self, ContractError> {
        let Some(forms) = document.get("x-takt-forms") else { return Ok(Self::default()) };
        Self::deserialize(forms).map_err(|cause| ContractError::Unusable {
            at: "the document".to_owned(),
            member: "x-takt-forms".to_owned(),
            reason: cause.to_string(),
        })
    }
}

/// Puts a part into a body at its dotted path; an empty path is the body itself. What stands in the way is replaced.
pub fn put_at_path(body: &mut Value, path: &str, part: Value) {
    if path.is_empty() {
        *body = part;
        return;
    }
    let mut place = body;
    for name in path.split('.') {
        if !place.is_object() {
            *place = Value::Object(serde_json::Map::new());
        }
        place = &mut place[name];
    }
    *place = part;
}

/// A part of a body by its dotted path; an empty path is the body itself.
#[must_use]
pub fn at_path<'a>(body: &'a Value, path: &str) -> Option<&'a Value> {
    if path.is_empty() {
        return Some(body);
    }
    path.split('.').try_fold(body, |value, name| value.get(name))
}
