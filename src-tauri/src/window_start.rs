//! The data with which the main window's page starts, so that its first rendering needs no request.

use serde::{Deserialize, Serialize};
use specta::Type;
use tauri::{AppHandle, Runtime};

use crate::{
    commands::app::AppView,
    preferences::{self, Preferences},
    state::AppStateAccess,
};

/// The responses to the page's first requests. Later changes are requested again.
#[derive(Debug, Serialize, Deserialize, Type)]
pub(crate) struct WindowStart {
    preferences: Preferences,
    /// Absent if it can't be read now.
    app: Option<AppView>,
}

/// Returns the script that passes the data to the page. Empty with a team, since its database may be unreachable and
/// the window mustn't wait.
pub(crate) fn script<R: Runtime>(app: &AppHandle<R>) -> String {
    if !matches!(app.app_state().engine.maintenance().team().view(), Ok(None)) {
        return String::new();
    }
    let start = WindowStart {
        preferences: preferences::load_for_page(app),
        app: AppView::read(app).inspect_err(|problem| tracing::debug!(?problem, "the page asks for it")).ok(),
    };
    serde_json::to_string(&start).map_or_else(|_| String::new(), |start| format!("window.taktStart = {start};"))
}
