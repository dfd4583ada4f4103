//! The team of this desk. Its password is never returned.

use takt_engine::{
    Problem,
    team::{SharedChangeView, TeamCheckView, TeamJoinProgress, TeamJoinView, TeamView, has_password},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    questions,
    state::{AppStateAccess, cancellable, report_progress, run_blocking},
};

/// Returns the team, or `None` if the desk belongs to none.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_view<R: Runtime>(app: AppHandle<R>) -> Result<Option<TeamView>, Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.view()).await
}

/// Joins a team after the user confirmed it. From the next start on, the team's database records what is sent.
/// `ticket_stop` cancels joining. The submissions that were copied by then stay complete.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_join<R: Runtime>(
    app: AppHandle<R>,
    address: String,
    password: Option<String>,
    ticket: u32,
    channel: Channel<TeamJoinProgress>,
) -> Result<TeamJoinView, Problem> {
    // An invalid address is refused before the user is asked.
    has_password(&address)?;
    questions::ask(&app, [questions::about_team(&address)]).await?;
    let team = app.app_state().engine.maintenance().team().clone();
    let joined = cancellable(&app, ticket, |canceller| {
        run_blocking(move || {
            team.join(&address, password.as_deref(), &canceller, |progress| report_progress(&channel, progress))
        })
    });
    joined.await
}

/// Checks the team's database. Returns `None` without a team, and before the restart that follows joining.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_check<R: Runtime>(app: AppHandle<R>) -> Result<Option<TeamCheckView>, Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.check()).await
}

/// Leaves the team. Returns false if the desk belonged to none.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_leave<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.leave()).await
}

/// Lists colleagues' changes of shared data, newest first. Empty without a team.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_changes<R: Runtime>(app: AppHandle<R>, most: u32) -> Result<Vec<SharedChangeView>, Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.changes(None, most)).await
}

/// Restores the state before a change.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn team_restore<R: Runtime>(app: AppHandle<R>, number: u32) -> Result<(), Problem> {
    let team = app.app_state().engine.maintenance().team().clone();
    run_blocking(move || team.restore(number)).await
}
