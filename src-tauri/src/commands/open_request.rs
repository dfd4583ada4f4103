//! What is opened from outside the window, and the links by which a colleague opens it.

use std::sync::Arc;

use takt_engine::{Problem, open_target::OpenTarget, submission::SubmissionId};
use tauri::{AppHandle, Manager, Runtime};

use crate::{
    open_requests::{OpenRequest, OpenRequests},
    state::{AppStateAccess, run_blocking},
};

/// What waits to be opened, oldest first; each is given once.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn open_requests_take<R: Runtime>(app: AppHandle<R>) -> Result<Vec<OpenRequest>, Problem> {
    Ok(app.state::<OpenRequests>().take())
}

/// The link that opens an order of the chosen site.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn order_link<R: Runtime>(app: AppHandle<R>, code: String) -> Result<String, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let site = run_blocking(move || engine.sites().chosen()).await?.name;
    Ok(OpenTarget::Order { code, site: Some(site) }.link().unwrap_or_default())
}

/// The link that opens a submission of this history.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn submission_link<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<String, Problem> {
    let engine = Arc::clone(&app.app_state().engine);
    let view = run_blocking(move || engine.submissions().view(id)).await?;
    let target = OpenTarget::Submission { id, site: Some(view.site), begun: view.started.parse().ok() };
    Ok(target.link().unwrap_or_default())
}
