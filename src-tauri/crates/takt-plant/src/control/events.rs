//! `POST /events` sends one of the twelve events. `GET /events` lists the deliveries, newest first, and filters by
//! state (`?state=failed`). `GET /events/{id}` returns a delivery with its body. `POST /events/{id}/retry` sends a
//! failed one again.

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

use super::body::{request_body, to_response};
use crate::{
    DeliveryState, EventKind, MoveError, OrderName, Plant,
    answer::Answer,
    event::{About, NoRetry},
    form::Parameters,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventRequest {
    /// Number or name.
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
        .route("/events/{id}", get(get_delivery))
        .route("/events/{id}/retry", post(retry))
}

async fn fire(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(request_body(body).await.and_then(|wanted| fire_request(&plant, wanted)))
}

fn fire_request(plant: &Plant, wanted: EventRequest) -> Result<Answer, Answer> {
    let kind = parse_kind(&wanted.event)?;
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

/// Parses an event's number or name.
pub(super) fn parse_kind(value: &Value) -> Result<EventKind, Answer> {
    let kind = match value {
        Value::String(name) => EventKind::ALL.into_iter().find(|kind| kind.name() == name),
        other => other.as_i64().and_then(EventKind::with_id),
    };
    kind.ok_or_else(|| Answer::bad_request(format!("{value} is none of the events 0 to 11.")))
}

async fn list(State(plant): State<Arc<Plant>>, RawQuery(query): RawQuery) -> Response {
    let query = Parameters::parse(query.unwrap_or_default().as_bytes());
    let state = match query.get_nonempty("state").map(|name| (name, parse_state(name))) {
        None => None,
        Some((_, Some(state))) => Some(state),
        Some((name, None)) => {
            return Answer::bad_request(format!("`{name}` is no state of a delivery.")).into_plain_response();
        }
    };
    let deliveries = plant.deliveries(state, usize::MAX);
    Answer::json(StatusCode::OK, json!({ "data": deliveries }).to_string()).into_plain_response()
}

fn parse_state(name: &str) -> Option<DeliveryState> {
    let states = [DeliveryState::Untold, DeliveryState::Waiting, DeliveryState::Delivered, DeliveryState::Failed];
    states.into_iter().find(|state| json!(state) == name)
}

async fn get_delivery(State(plant): State<Arc<Plant>>, Path(id): Path<String>) -> Response {
    let Some((view, body)) = id.parse().ok().and_then(|id| plant.delivery(id)) else { return unknown_delivery() };
    let mut text = serde_json::to_vec(&view).unwrap_or_default();
    text.pop();
    // The body's bytes as they are sent, not parsed and serialized again.
    text.extend_from_slice(b",\"body\":");
    text.extend_from_slice(body.as_deref().unwrap_or(b"null"));
    text.push(b'}');
    Answer::json(StatusCode::OK, text).into_plain_response()
}

async fn retry(State(plant): State<Arc<Plant>>, Path(id): Path<String>) -> Response {
    let answer = match id.parse().map_err(|_| NoRetry::Unknown).and_then(|id| plant.outbox.retry(id)) {
        Ok(()) => Answer::json(StatusCode::ACCEPTED, json!({ "retried": true }).to_string()),
        Err(NoRetry::Unknown) => return unknown_delivery(),
        Err(reason) => Answer::errors(StatusCode::PRECONDITION_FAILED, vec![reason.to_string()]),
    };
    answer.into_plain_response()
}

fn unknown_delivery() -> Response {
    Answer::error(StatusCode::NOT_FOUND, &NoRetry::Unknown.to_string()).into_plain_response()
}
