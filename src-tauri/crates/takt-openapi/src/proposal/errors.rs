//! Finds the members of error bodies with the service's reasons.

use takt_contract::form::ErrorForm;

use super::marks;
use crate::{
    Document,
    members::{names, position_in},
    schema::Schema,
};

/// Responses that are read. Most of them share a few schemas.
const MAX_ANSWERS: usize = 300;

/// Returns the members of all error bodies in a document. None if none has a reason.
pub(super) fn form(document: &Document) -> Option<ErrorForm> {
    if let Some(form) = marks::read(Some(document.value()), "x-takt-errors") {
        return Some(form);
    }
    let mut bodies: Vec<Schema<'_>> = Vec::new();
    let mut pointers = std::collections::HashSet::new();
    let answers = document.operations().iter().flat_map(|operation| &operation.answers);
    let wrong = answers.filter(|answer| answer.status.starts_with(['4', '5']) || answer.status == "default");
    for pointer in wrong.filter_map(|answer| answer.schema.as_ref()).take(MAX_ANSWERS) {
        let body = document.schema(pointer);
        let key = body.name.clone().unwrap_or_else(|| pointer.0.clone());
        if pointers.insert(key) {
            bodies.push(body);
        }
    }
    let (reasons, log_id) = (members(&bodies, &names().error_reasons), members(&bodies, &names().error_log));
    let mut form = ErrorForm { reasons, absent: Vec::new(), log_id };
    let problem = |body: &Schema<'_>| names().problem.iter().all(|name| body.member(name).is_some());
    if form.log_id.is_empty() && bodies.iter().any(problem) {
        form.log_id.clone_from(&names().problem_log);
    }
    (!form.reasons.is_empty()).then_some(form)
}

/// Returns the members that have one of these names, the likeliest first.
fn members(bodies: &[Schema<'_>], names: &[String]) -> Vec<String> {
    let all = bodies.iter().flat_map(|body| &body.members);
    let mut found: Vec<(usize, &str)> =
        all.filter_map(|member| Some((position_in(names, member.name)?, member.name))).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|(_, name)| name.to_owned()).collect()
}
