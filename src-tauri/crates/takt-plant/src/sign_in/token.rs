//! The token endpoint, which exchanges codes and refresh tokens for new tokens, and the revocation endpoint (RFC 7009).
//!
//! Clients authenticate with a form or with HTTP Basic (RFC 6749, 2.3.1). Errors follow RFC 6749, 5.2.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use mime::APPLICATION_WWW_FORM_URLENCODED;
use serde_json::json;

use crate::{
    FaultKind, Plant, PlantError, TokenPair,
    form::{Parameters, is_utf_8, media_type},
    grants::CodeGrant,
    secret,
    user::User,
};

/// The challenge in a response to a client that isn't authenticated.
const BASIC_CHALLENGE: &str = "Basic realm=\"takt-practice\", charset=\"UTF-8\"";
const INVALID_CODE: Denial =
    Denial::invalid_grant("The code is unknown, used or expired, or was given for something else.");
const INVALID_REFRESH_TOKEN: Denial = Denial::invalid_grant("The refresh token is unknown, used, expired or revoked.");
const SCOPE_TOO_WIDE: Denial = Denial::invalid_scope("scope must name no more than was granted.");

/// Handles `POST /connect/token`. Also returns the user for the log.
pub(super) fn answer_token_request(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> (Response, Option<User>) {
    match exchange_grant(plant, headers, body) {
        Ok((pair, user)) => {
            let text = serde_json::to_string(&pair).unwrap_or_default();
            (json_response(StatusCode::OK, text), Some(user))
        }
        Err(denial) => (denial.to_response(), None),
    }
}

/// Handles `POST /connect/revocation`. An unknown token is treated as revoked.
pub(super) fn answer_revocation_request(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Response {
    match revoke_token(plant, headers, body) {
        Ok(()) => json_response(StatusCode::OK, Body::empty()),
        Err(denial) => denial.to_response(),
    }
}

fn revoke_token(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<(), Denial> {
    let form = authenticate_client(plant, headers, body)?;
    let token = form.get_nonempty("token").ok_or(Denial::invalid_request("token is missing."))?;
    plant.identity.update_grants(|grants| grants.revoke_token(token));
    Ok(())
}

fn exchange_grant(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<(TokenPair, User), Denial> {
    let form = authenticate_client(plant, headers, body)?;
    match form.get_nonempty("grant_type").ok_or(Denial::invalid_request("grant_type is missing."))? {
        "authorization_code" => exchange_code(plant, &form),
        "refresh_token" => exchange_refresh(plant, &form),
        _ => Err(Denial::UNSUPPORTED_GRANT_TYPE),
    }
}

fn exchange_code(plant: &Plant, form: &Parameters) -> Result<(TokenPair, User), Denial> {
    let text = form.get_nonempty("code").ok_or(Denial::invalid_request("code is missing."))?;
    let redirect_uri = form.get_nonempty("redirect_uri").ok_or(Denial::invalid_request("redirect_uri is missing."))?;
    let now = plant.real_time();
    let identity = &plant.identity;
    // The grants stay locked, so that a second use of the code revokes the tokens of the first.
    identity.update_grants(|grants| {
        let code = grants.use_code(text, now).ok_or(INVALID_CODE)?;
        let CodeGrant { user, scope, redirect_uri: granted_for, challenge, .. } = code;
        if redirect_uri != granted_for || !verifier_matches(challenge.as_deref(), form.get_nonempty("code_verifier")) {
            return Err(INVALID_CODE);
        }
        let pair = identity.new_pair(&scope)?;
        grants.start_family(user, &pair, now, identity.access_expiry(now));
        grants.set_code_family(text, &pair);
        Ok((pair, user))
    })
}

/// Returns whether the verifier matches the challenge. A verifier without a challenge fails, since an attacker may have
/// removed the challenge.
fn verifier_matches(challenge: Option<&str>, verifier: Option<&str>) -> bool {
    match (challenge, verifier) {
        (None, None) => true,
        (Some(challenge), Some(verifier)) => {
            (43..=128).contains(&verifier.len()) && secret::are_equal(&secret::code_challenge(verifier), challenge)
        }
        (Some(_), None) | (None, Some(_)) => false,
    }
}

fn exchange_refresh(plant: &Plant, form: &Parameters) -> Result<(TokenPair, User), Denial> {
    let text = form.get_nonempty("refresh_token").ok_or(Denial::invalid_request("refresh_token is missing."))?;
    let now = plant.real_time();
    if plant.fault_selector.lock().choose_fault(|kind| kind == FaultKind::RevokeRefresh).is_some() {
        plant.identity.update_grants(|grants| grants.revoke_family_of(text));
        return Err(INVALID_REFRESH_TOKEN);
    }
    let identity = &plant.identity;
    // The grants stay locked, so that a concurrent second use of the token fails.
    identity.update_grants(|grants| {
        let requested_scope = form.get_nonempty("scope");
        // Requesting too many scopes is a mistake in the client, so it doesn't use up the token.
        if let (Some(requested_scope), Some(granted)) = (requested_scope, grants.granted_scope(text))
            && requested_scope.split_whitespace().any(|name| !granted.split(' ').any(|known| known == name))
        {
            return Err(SCOPE_TOO_WIDE);
        }
        let inherited = grants.use_refresh_token(text, now).ok_or(INVALID_REFRESH_TOKEN)?;
        let user = inherited.user;
        let mut pair = identity.new_pair(&inherited.scope)?;
        if let Some(requested_scope) = requested_scope {
            pair.scope = requested_scope.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        grants.add_pair(inherited, &pair, now, identity.access_expiry(now));
        Ok((pair, user))
    })
}

/// A rejected request: its status, the OAuth error code, and a sentence for developers.
#[derive(Debug)]
struct Denial {
    status: StatusCode,
    error: &'static str,
    description: &'static str,
}

impl Denial {
    const fn invalid_request(description: &'static str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: "invalid_request", description }
    }

    const fn invalid_grant(description: &'static str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: "invalid_grant", description }
    }

    const fn invalid_scope(description: &'static str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: "invalid_scope", description }
    }

    const UNSUPPORTED_GRANT_TYPE: Self = Self {
        status: StatusCode::BAD_REQUEST,
        error: "unsupported_grant_type",
        description: "grant_type must be authorization_code or refresh_token.",
    };
    const INVALID_CLIENT: Self = Self {
        status: StatusCode::UNAUTHORIZED,
        error: "invalid_client",
        description: "The client id or the client secret is missing or wrong.",
    };
    const SERVER_ERROR: Self = Self {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        error: "server_error",
        description: "The identity provider failed. Try again.",
    };

    fn to_response(&self) -> Response {
        let body = json!({ "error": self.error, "error_description": self.description });
        let mut response = json_response(self.status, body.to_string());
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(BASIC_CHALLENGE));
        }
        response
    }
}

impl From<PlantError> for Denial {
    fn from(error: PlantError) -> Self {
        tracing::error!(%error, "a token could not be issued");
        Self::SERVER_ERROR
    }
}

/// Builds a JSON response that must not be cached (RFC 6749, 5.1).
fn json_response(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

/// Returns the form of a request after authenticating the client.
fn authenticate_client(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<Parameters, Denial> {
    let kind = media_type(headers).filter(|kind| kind.essence_str() == APPLICATION_WWW_FORM_URLENCODED.essence_str());
    let kind =
        kind.ok_or_else(|| Denial::invalid_request("The content type must be application/x-www-form-urlencoded."))?;
    if !is_utf_8(&kind) {
        return Err(Denial::invalid_request("The charset must be utf-8."));
    }
    let form = Parameters::parse(body);
    if form.repeated_name().is_some() {
        return Err(Denial::invalid_request("Each parameter must stand only once."));
    }
    let (id, secret) = read_credentials(headers, &form)?;
    if plant.identity.is_client(&id, &secret) { Ok(form) } else { Err(Denial::INVALID_CLIENT) }
}

/// Returns the client's ID and secret. Fails if both the form and a header contain a secret.
fn read_credentials(headers: &HeaderMap, form: &Parameters) -> Result<(String, String), Denial> {
    let (id, secret) = (form.get_nonempty("client_id"), form.get_nonempty("client_secret"));
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok((id.unwrap_or_default().to_owned(), secret.unwrap_or_default().to_owned()));
    };
    if secret.is_some() || values.next().is_some() {
        return Err(Denial::invalid_request("The client must prove who it is in one way only."));
    }
    let (known_id, known_secret) = value.to_str().ok().and_then(parse_basic).ok_or(Denial::INVALID_CLIENT)?;
    if id.is_some_and(|id| id != known_id) {
        return Err(Denial::invalid_request("client_id differs from the one of the Authorization header."));
    }
    Ok((known_id, known_secret))
}

/// Parses the ID and the secret of a Basic header. Both are form-encoded before they are joined.
fn parse_basic(value: &str) -> Option<(String, String)> {
    let (scheme, encoded) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let joined = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = joined.split_once(':')?;
    let decoded = |text: &str| {
        let value = format!("={}", text.replace('&', "%26"));
        url::form_urlencoded::parse(value.as_bytes()).next().map(|(_, text)| text.into_owned())
    };
    Some((decoded(id)?, decoded(secret)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_and_secret_of_a_basic_header_are_decoded_as_in_a_form() {
        let read = |joined: &str| parse_basic(&format!("bAsIc {}", STANDARD.encode(joined)));
        let pair = |id: &str, secret: &str| Some((id.to_owned(), secret.to_owned()));
        assert_eq!(read("a%2Bb:c%3Ad+e"), pair("a+b", "c:d e"));
        assert_eq!(read("a:"), pair("a", ""));
        assert_eq!(read("a:b&c=d"), pair("a", "b&c=d"));
        assert_eq!(read("no colon"), None);
        assert_eq!(parse_basic("Basic not base64!"), None);
        assert_eq!(parse_basic("Bearer YTpi"), None);
    }
}
