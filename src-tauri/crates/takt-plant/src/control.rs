//! The control interface: the log, the state, the clock, the floor, events, faults and snapshots, with the control key.
//!
//! Owns the addresses and the key. Leaves to the parts of the plant what each address does.

mod clock;
mod events;
mod expire;
mod faults;
mod floor;
mod log;
mod snapshots;
mod state;
mod targets;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::Response,
};
use serde::de::DeserializeOwned;

use crate::{Plant, answer::Answer, request_body::read_body, secret};

/// The routes, each behind the key.
pub(crate) fn router(plant: &Arc<Plant>) -> Router<Arc<Plant>> {
    Router::new()
        .merge(log::routes())
        .merge(state::routes())
        .merge(snapshots::routes())
        .merge(faults::routes())
        .merge(events::routes())
        .merge(targets::routes())
        .merge(clock::routes())
        .merge(expire::routes())
        .merge(floor::routes())
        .fallback(nowhere)
        .layer(from_fn_with_state(Arc::clone(plant), locked_door))
}

/// An address that the router itself can't read is refused in its own words, which no client expects.
fn readable(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if response.status() != StatusCode::BAD_REQUEST || is_json {
        return response;
    }
    Answer::bad_request("The address can't be read.").plain()
}

async fn nowhere() -> Response {
    Answer::error(StatusCode::NOT_FOUND, "The control interface has no such address.").plain()
}

/// The body of a control request as JSON; `{}` where there is none.
async fn request_body<T: DeserializeOwned>(body: Body) -> Result<T, Answer> {
    let bytes = read_body(body, true).await?;
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) { b"{}".to_vec() } else { bytes };
    serde_json::from_slice(&bytes).map_err(|error| Answer::bad_request(error.to_string()))
}

/// Either answer, as HTTP.
fn said(outcome: Result<Answer, Answer>) -> Response {
    outcome.unwrap_or_else(|answer| answer).plain()
}

async fn locked_door(State(plant): State<Arc<Plant>>, request: Request, next: Next) -> Response {
    let value = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = value.strip_prefix("Bearer ").unwrap_or_default();
    if secret::same(key, &plant.control_key) {
        return readable(next.run(request).await);
    }
    drop(read_body(request.into_body(), false).await);
    Answer::error(StatusCode::UNAUTHORIZED, "The control key is missing or wrong.").plain()
}
