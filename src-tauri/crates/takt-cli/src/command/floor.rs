//! `takt floor`: the state of each work station according to the received events.

use takt_engine::shop_floor::{Floor, FloorOrderView, FloorState, FloorStationView, StationState};

use super::answers;
use crate::{
    console::Console,
    exit_codes::{ExitStatus, Failure},
    results,
    session::Session,
};

pub(super) async fn run(as_json: bool, site: Option<&str>, console: &Console) -> Result<ExitStatus, Failure> {
    // Received events are stored locally, so no connection is needed.
    let session = Session::open_local(site, console)?;
    let floor = session.engine.floor().view(&session.site).await?;
    if as_json {
        console.print_json(&floor);
        return Ok(ExitStatus::Done);
    }
    let heads = ["station", "name", "state", "since", "order", "employee", "good", "bad", "requested", "note"];
    let mut lines = vec![heads.map(|head| console.texts.text(&format!("floor.{head}"), &[])).to_vec()];
    floor.stations.iter().for_each(|station| add_station(station, console, &mut lines));
    if floor.stations.is_empty() {
        console.print_remark("floor.nothing", &[]);
    } else {
        console.print_table(&lines);
    }
    print_remarks(&floor, console);
    floor.rules_failing.iter().for_each(|failing| answers::warn_about_failing_rules(failing, console));
    Ok(ExitStatus::Done)
}

/// Adds a line for each alert and each order of a station. An idle or unknown station has one line.
fn add_station(station: &FloorStationView, console: &Console, lines: &mut Vec<Vec<String>>) {
    let line = |state: &str, since: &str, rest: [String; 6]| {
        let front = [
            station.code.clone(),
            station.name.clone().unwrap_or_default(),
            state.to_owned(),
            results::format_time(since),
        ];
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
        lines.push(line(&state_text(StationState::Alarm, console), &alert.opened, rest));
    }
    for order in &station.orders {
        lines.push(line(
            &state_text(order_state(order), console),
            order.since.as_deref().unwrap_or_default(),
            order_cells(order),
        ));
    }
    if matches!(station.state, StationState::Idle | StationState::Unknown) {
        lines.push(line(&state_text(station.state, console), "", std::array::from_fn(|_| String::new())));
    }
}

fn order_cells(order: &FloorOrderView) -> [String; 6] {
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

fn order_state(order: &FloorOrderView) -> StationState {
    match order.state {
        FloorState::Running => StationState::Running,
        FloorState::Paused => StationState::Paused,
        _ => StationState::Begun,
    }
}

fn state_text(state: StationState, console: &Console) -> String {
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

/// Prints the time of the newest event, and gaps in the received events.
fn print_remarks(floor: &Floor, console: &Console) {
    if let Some(last) = &floor.last {
        console.print_remark("floor.last", &[("at", results::format_time(last))]);
    }
    if let Some(gap) = &floor.gap {
        console.print_remark(
            "floor.gap",
            &[("since", results::format_time(&gap.since)), ("until", results::format_time(&gap.until))],
        );
    }
    if floor.behind > 0 {
        console.print_remark("floor.behind", &[("count", floor.behind.to_string())]);
    }
}
