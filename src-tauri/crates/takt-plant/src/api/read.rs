//! Lists in pages, and the processes of a template.

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

/// Answers a page of a list: `requested_page` if it's given, else the page in the query.
pub(super) fn list(
    plant: &Arc<Plant>,
    route: &Route,
    resource: Resource,
    view: View,
    query: &str,
    requested_page: Option<Page>,
) -> Result<Reply, Answer> {
    let mut query = Query::parse(query, &route.parameters, requested_page);
    let page = requested_page.unwrap_or_else(|| query.page());
    let mut selection = Selection::default();
    if !resource.spans().is_empty() {
        selection.window = query.window(&plant.zone);
    }
    if resource.order_member().is_some() {
        selection.order = query.code("code");
    }
    query.finish(Some(&selection.window), StatusCode::BAD_REQUEST)?;
    let (text, total) = plant.store.read().table(resource).page(&selection, page, view, ["{\"data\":", "}"]);
    Ok(Reply {
        status: StatusCode::OK,
        content: Content::Json(text),
        pages: Some(Pages { total, pages: page.count(total), current: page.number }),
    })
}

/// Answers the processes of a template. The specification lists 200, 412 and 500, so every error of the client is 412.
pub(super) fn template_processes(
    plant: &Arc<Plant>,
    route: &Route,
    path: &[String],
    query: &str,
) -> Result<Reply, Answer> {
    let mut query = Query::parse(query, &route.parameters, None);
    let code = query.code("Code");
    query.finish(None, StatusCode::PRECONDITION_FAILED)?;
    let wrong = |text: String| Answer::errors(StatusCode::PRECONDITION_FAILED, vec![text]);
    let id_text = path.first().map(String::as_str).unwrap_or_default();
    if let Some(rule) = route.parameters.violation("templateId", id_text) {
        return Err(wrong(rule.to_owned()));
    }
    let id = id_text.parse().unwrap_or_default();
    let processes = plant.store.read().template_processes(id, code.as_deref());
    let not_found = || wrong(format!("There is no template {id}."));
    let processes = Value::Array(processes.ok_or_else(not_found)?);
    Ok(Reply::json(format!("{{\"inspectionsProcesses\":{processes}}}")))
}
