//! Reads bodies of requests, with limits on size and time. Bodies are always read to their end, since otherwise a
//! client may not receive the response.

use std::{future::poll_fn, pin::Pin, time::Duration};

use axum::{
    body::{Body, HttpBody},
    http::StatusCode,
};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::answer::Answer;

/// The maximum size of a body, in bytes.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// The maximum number of bytes that are allocated before data arrives.
const INITIAL_CAPACITY: usize = 256 * 1024;
/// The maximum time for receiving a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a body to its end. Discards the bytes unless `is_needed` is set and they fit the limit.
pub(crate) async fn read_body(body: Body, is_needed: bool) -> Result<Vec<u8>, Answer> {
    match timeout(BODY_TIMEOUT, drain_body(body, is_needed)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Answer::bad_request("The body did not arrive in time.")),
    }
}

/// Reads and parses a JSON body. An empty body is parsed as `{}`.
pub(crate) async fn read_json<T: DeserializeOwned>(body: Body) -> Result<T, Answer> {
    let bytes = read_body(body, true).await?;
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) { b"{}".to_vec() } else { bytes };
    serde_json::from_slice(&bytes).map_err(|error| Answer::bad_request(error.to_string()))
}

async fn drain_body(mut body: Body, is_needed: bool) -> Result<Vec<u8>, Answer> {
    // The stated size isn't trusted, so only a part of it is allocated at first.
    let promised = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let mut fits = is_needed && promised <= MAX_BODY_BYTES;
    let mut bytes = Vec::with_capacity(if fits { promised.min(INITIAL_CAPACITY) } else { 0 });
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| Answer::bad_request("The body broke off."))?;
        let Ok(piece) = frame.into_data() else { continue };
        if fits && bytes.len() + piece.len() > MAX_BODY_BYTES {
            fits = false;
            bytes = Vec::new();
        }
        if fits {
            bytes.extend_from_slice(&piece);
        }
    }
    if is_needed && !fits {
        let limit = MAX_BODY_BYTES / 1024 / 1024;
        return Err(Answer::error(StatusCode::PAYLOAD_TOO_LARGE, &format!("The body is larger than {limit} MB.")));
    }
    Ok(bytes)
}
