//! `POST /targets` adds a target of events. `GET /targets` lists them. `DELETE /targets/{id}` removes one.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
    routing::{delete, get},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    body::{request_body, to_response},
    events::parse_kind,
};
use crate::{Plant, Target, answer::Answer};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetRequest {
    url: String,
    secret: Option<String>,
    /// Numbers or names. If empty or absent, all events.
    #[serde(default)]
    events: Vec<Value>,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/targets", get(list).post(add)).route("/targets/{id}", delete(remove))
}

async fn add(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(request_body(body).await.and_then(|wanted| add_target(&plant, wanted)))
}

fn add_target(plant: &Plant, wanted: TargetRequest) -> Result<Answer, Answer> {
    let events = wanted.events.iter().map(parse_kind).collect::<Result<_, _>>()?;
    let secret = wanted.secret.filter(|secret| !secret.is_empty());
    let added = plant.add_target(Target { url: wanted.url, secret, events });
    let id = added.map_err(|error| Answer::bad_request(error.to_string()))?;
    Ok(Answer::json(StatusCode::CREATED, json!({ "id": id }).to_string()))
}

async fn list(State(plant): State<Arc<Plant>>) -> Response {
    Answer::json(StatusCode::OK, json!({ "data": plant.targets() }).to_string()).into_plain_response()
}

async fn remove(State(plant): State<Arc<Plant>>, Path(id): Path<String>) -> Response {
    let removed = id.parse().is_ok_and(|id| plant.remove_target(id));
    let answer = if removed {
        Answer::json(StatusCode::OK, json!({ "removed": true }).to_string())
    } else {
        Answer::error(StatusCode::NOT_FOUND, "There is no such target.")
    };
    answer.into_plain_response()
}
