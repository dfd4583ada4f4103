//! Reads Takt's marks in a document, and collects notes for the review of proposed overlays.
//!
//! Documents exported by Takt have marks. They take precedence over the rest of the document.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use takt_contract::{FieldKind, Provenance, ProvenanceLevel, form::ValueForm};

use crate::{
    Document,
    document::DocumentOperation,
    schema::Schema,
    value::{InferredValue, ValueDoubt},
};

/// A question that the document leaves open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ProposalNote {
    pub operation: String,
    /// The name of a field or parameter. Empty for the operation itself.
    pub at: String,
    pub kind: NoteKind,
}

/// The kind of an open question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase", tag = "note", content = "doubt")]
pub enum NoteKind {
    /// The form of a value on the wire.
    Value(ValueDoubt),
    /// The document doesn't describe the rows or items.
    UnknownShape,
    /// A field of the business key is missing.
    KeyGone,
    /// A header or cookie that every request needs.
    RequiredHeader,
    /// A required parameter that Takt doesn't know.
    RequiredParameter,
    /// The response of a batch isn't described.
    UnknownAnswer,
    /// The values of an accepted item aren't known.
    SuccessValues,
    /// The document doesn't limit the rows per page.
    UnknownPageSize,
}

/// Proposes overlays from a document, and collects the questions that it leaves open.
pub(super) struct Proposer<'a> {
    pub(super) document: &'a Document,
    pub(super) notes: Vec<ProposalNote>,
}

impl Proposer<'_> {
    pub(super) fn add_note(&mut self, operation: &str, at: &str, kind: NoteKind) {
        self.notes.push(ProposalNote { operation: operation.to_owned(), at: at.to_owned(), kind });
    }

    /// Returns the provenance of properties that an operation of the document describes.
    pub(super) fn provenance(&self, documented: &DocumentOperation) -> Provenance {
        let title = self.document.title();
        let source = format!("{title} {}: {} {}", self.document.version(), documented.method, documented.path);
        Provenance { level: ProvenanceLevel::Site, source: source.trim_start_matches([' ', ':']).to_owned() }
    }
}

/// Returns the node of an operation in the document.
pub(super) fn document_node<'a>(document: &'a Document, documented: &DocumentOperation) -> Option<&'a Value> {
    document.value().pointer(&documented.pointer)
}

/// Reads a mark of a JSON value. Returns None if it is absent or has another type.
pub(super) fn read_mark<T: DeserializeOwned>(node: Option<&Value>, name: &str) -> Option<T> {
    T::deserialize(node?.get(name)?).ok()
}

/// Reads a mark of a schema.
pub(super) fn read_schema_mark<T: DeserializeOwned>(schema: &Schema<'_>, name: &str) -> Option<T> {
    T::deserialize(schema.mark(name)?).ok()
}

/// Returns kind and form of a value if both are marked.
pub(super) fn read_marked_value(schema: &Schema<'_>) -> Option<InferredValue> {
    let kind: FieldKind = read_schema_mark(schema, "x-takt-kind")?;
    let form: ValueForm = read_schema_mark(schema, "x-takt-form")?;
    Some(InferredValue { kind, form, doubt: None })
}
