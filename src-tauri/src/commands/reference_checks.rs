//! The site that an import is for, and checking its rows against that site.

use takt_engine::{
    Canceller, Problem,
    import::{ImportId, ImportView},
};
use tauri::{AppHandle, Runtime};
use tokio::runtime::Handle;

use crate::{commands::site, state::AppStateAccess};

/// Assigns the import to a site. Findings from another site and the preview no longer count.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_choose_site<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    site: String,
) -> Result<ImportView, Problem> {
    app.with_engine(move |engine| engine.import_sites().choose(id, &site)).await
}

/// Reads the reference data that the sheet's fields need from the import's site, and checks the rows against it. Known
/// data is reused unless `again` is set. The view lists data that couldn't be read.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_check_site<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    again: bool,
) -> Result<ImportView, Problem> {
    let runtime = Handle::current();
    let check = app.with_engine(move |engine| {
        let site = engine.import_sites().of(id)?;
        runtime.block_on(engine.import_sites().check_against(&site, id, again, &Canceller::new()))
    });
    let view = check.await;
    site::changed(&app);
    view
}
