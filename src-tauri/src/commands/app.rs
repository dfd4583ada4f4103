//! The state that the window needs before it shows anything, the contract, and canceling long calls.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_contract::Operation;
use takt_engine::{
    Problem,
    maintenance::SalvageView,
    sites::{LimitView, SiteView, VaultStorage},
    submission::{SubmissionState, SubmissionView},
    system::account_name,
};
use tauri::{AppHandle, Runtime};

use crate::{
    preferences::{self, Language},
    state::{AppStateAccess, run_blocking},
};

/// The state of the window's frame, which is visible on every page: sites, sign-in, rate limit and notices.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppView {
    pub(crate) version: String,
    /// The user's name as it appears in the history. Empty if the system provides none.
    pub(crate) person: String,
    pub(crate) sites: Vec<SiteView>,
    /// Whether managed settings prevent users from adding sites.
    pub(crate) only_managed_sites: bool,
    pub(crate) vault: VaultStorage,
    /// The rate limit of the chosen site, absent before its first response.
    pub(crate) limit: Option<LimitView>,
    /// False if the practice plant couldn't start.
    pub(crate) practice_ready: bool,
    /// Absent means the system's language.
    pub(crate) language: Option<Language>,
    /// Submissions that can be resumed.
    pub(crate) interrupted: Vec<SubmissionView>,
    /// Damaged files that were replaced, until the user acknowledges them.
    pub(crate) salvages: Vec<SalvageView>,
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn app_state<R: Runtime>(app: AppHandle<R>) -> Result<AppView, Problem> {
    run_blocking(move || AppView::read(&app)).await
}

impl AppView {
    pub(crate) fn read<R: Runtime>(app: &AppHandle<R>) -> Result<Self, Problem> {
        let state = app.app_state();
        let engine = &state.engine;
        let chosen = engine.sites().selected_site()?;
        let interrupted = engine
            .submissions()
            .list()?
            .into_iter()
            .filter(|submission| {
                let is_interrupted = submission.state == SubmissionState::Interrupted && submission.counts.pending > 0;
                is_interrupted && !submission.plant_gone
            })
            .collect();
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            person: account_name(),
            sites: engine.sites().list()?,
            only_managed_sites: engine.maintenance().policy().only_these_sites,
            vault: engine.sites().secrets().storage(),
            limit: engine.sites().rate_limit(&chosen.name),
            practice_ready: state.plant.is_some(),
            language: preferences::load(app).language,
            interrupted,
            salvages: engine.maintenance().salvages()?,
        })
    }
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn operations<R: Runtime>(app: AppHandle<R>) -> Result<Vec<Operation>, Problem> {
    app.with_engine(move |engine| {
        let contract = engine.sites().contract(&engine.sites().selected_site()?.name)?;
        Ok(contract.operations().to_vec())
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_document<R: Runtime>(app: AppHandle<R>) -> Result<serde_json::Value, Problem> {
    Ok(app.engine().sites().builtin_contract().document().clone())
}

/// The address of the embedded practice plant and the credentials for other programs. They aren't secret.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PracticeView {
    pub(crate) base_url: String,
    pub(crate) auth_url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: String,
    pub(crate) control_url: String,
    pub(crate) control_key: String,
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn practice_plant<R: Runtime>(app: AppHandle<R>) -> Result<Option<PracticeView>, Problem> {
    Ok(app.app_state().plant.as_ref().map(|plant| PracticeView {
        base_url: plant.base_url.clone(),
        auth_url: plant.auth_url.clone(),
        client_id: plant.client_id.clone(),
        client_secret: plant.client_secret.clone(),
        control_url: plant.control_url.clone(),
        control_key: plant.control_key.clone(),
    }))
}

/// Cancels the running call that the page started with this ticket. Has no effect if the call has ended.
#[tauri::command]
#[specta::specta]
pub(crate) async fn ticket_stop<R: Runtime>(app: AppHandle<R>, ticket: u32) -> Result<(), Problem> {
    app.app_state().stop_ticket(ticket);
    Ok(())
}
