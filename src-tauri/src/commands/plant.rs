//! The practice plant's panel: what it holds and what goes on in it, its clock, its floor, its events, faults and snapshots.
//!
//! Owns the shapes of what the window may ask of the plant. Leaves what becomes of it to takt-plant; its sentences are shown as they are.

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

/// How the plant's time shall pass.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub(crate) enum ClockCommand {
    /// So many times as fast as outside.
    Run {
        speed: f64,
    },
    Stop,
    /// As outside, and nobody works but whoever is told to.
    Idle,
    /// Once, so far ahead.
    Advance {
        minutes: u32,
    },
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_overview<R: Runtime>(app: AppHandle<R>) -> Result<Overview, Problem> {
    let plant = plant_of(&app)?;
    run_blocking(move || Ok(plant.overview())).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_act<R: Runtime>(app: AppHandle<R>, action: Move) -> Result<(), Problem> {
    plant_of(&app)?.act(action).await.map(drop).map_err(not_moved)
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_clock<R: Runtime>(app: AppHandle<R>, command: ClockCommand) -> Result<(), Problem> {
    let plant = plant_of(&app)?;
    match command {
        ClockCommand::Run { speed } => plant.run(speed),
        ClockCommand::Stop => plant.stop_clock(),
        ClockCommand::Idle => plant.idle(),
        ClockCommand::Advance { minutes } => {
            plant.advance(SignedDuration::from_mins(minutes.into())).await.map_err(not_done)?;
        }
    }
    Ok(())
}

/// Lets one of the twelve events happen, about an order or whatever fits it.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_fire<R: Runtime>(
    app: AppHandle<R>,
    event: u32,
    order: Option<OrderName>,
) -> Result<(), Problem> {
    let unknown = || Problem::new(Code::Unknown).parameter("what", event.to_string());
    let kind = EventKind::with_id(event.into()).ok_or_else(unknown)?;
    plant_of(&app)?.fire(kind, order).map_err(not_moved)
}

/// Puts these faults in force, in place of all others, for example `error-500:0.1`.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_faults<R: Runtime>(app: AppHandle<R>, faults: Vec<String>, seed: u32) -> Result<(), Problem> {
    let parsed = faults.iter().map(|text| Fault::parse(text).map_err(|error| unusable(text, error)));
    plant_of(&app)?.set_faults(parsed.collect::<Result<_, _>>()?, seed.into());
    Ok(())
}

/// Without `events`, the receiver is told of all twelve; with a secret, what it is told is signed.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_target_add<R: Runtime>(
    app: AppHandle<R>,
    url: String,
    secret: Option<String>,
    events: Vec<u32>,
) -> Result<(), Problem> {
    let events = events.into_iter().filter_map(|id| EventKind::with_id(id.into())).collect();
    let target = Target { url: url.clone(), secret, events };
    plant_of(&app)?.add_target(target).map(drop).map_err(|error| unusable(&url, error))
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_target_remove<R: Runtime>(app: AppHandle<R>, id: u32) -> Result<(), Problem> {
    // One that is already gone is what was wanted.
    plant_of(&app)?.remove_target(id);
    Ok(())
}

/// Everything as it was at the start.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_reset<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    let plant = plant_of(&app)?;
    let done = run_blocking(move || plant.reset().map_err(not_done)).await;
    app.app_state().engine.floor().forget_service(PRACTICE);
    done
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_snapshot<R: Runtime>(app: AppHandle<R>, name: String) -> Result<(), Problem> {
    let plant = plant_of(&app)?;
    run_blocking(move || plant.snapshot(&name).map_err(|error| unusable(&name, error))).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn plant_restore<R: Runtime>(app: AppHandle<R>, name: String) -> Result<(), Problem> {
    let plant = plant_of(&app)?;
    let done = run_blocking(move || plant.restore(&name).map_err(not_done)).await;
    app.app_state().engine.floor().forget_service(PRACTICE);
    done
}

fn plant_of<R: Runtime>(app: &AppHandle<R>) -> Result<Arc<Plant>, Problem> {
    let running = app.app_state().plant.as_ref();
    running.map(|running| Arc::clone(running.plant())).ok_or_else(|| Problem::in_the_way("no-plant"))
}

fn not_moved(error: MoveError) -> Problem {
    let reasons = match error {
        MoveError::Refused(reasons) => reasons,
        MoveError::Unknown(why) | MoveError::NotNow(why) | MoveError::Wrong(why) | MoveError::NotKept(why) => vec![why],
    };
    Problem::new(Code::PlantMove).reasons(reasons)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what `map_err` gives")]
fn not_done(error: PlantError) -> Problem {
    Problem::new(Code::PlantMove).reasons(vec![error.to_string()])
}

fn unusable(what: &str, error: PlantError) -> Problem {
    Problem::new(Code::InvalidInput).parameter("what", what).details(error)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use takt_plant::FaultKind;

    /// The window says in a sentence what each fault does; it shows none that the plant can't make.
    #[test]
    fn every_fault_has_its_sentence() {
        let known: BTreeSet<String> = FaultKind::all().map(|kind| kind.name().to_owned()).collect();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/locales/en.json");
        let words: serde_json::Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let told: BTreeSet<String> = words["faults"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(told, known);
    }
}
