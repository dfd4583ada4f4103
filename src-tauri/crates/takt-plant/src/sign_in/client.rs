//! Authentication of the client at the token and revocation endpoints, by form or HTTP Basic (RFC 6749, 2.3.1), and
//! refusals (RFC 6749, 5.2).

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use mime::APPLICATION_WWW_FORM_URLENCODED;
use serde_json::json;

use crate::{
    Plant, PlantError,
    form::{Parameters, is_utf_8, media_type},
};

/// The challenge for a client that didn't authenticate.
const BASIC: &str = "Basic realm=\"takt-practice\", charset=\"UTF-8\"";

/// A refused call: its status, the OAuth error code and a sentence for the client's developer.
#[derive(Debug)]
pub(super) struct Denial {
    status: StatusCode,
    error: &'static str,
    description: &'static str,
}

impl Denial {
    pub(super) const fn request(description: &'static str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: "invalid_request", description }
    }

    pub(super) const fn grant(description: &'static str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: "invalid_grant", description }
    }

    pub(super) const fn scope(description: &'static str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: "invalid_scope", description }
    }

    pub(super) const GRANT_TYPE: Self = Self {
        status: StatusCode::BAD_REQUEST,
        error: "unsupported_grant_type",
        description: "grant_type must be authorization_code or refresh_token.",
    };
    const CLIENT: Self = Self {
        status: StatusCode::UNAUTHORIZED,
        error: "invalid_client",
        description: "The client id or the client secret is missing or wrong.",
    };
    const BROKEN: Self = Self {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        error: "server_error",
        description: "The identity provider failed. Try again.",
    };

    pub(super) fn to_response(&self) -> Response {
        let body = json!({ "error": self.error, "error_description": self.description });
        let mut response = json_response(self.status, body.to_string());
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(BASIC));
        }
        response
    }
}

impl From<PlantError> for Denial {
    fn from(error: PlantError) -> Self {
        tracing::error!(%error, "a token could not be issued");
        Self::BROKEN
    }
}

/// Builds a response that isn't cached (RFC 6749, 5.1).
pub(super) fn json_response(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

/// Returns the form of a call by an authenticated client.
pub(super) fn authenticated(plant: &Plant, headers: &HeaderMap, body: &[u8]) -> Result<Parameters, Denial> {
    let kind = media_type(headers).filter(|kind| kind.essence_str() == APPLICATION_WWW_FORM_URLENCODED.essence_str());
    let kind = kind.ok_or_else(|| Denial::request("The content type must be application/x-www-form-urlencoded."))?;
    if !is_utf_8(&kind) {
        return Err(Denial::request("The charset must be utf-8."));
    }
    let form = Parameters::parse(body);
    if form.repeated().is_some() {
        return Err(Denial::request("Each parameter must stand only once."));
    }
    let (id, secret) = credentials(headers, &form)?;
    if plant.identity.client_matches(&id, &secret) { Ok(form) } else { Err(Denial::CLIENT) }
}

/// Returns the client's ID and secret, which must come in one way only.
fn credentials(headers: &HeaderMap, form: &Parameters) -> Result<(String, String), Denial> {
    let (id, secret) = (form.get_nonempty("client_id"), form.get_nonempty("client_secret"));
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok((id.unwrap_or_default().to_owned(), secret.unwrap_or_default().to_owned()));
    };
    if secret.is_some() || values.next().is_some() {
        return Err(Denial::request("The client must prove who it is in one way only."));
    }
    let (known_id, known_secret) = value.to_str().ok().and_then(parse_basic).ok_or(Denial::CLIENT)?;
    if id.is_some_and(|id| id != known_id) {
        return Err(Denial::request("client_id differs from the one of the Authorization header."));
    }
    Ok((known_id, known_secret))
}

/// Parses ID and secret of a Basic header. Each was form-encoded before they were joined.
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
