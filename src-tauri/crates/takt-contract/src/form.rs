//! Describes how a site's requests and responses differ from Takt's own contract, as data.
//!
//! Inside Takt every value has one form and every field one name. [`crate::codec`] translates when a request is built
//! and when a response is read.

mod batch;
mod errors;
mod member_path;
mod paging;
mod reply;
mod value;

pub use batch::{BatchForm, IndexMember, SuccessMember};
pub use errors::ErrorForm;
pub use member_path::{at_path, put_at_path};
pub use paging::{CountPlace, Paging};
pub use reply::ReplyForm;
pub use value::{CodeName, DurationUnit, EpochUnit, Scalar, ValueForm};

use serde::Deserialize;
use serde_json::Value;

use crate::ContractError;

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
