//! The page at `/` for people who find the plant's address, and the contract document with this plant's addresses.

use std::{fmt::Write as _, sync::Arc};

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::Response,
};
use serde_json::{Value, json};
use takt_contract::{Operation, ProvenanceLevel};

use crate::{
    Plant,
    api::Answer,
    identity::{CLIENT_ID, SCOPES},
    page::{Language, Page, escape},
    plant::IDENTITY,
};

/// `GET /`: what can be called, from the contract.
pub(crate) async fn page(State(plant): State<Arc<Plant>>, headers: HeaderMap) -> Response {
    let language = Language::preferred(&headers);
    let text = |key: &str| language.text(key);
    let mut content = format!(
        "<p>{}</p>\n<p><a href=\"/openapi.json\">{}</a> · <a href=\"{}\">{}</a></p>\n<table>\n<thead><tr><th scope=\"col\">{}</th>\
         <th scope=\"col\">{}</th><th scope=\"col\">{}</th></tr></thead>\n<tbody>\n",
        text("home.lead"),
        text("home.contract"),
        escape(&sign_in_address(&plant)),
        text("home.sign_in"),
        text("home.operation"),
        text("home.call"),
        text("home.purpose"),
    );
    for operation in plant.contract.operations() {
        let level = text(match operation.provenance.level {
            ProvenanceLevel::Specified => "home.specified",
            ProvenanceLevel::Assumed => "home.assumed",
            ProvenanceLevel::Site => "home.site",
        });
        let name = escape(named(operation, language));
        let Operation { id, method, path, purpose, .. } = operation;
        let (id, path, purpose) = (escape(id), escape(path), escape(purpose));
        // Writing to a string can't fail.
        let _ = writeln!(
            content,
            "<tr><td>{name}<br><code>{id}</code></td><td><code>{method} {path}</code><br>{level}</td><td lang=\"en\">{purpose}</td></tr>"
        );
    }
    content.push_str("</tbody>\n</table>");
    Page { language, title: "home.title", content: &content, wide: true, leads_to: None }.answer(StatusCode::OK)
}

fn named(operation: &Operation, language: Language) -> &str {
    match language.code() {
        "de" => &operation.names.de,
        "es" => &operation.names.es,
        "pt" => &operation.names.pt,
        _ => &operation.names.en,
    }
}

/// The sign-in page as a client would open it. Where it sends the browser, nobody may be listening.
fn sign_in_address(plant: &Plant) -> String {
    let redirect_uri = plant.identity.redirect_uris().first().map_or("", String::as_str);
    let scope = SCOPES.join(" ");
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("client_id", CLIENT_ID)
        .append_pair("response_type", "code")
        .append_pair("grant_type", "authorization_code")
        .append_pair("scope", &scope)
        .append_pair("redirect_uri", redirect_uri)
        .append_pair("state", "try")
        .finish();
    format!("{IDENTITY}/connect/authorize?{query}")
}

/// `GET /openapi.json`: the contract, with the address at which it was asked for.
pub(crate) async fn document(State(plant): State<Arc<Plant>>, headers: HeaderMap) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    let base_url = format!("http://{host}");
    let mut document = plant.contract.document().clone();
    fill(&mut document, "{auth_url}", &format!("{base_url}{IDENTITY}"));
    if let Some(members) = document.as_object_mut() {
        members.insert("servers".to_owned(), json!([{ "url": base_url, "description": "practice plant" }]));
    }
    Answer::json(StatusCode::OK, document.to_string()).plain()
}

/// Puts an address in place of its placeholder, wherever it stands.
fn fill(value: &mut Value, placeholder: &str, address: &str) {
    match value {
        Value::String(text) if text.contains(placeholder) => *text = text.replace(placeholder, address),
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, placeholder, address)),
        Value::Object(members) => members.values_mut().for_each(|value| fill(value, placeholder, address)),
        _ => {}
    }
}
