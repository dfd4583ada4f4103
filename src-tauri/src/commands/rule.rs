//! The rules that answer the chosen site's events: read, checked as they are written, tried on past events, put in force.

use std::sync::Arc;

use takt_engine::{
    Problem,
    answers::{RuleCheck, RuleSet, RuleWords, Rules, RulesFailing, Trial, TrialProgress},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    dialogs,
    state::{AppStateAccess, cancellable, report_progress, run_blocking},
};

/// What rules can speak of, and examples to start from.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rule_words<R: Runtime>(app: AppHandle<R>) -> Result<RuleWords, Problem> {
    Ok(app.app_state().engine.answers().words())
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rules_get<R: Runtime>(app: AppHandle<R>) -> Result<RuleSet, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.answers().rules(&engine.sites().chosen()?.name)).await
}

/// What of the rules failed lately; `None` where they answer.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rules_failing<R: Runtime>(app: AppHandle<R>) -> Result<Option<RulesFailing>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.answers().failing(&engine.sites().chosen()?.name)).await
}

/// What is wrong with each rule as it stands.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rules_check<R: Runtime>(app: AppHandle<R>, rules: Rules) -> Result<Vec<RuleCheck>, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.answers().check(&engine.sites().chosen()?.name, &rules)).await
}

/// What the rules that are on would have answered. `ticket` names the trial for `ticket_stop`, and `channel` hears how far it is.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rules_try<R: Runtime>(
    app: AppHandle<R>,
    rules: Rules,
    others: bool,
    ticket: u32,
    channel: Channel<TrialProgress>,
) -> Result<Trial, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let trying = cancellable(&app, ticket, |canceller| {
        run_blocking(move || {
            let site = engine.sites().chosen()?.name;
            engine.answers().try_out(&site, &rules, others, &canceller, |progress| report_progress(&channel, progress))
        })
    });
    trying.await
}

/// Puts rules in force; each that is on must have been tried.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rules_save<R: Runtime>(app: AppHandle<R>, rules: Rules) -> Result<RuleSet, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    run_blocking(move || engine.answers().save(&engine.sites().chosen()?.name, &rules)).await
}

/// Asks where to, and writes the rules there; `None` where the dialog was cancelled.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rules_export<R: Runtime>(
    app: AppHandle<R>,
    rules: Rules,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "json").await else { return Ok(None) };
    run_blocking(move || {
        rules.write(&path)?;
        Ok(Some(path.display().to_string()))
    })
    .await
}

/// Asks for a file with rules; `None` where the dialog was cancelled. They aren't in force by that.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn rules_import(title: String) -> Result<Option<Rules>, Problem> {
    let Some(path) = dialogs::pick_mapping(&title).await else { return Ok(None) };
    run_blocking(move || Rules::read(&path).map(Some)).await
}
