//! Documentation pages for integrators, generated from the contract document.
//!
//! This module has their routes and the contract document. The content of each page is in a submodule, and `html_page`
//! renders it.

mod access;
mod errors;
mod events;
mod example;
mod home;
mod operation;
mod page_builder;
mod practice;
mod schema;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State, rejection::PathRejection},
    http::{HeaderMap, StatusCode},
    response::Response,
    routing::get,
};
use serde_json::{Value, json};

use crate::{
    Plant,
    answer::Answer,
    html_page::{HtmlPage, Language},
    plant_urls::PlantUrls,
};

use page_builder::PageBuilder;

/// The pages with the text keys of their titles, in the order of the links.
const PAGES: [(&str, &str); 5] = [
    ("/", "home.operations"),
    ("/events", "events.title"),
    ("/errors", "errors.title"),
    ("/access", "access.title"),
    ("/practice", "practice.title"),
];

pub(crate) fn routes() -> Router<Arc<Plant>> {
    Router::new()
        .route("/", get(|state, headers| render_page(state, headers, "/", home::write_page)))
        .route("/events", get(|state, headers| render_page(state, headers, "/events", events::write_page)))
        .route("/errors", get(|state, headers| render_page(state, headers, "/errors", errors::write_page)))
        .route("/access", get(|state, headers| render_page(state, headers, "/access", access::write_page)))
        .route("/practice", get(|state, headers| render_page(state, headers, "/practice", practice::write_page)))
        .route("/operations/{id}", get(render_operation))
        .route("/openapi.json", get(answer_contract))
}

type PageWriter = fn(&Plant, &PlantUrls, &mut PageBuilder);

async fn render_page(
    State(plant): State<Arc<Plant>>,
    headers: HeaderMap,
    path: &'static str,
    write: PageWriter,
) -> Response {
    let language = Language::from_headers(&headers);
    let mut page = PageBuilder::new(language);
    write(&plant, &PlantUrls::from_headers(&headers), &mut page);
    let title = if path == "/" { "home.title" } else { title_key(path) };
    build_page_response(language, language.plain_text(title), path, page, StatusCode::OK)
}

async fn render_operation(
    State(plant): State<Arc<Plant>>,
    headers: HeaderMap,
    id: Result<Path<String>, PathRejection>,
) -> Response {
    let language = Language::from_headers(&headers);
    let mut page = PageBuilder::new(language);
    let Some(operation) = id.ok().and_then(|Path(id)| plant.contract.operation(&id)) else {
        let text = page.html_text("operation.unknown");
        page.add_paragraph(&text);
        return build_page_response(language, language.plain_text("home.title"), "", page, StatusCode::NOT_FOUND);
    };
    operation::write_page(&plant, operation, &PlantUrls::from_headers(&headers), &mut page);
    build_page_response(language, page.name_in_language(&operation.names), "", page, StatusCode::OK)
}

/// Handles `GET /openapi.json`. Returns the contract document with the addresses of this plant.
async fn answer_contract(State(plant): State<Arc<Plant>>, headers: HeaderMap) -> Response {
    let urls = PlantUrls::from_headers(&headers);
    let mut document = plant.contract.document().clone();
    fill_placeholder(&mut document, "{auth_url}", &urls.identity_url());
    if let Some(members) = document.as_object_mut() {
        members.insert("servers".to_owned(), json!([{ "url": urls.base_url, "description": "practice plant" }]));
    }
    Answer::json(StatusCode::OK, document.to_string()).into_plain_response()
}

/// Replaces a placeholder with an address in all texts.
fn fill_placeholder(value: &mut Value, placeholder: &str, address: &str) {
    match value {
        Value::String(text) if text.contains(placeholder) => *text = text.replace(placeholder, address),
        Value::Array(values) => values.iter_mut().for_each(|value| fill_placeholder(value, placeholder, address)),
        Value::Object(members) => members.values_mut().for_each(|value| fill_placeholder(value, placeholder, address)),
        _ => {}
    }
}

fn build_page_response(language: Language, title: &str, path: &str, page: PageBuilder, status: StatusCode) -> Response {
    let links = PAGES.iter().map(|(address, key)| {
        let current = if *address == path { " aria-current=\"page\"" } else { "" };
        format!("<li><a href=\"{address}\"{current}>{}</a></li>", language.html_text(key))
    });
    let label = language.html_text("papers.pages");
    let nav = format!("<nav aria-label=\"{label}\"><ul>{}</ul></nav>\n", links.collect::<String>());
    HtmlPage { language, title, content: &page.into_html(), nav: &nav, is_wide: true, form_target: None }
        .to_response(status)
}

fn title_key(path: &str) -> &'static str {
    PAGES.iter().find(|(address, _)| *address == path).map_or("home.title", |(_, key)| key)
}
