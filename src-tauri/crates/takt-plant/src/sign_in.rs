//! The routes of the identity provider, its metadata (RFC 8414), and log entries for sign-in requests.
//!
//! Submodules answer the other endpoints, and `identity` has the grants.

mod authorize;
mod token;

use std::sync::Arc;

use axum::{
    Router,
    extract::{OriginalUri, Request, State},
    http::{Method, StatusCode, request::Parts},
    response::Response,
    routing::{get, post},
};
use serde_json::{Value, json};

use crate::{
    Plant,
    answer::Answer,
    api,
    identity::SCOPES,
    log_entry::LogRing,
    plant_urls::{IDENTITY_PATH, PlantUrls},
    request_body::read_body,
    user::User,
};

/// The well-known names for metadata (RFC 8414, 3 and 5).
const METADATA_NAMES: [&str; 2] = ["oauth-authorization-server", "openid-configuration"];
const CLIENT_METHODS: [&str; 2] = ["client_secret_basic", "client_secret_post"];

pub(crate) fn router() -> Router<Arc<Plant>> {
    let own = METADATA_NAMES.map(|name| format!("/.well-known/{name}"));
    let router = own.iter().fold(Router::new(), |router, path| router.route(path, get(answer_metadata)));
    router
        .route("/connect/authorize", get(answer_authorize).post(answer_authorize))
        .route("/connect/token", post(answer_token))
        .route("/connect/revocation", post(answer_revocation))
        .fallback(answer_not_found)
}

/// Returns the metadata at a well-known address of the host, which ends with the provider's path (RFC 8414, 3.1).
pub(crate) async fn answer_well_known(OriginalUri(uri): OriginalUri, headers: axum::http::HeaderMap) -> Response {
    let known = METADATA_NAMES.iter().any(|name| uri.path() == format!("/.well-known/{name}{IDENTITY_PATH}"));
    if known { answer_metadata(headers).await } else { answer_not_found().await }
}

pub(crate) async fn answer_not_found() -> Response {
    Answer::error(StatusCode::NOT_FOUND, "There is nothing at this address.").into_plain_response()
}

async fn answer_metadata(headers: axum::http::HeaderMap) -> Response {
    let issuer = PlantUrls::from_headers(&headers).identity_url();
    Answer::json(StatusCode::OK, provider_metadata(&issuer).to_string()).into_plain_response()
}

async fn answer_authorize(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let (response, user) = if parts.method == Method::POST {
        match read_body(body, true).await {
            Ok(body) => authorize::answer_choice(&plant, &parts.headers, query, &body),
            Err(answer) => (answer.into_plain_response(), None),
        }
    } else {
        (authorize::show_page(&plant, &parts.headers, query), None)
    };
    log_request(&plant, &parts, api::AUTHORIZE_OPERATION, user, &response);
    response
}

async fn answer_token(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (response, user) = match read_body(body, true).await {
        Ok(body) => token::answer_token_request(&plant, &parts.headers, &body),
        Err(answer) => (answer.into_plain_response(), None),
    };
    log_request(&plant, &parts, api::TOKEN_OPERATION, user, &response);
    response
}

async fn answer_revocation(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let response = match read_body(body, true).await {
        Ok(body) => token::answer_revocation_request(&plant, &parts.headers, &body),
        Err(answer) => answer.into_plain_response(),
    };
    log_request(&plant, &parts, api::REVOCATION_OPERATION, None, &response);
    response
}

/// Logs a sign-in request without its query and body.
fn log_request(plant: &Plant, parts: &Parts, operation: &str, user: Option<User>, response: &Response) {
    let mut entry = api::new_log_entry(plant, parts);
    entry.path = format!("{IDENTITY_PATH}/{operation}");
    entry.operation = Some(operation.to_owned());
    entry.user = user.map(|user| user.name().to_owned());
    entry.status = Some(response.status().as_u16());
    plant.log.write_entry(entry, LogRing::Reads);
}

/// Returns the metadata of the provider with this address.
fn provider_metadata(issuer: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/connect/authorize"),
        "token_endpoint": format!("{issuer}/connect/token"),
        "revocation_endpoint": format!("{issuer}/connect/revocation"),
        "scopes_supported": SCOPES,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": CLIENT_METHODS,
        "revocation_endpoint_auth_methods_supported": CLIENT_METHODS,
        "code_challenge_methods_supported": ["S256"],
    })
}
