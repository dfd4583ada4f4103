//! What sending an import would change, beside what the chosen site holds.

use std::sync::Arc;

use takt_engine::{PreviewKind, PreviewPage, PreviewProgress, PreviewView, Problem};
use tauri::{AppHandle, Wry, ipc::Channel};
use tokio::runtime::Handle;

use crate::{
    commands::site,
    desk::{DeskState, busy},
};

const MOST_ROWS: u32 = 1_000;

/// Reads what the chosen site holds of an import's items. `ticket` names the reading for `import_stop`, and `told` hears how far
/// it is.
#[tauri::command]
#[specta::specta]
pub(crate) async fn preview_take(
    app: AppHandle<Wry>,
    import_id: u32,
    ticket: u32,
    told: Channel<PreviewProgress>,
) -> Result<PreviewView, Problem> {
    let canceller = app.desk().start_opening(ticket);
    let engine = Arc::clone(&app.desk().engine);
    let here = Handle::current();
    let found = busy(move || {
        let chosen = engine.chosen_site()?;
        let tell = |progress: PreviewProgress| {
            if told.send(progress).is_err() {
                tracing::debug!("the window no longer hears how far the preview is");
            }
        };
        here.block_on(engine.preview(&chosen.name, import_id, &canceller, tell))
    });
    let found = found.await;
    app.desk().end_opening(ticket);
    site::changed(&app);
    found
}

/// Items of one step: of one kind, or all but those that would change nothing.
#[tauri::command]
#[specta::specta]
pub(crate) async fn preview_rows(
    app: AppHandle<Wry>,
    import_id: u32,
    step: u32,
    kind: Option<PreviewKind>,
    offset: u32,
    limit: u32,
) -> Result<PreviewPage, Problem> {
    let engine = Arc::clone(&app.desk().engine);
    busy(move || engine.preview_rows(import_id, step, kind, (offset, limit.min(MOST_ROWS)))).await
}
