//! The daily check for updates, as long as the window is open: in the background, and only where a person wants it.

use std::{sync::Arc, time::Duration};

use takt_engine::{Engine, update::Updates};
use tauri::{AppHandle, Runtime};
use tauri_specta::Event;

use crate::events::UpdateChecked;

/// Between two checks whether an update check is due.
const POLL_INTERVAL: Duration = Duration::from_secs(600);

/// Begins with the window and ends with the program. What fails is tried again later and says nothing but one line in the
/// settings.
pub(crate) fn begin<R: Runtime>(app: &AppHandle<R>, engine: &Arc<Engine>) {
    let (app, updates) = (app.clone(), Updates::of(engine));
    tauri::async_runtime::spawn(async move {
        loop {
            if updates.is_due().unwrap_or_default() {
                match updates.check().await {
                    Ok(()) => {
                        if let Err(error) = UpdateChecked.emit(&app) {
                            tracing::debug!(%error, "nobody hears of the check for updates");
                        }
                    }
                    Err(problem) => tracing::warn!(?problem, "the check for updates can't be kept"),
                }
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    });
}
