//! What a site says otherwise than the built-in contract: by its own OpenAPI document, by its answers, or by a person's hand.
//!
//! Owns the description, how two of them become one ([`Overlay::merged`]), and the contract that results
//! ([`Contract::with_overlay`](crate::Contract::with_overlay)). Every part is optional: what an overlay doesn't name stays.
//! Leaves to others: reading documents and proposing overlays (takt-openapi), keeping them (takt-sites).

mod apply;
mod merge;
mod tried;

pub(crate) use apply::{apply, apply_to_events};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    FieldKind, Limits, Names, OperationKind, ParameterPlace, Provenance,
    form::{BatchForm, ErrorForm, Paging, ReplyForm, ValueForm},
};

/// All that differs at a site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Overlay {
    pub operations: Vec<OperationOverlay>,
    /// What events carry.
    pub events: Vec<EventOverlay>,
    pub errors: Option<ErrorForm>,
    /// What is answered to an event that asks.
    pub reply: Option<ReplyForm>,
    /// What holds for the service as a whole.
    pub assumptions: Vec<AssumptionOverlay>,
}

/// What a site says instead of an assumption.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AssumptionOverlay {
    /// The assumption's id.
    pub id: String,
    pub value: Value,
    /// Of who says so.
    pub provenance: Provenance,
}

/// What differs in an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventOverlay {
    /// The service's number for it, as the built-in contract has it.
    pub id: i32,
    /// Of who says so.
    pub provenance: Provenance,
    pub fields: Vec<FieldOverlay>,
}

/// What differs in one operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OperationOverlay {
    /// The built-in operation's id, or a new one where [`Self::adds`] is there.
    pub id: String,
    /// Of who says so.
    pub provenance: Provenance,
    /// Where the operation isn't part of the built-in contract.
    #[serde(default)]
    pub adds: Option<AddedOperation>,
    #[serde(default)]
    pub method: Option<String>,
    /// With `{name}` for path parameters, by their names on the wire.
    #[serde(default)]
    pub path: Option<String>,
    /// Where given, other parameters of the operation are gone.
    #[serde(default)]
    pub parameters: Option<Vec<ParameterOverlay>>,
    /// Whether it is paged, and how.
    #[serde(default)]
    pub paging: Option<PagingOverlay>,
    #[serde(default)]
    pub request: Option<ShapeOverlay>,
    #[serde(default)]
    pub answer: Option<ShapeOverlay>,
    #[serde(default)]
    pub batch: Option<BatchForm>,
    /// The fields that make up an item's business key.
    #[serde(default)]
    pub key: Option<Vec<String>>,
    /// Items per request.
    #[serde(default)]
    pub batch_size: Option<u32>,
    /// True where a change was only seen on its read side, and nothing was sent like this yet.
    #[serde(default)]
    pub untried: Option<bool>,
}

/// What a new operation is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AddedOperation {
    pub kind: OperationKind,
    pub area: String,
    pub purpose: String,
    pub names: Names,
}

/// Pages of a list, or that there are none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PagingOverlay {
    pub paging: Option<Paging>,
}

/// What differs in a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ParameterOverlay {
    /// The built-in parameter's name, or that of a new one.
    pub name: String,
    /// Its name on the wire, where that is another.
    #[serde(default)]
    pub wire: Option<String>,
    /// Needed of a new one.
    #[serde(default)]
    pub place: Option<ParameterPlace>,
    #[serde(default)]
    pub kind: Option<FieldKind>,
    #[serde(default)]
    pub form: Option<ValueForm>,
    #[serde(default)]
    pub required: Option<bool>,
    /// Of a new one.
    #[serde(default)]
    pub names: Option<Names>,
    pub provenance: Provenance,
}

/// What differs in a list of objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ShapeOverlay {
    /// The list's dotted path in the body; empty where the body is the list.
    pub member: Option<String>,
    /// What the site calls such an object.
    pub schema: Option<String>,
    /// True where fields that aren't named here are gone.
    pub complete: bool,
    pub fields: Vec<FieldOverlay>,
}

/// What differs in a field, or a field that is new.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FieldOverlay {
    /// The built-in field's name, or that of a new one.
    pub name: String,
    /// Its name on the wire, where that is another.
    #[serde(default)]
    pub wire: Option<String>,
    /// Needed of a new one.
    #[serde(default)]
    pub kind: Option<FieldKind>,
    #[serde(default)]
    pub form: Option<ValueForm>,
    #[serde(default)]
    pub required: Option<bool>,
    #[serde(default)]
    pub nullable: Option<bool>,
    #[serde(default)]
    pub limits: Option<Limits>,
    /// Of a new one.
    #[serde(default)]
    pub names: Option<Names>,
    #[serde(default)]
    pub example: Option<String>,
    /// Of a list's part or an object.
    #[serde(default)]
    #[expect(clippy::use_self, reason = "the TypeScript derive can't see `Self` here")]
    pub fields: Vec<FieldOverlay>,
    /// True where the field is taken out.
    #[serde(default)]
    pub gone: bool,
    /// True where fields of the part that aren't named here are gone.
    #[serde(default)]
    pub complete: bool,
    pub provenance: Provenance,
}

impl FieldOverlay {
    /// One that says nothing yet.
    #[must_use]
    pub fn new(name: &str, provenance: Provenance) -> Self {
        Self {
            name: name.to_owned(),
            wire: None,
            kind: None,
            form: None,
            required: None,
            nullable: None,
            limits: None,
            names: None,
            example: None,
            fields: Vec::new(),
            gone: false,
            complete: false,
            provenance,
        }
    }
}

impl OperationOverlay {
    /// One that says nothing yet.
    #[must_use]
    pub fn new(id: &str, provenance: Provenance) -> Self {
        Self {
            id: id.to_owned(),
            provenance,
            adds: None,
            method: None,
            path: None,
            parameters: None,
            paging: None,
            request: None,
            answer: None,
            batch: None,
            key: None,
            batch_size: None,
            untried: None,
        }
    }
}
