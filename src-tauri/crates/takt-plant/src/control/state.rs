//! `GET /state/{resource}` returns every row of a resource. `POST /reset` resets the plant to its start.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use serde_json::json;

use crate::{Plant, answer::Answer, store::Resource};

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/state/{resource}", get(state)).route("/reset", post(reset))
}

async fn state(State(plant): State<Arc<Plant>>, Path(resource): Path<String>) -> Response {
    let store = plant.store.read();
    const DATA: [&str; 2] = ["{\"data\":", "}"];
    let rows = match (resource.as_str(), Resource::from_name(&resource)) {
        (_, Some(resource)) => {
            return Answer::json(StatusCode::OK, store.table(resource).all(DATA)).into_plain_response();
        }
        ("template-processes", _) => serde_json::to_string(&store.links().collect::<Vec<_>>()).unwrap_or_default(),
        ("material-supplies", _) => serde_json::to_string(&store.supplies().collect::<Vec<_>>()).unwrap_or_default(),
        _ => return Answer::error(StatusCode::NOT_FOUND, "There is no such resource.").into_plain_response(),
    };
    Answer::json(StatusCode::OK, DATA.join(&rows)).into_plain_response()
}

async fn reset(State(plant): State<Arc<Plant>>) -> Response {
    // Seeding a large plant takes long.
    let worker = Arc::clone(&plant);
    let outcome = tokio::task::spawn_blocking(move || worker.reset()).await;
    let outcome = match outcome {
        Ok(outcome) => outcome.map_err(|error| error.to_string()),
        Err(stopped) => Err(stopped.to_string()),
    };
    match outcome {
        Ok(()) => Answer::json(StatusCode::OK, json!({ "reset": true }).to_string()).into_plain_response(),
        Err(error) => Answer::error(StatusCode::INTERNAL_SERVER_ERROR, &error).into_plain_response(),
    }
}
