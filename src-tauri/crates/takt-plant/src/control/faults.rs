//! `POST /faults`: replaces all faults in force. Without a seed, the configured one is used.

use std::sync::Arc;

use axum::{Router, body::Body, extract::State, http::StatusCode, response::Response, routing::post};
use serde::Deserialize;
use serde_json::json;

use super::body::{request_body, to_response};
use crate::{Fault, Plant, answer::Answer};

#[derive(Deserialize)]
struct Faults {
    faults: Vec<String>,
    seed: Option<u64>,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/faults", post(faults))
}

async fn faults(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(request_body(body).await.and_then(|wanted| set_faults(&plant, &wanted)))
}

fn set_faults(plant: &Plant, wanted: &Faults) -> Result<Answer, Answer> {
    let parsed: Result<Vec<Fault>, _> = wanted.faults.iter().map(|text| Fault::parse(text)).collect();
    let parsed = parsed.map_err(|error| Answer::bad_request(error.to_string()))?;
    plant.set_faults(parsed, wanted.seed.unwrap_or(plant.config.fault_seed));
    let dice = plant.dice.lock();
    let names: Vec<String> = dice.faults().iter().map(ToString::to_string).collect();
    Ok(Answer::json(StatusCode::OK, json!({ "faults": names, "seed": dice.seed() }).to_string()))
}
