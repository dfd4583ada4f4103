//! `POST /expire`: expires authorization codes, access tokens and refresh tokens now.

use std::sync::Arc;

use axum::{Router, body::Body, extract::State, http::StatusCode, response::Response, routing::post};
use serde_json::json;

use super::body::{request_body, to_response};
use crate::{Plant, answer::Answer, grants::Expire};

const ONE_OF: &str = "Set codes, accessTokens or refreshTokens to true.";

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/expire", post(expire))
}

async fn expire(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(request_body(body).await.and_then(|which| expire_now(&plant, which)))
}

fn expire_now(plant: &Plant, which: Expire) -> Result<Answer, Answer> {
    if !which.codes && !which.access_tokens && !which.refresh_tokens {
        return Err(Answer::bad_request(ONE_OF));
    }
    let expired = plant.identity.expire_all(which, plant.now());
    Ok(Answer::json(StatusCode::OK, json!(expired).to_string()))
}
