//! The rules that answer the chosen site's events: checking, trying, saving, exporting and importing them.

use takt_engine::{
    Problem,
    answers::{RuleCheck, RuleSet, RuleWords, Rules, RulesFailing, Trial, TrialProgress},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    dialogs,
    state::{AppStateAccess, cancellable, report_progress, run_blocking},
};

/// Returns the variables that rules can use, and example rules.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rule_words<R: Runtime>(app: AppHandle<R>) -> Result<RuleWords, Problem> {
    Ok(app.engine().answers().rule_words())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn rules_get<R: Runtime>(app: AppHandle<R>) -> Result<RuleSet, Problem> {
    app.with_engine(move |engine| engine.answers().rules(&engine.sites().selected_site()?.name)).await
}

/// Returns recent failures of the rules, or `None` if there are none.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rules_failing<R: Runtime>(app: AppHandle<R>) -> Result<Option<RulesFailing>, Problem> {
    app.with_engine(move |engine| engine.answers().failing_rules(&engine.sites().selected_site()?.name)).await
}

/// Returns the faults of each rule.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rules_check<R: Runtime>(app: AppHandle<R>, rules: Rules) -> Result<Vec<RuleCheck>, Problem> {
    app.with_engine(move |engine| engine.answers().check(&engine.sites().selected_site()?.name, &rules)).await
}

/// Runs the enabled rules on past events, and returns their decisions without sending any. Cancel it with
/// `ticket_stop`. `channel` receives the progress.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rules_try<R: Runtime>(
    app: AppHandle<R>,
    rules: Rules,
    others: bool,
    ticket: u32,
    channel: Channel<TrialProgress>,
) -> Result<Trial, Problem> {
    let trying = cancellable(&app, ticket, |canceller| {
        app.with_engine(move |engine| {
            let site = engine.sites().selected_site()?.name;
            engine
                .answers()
                .run_trial(&site, &rules, others, &canceller, |progress| report_progress(&channel, progress))
        })
    });
    trying.await
}

/// Activates rules. Each enabled rule must have been tried.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rules_save<R: Runtime>(app: AppHandle<R>, rules: Rules) -> Result<RuleSet, Problem> {
    app.with_engine(move |engine| engine.answers().save(&engine.sites().selected_site()?.name, &rules)).await
}

/// Asks where to save the rules, and writes them. Returns `None` if the dialog was canceled.
#[tauri::command]
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

/// Asks for a file with rules, and reads it. Returns `None` if the dialog was canceled. The rules aren't in force yet.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rules_import<R: Runtime>(app: AppHandle<R>, title: String) -> Result<Option<Rules>, Problem> {
    let Some(path) = dialogs::pick_mapping(&app, &title).await else { return Ok(None) };
    run_blocking(move || Rules::read(&path).map(Some)).await
}
