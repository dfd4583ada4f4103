//! Closing the window while data is unsent. The page asks first. If it doesn't answer, the window closes.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use tauri::{AppHandle, Manager, Runtime};
use tauri_specta::Event;

use crate::{events::CloseRequested, tray, window};

/// The time that the page has to acknowledge a close request. Then the window closes without a prompt.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// Records whether data is unsent, and whether the page has acknowledged the last close request.
#[derive(Debug, Default)]
pub(crate) struct CloseGuard {
    unsent: AtomicBool,
    acknowledged: AtomicBool,
}

impl CloseGuard {
    pub(crate) fn set_unsent(&self, unsent: bool) {
        self.unsent.store(unsent, Ordering::SeqCst);
    }

    pub(crate) fn acknowledge(&self) {
        self.acknowledged.store(true, Ordering::SeqCst);
    }
}

/// Asks the page to prompt if data is unsent. Returns true if the window must stay open until the user has answered.
pub(crate) fn prompt_if_unsent<R: Runtime>(app: &AppHandle<R>) -> bool {
    let guard = app.state::<CloseGuard>();
    if !guard.unsent.load(Ordering::SeqCst) {
        return false;
    }
    guard.acknowledged.store(false, Ordering::SeqCst);
    if CloseRequested.emit(app).is_err() {
        return false;
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        tokio::time::sleep(ANSWER_TIMEOUT).await;
        if !app.state::<CloseGuard>().acknowledged.load(Ordering::SeqCst) {
            tracing::warn!("the page didn't answer, so the window closes");
            close(&app);
        }
    });
    true
}

/// Closes the window without a prompt. If closing would only hide the window, the program exits.
pub(crate) fn close<R: Runtime>(app: &AppHandle<R>) {
    app.state::<CloseGuard>().set_unsent(false);
    if tray::keeps_running(app) {
        app.exit(0);
        return;
    }
    let Some(window) = app.get_webview_window(window::MAIN) else { return };
    if let Err(error) = window.close() {
        tracing::warn!(%error, "the window couldn't be closed");
    }
}
