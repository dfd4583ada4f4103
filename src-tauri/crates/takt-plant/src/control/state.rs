//! `GET /state/{resource}` returns all rows of a resource. `POST /reset` resets the plant to its start.
//!
//! `GET /snapshots`, `POST /snapshots`, `POST /snapshots/{name}/restore` and `DELETE /snapshots/{name}` list, save,
//! restore and delete snapshots.

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

use crate::{
    Plant, PlantError,
    answer::{Answer, to_response},
    request_body::read_json,
    store::Resource,
};

#[derive(Deserialize)]
struct SnapshotRequest {
    name: String,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new()
        .route("/state/{resource}", get(get_rows))
        .route("/reset", post(post_reset))
        .route("/snapshots", get(get_snapshots).post(post_snapshot))
        .route("/snapshots/{name}", delete(delete_snapshot))
        .route("/snapshots/{name}/restore", post(post_restore))
}

async fn get_rows(State(plant): State<Arc<Plant>>, Path(resource): Path<String>) -> Response {
    let store = plant.store.read();
    const DATA: [&str; 2] = ["{\"data\":", "}"];
    let rows = match (resource.as_str(), Resource::from_name(&resource)) {
        (_, Some(resource)) => {
            return Answer::json(StatusCode::OK, store.table(resource).to_json_array(DATA)).into_plain_response();
        }
        ("template-processes", _) => serde_json::to_string(&store.links().collect::<Vec<_>>()).unwrap_or_default(),
        ("material-supplies", _) => serde_json::to_string(&store.supplies().collect::<Vec<_>>()).unwrap_or_default(),
        _ => return Answer::error(StatusCode::NOT_FOUND, "There is no such resource.").into_plain_response(),
    };
    Answer::json(StatusCode::OK, DATA.join(&rows)).into_plain_response()
}

async fn post_reset(State(plant): State<Arc<Plant>>) -> Response {
    // Building the rows of a large plant takes long, so it runs as a blocking task.
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

async fn get_snapshots(State(plant): State<Arc<Plant>>) -> Response {
    Answer::json(StatusCode::OK, json!({ "snapshots": plant.snapshots() }).to_string()).into_plain_response()
}

async fn post_snapshot(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    let wanted: Result<SnapshotRequest, Answer> = read_json(body).await;
    to_response(match wanted {
        Ok(SnapshotRequest { name }) => {
            run_blocking(plant, move |plant| {
                plant.save_snapshot(&name)?;
                Ok(json!({ "name": name }))
            })
            .await
        }
        Err(answer) => Err(answer),
    })
}

async fn post_restore(State(plant): State<Arc<Plant>>, Path(name): Path<String>) -> Response {
    let restored = run_blocking(plant, move |plant| {
        plant.restore_snapshot(&name)?;
        Ok(json!({ "restored": name }))
    });
    to_response(restored.await)
}

async fn delete_snapshot(State(plant): State<Arc<Plant>>, Path(name): Path<String>) -> Response {
    let deleted = run_blocking(plant, move |plant| {
        plant.delete_snapshot(&name)?;
        Ok(json!({ "deleted": name }))
    });
    to_response(deleted.await)
}

/// Runs `work` as a blocking task, since it takes long in a large plant.
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
        Err(error) => Err(Answer::log_internal_error(plant.new_log_id(), &error)),
    }
}
