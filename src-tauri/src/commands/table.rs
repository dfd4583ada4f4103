//! Tables over sets of rows: arranging them, named views and export.

use std::sync::Arc;

use serde_json::Value;
use takt_engine::{
    Problem,
    browse::{Arrangement, ExportRequest, NamedView, TableRows, TableViews, TextPiece, ValueCount, WholeRow},
};
use tauri::{AppHandle, Runtime};

use crate::state::RowSetId;
use crate::{
    dialogs,
    state::{AppStateAccess, run_blocking},
};

/// The maximum number of rows per response.
const MAX_ROWS: usize = 1_000;
/// The maximum number of distinct values of a column.
const MAX_VALUES: usize = 200;

/// Returns rows of a table from an offset on. A set that is still being read is arranged again for each call.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_rows<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    arrangement: Arrangement,
    offset: u32,
    limit: u32,
) -> Result<TableRows, Problem> {
    let set = app.app_state().set(id)?.rows;
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || {
        engine.browse().table_rows(&set, &arrangement, offset as usize, (limit as usize).min(MAX_ROWS))
    })
    .await
}

/// Returns one row of a set by its position, with limited text lengths.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_row<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    position: u32,
) -> Result<WholeRow, Problem> {
    let set = app.app_state().set(id)?.rows;
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.browse().whole_row(&set, position)).await
}

/// Returns a piece of a text that was cut in a row.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_text<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    position: u32,
    path: String,
    from: u32,
) -> Result<TextPiece, Problem> {
    let set = app.app_state().set(id)?.rows;
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.browse().row_text(&set, position, &path, from)).await
}

/// Returns the most frequent values of a column, in order.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_values<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    path: String,
) -> Result<Vec<ValueCount>, Problem> {
    let set = app.app_state().set(id)?.rows;
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.browse().column_values(&set, &path, MAX_VALUES)).await
}

/// Returns the positions in the set of a table's rows, from an offset on.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_positions<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    arrangement: Arrangement,
    offset: u32,
    limit: u32,
) -> Result<Vec<u32>, Problem> {
    let set = app.app_state().set(id)?.rows;
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || {
        let found = engine.browse().arrange(&set, &arrangement)?.positions;
        Ok(found.iter().skip(offset as usize).take(limit as usize).copied().collect())
    })
    .await
}

/// Returns rows by their positions in the set, in the table's form.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_pick<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    mut positions: Vec<u32>,
) -> Result<Vec<Value>, Problem> {
    let set = app.app_state().set(id)?.rows;
    let engine = Arc::clone(&app.app_state().engine);
    positions.truncate(MAX_ROWS);
    run_blocking(move || Ok(engine.browse().picked_rows(&set, &positions))).await
}

/// Saves rows of a set in the table's form. Returns the path, or `None` if the dialog was canceled.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_export<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    request: ExportRequest,
    title: String,
) -> Result<Option<String>, Problem> {
    let set = app.app_state().set(id)?.rows;
    let engine = Arc::clone(&app.app_state().engine);
    let Some(path) = dialogs::save_as(&app, &title, set.operation(), request.format).await else { return Ok(None) };
    let shown = path.display().to_string();
    run_blocking(move || engine.browse().export_set(&set, &request, &path)).await?;
    Ok(Some(shown))
}

/// Returns the last arrangement of an operation's table at the chosen site, and its named views.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_views<R: Runtime>(app: AppHandle<R>, operation: String) -> Result<TableViews, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.browse().table_views(&engine.sites().chosen()?.name, &operation)).await
}

/// Stores the views. `known` are the named views that the window had before.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_views_save<R: Runtime>(
    app: AppHandle<R>,
    operation: String,
    views: TableViews,
    known: Vec<NamedView>,
) -> Result<(), Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || {
        let site = engine.sites().chosen()?.name;
        engine.browse().store_table_views(&site, &operation, views, &known)
    })
    .await
}

/// Returns the list that was opened last at the chosen site.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_last_list<R: Runtime>(app: AppHandle<R>) -> Result<Option<String>, Problem> {
    let engine = &app.app_state().engine;
    engine.browse().last_list(&engine.sites().chosen()?.name)
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn browse_last_list_save<R: Runtime>(app: AppHandle<R>, operation: String) -> Result<(), Problem> {
    let engine = &app.app_state().engine;
    engine.browse().store_last_list(&engine.sites().chosen()?.name, &operation)
}
