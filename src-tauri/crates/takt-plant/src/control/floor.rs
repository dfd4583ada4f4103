//! Moves on the floor. Each move has a route: `POST /work-orders/{code}/{verb}`, `/alerts`, `/alerts/{id}/{verb}` or
//! `/supplies/{id}/pay`.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
    routing::post,
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    Move, MoveError, OrderName, Plant,
    answer::{Answer, to_response},
    request_body::read_json,
};

/// The body of a move. A move uses only some members.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MoveRequest {
    operation_code: Option<String>,
    reason: Option<String>,
    good: Option<f64>,
    bad: Option<f64>,
    material_code: Option<String>,
    quantity: Option<f64>,
    serial_number: Option<String>,
    begin_planned: Option<String>,
    end_planned: Option<String>,
    work_station_code: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    note: Option<String>,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new()
        .route("/work-orders/{code}/{verb}", post(post_order_move))
        .route("/alerts", post(post_alert))
        .route("/alerts/{id}/{verb}", post(post_alert_move))
        .route("/supplies/{id}/{verb}", post(post_supply_move))
}

async fn post_order_move(
    State(plant): State<Arc<Plant>>,
    Path((code, verb)): Path<(String, String)>,
    body: Body,
) -> Response {
    let wanted = read_json(body).await.and_then(|details| order_move(&verb, code, details));
    to_response(make_move(&plant, wanted).await)
}

async fn post_alert(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    let wanted = read_json(body).await.and_then(|MoveRequest { work_station_code, kind, note, .. }| {
        let station = require_value(work_station_code, "workStationCode")?;
        Ok(Move::RaiseAlert { station, kind, note })
    });
    to_response(make_move(&plant, wanted).await)
}

async fn post_alert_move(
    State(plant): State<Arc<Plant>>,
    Path((id, verb)): Path<(String, String)>,
    body: Body,
) -> Response {
    let wanted = read_json::<MoveRequest>(body).await.and_then(|_| {
        let known = |id: i64| match verb.as_str() {
            "acknowledge" => Some(Move::AcknowledgeAlert { id }),
            "close" => Some(Move::CloseAlert { id }),
            _ => None,
        };
        parse_id(&id, "alert").and_then(|id| known(id).ok_or_else(|| unknown_verb(&verb)))
    });
    to_response(make_move(&plant, wanted).await)
}

async fn post_supply_move(
    State(plant): State<Arc<Plant>>,
    Path((id, verb)): Path<(String, String)>,
    body: Body,
) -> Response {
    let wanted = read_json::<MoveRequest>(body).await.and_then(|_| {
        let id = parse_id(&id, "material supply")?;
        if verb == "pay" { Ok(Move::PaySupply { id }) } else { Err(unknown_verb(&verb)) }
    });
    to_response(make_move(&plant, wanted).await)
}

fn order_move(verb: &str, code: String, details: MoveRequest) -> Result<Move, Answer> {
    let order = OrderName { code, operation: details.operation_code };
    Ok(match verb {
        "begin" => Move::Begin { order },
        "pause" => Move::Pause { order, reason: details.reason },
        "resume" => Move::Resume { order },
        "end" => Move::End { order },
        "reset" => Move::Reset { order },
        "plan" => Move::Plan {
            order,
            begin: details.begin_planned,
            end: details.end_planned,
            station: details.work_station_code,
        },
        "track" => Move::Track { order, good: details.good.unwrap_or_default(), bad: details.bad.unwrap_or_default() },
        "consume" => Move::Consume {
            order,
            material: require_value(details.material_code, "materialCode")?,
            quantity: require_value(details.quantity, "quantity")?,
            serial_number: details.serial_number.unwrap_or_default(),
        },
        other => return Err(unknown_verb(other)),
    })
}

async fn make_move(plant: &Plant, wanted: Result<Move, Answer>) -> Result<Answer, Answer> {
    let moved = plant.make_move(wanted?).await.map_err(|error| match error {
        MoveError::Unknown(text) => Answer::error(StatusCode::NOT_FOUND, &text),
        MoveError::InvalidState(text) => Answer::error(StatusCode::CONFLICT, &text),
        MoveError::Refused(reasons) => Answer::errors(StatusCode::PRECONDITION_FAILED, reasons),
        MoveError::InvalidValue(text) => Answer::bad_request(text),
        MoveError::NotSaved(text) => Answer::error(StatusCode::INTERNAL_SERVER_ERROR, &text),
    })?;
    Ok(Answer::json(StatusCode::OK, json!({ "data": moved.row }).to_string()))
}

fn require_value<T>(value: Option<T>, name: &str) -> Result<T, Answer> {
    value.ok_or_else(|| Answer::bad_request(format!("{name} is required.")))
}

fn parse_id(id: &str, what: &str) -> Result<i64, Answer> {
    id.parse().map_err(|_| Answer::error(StatusCode::NOT_FOUND, &format!("There is no {what} {id}.")))
}

fn unknown_verb(verb: &str) -> Answer {
    Answer::error(StatusCode::NOT_FOUND, &format!("There is no move {verb}."))
}
