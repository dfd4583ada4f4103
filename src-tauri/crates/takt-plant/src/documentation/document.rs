//! `GET /openapi.json`: the contract document with this plant's addresses.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde_json::{Value, json};

use super::plant_urls::PlantUrls;
use crate::{
    Plant,
    answer::Answer,
    identity::{CLIENT_ID, SCOPES},
    plant::IDENTITY,
};

pub(super) async fn answer(State(plant): State<Arc<Plant>>, headers: HeaderMap) -> Response {
    let urls = PlantUrls::from_headers(&headers);
    let mut document = plant.contract.document().clone();
    fill(&mut document, "{auth_url}", &urls.identity());
    if let Some(members) = document.as_object_mut() {
        members.insert("servers".to_owned(), json!([{ "url": urls.base, "description": "practice plant" }]));
    }
    Answer::json(StatusCode::OK, document.to_string()).into_plain_response()
}

/// Returns the address of the sign-in page as a client opens it. Its redirect address may have no server.
pub(super) fn sign_in_address(plant: &Plant) -> String {
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

/// Replaces a placeholder by an address in all texts.
fn fill(value: &mut Value, placeholder: &str, address: &str) {
    match value {
        Value::String(text) if text.contains(placeholder) => *text = text.replace(placeholder, address),
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, placeholder, address)),
        Value::Object(members) => members.values_mut().for_each(|value| fill(value, placeholder, address)),
        _ => {}
    }
}
