//! Reading what the service holds, page by page or all at once, and taking it along as a file.

use std::{path::PathBuf, sync::Arc};

use serde_json::Value;
use takt_engine::{BrowsePage, BrowseProgress, BrowseQuery, Engine, ExportFormat, Problem};
use tauri::{AppHandle, Wry};
use tauri_specta::Event;

use crate::{
    commands::site,
    desk::{DeskState, busy},
    dialogs,
    events::BrowseProgressed,
};

const MOST_ROWS: usize = 1_000;

#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_page(
    app: AppHandle<Wry>,
    query: BrowseQuery,
    page: u32,
    limit: u32,
) -> Result<BrowsePage, Problem> {
    let engine = Arc::clone(&app.desk().engine);
    let chosen = engine.chosen_site()?;
    let found = engine.browse_page(&chosen.name, &query, page, limit).await;
    site::changed(&app);
    found
}

/// Starts reading every page; `browseProgressed` tells how far it is.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_all(app: AppHandle<Wry>, query: BrowseQuery) -> Result<u32, Problem> {
    let engine = Arc::clone(&app.desk().engine);
    let chosen = engine.chosen_site()?;
    let (id, canceller) = app.desk().add_set(&query.operation);
    let reading = app.clone();
    tokio::spawn(async move {
        let teller = reading.clone();
        let mut last = BrowseProgress { rows: 0, total: None, page: 0, pages: None };
        let found = engine
            .browse_all(&chosen.name, &query, &canceller, |progress| {
                last = progress;
                tell(&teller, id, progress, None, false);
            })
            .await;
        let problem = match found {
            Ok(rows) => {
                last.rows = u32::try_from(rows.len()).unwrap_or(u32::MAX);
                reading.desk().fill_set(id, rows);
                None
            }
            Err(problem) => Some(problem),
        };
        tell(&reading, id, last, problem, true);
        site::changed(&reading);
    });
    Ok(id)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_rows(app: AppHandle<Wry>, id: u32, offset: u32, limit: u32) -> Result<BrowsePage, Problem> {
    let set = app.desk().set(id)?;
    let rows = set.rows.iter().skip(offset as usize).take((limit as usize).min(MOST_ROWS)).cloned().collect();
    let total = u32::try_from(set.rows.len()).ok();
    Ok(BrowsePage { rows, page: 1, pages: None, total, unknown: Vec::new() })
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_stop(app: AppHandle<Wry>, id: u32) -> Result<(), Problem> {
    app.desk().set(id)?.canceller.cancel();
    Ok(())
}

/// Saves the rows that the window shows; the path, or `None` where the dialog was cancelled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_export_page(
    app: AppHandle<Wry>,
    operation: String,
    rows: Vec<Value>,
    format: ExportFormat,
    title: String,
) -> Result<Option<String>, Problem> {
    save(&app, operation, Arc::new(rows), format, &title).await
}

/// Saves everything that `browse_all` read.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_export_all(
    app: AppHandle<Wry>,
    id: u32,
    format: ExportFormat,
    title: String,
) -> Result<Option<String>, Problem> {
    let set = app.desk().set(id)?;
    save(&app, set.operation, set.rows, format, &title).await
}

async fn save(
    app: &AppHandle<Wry>,
    operation: String,
    rows: Arc<Vec<Value>>,
    format: ExportFormat,
    title: &str,
) -> Result<Option<String>, Problem> {
    let engine: Arc<Engine> = Arc::clone(&app.desk().engine);
    let Some(path): Option<PathBuf> = dialogs::save_as(title, &operation, format).await else { return Ok(None) };
    let (site, shown) = (engine.chosen_site()?.name, path.display().to_string());
    busy(move || engine.export_rows(&site, &operation, &rows, format, &path)).await?;
    Ok(Some(shown))
}

fn tell(app: &AppHandle<Wry>, id: u32, progress: BrowseProgress, problem: Option<Problem>, done: bool) {
    if let Err(error) = (BrowseProgressed { id, progress, problem, done }).emit(app) {
        tracing::debug!(%error, "nobody hears how far reading is");
    }
}
