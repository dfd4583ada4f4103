//! Imports from rows of a list.

use std::sync::Arc;

use takt_engine::{
    Problem,
    import::{FromRows, ImportView, RowChange},
};
use tauri::{AppHandle, Runtime};

use crate::state::RowSetId;
use crate::{
    commands::opening::for_chosen_site,
    preferences::Language,
    state::{AppStateAccess, run_blocking},
};

/// Lists the operations that rows of a list can be used for.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rows_become<R: Runtime>(app: AppHandle<R>, list: String) -> Result<Vec<String>, Problem> {
    let engine = &app.app_state().engine;
    Ok(engine.import_sources().becomes(&engine.sites().chosen()?.name, &list))
}

/// Opens rows of a set as an import for an operation. Without positions, the rows that `changes` names are used.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn import_from_rows<R: Runtime>(
    app: AppHandle<R>,
    set: RowSetId,
    positions: Vec<u32>,
    operation: String,
    changes: Vec<RowChange>,
    language: Language,
) -> Result<ImportView, Problem> {
    let rows = app.app_state().set(set)?.rows;
    let engine = Arc::clone(&app.app_state().engine);
    let from = FromRows { positions, operation, changes };
    run_blocking(move || {
        let view = engine.import_sources().from_rows(&rows, &from, language.engine_language())?;
        for_chosen_site(&engine, view.id)
    })
    .await
}
