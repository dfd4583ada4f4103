//! The endpoints of the identity provider, and their entries in the log.
//!
//! Leaves the responses to its submodules, and the grants to `identity`.

mod authorize;
mod client;
mod discovery;
mod token;

use std::sync::Arc;

use axum::{
    Router,
    extract::{OriginalUri, Request, State},
    http::{Method, StatusCode, request::Parts},
    response::Response,
    routing::{get, post},
};

use crate::{
    Plant, answer::Answer, api, documentation::PlantUrls, log_entry::LogRing, plant::IDENTITY, request_body::read_body,
    user::User,
};

/// The metadata's two well-known names (RFC 8414, 3 and 5).
const METADATA: [&str; 2] = ["oauth-authorization-server", "openid-configuration"];

pub(crate) fn router() -> Router<Arc<Plant>> {
    let own = METADATA.map(|name| format!("/.well-known/{name}"));
    let router = own.iter().fold(Router::new(), |router, path| router.route(path, get(metadata)));
    router
        .route("/connect/authorize", get(authorize).post(authorize))
        .route("/connect/token", post(token))
        .route("/connect/revocation", post(revocation))
        .fallback(not_found)
}

/// Answers a well-known name at the host: the provider's metadata if the provider's path follows (RFC 8414, 3.1).
pub(crate) async fn well_known(OriginalUri(uri): OriginalUri, headers: axum::http::HeaderMap) -> Response {
    let known = METADATA.iter().any(|name| uri.path() == format!("/.well-known/{name}{IDENTITY}"));
    if known { metadata(headers).await } else { not_found().await }
}

pub(crate) async fn not_found() -> Response {
    Answer::error(StatusCode::NOT_FOUND, "There is nothing at this address.").into_plain_response()
}

async fn metadata(headers: axum::http::HeaderMap) -> Response {
    let issuer = PlantUrls::from_headers(&headers).identity();
    Answer::json(StatusCode::OK, discovery::metadata(&issuer).to_string()).into_plain_response()
}

async fn authorize(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let (response, user) = if parts.method == Method::POST {
        match read_body(body, true).await {
            Ok(body) => authorize::decide(&plant, &parts.headers, query, &body),
            Err(answer) => (answer.into_plain_response(), None),
        }
    } else {
        (authorize::show_page(&plant, &parts.headers, query), None)
    };
    log_request(&plant, &parts, api::AUTHORIZE, user, &response);
    response
}

async fn token(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (response, user) = match read_body(body, true).await {
        Ok(body) => token::exchange(&plant, &parts.headers, &body),
        Err(answer) => (answer.into_plain_response(), None),
    };
    log_request(&plant, &parts, api::TOKEN, user, &response);
    response
}

async fn revocation(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let response = match read_body(body, true).await {
        Ok(body) => token::revoke(&plant, &parts.headers, &body),
        Err(answer) => answer.into_plain_response(),
    };
    log_request(&plant, &parts, api::REVOCATION, None, &response);
    response
}

/// Logs a sign-in request without its contents.
fn log_request(plant: &Plant, parts: &Parts, operation: &str, user: Option<User>, response: &Response) {
    let mut entry = api::new_entry(plant, parts);
    entry.path = format!("{IDENTITY}/{operation}");
    entry.operation = Some(operation.to_owned());
    entry.user = user.map(|user| user.name().to_owned());
    entry.status = Some(response.status().as_u16());
    plant.log.write(entry, LogRing::Reads);
}
