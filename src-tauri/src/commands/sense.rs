//! The site that a sheet's rows are for, and the rows beside what it holds.

use std::sync::Arc;

use takt_engine::{
    Canceller, Problem,
    import::{ImportId, ImportView},
};
use tauri::{AppHandle, Runtime};
use tokio::runtime::Handle;

use crate::{
    commands::site,
    state::{AppStateAccess, run_blocking},
};

/// From here on the import is for this site: what was found at another one, and its preview, no longer count.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn import_choose_site<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    site: String,
) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.import_sites().choose(id, &site)).await
}

/// Reads what the sheet's fields need to know of the import's site, as far as it isn't known (`again`: whatever is known), and
/// checks the rows against it. What couldn't be read is said in the view.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn import_check_site<R: Runtime>(
    app: AppHandle<R>,
    id: ImportId,
    again: bool,
) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let here = Handle::current();
    let found = run_blocking(move || {
        let site = engine.import_sites().of(id)?;
        here.block_on(engine.import_sites().check_against(&site, id, again, &Canceller::new()))
    });
    let found = found.await;
    site::changed(&app);
    found
}
