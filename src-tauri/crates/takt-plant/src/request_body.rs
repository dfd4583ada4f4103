//! Reading a request's body: bounded in size and in time, and always to its end, so that the client gets to read the answer.

use std::{future::poll_fn, pin::Pin, time::Duration};

use axum::{
    body::{Body, HttpBody},
    http::StatusCode,
};
use tokio::time::timeout;

use crate::answer::Answer;

/// The largest body that is kept.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// The room that is made before anything has come.
const ROOM: usize = 256 * 1024;
/// How long a client may take to send a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The whole body. Where it isn't wanted, or is too large, it is read and forgotten.
pub(crate) async fn read_body(body: Body, wanted: bool) -> Result<Vec<u8>, Answer> {
    match timeout(BODY_TIMEOUT, drain(body, wanted)).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Answer::bad_request("The body did not arrive in time.")),
    }
}

async fn drain(mut body: Body, wanted: bool) -> Result<Vec<u8>, Answer> {
    // What a client promises to send is room for it only so far: it may never come.
    let promised = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let mut fits = wanted && promised <= MAX_BODY_BYTES;
    let mut bytes = Vec::with_capacity(if fits { promised.min(ROOM) } else { 0 });
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
    if wanted && !fits {
        let limit = MAX_BODY_BYTES / 1024 / 1024;
        return Err(Answer::error(StatusCode::PAYLOAD_TOO_LARGE, &format!("The body is larger than {limit} MB.")));
    }
    Ok(bytes)
}
