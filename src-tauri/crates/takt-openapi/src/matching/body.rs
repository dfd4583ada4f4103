//! The bodies that matter of an operation of the document.

use crate::{Document, document::DocumentOperation, schema::Schema};

/// The body of the first answer to what went well.
pub(crate) fn answer<'a>(document: &'a Document, operation: &DocumentOperation) -> Option<Schema<'a>> {
    let mut answers = operation.answers.iter().filter(|answer| answer.is_success());
    let said = answers.find_map(|answer| answer.schema.as_ref());
    let default = || operation.answers.iter().find(|answer| answer.status == "default")?.schema.as_ref();
    Some(document.schema(said.or_else(default)?))
}

/// The body of a request.
pub(crate) fn request<'a>(document: &'a Document, operation: &DocumentOperation) -> Option<Schema<'a>> {
    Some(document.schema(operation.request.as_ref()?))
}
