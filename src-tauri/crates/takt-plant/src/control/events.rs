//! `POST /events`: sends one of the twelve. `GET /events`: the deliveries, newest first; `?state=failed` and the like
//! filters. `GET /events/{id}`: one with its body as it is sent. `POST /events/{id}/retry`: sends a failed one again.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, RawQuery, State},
    http::StatusCode,
    response::Response,
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{request_body, said};
use crate::{
    DeliveryState, EventKind, MoveError, OrderName, Plant,
    answer::Answer,
    event::{About, NoRetry},
    form::Parameters,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventRequest {
    /// By number or by name.
    #[serde(alias = "id")]
    event: Value,
    work_order_code: Option<String>,
    operation_code: Option<String>,
    alert_id: Option<i64>,
    supply_id: Option<i64>,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new()
        .route("/events", get(list).post(fire))
        .route("/events/{id}", get(one))
        .route("/events/{id}/retry", post(retry))
}

async fn fire(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    said(request_body(body).await.and_then(|wanted| fire_wanted(&plant, wanted)))
}

fn fire_wanted(plant: &Plant, wanted: EventRequest) -> Result<Answer, Answer> {
    let kind = kind_of(&wanted.event)?;
    let about = match (wanted.work_order_code, wanted.alert_id, wanted.supply_id) {
        (None, None, None) if wanted.operation_code.is_none() => About::Anything,
        (Some(code), None, None) => About::Order(OrderName { code, operation: wanted.operation_code }),
        (None, Some(id), None) => About::Alert(id),
        (None, None, Some(id)) => About::Supply(id),
        _ => return Err(Answer::bad_request("An event is about one work order, one alert or one supply.")),
    };
    let sent = plant.fire_about(kind, about).map_err(|error| match error {
        MoveError::Unknown(text) => Answer::error(StatusCode::NOT_FOUND, &text),
        other => Answer::errors(StatusCode::PRECONDITION_FAILED, vec![other.to_string()]),
    })?;
    Ok(Answer::json(StatusCode::ACCEPTED, json!({ "event": kind.id(), "deliveries": sent }).to_string()))
}

/// An event by its number or its name.
pub(super) fn kind_of(value: &Value) -> Result<EventKind, Answer> {
    let kind = match value {
        Value::String(name) => EventKind::ALL.into_iter().find(|kind| kind.name() == name),
        other => other.as_i64().and_then(EventKind::with_id),
    };
    kind.ok_or_else(|| Answer::bad_request(format!("{value} is none of the events 0 to 11.")))
}

async fn list(State(plant): State<Arc<Plant>>, RawQuery(query): RawQuery) -> Response {
    let query = Parameters::parse(query.unwrap_or_default().as_bytes());
    let state = match query.filled("state").map(|name| (name, state_named(name))) {
        None => None,
        Some((_, Some(state))) => Some(state),
        Some((name, None)) => return Answer::bad_request(format!("`{name}` is no state of a delivery.")).plain(),
    };
    let deliveries = plant.deliveries(state, usize::MAX);
    Answer::json(StatusCode::OK, json!({ "data": deliveries }).to_string()).plain()
}

fn state_named(name: &str) -> Option<DeliveryState> {
    let states = [DeliveryState::Untold, DeliveryState::Waiting, DeliveryState::Delivered, DeliveryState::Failed];
    states.into_iter().find(|state| json!(state) == name)
}

async fn one(State(plant): State<Arc<Plant>>, Path(id): Path<String>) -> Response {
    let Some((view, body)) = id.parse().ok().and_then(|id| plant.delivery(id)) else { return unknown() };
    let mut text = serde_json::to_vec(&view).unwrap_or_default();
    text.pop();
    // The bytes as they leave, not the same members written anew.
    text.extend_from_slice(b",\"body\":");
    text.extend_from_slice(body.as_deref().unwrap_or(b"null"));
    text.push(b'}');
    Answer::json(StatusCode::OK, text).plain()
}

async fn retry(State(plant): State<Arc<Plant>>, Path(id): Path<String>) -> Response {
    let answer = match id.parse().map_err(|_| NoRetry::Unknown).and_then(|id| plant.outbox.retry(id)) {
        Ok(()) => Answer::json(StatusCode::ACCEPTED, json!({ "retried": true }).to_string()),
        Err(NoRetry::Unknown) => return unknown(),
        Err(reason) => Answer::errors(StatusCode::PRECONDITION_FAILED, vec![reason.to_string()]),
    };
    answer.plain()
}

fn unknown() -> Response {
    Answer::error(StatusCode::NOT_FOUND, &NoRetry::Unknown.to_string()).plain()
}
