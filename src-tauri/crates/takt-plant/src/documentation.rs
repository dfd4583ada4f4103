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
mod plant_urls;
mod practice;
mod provenance;
mod schema;
mod sheet;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, StatusCode},
    response::Response,
    routing::get,
};

use crate::{
    Plant,
    page::{Language, Page},
};
use sheet::Sheet;

pub(crate) use plant_urls::PlantUrls;

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
