//! Documentation pages for integrators, generated from the contract document.
//!
//! Owns their routes and shared parts. Leaves each page's content to its submodules, and sending a page to `page`.

mod access;
mod document;
mod errors;
mod events;
mod example;
mod home;
mod operation;
mod practice;
mod schema;
mod sheet;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, StatusCode, header},
    response::Response,
    routing::get,
};
use serde_json::Value;
use takt_contract::ProvenanceLevel;

use crate::{
    Plant,
    page::{Language, Page, escape},
    plant::{CONTROL, IDENTITY},
};
use sheet::Sheet;

/// The pages with the keys of their titles, in the order of the links.
const PAGES: [(&str, &str); 5] = [
    ("/", "home.operations"),
    ("/events", "events.title"),
    ("/errors", "errors.title"),
    ("/access", "access.title"),
    ("/practice", "practice.title"),
];

pub(crate) fn routes() -> Router<Arc<Plant>> {
    Router::new()
        .route("/", get(|state, headers| render_page(state, headers, "/", home::write)))
        .route("/events", get(|state, headers| render_page(state, headers, "/events", events::write)))
        .route("/errors", get(|state, headers| render_page(state, headers, "/errors", errors::write)))
        .route("/access", get(|state, headers| render_page(state, headers, "/access", access::write)))
        .route("/practice", get(|state, headers| render_page(state, headers, "/practice", practice::write)))
        .route("/operations/{id}", get(render_operation))
        .route("/openapi.json", get(document::answer))
}

/// The plant's address as the reader reached it.
#[derive(Debug)]
pub(crate) struct PlantUrls {
    base: String,
}

impl PlantUrls {
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        // The reader controls this header, so only characters of a host and port get onto the page.
        let usable = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte);
        let host = if !host.is_empty() && host.bytes().all(usable) { host } else { "127.0.0.1" };
        Self { base: format!("http://{host}") }
    }

    pub(crate) fn identity(&self) -> String {
        format!("{}{IDENTITY}", self.base)
    }

    fn control(&self) -> String {
        format!("{}{CONTROL}", self.base)
    }
}

type Writer = fn(&Plant, &PlantUrls, &mut Sheet);

async fn render_page(
    State(plant): State<Arc<Plant>>,
    headers: HeaderMap,
    path: &'static str,
    write: Writer,
) -> Response {
    let language = Language::preferred(&headers);
    let mut sheet = Sheet::new(language);
    write(&plant, &PlantUrls::from_headers(&headers), &mut sheet);
    let title = if path == "/" { "home.title" } else { title_of(path) };
    page_response(language, language.plain(title), path, sheet, StatusCode::OK)
}

async fn render_operation(
    State(plant): State<Arc<Plant>>,
    headers: HeaderMap,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    let language = Language::preferred(&headers);
    let mut sheet = Sheet::new(language);
    let Some(operation) = id.ok().and_then(|Path(id)| plant.contract.operation(&id)) else {
        let text = sheet.text("operation.unknown");
        sheet.paragraph(&text);
        return page_response(language, language.plain("home.title"), "", sheet, StatusCode::NOT_FOUND);
    };
    operation::write(&plant, operation, &PlantUrls::from_headers(&headers), &mut sheet);
    page_response(language, sheet.name_in_language(&operation.names), "", sheet, StatusCode::OK)
}

fn page_response(language: Language, title: &str, path: &str, sheet: Sheet, status: StatusCode) -> Response {
    let links = PAGES.iter().map(|(address, key)| {
        let current = if *address == path { " aria-current=\"page\"" } else { "" };
        format!("<li><a href=\"{address}\"{current}>{}</a></li>", language.text(key))
    });
    let label = language.text("papers.pages");
    let nav = format!("<nav aria-label=\"{label}\"><ul>{}</ul></nav>\n", links.collect::<String>());
    Page { language, title, content: &sheet.html(), nav: &nav, wide: true, leads_to: None }.answer(status)
}

fn title_of(path: &str) -> &'static str {
    PAGES.iter().find(|(address, _)| *address == path).map_or("home.title", |(_, key)| key)
}

/// Renders a provenance level as a mark, followed by its source if there is one.
fn mark(sheet: &Sheet, level: ProvenanceLevel, source: Option<&str>) -> String {
    let (class, key) = match level {
        ProvenanceLevel::Specified => ("specified", "home.specified"),
        ProvenanceLevel::Assumed => ("assumed", "home.assumed"),
        ProvenanceLevel::Observed => ("site", "home.observed"),
        ProvenanceLevel::Site => ("site", "home.site"),
    };
    let source = source.map_or_else(String::new, |source| format!(" <small lang=\"en\">{}</small>", escape(source)));
    format!("<span class=\"mark {class}\">{}</span>{source}", sheet.text(key))
}

/// Renders the mark of a node of the document. Empty if it has no provenance.
fn mark_of(sheet: &Sheet, node: &Value, with_source: bool) -> String {
    let Some(provenance) = node.get("x-takt-provenance") else { return String::new() };
    let own = level(provenance["level"].as_str().unwrap_or_default());
    let own = own.map(|level| mark(sheet, level, provenance["source"].as_str().filter(|_| with_source)));
    own.unwrap_or_default() + &assumed_keywords(sheet, node)
}

/// Renders the keywords of a specified node that are assumed, each with its reason.
fn assumed_keywords(sheet: &Sheet, node: &Value) -> String {
    let Some(parts) = node.get("x-takt-assumed").and_then(Value::as_object) else { return String::new() };
    let part = |(keyword, reason): (&String, &Value)| {
        format!("<abbr title=\"{}\">{}</abbr>", escape(reason.as_str().unwrap_or_default()), escape(keyword))
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    format!(" {} <small lang=\"en\">{}</small>", mark(sheet, ProvenanceLevel::Assumed, None), parts.join(", "))
}

fn level(name: &str) -> Option<ProvenanceLevel> {
    match name {
        "specified" => Some(ProvenanceLevel::Specified),
        "assumed" => Some(ProvenanceLevel::Assumed),
        "observed" => Some(ProvenanceLevel::Observed),
        "site" => Some(ProvenanceLevel::Site),
        _ => None,
    }
}
