//! Where events are sent on to: targets, how each is doing, and what became of an event at each.

use takt_engine::{
    Problem,
    forward::{ForwardTarget, ForwardedEvent, TargetSettings, TargetStart, TestSent},
};
use tauri::{AppHandle, Runtime};

use crate::{
    questions,
    state::{AppStateAccess, run_blocking},
};

/// Of all sites, in the order in which they were added.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_targets<R: Runtime>(app: AppHandle<R>) -> Result<Vec<ForwardTarget>, Problem> {
    app.app_state().engine.inbox().targets().list().await
}

/// Adds a target to the chosen site.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_add<R: Runtime>(
    app: AppHandle<R>,
    settings: TargetSettings,
    start: TargetStart,
) -> Result<(), Problem> {
    let engine = app.app_state().engine.clone();
    questions::ask(&app, questions::of_target(&engine.sites().chosen()?.name, None, &settings)).await?;
    run_blocking(move || engine.inbox().targets().add(&engine.sites().chosen()?.name, &settings, &start).map(drop))
        .await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_change<R: Runtime>(
    app: AppHandle<R>,
    id: i32,
    settings: TargetSettings,
) -> Result<(), Problem> {
    let engine = app.app_state().engine.clone();
    confirmed(&app, Some(id), &settings).await?;
    run_blocking(move || engine.inbox().targets().change(&engine.sites().chosen()?.name, id.into(), &settings)).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_remove<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<(), Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.inbox().targets().remove(&engine.sites().chosen()?.name, id.into())).await
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_pause<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<(), Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.inbox().targets().pause(&engine.sites().chosen()?.name, id.into())).await
}

/// Goes on with what waits, or, from now, only with what comes next.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_resume<R: Runtime>(app: AppHandle<R>, id: i32, from_now: bool) -> Result<(), Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.inbox().targets().resume(&engine.sites().chosen()?.name, id.into(), from_now)).await
}

/// Tries at once what wasn't taken.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_try<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<(), Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.inbox().targets().try_now(&engine.sites().chosen()?.name, id.into())).await
}

/// What a target refused and is set aside, oldest first.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_aside<R: Runtime>(app: AppHandle<R>, id: i32) -> Result<Vec<ForwardedEvent>, Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.inbox().targets().set_aside(&engine.sites().chosen()?.name, id.into())).await
}

/// Has events sent again that were set aside: these, or all where none is named.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_again<R: Runtime>(app: AppHandle<R>, id: i32, events: Vec<i32>) -> Result<u32, Problem> {
    let engine = app.app_state().engine.clone();
    let events: Vec<i64> = events.into_iter().map(i64::from).collect();
    run_blocking(move || engine.inbox().targets().send_again(&engine.sites().chosen()?.name, id.into(), &events)).await
}

/// Sends a test event to a target as it is wanted; `before` is the one whose secrets stand where the settings have none.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_test<R: Runtime>(
    app: AppHandle<R>,
    settings: TargetSettings,
    before: Option<i32>,
) -> Result<TestSent, Problem> {
    let engine = app.app_state().engine.clone();
    confirmed(&app, before, &settings).await?;
    let site = engine.sites().chosen()?.name;
    engine.inbox().targets().try_out(&site, &settings, before.map(i64::from)).await
}

/// What became of an event at each target of its site.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn forward_event<R: Runtime>(app: AppHandle<R>, event: i32) -> Result<Vec<ForwardedEvent>, Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.inbox().targets().forwarded(&engine.sites().chosen()?.name, event.into())).await
}

/// Events go to another address than a target has only where a person confirmed it, and to one that isn't encrypted.
async fn confirmed<R: Runtime>(app: &AppHandle<R>, id: Option<i32>, settings: &TargetSettings) -> Result<(), Problem> {
    let engine = app.app_state().engine.clone();
    let site = engine.sites().chosen()?.name;
    let mut targets = engine.inbox().targets().list().await?.into_iter();
    let before = targets.find(|target| target.site == site && Some(target.id) == id);
    let known = |target: &&ForwardTarget| !target.open || target.allow_http || !settings.allow_http;
    let address = before.as_ref().filter(known).map(|target| target.address.as_str());
    questions::ask(app, questions::of_target(&site, address, settings)).await
}
