//! The state of the shop floor according to events, an order's events, and the events after a row was sent.

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
#[tauri::command]
#[specta::specta]
pub(crate) async fn floor_now<R: Runtime>(app: AppHandle<R>) -> Result<Floor, Problem> {
    let site = app.chosen_site().await?.name;
    app.engine().floor().view(&site).await
}

/// Reads the service's orders and stations, and returns their differences. Cancel it with `ticket_stop`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn floor_read<R: Runtime>(app: AppHandle<R>, ticket: u32) -> Result<FloorRead, Problem> {
    let engine = app.engine();
    let chosen = app.chosen_site().await?;
    let reading = cancellable(&app, ticket, |canceller| {
        let (engine, site) = (&engine, &chosen.name);
        async move { engine.floor().compare_with_service(site, &canceller).await }
    });
    let found = reading.await;
    site::emit_changed(&app);
    found
}

/// Lists the chosen site's events that name an order, oldest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn order_events<R: Runtime>(app: AppHandle<R>, code: String) -> Result<OrderEvents, Problem> {
    let site = app.chosen_site().await?.name;
    app.engine().floor().order_events(&site, &code).await
}

/// Returns the events that were received after each row was sent. `None` if the submission's rows have no order.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_events<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    rows: Vec<RowQuery>,
) -> Result<Option<Vec<RowEvents>>, Problem> {
    app.engine().floor().row_events(id, &rows).await
}

/// Lists accepted rows whose order hasn't started since. `None` if the submission's rows have no order.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_not_begun<R: Runtime>(
    app: AppHandle<R>,
    id: SubmissionId,
    offset: u32,
    limit: u32,
) -> Result<Option<ResultPage>, Problem> {
    app.engine().floor().find_unbegun_rows(id, offset, limit).await
}
