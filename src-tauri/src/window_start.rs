//! What the main window's page begins with, so that its first picture needs no question to this side.

use serde::{Deserialize, Serialize};
use specta::Type;
use tauri::{AppHandle, Runtime};

use crate::{
    commands::app::AppState,
    preferences::{self, Preferences},
    state::AppStateAccess,
};

/// What the page would ask for first. It is as old as the window: whatever changes is asked for again.
#[derive(Debug, Serialize, Deserialize, Type)]
pub(crate) struct WindowStart {
    preferences: Preferences,
    /// Absent where it can't be read now.
    app: Option<AppState>,
}

/// The script that gives it to the page. It does nothing where a team's database would have to be
/// asked, which may be away: no window waits for it.
pub(crate) fn script<R: Runtime>(app: &AppHandle<R>) -> String {
    if !matches!(app.app_state().engine.maintenance().team().view(), Ok(None)) {
        return String::new();
    }
    let start = WindowStart {
        preferences: preferences::load_for_page(app),
        app: AppState::read(app).inspect_err(|problem| tracing::debug!(?problem, "the page asks for it")).ok(),
    };
    serde_json::to_string(&start).map_or_else(|_| String::new(), |start| format!("window.taktStart = {start};"))
}
