//! Previews of the changes that sending an import would make.

use takt_engine::{
    Problem,
    import::ImportId,
    preview::{PreviewFilter, PreviewPage, PreviewProgress, PreviewView},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    commands::site,
    state::{AppStateAccess, cancellable_blocking, report_progress},
};

const MAX_ROWS: u32 = 1_000;

/// Reads the site's values for an import's items. Cancel it with `ticket_stop`. `channel` receives the progress.
#[tauri::command]
#[specta::specta]
pub(crate) async fn preview_build<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    ticket: u32,
    channel: Channel<PreviewProgress>,
) -> Result<PreviewView, Problem> {
    let reading = cancellable_blocking(&app, ticket, async move |engine, canceller| {
        let site = engine.import_sites().site_or_chosen(import_id)?;
        engine
            .previews()
            .compare(&site, import_id, &canceller, |progress: PreviewProgress| report_progress(&channel, progress))
            .await
    });
    let found = reading.await;
    site::emit_changed(&app);
    found
}

/// Returns items of one step.
#[tauri::command]
#[specta::specta]
pub(crate) async fn preview_rows<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    step: u32,
    filter: PreviewFilter,
    offset: u32,
    limit: u32,
) -> Result<PreviewPage, Problem> {
    app.with_engine(move |engine| engine.previews().rows(import_id, step, &filter, offset, limit.min(MAX_ROWS))).await
}
