//! This desk's membership in a team. The database's password is never returned.

use takt_engine::{
    Problem,
    team::{SharedChangeView, TeamCheckView, TeamJoinProgress, TeamJoinView, TeamView, has_password},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    questions,
    state::{AppStateAccess, cancellable, report_progress},
};

/// Returns the team, or `None` if the desk belongs to none.
#[tauri::command]
#[specta::specta]
pub(crate) async fn team_view<R: Runtime>(app: AppHandle<R>) -> Result<Option<TeamView>, Problem> {
    app.with_engine(move |engine| engine.maintenance().team().view()).await
}

/// Joins a team after the user has confirmed it. From the next start on, submissions are recorded in the team's
/// database. `ticket_stop` cancels joining, and submissions that were copied by then stay complete.
#[tauri::command]
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
    let joined = cancellable(&app, ticket, |canceller| {
        app.with_engine(move |engine| {
            let team = engine.maintenance().team();
            team.join(&address, password.as_deref(), &canceller, |progress| report_progress(&channel, progress))
        })
    });
    joined.await
}

/// Checks the team's database. Returns `None` without a team, and before the restart that follows joining.
#[tauri::command]
#[specta::specta]
pub(crate) async fn team_check<R: Runtime>(app: AppHandle<R>) -> Result<Option<TeamCheckView>, Problem> {
    app.with_engine(move |engine| engine.maintenance().team().check()).await
}

/// Leaves the team. Returns false if the desk belonged to none.
#[tauri::command]
#[specta::specta]
pub(crate) async fn team_leave<R: Runtime>(app: AppHandle<R>) -> Result<bool, Problem> {
    app.with_engine(move |engine| engine.maintenance().team().leave()).await
}

/// Lists colleagues' changes of shared data, newest first. Empty without a team.
#[tauri::command]
#[specta::specta]
pub(crate) async fn team_changes<R: Runtime>(app: AppHandle<R>, most: u32) -> Result<Vec<SharedChangeView>, Problem> {
    app.with_engine(move |engine| engine.maintenance().team().changes(None, most)).await
}

/// Restores the shared data as it was before a change.
#[tauri::command]
#[specta::specta]
pub(crate) async fn team_restore<R: Runtime>(app: AppHandle<R>, number: u32) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.maintenance().team().restore(number)).await
}
