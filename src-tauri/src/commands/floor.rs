//! The state of the shop floor according to events, an order's events, and the events after a row was sent.

use std::sync::Arc;

use takt_engine::{
    Problem,
    shop_floor::{Floor, FloorRead, OrderEvents, RowEvents, RowQuery},
    submission::{ResultPage, SubmissionId},
};
use tauri::{AppHandle, Runtime};

use crate::{
    commands::site,
    state::{AppStateAccess, cancellable},
};

/// Returns the state of the chosen site's floor according to the events.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn floor_now<R: Runtime>(app: AppHandle<R>) -> Result<Floor, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let chosen = engine.sites().chosen()?;
    engine.floor().view(&chosen.name).await
}

/// Reads the service's orders and stations, and returns their differences. Cancel it with `ticket_stop`.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn floor_read<R: Runtime>(app: AppHandle<R>, ticket: u32) -> Result<FloorRead, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let chosen = engine.sites().chosen()?;
    let reading = cancellable(&app, ticket, |canceller| {
        let (engine, site) = (&engine, &chosen.name);
        async move { engine.floor().read(site, &canceller).await }
    });
    let found = reading.await;
    site::changed(&app);
    found
}

/// Lists the chosen site's events that name an order, oldest first.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn order_events<R: Runtime>(app: AppHandle<R>, code: String) -> Result<OrderEvents, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let chosen = engine.sites().chosen()?;
    engine.floor().order_events(&chosen.name, &code).await
}

/// Returns the events that came after each row was sent, or `None` if the submission isn't about orders.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_events<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    rows: Vec<RowQuery>,
) -> Result<Option<Vec<RowEvents>>, Problem> {
    app.app_state().engine.floor().row_events(id, &rows).await
}

/// Lists accepted rows whose order hasn't started since, or `None` if the submission isn't about orders.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_not_begun<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    offset: u32,
    limit: u32,
) -> Result<Option<ResultPage>, Problem> {
    app.app_state().engine.floor().rows_not_begun(id, offset, limit).await
}
