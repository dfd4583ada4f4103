//! Bodies of control requests and their responses.

use axum::{body::Body, response::Response};
use serde::de::DeserializeOwned;

use crate::{answer::Answer, request_body::read_body};

/// Parses the body of a control request. An empty body counts as `{}`.
pub(super) async fn request_body<T: DeserializeOwned>(body: Body) -> Result<T, Answer> {
    let bytes = read_body(body, true).await?;
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) { b"{}".to_vec() } else { bytes };
    serde_json::from_slice(&bytes).map_err(|error| Answer::bad_request(error.to_string()))
}

/// Converts a success or an error to a response.
pub(super) fn to_response(outcome: Result<Answer, Answer>) -> Response {
    outcome.unwrap_or_else(|answer| answer).into_plain_response()
}
