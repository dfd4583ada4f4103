//! `takt floor`: what runs, is paused or is alarmed on each work station, as the events that were received have it.

use takt_engine::shop_floor::{Floor, FloorOrderView, FloorState, FloorStationView, StationState};

use super::answers;
use crate::{
    console::Console,
    ending::{ExitStatus, Failure},
    results,
    session::Session,
};

pub(super) async fn run(as_json: bool, site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    // What was received lies here: nobody has to be asked for it.
    let session = Session::here(site, console)?;
    let floor = session.engine.floor().view(&session.site).await?;
    if as_json {
        console.json(&floor);
        return Ok(ExitStatus::Done);
    }
    let heads = ["station", "name", "state", "since", "order", "employee", "good", "bad", "requested", "note"];
    let mut lines = vec![heads.map(|head| console.texts.text(&format!("floor.{head}"), &[])).to_vec()];
    floor.stations.iter().for_each(|station| add_station(station, console, &mut lines));
    if floor.stations.is_empty() {
        console.remark("floor.nothing", &[]);
    } else {
        console.table(&lines);
    }
    remarks(&floor, console);
    floor.rules_failing.iter().for_each(|failing| answers::warn(failing, console));
    Ok(ExitStatus::Done)
}

/// A line for each alert and each order; one for a station where nothing is.
fn add_station(station: &FloorStationView, console: &Console, lines: &mut Vec<Vec<String>>) {
    let line = |state: &str, since: &str, rest: [String; 6]| {
        let front =
            [station.code.clone(), station.name.clone().unwrap_or_default(), state.to_owned(), results::moment(since)];
        front.into_iter().chain(rest).collect::<Vec<_>>()
    };
    for alert in &station.alerts {
        let note = [&alert.kind, &alert.note].into_iter().flatten().cloned().collect::<Vec<_>>().join(": ");
        let rest = [
            String::new(),
            alert.employee.clone().unwrap_or_default(),
            String::new(),
            String::new(),
            String::new(),
            note,
        ];
        lines.push(line(&state(StationState::Alarm, console), &alert.opened, rest));
    }
    for order in &station.orders {
        lines.push(line(&state(state_of(order), console), order.since.as_deref().unwrap_or_default(), of_order(order)));
    }
    if matches!(station.state, StationState::Idle | StationState::Unknown) {
        lines.push(line(&state(station.state, console), "", std::array::from_fn(|_| String::new())));
    }
}

fn of_order(order: &FloorOrderView) -> [String; 6] {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        format!("{} {}", order.code, order.operation),
        order.employee.clone().unwrap_or_default(),
        number(order.good),
        number(order.bad),
        number(order.requested),
        order.reason.clone().unwrap_or_default(),
    ]
}

fn state_of(order: &FloorOrderView) -> StationState {
    match order.state {
        FloorState::Running => StationState::Running,
        FloorState::Paused => StationState::Paused,
        _ => StationState::Begun,
    }
}

fn state(state: StationState, console: &Console) -> String {
    let key = match state {
        StationState::Alarm => "floor.state.alarm",
        StationState::Running => "floor.state.running",
        StationState::Paused => "floor.state.paused",
        StationState::Begun => "floor.state.begun",
        StationState::Idle => "floor.state.idle",
        StationState::Unknown => "floor.state.unknown",
    };
    console.texts.text(key, &[])
}

/// How old this is, and what is missing.
fn remarks(floor: &Floor, console: &Console) {
    if let Some(last) = &floor.last {
        console.remark("floor.last", &[("at", results::moment(last))]);
    }
    if let Some(gap) = &floor.gap {
        console.remark("floor.gap", &[("since", results::moment(&gap.since)), ("until", results::moment(&gap.until))]);
    }
    if floor.behind > 0 {
        console.remark("floor.behind", &[("count", floor.behind.to_string())]);
    }
}
