//! Classifies operations of the document as reads, changes or queries.
//!
//! Some services read by `POST`, with filters and pages in the body, such as `/orders/search`. A change mistaken for a
//! read would be sent without approval. So an operation is only a read if its names or parameters state that. An
//! operation that only returns a list may be offered to the user.

use takt_contract::OperationKind;

use super::read_parameters;
use crate::{
    Document,
    document::DocumentOperation,
    member_names::{find_likeliest, names},
    object_list::find_main_list,
    schema::Schema,
    words::{Vocabulary, split_words},
};

/// The certainty that an operation with a body only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadCertainty {
    No,
    /// It returns a list, and its name doesn't state a change.
    Perhaps,
    /// Its name or its parameters state a read.
    Stated,
}

pub(crate) fn rate_read_certainty(document: &Document, operation: &DocumentOperation) -> ReadCertainty {
    let answers_list = document.response_body(operation).and_then(|body| find_main_list(document, &body)).is_some();
    let (names, vocabulary) = (operation_names(operation), Vocabulary::get());
    let changes = names.iter().any(|name| vocabulary.has_change_word(name));
    if operation.method != "POST" || !answers_list || changes {
        return ReadCertainty::No;
    }
    let sends_list =
        document.request_body(operation).is_some_and(|body| body.external || find_main_list(document, &body).is_some());
    let searches =
        names.iter().any(|name| vocabulary.has_search_word(name)) || has_page_parameters(document, operation);
    match (sends_list, searches) {
        (_, true) => ReadCertainty::Stated,
        (true, false) => ReadCertainty::No,
        (false, false) if names.iter().any(|name| vocabulary.has_list_word(name)) => ReadCertainty::Stated,
        (false, false) => ReadCertainty::Perhaps,
    }
}

/// Returns the names of an operation: the steps of its path without parameters, and its id.
fn operation_names(operation: &DocumentOperation) -> Vec<&str> {
    let steps = operation.path.split('/').filter(|step| !step.contains('{'));
    steps.chain(operation.operation_id.as_deref()).collect()
}

/// Returns whether an operation has parameters for a page and for the rows per page.
fn has_page_parameters(document: &Document, operation: &DocumentOperation) -> bool {
    let parameters = read_parameters::read_parameters(document, operation);
    let has_parameter =
        |list: &[String]| find_likeliest(list, parameters.iter().map(|one| (one.last_name(), ()))).is_some();
    (has_parameter(&names().page) || has_parameter(&names().offset)) && has_parameter(&names().limit)
}

/// Returns the possible kinds of an operation, derived from its method, names and bodies.
pub(crate) fn possible_kinds(document: &Document, operation: &DocumentOperation) -> Vec<OperationKind> {
    let vocabulary = Vocabulary::get();
    let names = [Some(operation.path.as_str()), operation.operation_id.as_deref()];
    let deletes = operation.method == "DELETE" || names.iter().flatten().any(|name| vocabulary.has_delete_word(name));
    let body = document.request_body(operation);
    let sends_list = body.as_ref().is_some_and(|body| body.external || find_main_list(document, body).is_some());
    let graphql = split_words(&operation.path).iter().any(|word| word == "graphql" || word == "graph");
    match operation.method.as_str() {
        "GET" => vec![OperationKind::Read],
        "POST" if graphql || body.as_ref().is_some_and(is_query) => vec![OperationKind::Query],
        "POST" | "PUT" | "PATCH" | "DELETE" if sends_list && deletes => vec![OperationKind::Delete],
        "POST" if rate_read_certainty(document, operation) == ReadCertainty::Stated => vec![OperationKind::Read],
        "POST" | "PUT" | "PATCH" if sends_list => vec![OperationKind::Sync],
        "POST" if rate_read_certainty(document, operation) == ReadCertainty::Perhaps => vec![OperationKind::Read],
        _ => Vec::new(),
    }
}

fn is_query(body: &Schema<'_>) -> bool {
    body.member("query").is_some() && body.member("variables").is_some()
}
