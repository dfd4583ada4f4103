//! The team of this desk. Its password goes in and never comes out.

use takt_engine::{
    Problem,
    team::{SharedChangeView, TeamCheckView, TeamJoinProgress, TeamJoinView, TeamView, has_password},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    questions,
    state::{AppStateAccess, cancellable, report_progress, run_blocking},
};

/// Absent where this desk belongs to none.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_view<R: Runtime>(app: AppHandle<R>) -> Result<Option<TeamView>, Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.view()).await
}

/// Asks a person first: from the next start on everything that is sent is written down there. `ticket_stop` ends it before that; what was
/// brought along by then stays, each submission whole.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_join<R: Runtime>(
    app: AppHandle<R>,
    address: String,
    password: Option<String>,
    ticket: u32,
    channel: Channel<TeamJoinProgress>,
) -> Result<TeamJoinView, Problem> {
    // Nobody is asked about what isn't an address.
    has_password(&address)?;
    questions::ask(&app, [questions::of_team(&address)]).await?;
    let team = app.app_state().engine.maintenance().team().clone();
    let joined = cancellable(&app, ticket, |canceller| {
        run_blocking(move || {
            team.join(&address, password.as_deref(), &canceller, |progress| report_progress(&channel, progress))
        })
    });
    joined.await
}

/// Absent without a team, and before the start from which on the one that was joined is used.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_check<R: Runtime>(app: AppHandle<R>) -> Result<Option<TeamCheckView>, Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.check()).await
}

/// False where this desk belonged to none.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_leave<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.leave()).await
}

/// What colleagues changed of that which the team shares, the newest first; none without a team.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_changes<R: Runtime>(app: AppHandle<R>, most: u32) -> Result<Vec<SharedChangeView>, Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.changes(None, most)).await
}

/// Puts back what was before a change.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_restore<R: Runtime>(app: AppHandle<R>, number: u32) -> Result<(), Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.restore(number)).await
}
