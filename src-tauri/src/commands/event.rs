//! The events of the inbox, their details, and the times in which none could be received.

use takt_contract::EventKind;
use takt_engine::{
    Code, Problem,
    inbox::{EventDetail, EventGap, EventList, EventQuery},
};
use tauri::{AppHandle, Runtime};

use crate::{
    preferences,
    state::{AppStateAccess, run_blocking},
};

const LAST_QUERY: &str = "events";

/// Lists the events that the contract describes, with their numbers.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_kinds<R: Runtime>(app: AppHandle<R>) -> Result<Vec<EventKind>, Problem> {
    Ok(app.app_state().engine.sites().builtin_contract().events().to_vec())
}

/// Lists matching events from an offset on, newest first.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_list<R: Runtime>(
    app: AppHandle<R>,
    query: EventQuery,
    offset: u32,
    limit: u32,
) -> Result<EventList, Problem> {
    app.app_state().engine.inbox().list(&query, offset, limit).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_get<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<EventDetail, Problem> {
    let engine = app.app_state().engine.clone();
    engine.inbox().get(Some(&engine.sites().chosen()?.name), id.into()).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_gaps<R: Runtime>(app: AppHandle<R>) -> Result<Vec<EventGap>, Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.inbox().gaps()).await
}

/// Returns the last query of the list.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_last_query<R: Runtime>(app: AppHandle<R>) -> Result<EventQuery, Problem> {
    let stored = preferences::store(&app)?.get(LAST_QUERY);
    Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_last_query_save<R: Runtime>(app: AppHandle<R>, query: EventQuery) -> Result<(), Problem> {
    let value = serde_json::to_value(query).map_err(|error| Problem::new(Code::Bug).details(error))?;
    preferences::save_value(&app, LAST_QUERY, value)
}
