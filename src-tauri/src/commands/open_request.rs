//! Open requests from outside the window, and links that open orders and submissions.

use std::sync::Arc;

use takt_engine::{Problem, open_target::OpenTarget, submission::SubmissionId};
use tauri::{AppHandle, Manager, Runtime};

use crate::{
    open_requests::{OpenRequest, OpenRequests},
    state::{AppStateAccess, run_blocking},
};

/// Returns and removes the waiting requests, oldest first.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn open_requests_take<R: Runtime>(app: AppHandle<R>) -> Result<Vec<OpenRequest>, Problem> {
    Ok(app.state::<OpenRequests>().take())
}

/// Returns the link that opens an order of the chosen site.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn order_link<R: Runtime>(app: AppHandle<R>, code: String) -> Result<String, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let site = run_blocking(move || engine.sites().chosen()).await?.name;
    Ok(OpenTarget::Order { code, site: Some(site) }.link().unwrap_or_default())
}

/// Returns the link that opens a submission of this history.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_link<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<String, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let view = run_blocking(move || engine.submissions().view(id)).await?;
    let target = OpenTarget::Submission { id, site: Some(view.site), begun: view.started.parse().ok() };
    Ok(target.link().unwrap_or_default())
}
