//! `POST /events` sends one of the twelve events. `GET /events` lists deliveries, newest first, with a filter by state
//! (`?state=failed`). `GET /events/{id}` returns a delivery with its body. `POST /events/{id}/retry` retries a failed
//! one.
//!
//! `POST /targets` adds a target of events. `GET /targets` lists targets. `DELETE /targets/{id}` removes a target.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, RawQuery, State},
    http::StatusCode,
    response::Response,
    routing::{delete, get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    DeliveryState, EventKind, MoveError, OrderName, Plant, Target,
    answer::{Answer, to_response},
    event::RetryError,
    event_dispatch::RequestedSubject,
    form::Parameters,
    request_body::read_json,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventRequest {
    /// A number or a name.
    #[serde(alias = "id")]
    event: Value,
    work_order_code: Option<String>,
    operation_code: Option<String>,
    alert_id: Option<i64>,
    supply_id: Option<i64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetRequest {
    url: String,
    secret: Option<String>,
    /// Numbers or names. Empty means all events.
    #[serde(default)]
    events: Vec<Value>,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new()
        .route("/events", get(get_deliveries).post(post_event))
        .route("/events/{id}", get(get_delivery))
        .route("/events/{id}/retry", post(post_retry))
        .route("/targets", get(get_targets).post(post_target))
        .route("/targets/{id}", delete(delete_target))
}

async fn post_event(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(read_json(body).await.and_then(|wanted| fire_event(&plant, wanted)))
}

fn fire_event(plant: &Plant, wanted: EventRequest) -> Result<Answer, Answer> {
    let kind = parse_kind(&wanted.event)?;
    let about = match (wanted.work_order_code, wanted.alert_id, wanted.supply_id) {
        (None, None, None) if wanted.operation_code.is_none() => RequestedSubject::Anything,
        (Some(code), None, None) => RequestedSubject::Order(OrderName { code, operation: wanted.operation_code }),
        (None, Some(id), None) => RequestedSubject::Alert(id),
        (None, None, Some(id)) => RequestedSubject::Supply(id),
        _ => return Err(Answer::bad_request("An event is about one work order, one alert or one supply.")),
    };
    let sent = plant.send_event_about(kind, about).map_err(|error| match error {
        MoveError::Unknown(text) => Answer::error(StatusCode::NOT_FOUND, &text),
        other => Answer::errors(StatusCode::PRECONDITION_FAILED, vec![other.to_string()]),
    })?;
    Ok(Answer::json(StatusCode::ACCEPTED, json!({ "event": kind.id(), "deliveries": sent }).to_string()))
}

/// Parses the number or name of an event.
fn parse_kind(value: &Value) -> Result<EventKind, Answer> {
    let kind = match value {
        Value::String(name) => EventKind::ALL.into_iter().find(|kind| kind.name() == name),
        other => other.as_i64().and_then(EventKind::with_id),
    };
    kind.ok_or_else(|| Answer::bad_request(format!("{value} is none of the events 0 to 11.")))
}

async fn get_deliveries(State(plant): State<Arc<Plant>>, RawQuery(query): RawQuery) -> Response {
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
    let Some((view, body)) = id.parse().ok().and_then(|id| plant.delivery_with_body(id)) else {
        return unknown_delivery();
    };
    let mut text = serde_json::to_vec(&view).unwrap_or_default();
    text.pop();
    // The body isn't parsed and serialized again, so that its bytes are returned exactly as sent.
    text.extend_from_slice(b",\"body\":");
    text.extend_from_slice(body.as_deref().unwrap_or(b"null"));
    text.push(b'}');
    Answer::json(StatusCode::OK, text).into_plain_response()
}

async fn post_retry(State(plant): State<Arc<Plant>>, Path(id): Path<String>) -> Response {
    let answer = match id.parse().map_err(|_| RetryError::Unknown).and_then(|id| plant.outbox.retry_delivery(id)) {
        Ok(()) => Answer::json(StatusCode::ACCEPTED, json!({ "retried": true }).to_string()),
        Err(RetryError::Unknown) => return unknown_delivery(),
        Err(reason) => Answer::errors(StatusCode::PRECONDITION_FAILED, vec![reason.to_string()]),
    };
    answer.into_plain_response()
}

fn unknown_delivery() -> Response {
    Answer::error(StatusCode::NOT_FOUND, &RetryError::Unknown.to_string()).into_plain_response()
}

async fn post_target(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(read_json(body).await.and_then(|wanted| add_target(&plant, wanted)))
}

fn add_target(plant: &Plant, wanted: TargetRequest) -> Result<Answer, Answer> {
    let events = wanted.events.iter().map(parse_kind).collect::<Result<_, _>>()?;
    let secret = wanted.secret.filter(|secret| !secret.is_empty());
    let added = plant.add_target(Target { url: wanted.url, secret, events });
    let id = added.map_err(|error| Answer::bad_request(error.to_string()))?;
    Ok(Answer::json(StatusCode::CREATED, json!({ "id": id }).to_string()))
}

async fn get_targets(State(plant): State<Arc<Plant>>) -> Response {
    Answer::json(StatusCode::OK, json!({ "data": plant.targets() }).to_string()).into_plain_response()
}

async fn delete_target(State(plant): State<Arc<Plant>>, Path(id): Path<String>) -> Response {
    let removed = id.parse().is_ok_and(|id| plant.remove_target(id));
    let answer = if removed {
        Answer::json(StatusCode::OK, json!({ "removed": true }).to_string())
    } else {
        Answer::error(StatusCode::NOT_FOUND, "There is no such target.")
    };
    answer.into_plain_response()
}
