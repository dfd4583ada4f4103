//! Forwarding of events: targets, their state, and the delivery of single events.

use takt_engine::{
    Problem,
    forward::{ForwardTarget, ForwardedEvent, TargetSettings, TargetStart, TestSent},
};
use tauri::{AppHandle, Runtime};

use crate::{questions, state::AppStateAccess};

/// Lists the targets of all sites in the order in which they were added.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_targets<R: Runtime>(app: AppHandle<R>) -> Result<Vec<ForwardTarget>, Problem> {
    app.engine().inbox().targets().list().await
}

/// Adds a target to the chosen site, after the user has confirmed its address.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_add<R: Runtime>(
    app: AppHandle<R>,
    settings: TargetSettings,
    start: TargetStart,
) -> Result<(), Problem> {
    let site = app.chosen_site().await?.name;
    questions::ask(&app, questions::about_target(&site, None, &settings)).await?;
    app.with_engine(move |engine| engine.inbox().targets().add(&site, &settings, &start).map(drop)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_change<R: Runtime>(
    app: AppHandle<R>,
    id: i32,
    settings: TargetSettings,
) -> Result<(), Problem> {
    // The name is read once, so that the confirmed site is changed even if another one is chosen in the meantime.
    let site = app.chosen_site().await?.name;
    confirm_target(&app, &site, Some(id), &settings).await?;
    app.with_engine(move |engine| engine.inbox().targets().change(&site, id.into(), &settings)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_remove<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.inbox().targets().remove(&engine.sites().selected_site()?.name, id.into()))
        .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_pause<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.inbox().targets().pause(&engine.sites().selected_site()?.name, id.into()))
        .await
}

/// Resumes a target with the waiting events, or with the next event if `from_now` is set.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_resume<R: Runtime>(app: AppHandle<R>, id: i32, from_now: bool) -> Result<(), Problem> {
    app.with_engine(move |engine| {
        engine.inbox().targets().resume(&engine.sites().selected_site()?.name, id.into(), from_now)
    })
    .await
}

/// Retries the waiting events immediately.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_try<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.inbox().targets().retry_now(&engine.sites().selected_site()?.name, id.into()))
        .await
}

/// Lists the events that a target refused and that forwarding skipped, oldest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_aside<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<Vec<ForwardedEvent>, Problem> {
    app.with_engine(move |engine| {
        engine.inbox().targets().list_excluded_events(&engine.sites().selected_site()?.name, id.into())
    })
    .await
}

/// Sends skipped events again. Without ids, sends all of them.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_again<R: Runtime>(app: AppHandle<R>, id: i32, events: Vec<i32>) -> Result<u32, Problem> {
    let events: Vec<i64> = events.into_iter().map(i64::from).collect();
    app.with_engine(move |engine| {
        engine.inbox().targets().requeue_events(&engine.sites().selected_site()?.name, id.into(), &events)
    })
    .await
}

/// Sends a test event with the given settings. Secrets that the settings lack are taken from the target `before`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_test<R: Runtime>(
    app: AppHandle<R>,
    settings: TargetSettings,
    before: Option<i32>,
) -> Result<TestSent, Problem> {
    let site = app.chosen_site().await?.name;
    confirm_target(&app, &site, before, &settings).await?;
    app.engine().inbox().targets().send_test_event(&site, &settings, before.map(i64::from)).await
}

/// Returns the state of an event's delivery to each target of its site.
#[tauri::command]
#[specta::specta]
pub(crate) async fn forward_event<R: Runtime>(app: AppHandle<R>, event: i32) -> Result<Vec<ForwardedEvent>, Problem> {
    app.with_engine(move |engine| {
        engine.inbox().targets().list_forwards(&engine.sites().selected_site()?.name, event.into())
    })
    .await
}

/// Asks the user to confirm a new address of a target, and an address without encryption.
async fn confirm_target<R: Runtime>(
    app: &AppHandle<R>,
    site: &str,
    id: Option<i32>,
    settings: &TargetSettings,
) -> Result<(), Problem> {
    let mut targets = app.engine().inbox().targets().list().await?.into_iter();
    let before = targets.find(|target| target.site == site && Some(target.id) == id);
    let keeps_encryption = |target: &&ForwardTarget| !target.open || target.allow_http || !settings.allow_http;
    let address = before.as_ref().filter(keeps_encryption).map(|target| target.address.as_str());
    questions::ask(app, questions::about_target(site, address, settings)).await
}
