//! Sending events again to an address, and exporting them to a file.

use takt_engine::{
    ExportFormat, Problem,
    inbox::{Destination, EventQuery, Replay, ReplayPlan, ReplayResult},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    dialogs, questions,
    state::{AppStateAccess, cancellable, report_progress},
};

/// Returns what a replay would send.
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
