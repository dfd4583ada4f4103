//! `GET /snapshots`, `POST /snapshots`, `POST /snapshots/{name}/restore`, `DELETE /snapshots/{name}`: saves and
//! restores the plant's state.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
    routing::{delete, get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::body::{request_body, to_response};
use crate::{Plant, PlantError, answer::Answer};

#[derive(Deserialize)]
struct SnapshotRequest {
    name: String,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new()
        .route("/snapshots", get(list).post(create))
        .route("/snapshots/{name}", delete(remove))
        .route("/snapshots/{name}/restore", post(restore))
}

async fn list(State(plant): State<Arc<Plant>>) -> Response {
    Answer::json(StatusCode::OK, json!({ "snapshots": plant.snapshots() }).to_string()).into_plain_response()
}

async fn create(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    let wanted: Result<SnapshotRequest, Answer> = request_body(body).await;
    to_response(match wanted {
        Ok(SnapshotRequest { name }) => {
            run_blocking(plant, move |plant| {
                plant.snapshot(&name)?;
                Ok(json!({ "name": name }))
            })
            .await
        }
        Err(answer) => Err(answer),
    })
}

async fn restore(State(plant): State<Arc<Plant>>, Path(name): Path<String>) -> Response {
    let restored = run_blocking(plant, move |plant| {
        plant.restore(&name)?;
        Ok(json!({ "restored": name }))
    });
    to_response(restored.await)
}

async fn remove(State(plant): State<Arc<Plant>>, Path(name): Path<String>) -> Response {
    let deleted = run_blocking(plant, move |plant| {
        plant.delete_snapshot(&name)?;
        Ok(json!({ "deleted": name }))
    });
    to_response(deleted.await)
}

/// Runs `work` on a blocking thread, since it can take long for a large plant.
async fn run_blocking(
    plant: Arc<Plant>,
    work: impl FnOnce(&Plant) -> Result<Value, PlantError> + Send + 'static,
) -> Result<Answer, Answer> {
    let worker = Arc::clone(&plant);
    let outcome = tokio::task::spawn_blocking(move || work(&worker)).await;
    let outcome = outcome.map_err(|stopped| Answer::error(StatusCode::INTERNAL_SERVER_ERROR, &stopped.to_string()))?;
    match outcome {
        Ok(value) => Ok(Answer::json(StatusCode::OK, value.to_string())),
        Err(error @ PlantError::UnknownSnapshot(_)) => Err(Answer::error(StatusCode::NOT_FOUND, &error.to_string())),
        Err(error @ (PlantError::SnapshotName(_) | PlantError::SnapshotTaken(_) | PlantError::TooManySnapshots(_))) => {
            Err(Answer::bad_request(error.to_string()))
        }
        Err(error) => Err(Answer::internal_logged(plant.log_id(), &error)),
    }
}
