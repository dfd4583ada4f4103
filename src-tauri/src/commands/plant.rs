//! The practice plant's panel: its state, clock, floor, events, faults and snapshots.
//!
//! Owns the types of the panel's commands. takt-plant executes them, and its messages are shown unchanged.

use std::sync::Arc;

use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Code, Problem};
use takt_plant::{EventKind, Fault, Move, MoveError, OrderName, Overview, Plant, PlantError, Target};
use tauri::{AppHandle, Runtime};

use crate::{
    practice::PRACTICE,
    state::{AppStateAccess, run_blocking},
};

/// A change of the plant's clock or of its pace.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub(crate) enum ClockCommand {
    /// Runs the clock at a multiple of real time.
    Run {
        speed: f64,
    },
    Stop,
    /// Runs the clock in real time, without automatic work on the floor.
    Idle,
    /// Moves the clock forward once.
    Advance {
        minutes: u32,
    },
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_overview<R: Runtime>(app: AppHandle<R>) -> Result<Overview, Problem> {
    let plant = running_plant(&app)?;
    run_blocking(move || Ok(plant.overview())).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_act<R: Runtime>(app: AppHandle<R>, action: Move) -> Result<(), Problem> {
    running_plant(&app)?.make_move(action).await.map(drop).map_err(move_problem)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_clock<R: Runtime>(app: AppHandle<R>, command: ClockCommand) -> Result<(), Problem> {
    let plant = running_plant(&app)?;
    match command {
        ClockCommand::Run { speed } => plant.run_clock(speed),
        ClockCommand::Stop => plant.stop_clock(),
        ClockCommand::Idle => plant.set_clock_idle(),
        ClockCommand::Advance { minutes } => {
            plant.advance_time(SignedDuration::from_mins(minutes.into())).await.map_err(plant_problem)?;
        }
    }
    Ok(())
}

/// Fires one of the twelve events, about the given order or a suitable one.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_fire<R: Runtime>(
    app: AppHandle<R>,
    event: u32,
    order: Option<OrderName>,
) -> Result<(), Problem> {
    let unknown = || Problem::new(Code::Unknown).parameter("what", event.to_string());
    let kind = EventKind::with_id(event.into()).ok_or_else(unknown)?;
    running_plant(&app)?.send_event(kind, order).map_err(move_problem)
}

/// Replaces all faults with these, for example `error-500:0.1`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_faults<R: Runtime>(app: AppHandle<R>, faults: Vec<String>, seed: u32) -> Result<(), Problem> {
    let parsed = faults.iter().map(|text| Fault::parse(text).map_err(|error| input_problem(text, error)));
    running_plant(&app)?.set_faults(parsed.collect::<Result<_, _>>()?, seed.into());
    Ok(())
}

/// Adds a receiver of events. If `events` is empty, it receives all twelve kinds. With a secret, events are signed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_target_add<R: Runtime>(
    app: AppHandle<R>,
    url: String,
    secret: Option<String>,
    events: Vec<u32>,
) -> Result<(), Problem> {
    let events = events.into_iter().filter_map(|id| EventKind::with_id(id.into())).collect();
    let target = Target { url: url.clone(), secret, events };
    running_plant(&app)?.add_target(target).map(drop).map_err(|error| input_problem(&url, error))
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_target_remove<R: Runtime>(app: AppHandle<R>, id: u32) -> Result<(), Problem> {
    // A target that doesn't exist needs no removal.
    running_plant(&app)?.remove_target(id);
    Ok(())
}

/// Resets the plant to its state at the start.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_reset<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    let plant = running_plant(&app)?;
    let done = run_blocking(move || plant.reset().map_err(plant_problem)).await;
    app.engine().floor().forget_service(PRACTICE);
    done
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_snapshot<R: Runtime>(app: AppHandle<R>, name: String) -> Result<(), Problem> {
    let plant = running_plant(&app)?;
    run_blocking(move || plant.save_snapshot(&name).map_err(|error| input_problem(&name, error))).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn plant_restore<R: Runtime>(app: AppHandle<R>, name: String) -> Result<(), Problem> {
    let plant = running_plant(&app)?;
    let done = run_blocking(move || plant.restore_snapshot(&name).map_err(plant_problem)).await;
    app.engine().floor().forget_service(PRACTICE);
    done
}

fn running_plant<R: Runtime>(app: &AppHandle<R>) -> Result<Arc<Plant>, Problem> {
    let running = app.app_state().plant.as_ref();
    running.map(|running| Arc::clone(running.plant())).ok_or_else(|| Problem::obstacle("no-plant"))
}

fn move_problem(error: MoveError) -> Problem {
    let reasons = match error {
        MoveError::Refused(reasons) => reasons,
        MoveError::Unknown(why)
        | MoveError::InvalidState(why)
        | MoveError::InvalidValue(why)
        | MoveError::NotSaved(why) => vec![why],
    };
    Problem::new(Code::PlantMove).reasons(reasons)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn plant_problem(error: PlantError) -> Problem {
    Problem::new(Code::PlantMove).reasons(vec![error.to_string()])
}

fn input_problem(what: &str, error: PlantError) -> Problem {
    Problem::new(Code::InvalidInput).parameter("what", what).details(error)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use takt_plant::FaultKind;

    /// The language file has a sentence for each fault, and no others.
    #[test]
    fn every_fault_has_its_sentence() {
        let known: BTreeSet<String> = FaultKind::all().map(|kind| kind.name().to_owned()).collect();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/locales/en.json");
        let words: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let told: BTreeSet<String> = words["faults"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(told, known);
    }
}
