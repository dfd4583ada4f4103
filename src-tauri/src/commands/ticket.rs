//! Ending what takes long, by the ticket that the window gave it.

use takt_engine::Problem;
use tauri::{AppHandle, Runtime};

use crate::state::AppStateAccess;

/// Ends what was begun with this ticket: it gives the problem of what was stopped. One that has ended stays as it is.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn ticket_stop<R: Runtime>(app: AppHandle<R>, ticket: u32) -> Result<(), Problem> {
    app.app_state().stop_ticket(ticket);
    Ok(())
}
