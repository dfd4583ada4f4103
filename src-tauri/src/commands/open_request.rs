//! Open requests from outside the window, and links that open orders and submissions.

use takt_engine::{Problem, open_target::OpenTarget, submission::SubmissionId};
use tauri::{AppHandle, Manager, Runtime};

use crate::{
    open_requests::{OpenRequest, OpenRequests},
    state::AppStateAccess,
};

/// Returns and removes the waiting requests, oldest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_requests_take<R: Runtime>(app: AppHandle<R>) -> Result<Vec<OpenRequest>, Problem> {
    Ok(app.state::<OpenRequests>().take_all())
}

/// Returns the link that opens an order of the chosen site.
#[tauri::command]
#[specta::specta]
pub(crate) async fn order_link<R: Runtime>(app: AppHandle<R>, code: String) -> Result<String, Problem> {
    let site = app.with_engine(move |engine| engine.sites().selected_site()).await?.name;
    Ok(OpenTarget::Order { code, site: Some(site) }.link().unwrap_or_default())
}

/// Returns the link that opens a submission of this history.
#[tauri::command]
#[specta::specta]
pub(crate) async fn submission_link<R: Runtime>(app: AppHandle<R>, id: SubmissionId) -> Result<String, Problem> {
    let view = app.with_engine(move |engine| engine.submissions().view(id)).await?;
    let target = OpenTarget::Submission { id, site: Some(view.site), begun: view.started.parse().ok() };
    Ok(target.link().unwrap_or_default())
}
