//! The daily check for updates in the background, if the user enabled it.

use std::{sync::Arc, time::Duration};

use takt_engine::{Engine, update::Updates};
use tauri::{AppHandle, Runtime};
use tauri_specta::Event;

use crate::{events::UpdateChecked, state::run_blocking};

/// The interval for looking whether a check is due.
const POLL_INTERVAL: Duration = Duration::from_secs(600);

/// Starts the checks, which continue until the program ends. Failures are retried, and only shown in the settings.
pub(crate) fn start<R: Runtime>(app: &AppHandle<R>, engine: &Arc<Engine>) {
    let (app, updates) = (app.clone(), Updates::of(engine));
    tauri::async_runtime::spawn(async move {
        loop {
            let settings = updates.clone();
            if run_blocking(move || settings.is_due()).await.unwrap_or_default() {
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
