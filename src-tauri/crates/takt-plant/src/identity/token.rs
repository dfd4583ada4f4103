//! The token address: codes and refresh tokens become token pairs.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use serde_json::json;

use crate::{
    FaultKind, Plant, PlantError,
    form::Parameters,
    identity::{TokenPair, grants::Code},
    lock::locked,
    secret,
    user::User,
};

/// An answer of the token address that isn't a pair: the OAuth error code and its status.
struct Denial(StatusCode, &'static str);

impl Denial {
    const REQUEST: Self = Self(StatusCode::BAD_REQUEST, "invalid_request");
    const GRANT: Self = Self(StatusCode::BAD_REQUEST, "invalid_grant");
    const GRANT_TYPE: Self = Self(StatusCode::BAD_REQUEST, "unsupported_grant_type");
    const CLIENT: Self = Self(StatusCode::UNAUTHORIZED, "invalid_client");
    const BROKEN: Self = Self(StatusCode::INTERNAL_SERVER_ERROR, "server_error");
}

impl From<PlantError> for Denial {
    fn from(error: PlantError) -> Self {
        tracing::error!(%error, "a token could not be issued");
        Self::BROKEN
    }
}

/// `POST /connect/token`. Says who signed in, for the log.
pub(crate) fn exchange(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> (Response, Option<User>) {
    let outcome = granted(plant, headers, body);
    let (status, text, user) = match outcome {
        Ok((pair, user)) => (StatusCode::OK, serde_json::to_string(&pair), Some(user)),
        Err(Denial(status, error)) => (status, serde_json::to_string(&json!({ "error": error })), None),
    };
    let mut response = Response::new(Body::from(text.unwrap_or_default()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (response, user)
}

fn granted(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<(TokenPair, User), Denial> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(Denial::REQUEST);
    }
    let form = Parameters::parse(body);
    if form.repeated().is_some() {
        return Err(Denial::REQUEST);
    }
    let grant_type = form.filled("grant_type").ok_or(Denial::REQUEST)?;
    let client_id = form.get("client_id").unwrap_or_default();
    let client_secret = form.get("client_secret").unwrap_or_default();
    if !plant.identity.client_matches(client_id, client_secret) {
        return Err(Denial::CLIENT);
    }
    match grant_type {
        "authorization_code" => from_code(plant, &form),
        "refresh_token" => from_refresh(plant, &form),
        _ => Err(Denial::GRANT_TYPE),
    }
}

fn from_code(plant: &Plant, form: &Parameters) -> Result<(TokenPair, User), Denial> {
    let text = form.filled("code").ok_or(Denial::REQUEST)?;
    let redirect_uri = form.filled("redirect_uri").ok_or(Denial::REQUEST)?;
    let now = plant.now();
    let identity = &plant.identity;
    // One step: whoever brings the same code a moment later ends what grew from it.
    identity.changed(|grants| {
        let code = grants.use_code(text, now).ok_or(Denial::GRANT)?;
        let Code { user, scope, redirect_uri: granted_for, challenge, .. } = code;
        if redirect_uri != granted_for || !proven(challenge.as_deref(), form.filled("code_verifier")) {
            return Err(Denial::GRANT);
        }
        let pair = identity.new_pair(&scope)?;
        grants.start(user, &pair, now, identity.expiry(now));
        grants.code_became(text, &pair);
        Ok((pair, user))
    })
}

/// Whether the verifier fits the challenge. A verifier without a challenge means that somebody stripped the challenge.
fn proven(challenge: Option<&str>, verifier: Option<&str>) -> bool {
    match (challenge, verifier) {
        (None, None) => true,
        (Some(challenge), Some(verifier)) => {
            (43..=128).contains(&verifier.len()) && secret::same(&secret::challenge(verifier), challenge)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn from_refresh(plant: &Plant, form: &Parameters) -> Result<(TokenPair, User), Denial> {
    let text = form.filled("refresh_token").ok_or(Denial::REQUEST)?;
    let now = plant.now();
    if locked(&plant.dice).roll(|kind| kind == FaultKind::RevokeRefresh).is_some() {
        plant.identity.changed(|grants| grants.revoke_family_of(text));
        return Err(Denial::GRANT);
    }
    let identity = &plant.identity;
    // One step: whoever brings the same token a moment later comes too late.
    identity.changed(|grants| {
        let heir = grants.use_refresh(text, now).ok_or(Denial::GRANT)?;
        let user = heir.user;
        let pair = identity.new_pair(&heir.scope)?;
        grants.grow(heir, &pair, now, identity.expiry(now));
        Ok((pair, user))
    })
}
