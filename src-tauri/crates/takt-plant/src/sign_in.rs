//! The addresses of the identity provider, and what of each request is written to the log. Leaves to its submodules what
//! each answers, and to `identity` what was granted.

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
    Plant, answer::Answer, api, documentation::Place, log_entry::LogRing, plant::IDENTITY, request_body::read_body,
    user::User,
};

/// The metadata under the two names by which clients ask for it (RFC 8414, 3 and 5).
const METADATA: [&str; 2] = ["oauth-authorization-server", "openid-configuration"];

pub(crate) fn router() -> Router<Arc<Plant>> {
    let own = METADATA.map(|name| format!("/.well-known/{name}"));
    let router = own.iter().fold(Router::new(), |router, path| router.route(path, get(metadata)));
    router
        .route("/connect/authorize", get(authorize).post(authorize))
        .route("/connect/token", post(token))
        .route("/connect/revocation", post(revocation))
        .fallback(nowhere)
}

/// What the host knows by a well-known name: the metadata of the provider, whose path stands behind it (RFC 8414, 3.1).
pub(crate) async fn well_known(OriginalUri(uri): OriginalUri, headers: axum::http::HeaderMap) -> Response {
    let known = METADATA.iter().any(|name| uri.path() == format!("/.well-known/{name}{IDENTITY}"));
    if known { metadata(headers).await } else { nowhere().await }
}

pub(crate) async fn nowhere() -> Response {
    Answer::error(StatusCode::NOT_FOUND, "There is nothing at this address.").plain()
}

async fn metadata(headers: axum::http::HeaderMap) -> Response {
    let issuer = Place::of(&headers).identity();
    Answer::json(StatusCode::OK, discovery::answer(&issuer).to_string()).plain()
}

async fn authorize(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let (response, user) = if parts.method == Method::POST {
        match read_body(body, true).await {
            Ok(body) => authorize::decide(&plant, &parts.headers, query, &body),
            Err(answer) => (answer.plain(), None),
        }
    } else {
        (authorize::ask(&plant, &parts.headers, query), None)
    };
    remember(&plant, &parts, api::AUTHORIZE, user, &response);
    response
}

async fn token(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (response, user) = match read_body(body, true).await {
        Ok(body) => token::exchange(&plant, &parts.headers, &body),
        Err(answer) => (answer.plain(), None),
    };
    remember(&plant, &parts, api::TOKEN, user, &response);
    response
}

async fn revocation(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let response = match read_body(body, true).await {
        Ok(body) => token::revoke(&plant, &parts.headers, &body),
        Err(answer) => answer.plain(),
    };
    remember(&plant, &parts, api::REVOCATION, None, &response);
    response
}

/// Writes a sign-in request to the log, without what it carried.
fn remember(plant: &Plant, parts: &Parts, operation: &str, user: Option<User>, response: &Response) {
    let mut entry = api::blank_entry(plant, parts);
    entry.path = format!("{IDENTITY}/{operation}");
    entry.operation = Some(operation.to_owned());
    entry.user = user.map(|user| user.name().to_owned());
    entry.status = Some(response.status().as_u16());
    plant.log.write(entry, LogRing::Reads);
}
