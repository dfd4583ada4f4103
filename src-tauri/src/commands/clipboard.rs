//! Writes to the system's clipboard if the web view denies it to the page. The page's permission ends soon after a
//! click, and a window in the background has none.

use parking_lot::Mutex;

use arboard::Clipboard;
use takt_engine::Problem;
use tauri::{AppHandle, Manager, Runtime};

use crate::state::run_blocking;

/// The connection to the clipboard. It stays open, since on Linux the copied text exists only as long as the
/// connection.
#[derive(Default)]
pub(crate) struct ClipboardState(Mutex<Option<Clipboard>>);

impl ClipboardState {
    fn write(&self, text: String) -> Result<(), arboard::Error> {
        let mut clipboard = self.0.lock();
        if clipboard.is_none() {
            *clipboard = Some(Clipboard::new()?);
        }
        clipboard.as_mut().map_or(Err(arboard::Error::ClipboardNotSupported), |connection| connection.set_text(text))
    }
}

/// Writes text to the clipboard. Returns false if the system has none or denies access.
#[tauri::command]
#[specta::specta]
pub(crate) async fn clipboard_write<R: Runtime>(app: AppHandle<R>, text: String) -> Result<bool, Problem> {
    run_blocking(move || {
        let written = app.state::<ClipboardState>().write(text);
        if let Err(error) = &written {
            tracing::warn!(%error, "the clipboard took nothing");
        }
        Ok(written.is_ok())
    })
    .await
}
