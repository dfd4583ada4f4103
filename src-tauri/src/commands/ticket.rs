//! Canceling long calls by their ticket.

use takt_engine::Problem;
use tauri::{AppHandle, Runtime};

use crate::state::AppStateAccess;

/// Cancels the call with this ticket, which then returns its cancellation. Ended calls aren't affected.
#[tauri::command]
#[specta::specta]
pub(crate) async fn ticket_stop<R: Runtime>(app: AppHandle<R>, ticket: u32) -> Result<(), Problem> {
    app.app_state().stop_ticket(ticket);
    Ok(())
}
