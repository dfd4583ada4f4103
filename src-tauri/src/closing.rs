//! Closing the window while something in it isn't sent: its page asks first, and a page that doesn't answer closes all the same.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use tauri::{AppHandle, Manager, Runtime};
use tauri_specta::Event;

use crate::{events::CloseRequested, tray, window};

/// How long the page may take to say that it asks.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// Whether closing has to be asked about, and whether the page has heard that it is wanted.
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

/// True where the window stays until its page has asked.
pub(crate) fn asks_first<R: Runtime>(app: &AppHandle<R>) -> bool {
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

/// Closes the window without a question. Where that would only hide it, Takt was told to end.
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
