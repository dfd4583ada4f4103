//! Templates: their processes, and the cleanup of links.

use std::sync::Arc;

use takt_engine::{Link, Problem, SubmissionView, TemplateView};
use tauri::{AppHandle, Wry};

use crate::desk::DeskState;

#[tauri::command]
#[specta::specta]
pub(crate) async fn template_remembered(app: AppHandle<Wry>) -> Result<Vec<f64>, Problem> {
    let desk = app.desk();
    let site = desk.engine.chosen_site()?.name;
    Ok(desk.engine.remembered_templates(&site)?.into_iter().map(as_number).collect())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn template_forget(app: AppHandle<Wry>, id: f64) -> Result<(), Problem> {
    let desk = app.desk();
    let site = desk.engine.chosen_site()?.name;
    desk.engine.forget_template(&site, as_id(id))
}

/// Reads several templates: `12, 14, 20-24`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_read(app: AppHandle<Wry>, ids: String) -> Result<Vec<TemplateView>, Problem> {
    let engine = Arc::clone(&app.desk().engine);
    let site = engine.chosen_site()?.name;
    let ids = takt_engine::parse_template_ids(&ids)?;
    engine.read_templates(&site, &ids).await
}

/// Deletes links as a submission like any other.
#[tauri::command]
#[specta::specta]
pub(crate) async fn links_delete(
    app: AppHandle<Wry>,
    links: Vec<Link>,
    confirmed: Option<String>,
) -> Result<SubmissionView, Problem> {
    let engine = Arc::clone(&app.desk().engine);
    let site = engine.chosen_site()?.name;
    engine.delete_links(&site, &links, confirmed).await
}

#[expect(clippy::cast_precision_loss, reason = "template ids stay below 2^53, the window's largest whole number")]
fn as_number(id: i64) -> f64 {
    id as f64
}

#[expect(clippy::cast_possible_truncation, reason = "a whole number that the window was given")]
fn as_id(number: f64) -> i64 {
    number as i64
}
