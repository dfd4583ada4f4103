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
#[tauri::command]
#[specta::specta]
pub(crate) async fn event_kinds<R: Runtime>(app: AppHandle<R>) -> Result<Vec<EventKind>, Problem> {
    Ok(app.engine().sites().builtin_contract().events().to_vec())
}

/// Lists matching events from an offset on, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn event_list<R: Runtime>(
    app: AppHandle<R>,
    query: EventQuery,
    offset: u32,
    limit: u32,
) -> Result<EventList, Problem> {
    app.engine().inbox().list(&query, offset, limit).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn event_get<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<EventDetail, Problem> {
    let site = app.chosen_site().await?.name;
    app.engine().inbox().get(Some(&site), id.into()).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn event_gaps<R: Runtime>(app: AppHandle<R>) -> Result<Vec<EventGap>, Problem> {
    app.with_engine(move |engine| engine.inbox().gaps()).await
}

/// Returns the last query of the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn event_last_query<R: Runtime>(app: AppHandle<R>) -> Result<EventQuery, Problem> {
    run_blocking(move || {
        let stored = preferences::store(&app)?.get(LAST_QUERY);
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn event_last_query_save<R: Runtime>(app: AppHandle<R>, query: EventQuery) -> Result<(), Problem> {
    let value = serde_json::to_value(query).map_err(|error| Problem::new(Code::Bug).details(error))?;
    run_blocking(move || preferences::save_value(&app, LAST_QUERY, value)).await
}
