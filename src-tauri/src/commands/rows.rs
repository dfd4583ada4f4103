//! Imports from rows of a list.

use takt_engine::{
    Problem,
    import::{FromRows, ImportView, RowChange},
};
use tauri::{AppHandle, Runtime};

use crate::state::RowSetId;
use crate::{commands::opening::for_chosen_site, preferences::Language, state::AppStateAccess};

/// Lists the operations that rows of a list can be used for.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rows_become<R: Runtime>(app: AppHandle<R>, list: String) -> Result<Vec<String>, Problem> {
    app.with_engine(move |engine| {
        Ok(engine.import_sources().list_target_operations(&engine.sites().chosen()?.name, &list))
    })
    .await
}

/// Opens rows of a set as an import for an operation. Without positions, the rows that `changes` names are used.
#[tauri::command]
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
    let from = FromRows { positions, operation, changes };
    app.with_engine(move |engine| {
        let view = engine.import_sources().from_rows(&rows, &from, language.engine_language())?;
        for_chosen_site(engine, view.id)
    })
    .await
}
