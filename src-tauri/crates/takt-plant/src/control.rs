//! The control interface for the log, state, clock, floor, events, faults and snapshots.
//!
//! All routes require the control key. Their effects are in other modules.

mod clock;
mod events;
mod faults;
mod floor;
mod log;
mod state;

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::{StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::Response,
};

use crate::{Plant, answer::Answer, request_body::read_body, secret};

/// Builds the routes, which all require the control key.
pub(crate) fn router(plant: &Arc<Plant>) -> Router<Arc<Plant>> {
    Router::new()
        .merge(log::routes())
        .merge(state::routes())
        .merge(faults::routes())
        .merge(events::routes())
        .merge(clock::routes())
        .merge(floor::routes())
        .fallback(answer_not_found)
        .layer(from_fn_with_state(Arc::clone(plant), require_key))
}

/// Replaces axum's rejection of an invalid path with a JSON error.
fn json_refusal(response: Response) -> Response {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if response.status() != StatusCode::BAD_REQUEST || is_json {
        return response;
    }
    Answer::bad_request("The address can't be read.").into_plain_response()
}

async fn answer_not_found() -> Response {
    Answer::error(StatusCode::NOT_FOUND, "The control interface has no such address.").into_plain_response()
}

async fn require_key(State(plant): State<Arc<Plant>>, request: Request, next: Next) -> Response {
    let value = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = value.strip_prefix("Bearer ").unwrap_or_default();
    if secret::are_equal(key, &plant.control_key) {
        return json_refusal(next.run(request).await);
    }
    drop(read_body(request.into_body(), false).await);
    Answer::error(StatusCode::UNAUTHORIZED, "The control key is missing or wrong.").into_plain_response()
}
