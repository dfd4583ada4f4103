//! What the service told: the events of the inbox, each with everything that is known about it, and when none could come.

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

const LOOKED_FOR: &str = "events";

/// The events that the contract describes, by their numbers.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_kinds<R: Runtime>(app: AppHandle<R>) -> Result<Vec<EventKind>, Problem> {
    Ok(app.app_state().engine.sites().builtin_contract().events().to_vec())
}

/// Events that fit, newest first, from a position on.
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

/// What was looked for last in the list.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_last_query<R: Runtime>(app: AppHandle<R>) -> Result<EventQuery, Problem> {
    let kept = preferences::store(&app)?.get(LOOKED_FOR);
    Ok(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn event_last_query_save<R: Runtime>(app: AppHandle<R>, query: EventQuery) -> Result<(), Problem> {
    let value = serde_json::to_value(query).map_err(|error| Problem::new(Code::Bug).details(error))?;
    preferences::save_value(&app, LOOKED_FOR, value)
}
