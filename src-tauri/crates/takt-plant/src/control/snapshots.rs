//! `GET /snapshots`, `POST /snapshots`, `POST /snapshots/{name}/restore`, `DELETE /snapshots/{name}`: the state put aside and
//! brought back.

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

use super::{request_body, said};
use crate::{Plant, PlantError, answer::Answer};

#[derive(Deserialize)]
struct SnapshotRequest {
    name: String,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new()
        .route("/snapshots", get(list).post(put_aside))
        .route("/snapshots/{name}", delete(forget))
        .route("/snapshots/{name}/restore", post(restore))
}

async fn list(State(plant): State<Arc<Plant>>) -> Response {
    Answer::json(StatusCode::OK, json!({ "snapshots": plant.snapshots() }).to_string()).plain()
}

async fn put_aside(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    let wanted: Result<SnapshotRequest, Answer> = request_body(body).await;
    said(match wanted {
        Ok(SnapshotRequest { name }) => {
            done(plant, move |plant| {
                plant.snapshot(&name)?;
                Ok(json!({ "name": name }))
            })
            .await
        }
        Err(answer) => Err(answer),
    })
}

async fn restore(State(plant): State<Arc<Plant>>, Path(name): Path<String>) -> Response {
    let restored = done(plant, move |plant| {
        plant.restore(&name)?;
        Ok(json!({ "restored": name }))
    });
    said(restored.await)
}

async fn forget(State(plant): State<Arc<Plant>>, Path(name): Path<String>) -> Response {
    let deleted = done(plant, move |plant| {
        plant.delete_snapshot(&name)?;
        Ok(json!({ "deleted": name }))
    });
    said(deleted.await)
}

/// Does the work where it holds up no other request; a large plant takes its time.
async fn done(
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
        Err(error) => Err(Answer::broken(plant.log_id(), &error)),
    }
}
