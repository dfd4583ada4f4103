//! The request and response body of a document's operation.

use crate::{Document, document::DocumentOperation, schema::Schema};

/// Returns the body of the first successful response that has one, else of the default response.
pub(crate) fn answer<'a>(document: &'a Document, operation: &DocumentOperation) -> Option<Schema<'a>> {
    let mut answers = operation.answers.iter().filter(|answer| answer.is_success());
    let successful = answers.find_map(|answer| answer.schema.as_ref());
    let default = || operation.answers.iter().find(|answer| answer.status == "default")?.schema.as_ref();
    Some(document.schema(successful.or_else(default)?))
}

/// Returns the body of the request.
pub(crate) fn request<'a>(document: &'a Document, operation: &DocumentOperation) -> Option<Schema<'a>> {
    Some(document.schema(operation.request.as_ref()?))
}
