//! Tables over sets of rows: arranging them, named views and export.

use serde_json::Value;
use takt_engine::{
    Problem,
    browse::{Arrangement, ExportRequest, NamedView, TableRows, TableViews, TextPiece, ValueCount, WholeRow},
};
use tauri::{AppHandle, Runtime};

use crate::{
    dialogs,
    state::{AppStateAccess, RowSetId},
};

/// The maximum number of rows per response, regardless of the requested limit.
const MAX_ROWS: usize = 1_000;
/// The maximum number of distinct values that are returned for a column.
const MAX_VALUES: usize = 200;

/// Returns rows of a table from an offset on. A set that is still being read is arranged again for each call.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_rows<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    arrangement: Arrangement,
    offset: u32,
    limit: u32,
) -> Result<TableRows, Problem> {
    let set = app.app_state().set(id)?.rows;
    app.with_engine(move |engine| {
        engine.browse().table_rows(&set, &arrangement, offset as usize, (limit as usize).min(MAX_ROWS))
    })
    .await
}

/// Returns one row of a set by its position. Long texts are cut.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_row<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    position: u32,
) -> Result<WholeRow, Problem> {
    let set = app.app_state().set(id)?.rows;
    app.with_engine(move |engine| engine.browse().row_detail(&set, position)).await
}

/// Returns a piece of a text that was cut in a row. `from` is the piece's offset in bytes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_text<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    position: u32,
    path: String,
    from: u32,
) -> Result<TextPiece, Problem> {
    let set = app.app_state().set(id)?.rows;
    app.with_engine(move |engine| engine.browse().row_text(&set, position, &path, from)).await
}

/// Returns the most frequent values of a column, in order.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_values<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    path: String,
) -> Result<Vec<ValueCount>, Problem> {
    let set = app.app_state().set(id)?.rows;
    app.with_engine(move |engine| engine.browse().column_values(&set, &path, MAX_VALUES)).await
}

/// Returns the positions that a table's rows have in the set, starting at an offset.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_positions<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    arrangement: Arrangement,
    offset: u32,
    limit: u32,
) -> Result<Vec<u32>, Problem> {
    let set = app.app_state().set(id)?.rows;
    app.with_engine(move |engine| {
        let found = engine.browse().arrange(&set, &arrangement)?.positions;
        Ok(found.iter().skip(offset as usize).take(limit as usize).copied().collect())
    })
    .await
}

/// Returns rows by their positions in the set, in the form that the table shows.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_pick<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    mut positions: Vec<u32>,
) -> Result<Vec<Value>, Problem> {
    let set = app.app_state().set(id)?.rows;
    positions.truncate(MAX_ROWS);
    app.with_engine(move |engine| Ok(engine.browse().shortened_rows_at(&set, &positions))).await
}

/// Saves rows of a set in the form that the table shows. Returns the path, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_export<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    request: ExportRequest,
    title: String,
) -> Result<Option<String>, Problem> {
    let set = app.app_state().set(id)?.rows;
    let Some(path) = dialogs::save_as(&app, &title, set.operation(), request.format).await else { return Ok(None) };
    let shown = path.display().to_string();
    app.with_engine(move |engine| engine.browse().export_set(&set, &request, &path)).await?;
    Ok(Some(shown))
}

/// Returns the last arrangement of an operation's table at the chosen site, and its named views.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_views<R: Runtime>(app: AppHandle<R>, operation: String) -> Result<TableViews, Problem> {
    app.with_engine(move |engine| engine.browse().table_views(&engine.sites().selected_site()?.name, &operation)).await
}

/// Stores the arrangement and the named views. `known` are the named views that the window has loaded.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_views_save<R: Runtime>(
    app: AppHandle<R>,
    operation: String,
    views: TableViews,
    known: Vec<NamedView>,
) -> Result<(), Problem> {
    app.with_engine(move |engine| {
        let site = engine.sites().selected_site()?.name;
        engine.browse().store_table_views(&site, &operation, views, &known)
    })
    .await
}

/// Returns the list that was opened last at the chosen site.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_last_list<R: Runtime>(app: AppHandle<R>) -> Result<Option<String>, Problem> {
    app.with_engine(move |engine| engine.browse().last_list(&engine.sites().selected_site()?.name)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_last_list_save<R: Runtime>(app: AppHandle<R>, operation: String) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.browse().store_last_list(&engine.sites().selected_site()?.name, &operation))
        .await
}
