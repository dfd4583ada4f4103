//! Performs reads, which are pages of lists and the processes of a template. All invalid parameters are reported at
//! once.

use std::sync::Arc;

use axum::http::StatusCode;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::{
    Plant,
    answer::{Answer, PaginationCounts, Reply, ReplyContent},
    form::Parameters,
    interface::{Route, parameters::ParameterChecks},
    paging::{MAX_PAGE_SIZE, PageRange},
    store::{Resource, Selection, View},
    time_window::{REVERSED_WINDOW, TimeWindow},
};

/// The maximum length of a code, in bytes. Longer codes would only fill the log.
const MAX_CODE_LENGTH: usize = 200;
const PAGE_PARAMETER: &str = "page";
const LIMIT_PARAMETER: &str = "limit";

/// Returns a page of a list. `requested_page` takes precedence over the page in the query.
pub(super) fn answer_list(
    plant: &Arc<Plant>,
    route: &Route,
    resource: Resource,
    view: View,
    query: &str,
    requested_page: Option<PageRange>,
) -> Result<Reply, Answer> {
    let mut query = Query::parse(query, &route.parameters, requested_page);
    let page = requested_page.unwrap_or_else(|| query.read_page());
    let mut selection = Selection::default();
    if !resource.time_span_members().is_empty() {
        selection.window = query.read_window(&plant.zone);
    }
    if resource.order_member().is_some() {
        selection.order = query.read_code("code");
    }
    query.finish(Some(&selection.window), StatusCode::BAD_REQUEST)?;
    let (text, total) = plant.store.read().table(resource).read_page(&selection, page, view, ["{\"data\":", "}"]);
    Ok(Reply {
        status: StatusCode::OK,
        content: ReplyContent::Json(text),
        pages: Some(PaginationCounts { total, pages: page.page_count(total), current: page.number }),
    })
}

/// Returns the processes of a template. The specification lists statuses 200, 412 and 500, so all client errors are
/// 412.
pub(super) fn answer_template_processes(
    plant: &Arc<Plant>,
    route: &Route,
    path: &[String],
    query: &str,
) -> Result<Reply, Answer> {
    let mut query = Query::parse(query, &route.parameters, None);
    let code = query.read_code("Code");
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

/// The parsed parameters of a read, with the errors found so far.
#[derive(Debug)]
struct Query {
    parameters: Parameters,
    errors: Vec<String>,
}

impl Query {
    /// Parses the query and checks it against the contract. The page isn't checked if `requested_page` is set.
    fn parse(text: &str, checks: &ParameterChecks, requested_page: Option<PageRange>) -> Self {
        let parameters = Parameters::parse(text.as_bytes());
        let mut errors = Vec::new();
        if let Some(name) = parameters.repeated_name() {
            errors.push(format!("{name} must stand only once."));
        }
        errors.extend(checks.violations(&parameters, |name| {
            requested_page.is_none() || !matches!(name, PAGE_PARAMETER | LIMIT_PARAMETER)
        }));
        Self { parameters, errors }
    }

    fn read_page(&self) -> PageRange {
        PageRange::new(
            self.read_positive_number(PAGE_PARAMETER).unwrap_or(1),
            self.read_positive_number(LIMIT_PARAMETER).unwrap_or(MAX_PAGE_SIZE),
        )
    }

    fn read_window(&mut self, zone: &TimeZone) -> TimeWindow {
        if !self.errors.is_empty() {
            return TimeWindow::default();
        }
        let read = TimeWindow::parse(self.parameters.get("from"), self.parameters.get("to"), zone);
        read.unwrap_or_else(|errors| {
            self.errors.extend(errors);
            TimeWindow::default()
        })
    }

    /// Returns a code. None if it is absent or empty. Records an error if it is too long.
    fn read_code(&mut self, name: &str) -> Option<String> {
        let code = self.parameters.get_nonempty(name)?.to_owned();
        if code.len() > MAX_CODE_LENGTH || code.contains('\u{FFFD}') {
            self.errors.push(format!("{name} must be text of at most {MAX_CODE_LENGTH} characters."));
        }
        Some(code)
    }

    /// Returns the errors in a response with the status `wrong`, if there are any.
    fn finish(self, window: Option<&TimeWindow>, wrong: StatusCode) -> Result<(), Answer> {
        if !self.errors.is_empty() {
            return Err(Answer::errors(wrong, self.errors));
        }
        if window.is_some_and(TimeWindow::is_reversed) {
            return Err(Answer::errors(StatusCode::PRECONDITION_FAILED, vec![REVERSED_WINDOW.to_owned()]));
        }
        Ok(())
    }

    /// Returns a positive number. Other values were already reported by [`Query::parse`].
    fn read_positive_number(&self, name: &str) -> Option<u64> {
        self.parameters.get(name)?.parse().ok().filter(|number| *number > 0)
    }
}
