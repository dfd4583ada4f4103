//! Reading what the service holds, page by page or all at once, and taking it along as a file.

use std::{path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    Arrangement, BrowsePage, BrowseProgress, BrowseQuery, Engine, ExportFormat, Problem, TableRows, TextPiece,
    ValueCount, WholeRow,
};
use tauri::{AppHandle, Wry};
use tauri_specta::Event;

use crate::{
    commands::site,
    desk::{DeskState, busy},
    dialogs,
    events::BrowseProgressed,
};

const MOST_ROWS: usize = 1_000;
/// Values of a column to choose from.
const MOST_VALUES: usize = 200;

/// A page, and the number of the set that keeps its rows.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct KeptPage {
    set: u32,
    #[serde(flatten)]
    page: BrowsePage,
}

/// One page of rows, which stay at hand as a set.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_page(
    app: AppHandle<Wry>,
    query: BrowseQuery,
    page: u32,
    limit: u32,
) -> Result<KeptPage, Problem> {
    let engine = Arc::clone(&app.desk().engine);
    let chosen = engine.chosen_site()?;
    let found = engine.browse_page(&chosen.name, &query, page, limit).await;
    site::changed(&app);
    let page = found?;
    let rows = engine.row_set(&chosen.name, &query.operation)?;
    rows.append(&page.rows);
    Ok(KeptPage { set: app.desk().keep_set(rows).0, page })
}

/// Starts reading every page into a set; `browseProgressed` tells how far it is. Rows that came can be asked for at once.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_all(app: AppHandle<Wry>, query: BrowseQuery) -> Result<u32, Problem> {
    let engine = Arc::clone(&app.desk().engine);
    let chosen = engine.chosen_site()?;
    let set = engine.row_set(&chosen.name, &query.operation)?;
    let (id, canceller) = app.desk().keep_set(set.clone());
    let reading = app.clone();
    tokio::spawn(async move {
        let teller = reading.clone();
        let mut last = BrowseProgress { rows: 0, total: None, page: 0, pages: None };
        let read = engine
            .browse_all(&query, &set, &canceller, |progress| {
                last = progress;
                tell(&teller, id, progress, None, false);
            })
            .await;
        tell(&reading, id, last, read.err(), true);
        site::changed(&reading);
    });
    Ok(id)
}

/// Rows of a table over a set, from its `offset`th on. More rows may come while a set is being read: it is arranged again
/// when asked.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_rows(
    app: AppHandle<Wry>,
    id: u32,
    arrangement: Arrangement,
    offset: u32,
    limit: u32,
) -> Result<TableRows, Problem> {
    let set = app.desk().set(id)?.rows;
    let engine = Arc::clone(&app.desk().engine);
    busy(move || engine.table_rows(&set, &arrangement, offset as usize, (limit as usize).min(MOST_ROWS))).await
}

/// One row of a set by its position, bounded.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_row(app: AppHandle<Wry>, id: u32, position: u32) -> Result<WholeRow, Problem> {
    let set = app.desk().set(id)?.rows;
    let engine = Arc::clone(&app.desk().engine);
    busy(move || engine.whole_row(&set, position)).await
}

/// A piece of a text that was cut in a row.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_text(
    app: AppHandle<Wry>,
    id: u32,
    position: u32,
    path: String,
    from: u32,
) -> Result<TextPiece, Problem> {
    let set = app.desk().set(id)?.rows;
    let engine = Arc::clone(&app.desk().engine);
    busy(move || engine.row_text(&set, position, &path, from)).await
}

/// The most frequent values of a column, in their order.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_values(app: AppHandle<Wry>, id: u32, path: String) -> Result<Vec<ValueCount>, Problem> {
    let set = app.desk().set(id)?.rows;
    let engine = Arc::clone(&app.desk().engine);
    busy(move || engine.column_values(&set, &path, MOST_VALUES)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_stop(app: AppHandle<Wry>, id: u32) -> Result<(), Problem> {
    app.desk().set(id)?.canceller.cancel();
    Ok(())
}

/// Saves a set's rows; the path, or `None` where the dialog was cancelled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_export(
    app: AppHandle<Wry>,
    id: u32,
    format: ExportFormat,
    title: String,
) -> Result<Option<String>, Problem> {
    let set = app.desk().set(id)?.rows;
    let engine: Arc<Engine> = Arc::clone(&app.desk().engine);
    let Some(path): Option<PathBuf> = dialogs::save_as(&title, set.operation(), format).await else { return Ok(None) };
    let shown = path.display().to_string();
    busy(move || engine.export_rows(set.site(), set.operation(), &set.rows(0..usize::MAX), format, &path)).await?;
    Ok(Some(shown))
}

fn tell(app: &AppHandle<Wry>, id: u32, progress: BrowseProgress, problem: Option<Problem>, done: bool) {
    if let Err(error) = (BrowseProgressed { id, progress, problem, done }).emit(app) {
        tracing::debug!(%error, "nobody hears how far reading is");
    }
}
