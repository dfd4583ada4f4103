//! Lists, page by page, and the processes of a template.

use std::sync::Arc;

use axum::http::StatusCode;
use serde_json::Value;

use crate::{
    Plant,
    answer::{Answer, Content, Pages, Reply},
    api::query::Query,
    interface::Route,
    paging::Page,
    store::{Resource, Selection, View},
};

/// Answers a page of a list: the one that was asked for already, else the one that the query asks for.
pub(super) fn list(
    plant: &Arc<Plant>,
    route: &Route,
    (resource, view): (Resource, View),
    query: &str,
    asked: Option<Page>,
) -> Result<Reply, Answer> {
    let mut query = Query::parse(query, &route.parameters, asked);
    let page = asked.unwrap_or_else(|| query.page());
    let mut selection = Selection::default();
    if !resource.spans().is_empty() {
        selection.window = query.window(&plant.zone);
    }
    if resource.order_member().is_some() {
        selection.order = query.code("code");
    }
    query.usable(Some(&selection.window), StatusCode::BAD_REQUEST)?;
    let (text, total) = plant.store.read().table(resource).page(&selection, page, view, ["{\"data\":", "}"]);
    Ok(Reply {
        status: StatusCode::OK,
        content: Content::Json(text),
        pages: Some(Pages { total, pages: page.count(total), current: page.number }),
    })
}

/// Answers the processes of a template. The specification lists 200, 412 and 500 for it, so whatever is wrong is 412.
pub(super) fn template_processes(
    plant: &Arc<Plant>,
    route: &Route,
    path: &[String],
    query: &str,
) -> Result<Reply, Answer> {
    let mut query = Query::parse(query, &route.parameters, None);
    let code = query.code("Code");
    query.usable(None, StatusCode::PRECONDITION_FAILED)?;
    let wrong = |text: String| Answer::errors(StatusCode::PRECONDITION_FAILED, vec![text]);
    let asked = path.first().map(String::as_str).unwrap_or_default();
    if let Some(rule) = route.parameters.violation("templateId", asked) {
        return Err(wrong(rule.to_owned()));
    }
    let id = asked.parse().unwrap_or_default();
    let processes = plant.store.read().template_processes(id, code.as_deref());
    let not_found = || wrong(format!("There is no template {id}."));
    let processes = Value::Array(processes.ok_or_else(not_found)?);
    Ok(Reply::json(format!("{{\"inspectionsProcesses\":{processes}}}")))
}
