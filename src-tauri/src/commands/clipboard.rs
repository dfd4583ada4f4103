//! The system's clipboard, where the page isn't allowed to write to it by itself: its leave ends soon after a click, and a
//! window that isn't in front has none.

use parking_lot::Mutex;

use arboard::Clipboard;
use takt_engine::Problem;
use tauri::{AppHandle, Manager, Runtime};

use crate::state::run_blocking;

/// The connection to the clipboard. On Linux what was copied is there as long as this is, so it stays open.
#[derive(Default)]
pub(crate) struct ClipboardState(Mutex<Option<Clipboard>>);

impl ClipboardState {
    fn write(&self, text: String) -> Result<(), arboard::Error> {
        let mut clipboard = self.0.lock();
        if clipboard.is_none() {
            *clipboard = Some(Clipboard::new()?);
        }
        clipboard.as_mut().map_or(Err(arboard::Error::ClipboardNotSupported), |open| open.set_text(text))
    }
}

/// False where the system has no clipboard or doesn't give it away.
#[tauri::command(root = "crate")]
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
