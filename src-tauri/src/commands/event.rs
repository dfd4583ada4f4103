//! What the service told: the events of the inbox, each with everything that is known about it, and when none could come.

use takt_contract::EventKind;
use takt_engine::{EventDetail, EventGap, EventList, EventQuery, Problem};
use tauri::{AppHandle, Wry};

use crate::desk::{DeskState, busy};

/// The events that the contract describes, by their numbers.
#[tauri::command]
#[specta::specta]
pub(crate) async fn event_kinds(app: AppHandle<Wry>) -> Result<Vec<EventKind>, Problem> {
    Ok(app.desk().engine.contract().events().to_vec())
}

/// Events that fit, newest first, from a position on.
#[tauri::command]
#[specta::specta]
pub(crate) async fn event_list(
    app: AppHandle<Wry>,
    query: EventQuery,
    offset: u32,
    limit: u32,
) -> Result<EventList, Problem> {
    app.desk().engine.events(&query, offset, limit).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn event_get(app: AppHandle<Wry>, id: i32) -> Result<EventDetail, Problem> {
    app.desk().engine.event(id.into()).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn event_gaps(app: AppHandle<Wry>) -> Result<Vec<EventGap>, Problem> {
    let engine = app.desk().engine.clone();
    busy(move || engine.event_gaps()).await
}
