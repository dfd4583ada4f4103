//! `POST /faults` replaces all faults. The configured seed is used if the request has none.
//!
//! `POST /expire` expires authorization codes, access tokens and refresh tokens at once.

use std::sync::Arc;

use axum::{Router, body::Body, extract::State, http::StatusCode, response::Response, routing::post};
use serde::Deserialize;
use serde_json::json;

use crate::{
    Fault, Plant,
    answer::{Answer, to_response},
    grants::ExpireSelection,
    request_body::read_json,
};

const NOTHING_TO_EXPIRE: &str = "Set codes, accessTokens or refreshTokens to true.";

#[derive(Deserialize)]
struct FaultsRequest {
    faults: Vec<String>,
    seed: Option<u64>,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/faults", post(post_faults)).route("/expire", post(post_expire))
}

async fn post_faults(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(read_json(body).await.and_then(|wanted| set_faults(&plant, &wanted)))
}

fn set_faults(plant: &Plant, wanted: &FaultsRequest) -> Result<Answer, Answer> {
    let parsed: Result<Vec<Fault>, _> = wanted.faults.iter().map(|text| Fault::parse(text)).collect();
    let parsed = parsed.map_err(|error| Answer::bad_request(error.to_string()))?;
    plant.set_faults(parsed, wanted.seed.unwrap_or(plant.config.fault_seed));
    let fault_selector = plant.fault_selector.lock();
    let names: Vec<String> = fault_selector.faults().iter().map(ToString::to_string).collect();
    Ok(Answer::json(StatusCode::OK, json!({ "faults": names, "seed": fault_selector.seed() }).to_string()))
}

async fn post_expire(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(read_json(body).await.and_then(|which| expire_grants(&plant, which)))
}

fn expire_grants(plant: &Plant, which: ExpireSelection) -> Result<Answer, Answer> {
    if !which.codes && !which.access_tokens && !which.refresh_tokens {
        return Err(Answer::bad_request(NOTHING_TO_EXPIRE));
    }
    let expired = plant.identity.expire_all(which, plant.real_time());
    Ok(Answer::json(StatusCode::OK, json!(expired).to_string()))
}
