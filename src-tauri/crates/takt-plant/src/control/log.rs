//! `GET /log`: every request as it was applied. `GET /overview`: the plant at a glance.

use std::sync::Arc;

use axum::{Router, extract::State, http::StatusCode, response::Response, routing::get};

use crate::{Plant, api::Answer};

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/log", get(log)).route("/overview", get(overview))
}

async fn log(State(plant): State<Arc<Plant>>) -> Response {
    Answer::json(StatusCode::OK, plant.log.json()).plain()
}

async fn overview(State(plant): State<Arc<Plant>>) -> Response {
    let overview = serde_json::to_vec(&plant.overview()).unwrap_or_default();
    Answer::json(StatusCode::OK, overview).plain()
}
