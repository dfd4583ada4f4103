//! Reading what the service holds, page by page or all at once.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{BrowsePage, BrowseProgress, BrowseQuery, Problem};
use tauri::{AppHandle, Wry};
use tauri_specta::Event;

use crate::{commands::site, desk::DeskState, events::BrowseProgressed};

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
    let page = page.shortened();
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

#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_stop(app: AppHandle<Wry>, id: u32) -> Result<(), Problem> {
    app.desk().set(id)?.canceller.cancel();
    Ok(())
}

fn tell(app: &AppHandle<Wry>, id: u32, progress: BrowseProgress, problem: Option<Problem>, done: bool) {
    if let Err(error) = (BrowseProgressed { id, progress, problem, done }).emit(app) {
        tracing::debug!(%error, "nobody hears how far reading is");
    }
}
