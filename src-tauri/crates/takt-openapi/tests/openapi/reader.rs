//! Reading of documents by common generators, wrong documents and hostile ones.

mod faults;
mod generators;
mod hostile;
mod large;
mod mutation;

use takt_openapi::{
    Document,
    schema::{Schema, SchemaKind},
};

/// Reads a valid document.
pub(crate) fn read(text: &str) -> Document {
    Document::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Returns the schema of an operation's first successful response.
pub(crate) fn response_schema<'a>(document: &'a Document, path: &str) -> Schema<'a> {
    let operation = document.operations().iter().find(|operation| operation.path == path).unwrap();
    let answer = operation.responses.iter().find(|answer| answer.is_success()).unwrap();
    document.schema(answer.schema.as_ref().unwrap())
}

/// Formats the members of a schema, with `?` for nullable and `!` for required ones.
pub(crate) fn format_members(document: &Document, schema: &Schema<'_>) -> Vec<String> {
    let text = |kind: Option<SchemaKind>| kind.map_or_else(|| "unknown".to_owned(), |kind| format!("{kind:?}"));
    let member = |member: &takt_openapi::schema::Member<'_>| {
        let inner = document.resolve(&member.node);
        let nullable = if inner.nullable { "?" } else { "" };
        let required = if member.required { "!" } else { "" };
        format!("{}: {}{nullable}{required}", member.name, text(inner.kind))
    };
    schema.members.iter().map(member).collect()
}

/// Returns the schema of a list's items.
pub(crate) fn item_schema<'a>(document: &'a Document, schema: &Schema<'a>) -> Schema<'a> {
    document.resolve(schema.items.as_ref().unwrap())
}
