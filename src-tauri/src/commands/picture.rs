//! Pictures of rows: drawing, saving and printing them.

use takt_engine::{
    Code, Problem,
    browse::{Arrangement, MovedBar},
    picture::{PictureQuery, PictureView},
};
use tauri::{AppHandle, Runtime, WebviewWindow};

use crate::{
    dialogs,
    state::{AppStateAccess, RowSetId},
};

/// Draws a picture of the rows that an arrangement of a set shows.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_picture<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    query: PictureQuery,
    arrangement: Arrangement,
) -> Result<PictureView, Problem> {
    let set = app.app_state().set(id)?.rows;
    app.with_engine(move |engine| {
        if arrangement.is_plain() {
            return engine.pictures().draw(&set, &query, None);
        }
        let arranged = engine.browse().arrange(&set, &arrangement)?;
        engine.pictures().draw(&set, &query, Some(&arranged.positions))
    })
    .await
}

/// Reads the working hours of a picture's lanes from the chosen site. Returns `None` if none are known.
#[tauri::command]
#[specta::specta]
pub(crate) async fn picture_calendar<R: Runtime>(
    app: AppHandle<R>,
    operation: String,
    picture: String,
) -> Result<Option<PictureView>, Problem> {
    let site = app.chosen_site().await?.name;
    app.engine().pictures().calendar(&site, &operation, &picture).await
}

/// Lists the bars of a plan that were moved but not sent.
#[tauri::command]
#[specta::specta]
pub(crate) async fn moved_bars<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    operation: String,
) -> Result<Vec<MovedBar>, Problem> {
    app.with_engine(move |engine| engine.browse().moved_bars(&site, &operation)).await
}

/// Stores the moved bars, also for the next start.
#[tauri::command]
#[specta::specta]
pub(crate) async fn store_moved_bars<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    operation: String,
    bars: Vec<MovedBar>,
) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.browse().store_moved_bars(&site, &operation, &bars)).await
}

/// Saves a PNG in base64. Returns the path, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn picture_save<R: Runtime>(
    app: AppHandle<R>,
    png: String,
    name: String,
    title: String,
) -> Result<Option<String>, Problem> {
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "png").await else { return Ok(None) };
    let shown = path.display().to_string();
    app.with_engine(move |engine| engine.pictures().save_png(&png, &path)).await?;
    Ok(Some(shown))
}

/// Opens the system's dialog for printing the window's content.
#[tauri::command]
#[specta::specta]
pub(crate) async fn window_print<R: Runtime>(window: WebviewWindow<R>) -> Result<(), Problem> {
    window.print().map_err(|error| Problem::new(Code::Bug).details(error))
}
