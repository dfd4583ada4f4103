//! `GET /clock`: the plant's own time. `POST /clock`: moves it ahead, or changes its pace.

use std::sync::Arc;

use axum::{Router, body::Body, extract::State, http::StatusCode, response::Response, routing::get};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};
use takt_contract::wire::duration::{TICKS_PER_SECOND, parse_ticks};

use super::{said, wish};
use crate::{
    Pace, Plant,
    answer::Answer,
    clock::FASTEST,
    lock::{locked, reading},
    time_window::date_time,
};

const ONE_WISH: &str = "Give one of: advance, to, run, stop, idle; or seconds, minutes, hours and days, which add up.";

/// What somebody wants of the clock.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    /// `hh:mm:ss`, or seconds as a number.
    advance: Option<Value>,
    seconds: Option<f64>,
    minutes: Option<f64>,
    hours: Option<f64>,
    days: Option<f64>,
    /// A date-time ahead, in the plant's time where it has no offset.
    to: Option<String>,
    /// A speed.
    run: Option<f64>,
    stop: Option<bool>,
    idle: Option<bool>,
}

/// The same, understood.
enum Wanted {
    Advance(SignedDuration),
    To(Timestamp),
    Run(f64),
    Stop,
    Idle,
}

pub(super) fn routes() -> Router<Arc<Plant>> {
    Router::new().route("/clock", get(clock).post(set))
}

async fn clock(State(plant): State<Arc<Plant>>) -> Response {
    shown(&plant).plain()
}

async fn set(State(plant): State<Arc<Plant>>, body: Body) -> Response {
    said(carry_out(&plant, body).await)
}

async fn carry_out(plant: &Plant, body: Body) -> Result<Answer, Answer> {
    let wanted = understood(plant, &wish(body).await?).map_err(Answer::bad_request)?;
    let moved = match wanted {
        Wanted::Advance(by) => plant.advance(by).await,
        Wanted::To(to) => plant.advance_to(to).await,
        Wanted::Run(speed) => {
            plant.run(speed);
            Ok(())
        }
        Wanted::Stop => {
            plant.stop_clock();
            Ok(())
        }
        Wanted::Idle => {
            plant.idle();
            Ok(())
        }
    };
    moved.map_err(|error| Answer::bad_request(error.to_string()))?;
    Ok(shown(plant))
}

/// The clock as it stands.
fn shown(plant: &Plant) -> Answer {
    let now = reading(&plant.store).local(plant.time());
    let pace = locked(&plant.clock).pace();
    let (state, speed) = match pace {
        Pace::Idle => ("idle", 1.0),
        Pace::Running { speed } => ("running", speed),
        Pace::Stopped => ("stopped", 0.0),
    };
    let zone = &plant.config.time_zone;
    let body = json!({ "now": now.to_string(), "timeZone": zone, "state": state, "speed": speed });
    Answer::json(StatusCode::OK, body.to_string())
}

fn understood(plant: &Plant, wish: &Wish) -> Result<Wanted, String> {
    let span = span(wish)?;
    let advance = wish.advance.as_ref().map(advance).transpose()?;
    let to = wish.to.as_deref().map(|to| moment(plant, to)).transpose()?;
    if let Some(speed) = wish.run.filter(|speed| !(*speed > 0.0 && *speed <= FASTEST)) {
        return Err(format!("run must be above 0 and at most {FASTEST}, not {speed}."));
    }
    let stop = wish.stop.filter(|stop| *stop).map(|_| Wanted::Stop);
    let idle = wish.idle.filter(|idle| *idle).map(|_| Wanted::Idle);
    let wishes = [
        span.map(Wanted::Advance),
        advance.map(Wanted::Advance),
        to.map(Wanted::To),
        wish.run.map(Wanted::Run),
        stop,
        idle,
    ];
    let mut wishes = wishes.into_iter().flatten();
    match (wishes.next(), wishes.next()) {
        (Some(wanted), None) => Ok(wanted),
        _ => Err(ONE_WISH.to_owned()),
    }
}

/// Seconds, minutes, hours and days together; none where none is given.
fn span(wish: &Wish) -> Result<Option<SignedDuration>, String> {
    let units = [(wish.seconds, 1.0), (wish.minutes, 60.0), (wish.hours, 3600.0), (wish.days, 86_400.0)];
    if units.iter().all(|(count, _)| count.is_none()) {
        return Ok(None);
    }
    seconds(units.iter().filter_map(|(count, unit)| Some((*count)? * unit)).sum()).map(Some)
}

fn advance(value: &Value) -> Result<SignedDuration, String> {
    let wrong = || "advance must be hh:mm:ss, or a number of seconds.".to_owned();
    match value {
        Value::Number(number) => seconds(number.as_f64().ok_or_else(wrong)?),
        Value::String(text) => {
            let ticks = parse_ticks(text).ok_or_else(wrong)?;
            let nanos = i128::from(ticks % TICKS_PER_SECOND) * 100;
            Ok(SignedDuration::from_secs(ticks / TICKS_PER_SECOND) + SignedDuration::from_nanos_i128(nanos))
        }
        _ => Err(wrong()),
    }
}

fn seconds(seconds: f64) -> Result<SignedDuration, String> {
    SignedDuration::try_from_secs_f64(seconds).map_err(|_| format!("{seconds} seconds are no span of time."))
}

fn moment(plant: &Plant, text: &str) -> Result<Timestamp, String> {
    let wrong = || "to must be an ISO 8601 date-time.".to_owned();
    let local = date_time(text, &plant.zone).ok_or_else(wrong)?;
    local.to_zoned(plant.zone.clone()).map(|zoned| zoned.timestamp()).map_err(|_| wrong())
}
