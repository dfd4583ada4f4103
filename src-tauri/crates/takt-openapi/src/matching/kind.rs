//! What an operation of the document may be.
//!
//! Some services read by `POST`: filters and pages stand in a body, for example of `/orders/search`.
//! Whoever takes a change for a read would send it while looking. So only what says that it reads counts as one; what merely
//! answers a list may be offered to a person.

use takt_contract::OperationKind;

use super::{
    body::{answer, request},
    read_parameters,
};
use crate::{
    Document,
    document::DocumentOperation,
    list::main_list,
    members::{likeliest, names},
    schema::Schema,
    words::{Vocabulary, split},
};

/// How certain it is that an operation with a body only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadByBody {
    No,
    /// It answers a list, and nothing says that it changes something.
    Perhaps,
    /// Its name or its parameters say so.
    Said,
}

pub(crate) fn read_by_body(document: &Document, operation: &DocumentOperation) -> ReadByBody {
    let answers_list = answer(document, operation).and_then(|body| main_list(document, &body)).is_some();
    let (names, vocabulary) = (names_of(operation), Vocabulary::get());
    let changes = names.iter().any(|name| vocabulary.changes(name));
    if operation.method != "POST" || !answers_list || changes {
        return ReadByBody::No;
    }
    let takes_list =
        request(document, operation).is_some_and(|body| body.external || main_list(document, &body).is_some());
    let searches = names.iter().any(|name| vocabulary.searches(name)) || asks_for_pages(document, operation);
    match (takes_list, searches) {
        (_, true) => ReadByBody::Said,
        (true, false) => ReadByBody::No,
        (false, false) if names.iter().any(|name| vocabulary.lists(name)) => ReadByBody::Said,
        (false, false) => ReadByBody::Perhaps,
    }
}

/// What names the operation: its path without parameters, and its id.
fn names_of(operation: &DocumentOperation) -> Vec<&str> {
    let steps = operation.path.split('/').filter(|step| !step.contains('{'));
    steps.chain(operation.operation_id.as_deref()).collect()
}

/// Whether both a page and the rows of a page are asked for.
fn asks_for_pages(document: &Document, operation: &DocumentOperation) -> bool {
    let asked = read_parameters::parameters(document, operation);
    let named = |list: &[String]| likeliest(list, asked.iter().map(|one| (one.last_name(), ()))).is_some();
    (named(&names().page) || named(&names().offset)) && named(&names().limit)
}

/// What an operation of the document may be, by its method and its bodies.
pub(crate) fn kinds(document: &Document, operation: &DocumentOperation) -> Vec<OperationKind> {
    let vocabulary = Vocabulary::get();
    let names = [Some(operation.path.as_str()), operation.operation_id.as_deref()];
    let deletes = operation.method == "DELETE" || names.iter().flatten().any(|name| vocabulary.deletes(name));
    let body = request(document, operation);
    let takes_list = body.as_ref().is_some_and(|body| body.external || main_list(document, body).is_some());
    let graphql = split(&operation.path).iter().any(|word| word == "graphql" || word == "graph");
    match operation.method.as_str() {
        "GET" => vec![OperationKind::Read],
        "POST" if graphql || body.as_ref().is_some_and(is_query) => vec![OperationKind::Query],
        "POST" | "PUT" | "PATCH" | "DELETE" if takes_list && deletes => vec![OperationKind::Delete],
        "POST" if read_by_body(document, operation) == ReadByBody::Said => vec![OperationKind::Read],
        "POST" | "PUT" | "PATCH" if takes_list => vec![OperationKind::Sync],
        "POST" if read_by_body(document, operation) == ReadByBody::Perhaps => vec![OperationKind::Read],
        _ => Vec::new(),
    }
}

fn is_query(body: &Schema<'_>) -> bool {
    body.member("query").is_some() && body.member("variables").is_some()
}
