//! The control interface: the log, the state, reset and faults, for whoever holds the key.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, Request, State},
    http::{StatusCode, header},
    response::Response,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    Fault, Plant,
    api::{Answer, read_body},
    lock::{locked, reading},
    secret,
    store::Resource,
};

/// The routes, each behind the key.
pub(crate) fn router() -> Router<Arc<Plant>> {
    Router::new()
        .route("/log", get(log))
        .route("/state/{resource}", get(state))
        .route("/reset", post(reset))
        .route("/faults", post(faults))
}

async fn log(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    if let Err(answer) = allowed(&plant, &request) {
        return answer.plain();
    }
    Answer::json(StatusCode::OK, plant.log.json()).plain()
}

/// `GET /state/{resource}`: every row that the plant holds of a resource, in `data`.
async fn state(State(plant): State<Arc<Plant>>, Path(resource): Path<String>, request: Request) -> Response {
    if let Err(answer) = allowed(&plant, &request) {
        return answer.plain();
    }
    let store = reading(&plant.store);
    let rows = match (resource.as_str(), Resource::named(&resource)) {
        (_, Some(resource)) => format!("[{}]", store.table(resource).all().0),
        ("template-processes", _) => serde_json::to_string(&store.links().collect::<Vec<_>>()).unwrap_or_default(),
        _ => return Answer::error(StatusCode::NOT_FOUND, "There is no such resource.").plain(),
    };
    Answer::json(StatusCode::OK, format!("{{\"data\":{rows}}}")).plain()
}

async fn reset(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    if let Err(answer) = allowed(&plant, &request) {
        return answer.plain();
    }
    match plant.reset() {
        Ok(()) => Answer::json(StatusCode::OK, json!({ "reset": true }).to_string()).plain(),
        Err(error) => Answer::error(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()).plain(),
    }
}

#[derive(Deserialize)]
struct Faults {
    faults: Vec<String>,
    seed: Option<u64>,
}

/// `POST /faults`: puts these faults in force, in place of all others. Without a seed the dice start as configured.
async fn faults(State(plant): State<Arc<Plant>>, request: Request) -> Response {
    if let Err(answer) = allowed(&plant, &request) {
        return answer.plain();
    }
    let outcome = match read_body(request.into_body(), true).await {
        Ok(body) => set_faults(&plant, &body),
        Err(answer) => Err(answer),
    };
    outcome.unwrap_or_else(|answer| answer).plain()
}

fn set_faults(plant: &Plant, body: &[u8]) -> Result<Answer, Answer> {
    let wanted: Faults = serde_json::from_slice(body).map_err(|error| Answer::bad_request(error.to_string()))?;
    let parsed: Result<Vec<Fault>, _> = wanted.faults.iter().map(|text| Fault::parse(text)).collect();
    let parsed = parsed.map_err(|error| Answer::bad_request(error.to_string()))?;
    plant.set_faults(parsed, wanted.seed.unwrap_or(plant.config.fault_seed));
    let dice = locked(&plant.dice);
    let names: Vec<String> = dice.faults().iter().map(ToString::to_string).collect();
    Ok(Answer::json(StatusCode::OK, json!({ "faults": names, "seed": dice.seed() }).to_string()))
}

fn allowed(plant: &Plant, request: &Request) -> Result<(), Answer> {
    let value = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let key = value.strip_prefix("Bearer ").unwrap_or_default();
    if secret::same(key, &plant.control_key) {
        return Ok(());
    }
    Err(Answer::error(StatusCode::UNAUTHORIZED, "The control key is missing or wrong."))
}
