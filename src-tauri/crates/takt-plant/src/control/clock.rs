//! `GET /clock` returns the plant's time. `POST /clock` moves it ahead or changes its pace.

use std::sync::Arc;

use axum::{Router, body::Body, extract::State, http::StatusCode, response::Response, routing::get};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use takt_contract::{
    LocalTime,
    wire::duration::{TICKS_PER_SECOND, parse_ticks},
};

use crate::{
    Pace, Plant,
    answer::{Answer, to_response},
    clock::MAX_SPEED,
    request_body::read_json,
    time_window::parse_date_time,
};

const ONE_CHANGE: &str =
    "Give one of: advance, to, run, stop, idle; or seconds, minutes, hours and days, which add up.";

/// The body of `POST /clock`. Exactly one change is allowed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClockRequest {
    /// A text `hh:mm:ss`, or a number of seconds.
    advance: Option<Value>,
    seconds: Option<f64>,
    minutes: Option<f64>,
    hours: Option<f64>,
    days: Option<f64>,
    /// A later date-time. Without an offset, it is in the plant's time zone.
    to: Option<String>,
    /// The multiple of real time.
    run: Option<f64>,
    stop: Option<bool>,
    idle: Option<bool>,
}

/// The change in a valid [`ClockRequest`].
enum ClockChange {
    Advance(SignedDuration),
    To(Timestamp),
    Run(f64),
    Stop,
    Idle,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/clock", get(get_clock).post(post_clock))
}

async fn get_clock(State(plant): State<Arc<Plant>>) -> Response {
    clock_answer(&plant).into_plain_response()
}

async fn post_clock(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    to_response(change_clock(&plant, body).await)
}

async fn change_clock(plant: &Plant, body: Body) -> Result<Answer, Answer> {
    let change = parse_change(plant, &read_json(body).await?).map_err(Answer::bad_request)?;
    let moved = match change {
        ClockChange::Advance(by) => plant.advance_time(by).await,
        ClockChange::To(to) => plant.advance_time_to(to).await,
        ClockChange::Run(speed) => {
            plant.run_clock(speed);
            Ok(())
        }
        ClockChange::Stop => {
            plant.stop_clock();
            Ok(())
        }
        ClockChange::Idle => {
            plant.set_clock_idle();
            Ok(())
        }
    };
    moved.map_err(|error| Answer::bad_request(error.to_string()))?;
    Ok(clock_answer(plant))
}

/// Returns a response with the clock's current state.
fn clock_answer(plant: &Plant) -> Answer {
    let now = plant.store.read().local_time(plant.plant_time());
    let pace = plant.clock.lock().pace();
    let (state, speed) = match pace {
        Pace::Idle => ("idle", 1.0),
        Pace::Running { speed } => ("running", speed),
        Pace::Stopped => ("stopped", 0.0),
    };
    let zone = &plant.config.time_zone;
    let body = json!({ "now": now.to_string(), "timeZone": zone, "state": state, "speed": speed });
    Answer::json(StatusCode::OK, body.to_string())
}

fn parse_change(plant: &Plant, request: &ClockRequest) -> Result<ClockChange, String> {
    let span = sum_units(request)?;
    let advance = request.advance.as_ref().map(parse_advance).transpose()?;
    let to = request.to.as_deref().map(|to| parse_to(plant, to)).transpose()?;
    if let Some(speed) = request.run.filter(|speed| !(*speed > 0.0 && *speed <= MAX_SPEED)) {
        return Err(format!("run must be above 0 and at most {MAX_SPEED}, not {speed}."));
    }
    let stop = request.stop.filter(|stop| *stop).map(|_| ClockChange::Stop);
    let idle = request.idle.filter(|idle| *idle).map(|_| ClockChange::Idle);
    let changes = [
        span.map(ClockChange::Advance),
        advance.map(ClockChange::Advance),
        to.map(ClockChange::To),
        request.run.map(ClockChange::Run),
        stop,
        idle,
    ];
    let mut changes = changes.into_iter().flatten();
    match (changes.next(), changes.next()) {
        (Some(change), None) => Ok(change),
        _ => Err(ONE_CHANGE.to_owned()),
    }
}

/// Returns the sum of seconds, minutes, hours and days. None if none of them is set.
fn sum_units(request: &ClockRequest) -> Result<Option<SignedDuration>, String> {
    let units = [(request.seconds, 1.0), (request.minutes, 60.0), (request.hours, 3600.0), (request.days, 86_400.0)];
    if units.iter().all(|(count, _)| count.is_none()) {
        return Ok(None);
    }
    to_duration(units.iter().filter_map(|(count, unit)| Some((*count)? * unit)).sum()).map(Some)
}

fn parse_advance(value: &Value) -> Result<SignedDuration, String> {
    let wrong = || "advance must be hh:mm:ss, or a number of seconds.".to_owned();
    match value {
        Value::Number(number) => to_duration(number.as_f64().ok_or_else(wrong)?),
        Value::String(text) => {
            let ticks = parse_ticks(text).ok_or_else(wrong)?;
            let nanos = i128::from(ticks % TICKS_PER_SECOND) * 100;
            Ok(SignedDuration::from_secs(ticks / TICKS_PER_SECOND) + SignedDuration::from_nanos_i128(nanos))
        }
        _ => Err(wrong()),
    }
}

fn to_duration(seconds: f64) -> Result<SignedDuration, String> {
    SignedDuration::try_from_secs_f64(seconds).map_err(|_| format!("{seconds} seconds are no span of time."))
}

fn parse_to(plant: &Plant, text: &str) -> Result<Timestamp, String> {
    let wrong = || "to must be an ISO 8601 date-time.".to_owned();
    let skipped = || "to must be a time that exists in the plant's time zone.".to_owned();
    if let Ok(moment) = text.parse() {
        return Ok(moment);
    }
    let local = parse_date_time(text, &plant.zone).ok_or_else(wrong)?;
    LocalTime::resolve(local, &plant.zone).and_then(LocalTime::timestamp).ok_or_else(skipped)
}
