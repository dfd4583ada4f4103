//! A sheet's rows beside what the chosen site holds.

use std::sync::Arc;

use takt_engine::{Canceller, ImportView, Problem};
use tauri::{AppHandle, Wry};
use tokio::runtime::Handle;

use crate::{
    commands::site,
    desk::{DeskState, busy},
};

/// Reads what the sheet's fields need to know of the chosen site, as far as it isn't known (`again`: whatever is known), and
/// checks the rows against it. What couldn't be read is said in the view.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_against(app: AppHandle<Wry>, id: u32, again: bool) -> Result<ImportView, Problem> {
    let engine = Arc::clone(&app.desk().engine);
    let here = Handle::current();
    let found = busy(move || {
        let chosen = engine.chosen_site()?;
        here.block_on(engine.check_against(&chosen.name, id, again, &Canceller::new()))
    });
    let found = found.await;
    site::changed(&app);
    found
}
