//! The differences of a site, from the whole contract down to a field.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    FieldKind, Limits, Names, OperationKind, ParameterPlace, Provenance,
    form::{BatchForm, ErrorForm, Paging, ReplyForm, ValueForm},
};

/// The differences of a site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct Overlay {
    pub operations: Vec<OperationOverlay>,
    /// The differences of events.
    pub events: Vec<EventOverlay>,
    pub errors: Option<ErrorForm>,
    /// The reply to events that wait for one.
    pub reply: Option<ReplyForm>,
    /// The replaced assumptions about the service.
    pub assumptions: Vec<AssumptionOverlay>,
}

/// A site's replacement for an assumption.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AssumptionOverlay {
    /// The assumption's id.
    pub id: String,
    pub value: Value,
    /// The provenance of the value.
    pub provenance: Provenance,
}

/// The differences of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct EventOverlay {
    /// The service's event number, as in the built-in contract.
    pub id: i32,
    /// The provenance of the differences.
    pub provenance: Provenance,
    pub fields: Vec<FieldOverlay>,
}

/// The differences of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OperationOverlay {
    /// The built-in operation's id, or a new id if [`Self::adds`] is set.
    pub id: String,
    /// The provenance of the differences.
    pub provenance: Provenance,
    /// The properties of an operation that the built-in contract doesn't have.
    #[serde(default)]
    pub adds: Option<AddedOperation>,
    #[serde(default)]
    pub method: Option<String>,
    /// The path with `{name}` for path parameters, by their names on the wire.
    #[serde(default)]
    pub path: Option<String>,
    /// The complete list of parameters. Parameters that aren't listed are removed.
    #[serde(default)]
    pub parameters: Option<Vec<ParameterOverlay>>,
    /// The paging, or its absence.
    #[serde(default)]
    pub paging: Option<PagingOverlay>,
    #[serde(default)]
    pub request: Option<ShapeOverlay>,
    #[serde(default)]
    pub answer: Option<ShapeOverlay>,
    #[serde(default)]
    pub batch: Option<BatchForm>,
    /// The fields of an item's business key.
    #[serde(default)]
    pub key: Option<Vec<String>>,
    /// Items per request.
    #[serde(default)]
    pub batch_size: Option<u32>,
    /// Whether a change was only learned from its read, and no item was sent in this form yet.
    #[serde(default)]
    pub untried: Option<bool>,
}

/// The properties of a new operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct AddedOperation {
    pub kind: OperationKind,
    pub area: String,
    pub purpose: String,
    pub names: Names,
}

/// The paging of a list. None if the list isn't paged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct PagingOverlay {
    pub paging: Option<Paging>,
}

/// The differences of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ParameterOverlay {
    /// The built-in parameter's name, or that of a new one.
    pub name: String,
    /// The name on the wire, if it differs.
    #[serde(default)]
    pub wire: Option<String>,
    /// Required for a new parameter.
    #[serde(default)]
    pub place: Option<ParameterPlace>,
    #[serde(default)]
    pub kind: Option<FieldKind>,
    #[serde(default)]
    pub form: Option<ValueForm>,
    #[serde(default)]
    pub required: Option<bool>,
    /// The display names of a new parameter.
    #[serde(default)]
    pub names: Option<Names>,
    pub provenance: Provenance,
}

/// The differences of a list of objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", default)]
pub struct ShapeOverlay {
    /// The list's dotted path in the body. Empty if the body is the list.
    pub member: Option<String>,
    /// The site's name of such an object.
    pub schema: Option<String>,
    /// Whether fields that aren't listed are removed.
    pub complete: bool,
    pub fields: Vec<FieldOverlay>,
}

/// The differences of a field, or a new field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct FieldOverlay {
    /// The built-in field's name, or that of a new one.
    pub name: String,
    /// The name on the wire, if it differs.
    #[serde(default)]
    pub wire: Option<String>,
    /// Required for a new field.
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
    /// The display names of a new field.
    #[serde(default)]
    pub names: Option<Names>,
    #[serde(default)]
    pub example: Option<String>,
    /// The fields of a list's part or of an object.
    #[serde(default)]
    #[expect(clippy::use_self, reason = "the TypeScript derive can't see `Self` here")]
    pub fields: Vec<FieldOverlay>,
    /// Whether the field is removed.
    #[serde(default)]
    pub gone: bool,
    /// Whether fields of the part that aren't listed are removed.
    #[serde(default)]
    pub complete: bool,
    pub provenance: Provenance,
}

impl FieldOverlay {
    /// Returns an overlay without differences.
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
    /// Returns an overlay without differences.
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
