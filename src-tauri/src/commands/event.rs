//! The events of the inbox: listing, exporting and replaying them, and the times in which none could be received.

use takt_contract::EventKind;
use takt_engine::{
    Code, ExportFormat, Problem,
    inbox::{Destination, EventDetail, EventGap, EventList, EventQuery, Replay, ReplayPlan, ReplayResult},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    dialogs, preferences, questions,
    state::{AppStateAccess, cancellable, report_progress, run_blocking},
};

const LAST_QUERY_KEY: &str = "events";

/// Lists the kinds of events of the built-in contract, with the service's numbers.
#[tauri::command]
#[specta::specta]
pub(crate) async fn event_kinds<R: Runtime>(app: AppHandle<R>) -> Result<Vec<EventKind>, Problem> {
    Ok(app.engine().sites().builtin_contract().events().to_vec())
}

/// Lists matching events, newest first, starting at an offset.
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

/// Returns the last query of the events page, or the default if none is stored or readable.
#[tauri::command]
#[specta::specta]
pub(crate) async fn event_last_query<R: Runtime>(app: AppHandle<R>) -> Result<EventQuery, Problem> {
    run_blocking(move || {
        let stored = preferences::open_store(&app)?.get(LAST_QUERY_KEY);
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn event_last_query_save<R: Runtime>(app: AppHandle<R>, query: EventQuery) -> Result<(), Problem> {
    let value = serde_json::to_value(query).map_err(|error| Problem::new(Code::Bug).details(error))?;
    run_blocking(move || preferences::save_value(&app, LAST_QUERY_KEY, value)).await
}

/// Previews a replay: its events by kind, and its destination. Sends nothing.
#[tauri::command]
#[specta::specta]
pub(crate) async fn replay_plan<R: Runtime>(
    app: AppHandle<R>,
    query: EventQuery,
    to: Destination,
) -> Result<ReplayPlan, Problem> {
    let events = app.engine().inbox().list_replayable_ids(&query).await?;
    app.engine().inbox().plan_replay(query.site.as_deref(), &events, &to).await
}

/// Sends events again, and reports the result of each. Cancel it with `ticket_stop`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn replay_send<R: Runtime>(
    app: AppHandle<R>,
    query: EventQuery,
    to: Destination,
    per_second: f64,
    ticket: u32,
    channel: Channel<ReplayResult>,
) -> Result<(), Problem> {
    let events = app.engine().inbox().list_replayable_ids(&query).await?;
    questions::ask(&app, questions::about_replay(&to, events.len())).await?;
    let replay = Replay { site: query.site, events, to, per_second };
    let engine = app.engine();
    cancellable(&app, ticket, |canceller| async move {
        engine.inbox().replay(&replay, &canceller, |replayed| report_progress(&channel, replayed)).await
    })
    .await
}

/// Writes the matching events to a file, and reports the progress. Returns the path, or `None` if the dialog was
/// canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn event_export<R: Runtime>(
    app: AppHandle<R>,
    query: EventQuery,
    format: ExportFormat,
    title: String,
    name: String,
    ticket: u32,
    channel: Channel<u32>,
) -> Result<Option<String>, Problem> {
    let extension = if format == ExportFormat::Json { Some("jsonl") } else { None };
    let path = match extension {
        Some(extension) => dialogs::save_with_extension(&app, &title, &name, extension).await,
        None => dialogs::save_as(&app, &title, &name, format).await,
    };
    let Some(path) = path else { return Ok(None) };
    let engine = app.engine();
    let shown = path.display().to_string();
    cancellable(&app, ticket, |canceller| async move {
        engine
            .inbox()
            .export(&query, None, format, &path, &canceller, move |count| report_progress(&channel, count))
            .await
    })
    .await?;
    Ok(Some(shown))
}
