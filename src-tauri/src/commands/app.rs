//! What the window needs to know before it shows anything, and the contract.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_contract::Operation;
use takt_engine::{
    Problem,
    maintenance::SalvageView,
    sites::{LimitView, SiteView, VaultPlace},
    submission::{SubmissionState, SubmissionView},
    system::account_name,
};
use tauri::{AppHandle, Runtime};

use crate::{
    preferences::{self, Language},
    state::AppStateAccess,
};

/// Everything around the pages.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppState {
    pub(crate) version: String,
    /// Who sits here, as the history names them; empty where the system doesn't say.
    pub(crate) person: String,
    pub(crate) sites: Vec<SiteView>,
    /// IT lets nobody add a site.
    pub(crate) only_managed_sites: bool,
    pub(crate) vault: VaultPlace,
    /// Of the chosen site; absent before its first answer.
    pub(crate) limit: Option<LimitView>,
    /// False where the practice plant couldn't start.
    pub(crate) practice_ready: bool,
    /// Absent: the system's.
    pub(crate) language: Option<Language>,
    /// Submissions that can be taken up again.
    pub(crate) interrupted: Vec<SubmissionView>,
    /// Damaged files that were replaced, until a person knows.
    pub(crate) salvages: Vec<SalvageView>,
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn app_state<R: Runtime>(app: AppHandle<R>) -> Result<AppState, Problem> {
    AppState::read(&app)
}

impl AppState {
    pub(crate) fn read<R: Runtime>(app: &AppHandle<R>) -> Result<Self, Problem> {
        let desk = app.app_state();
        let engine = &desk.engine;
        let chosen = engine.sites().chosen()?;
        let interrupted = engine
            .submissions()
            .list()?
            .into_iter()
            .filter(|submission| submission.state == SubmissionState::Interrupted && submission.counts.pending > 0)
            .collect();
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            person: account_name(),
            sites: engine.sites().list()?,
            only_managed_sites: engine.maintenance().policy().only_these_sites,
            vault: engine.sites().secrets().place(),
            limit: engine.sites().limit(&chosen.name),
            practice_ready: desk.plant.is_some(),
            language: preferences::load(app).language,
            interrupted,
            salvages: engine.maintenance().salvages()?,
        })
    }
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn operations<R: Runtime>(app: AppHandle<R>) -> Result<Vec<Operation>, Problem> {
    let sites = app.app_state().engine.sites();
    Ok(sites.contract(&sites.chosen()?.name)?.operations().to_vec())
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_document<R: Runtime>(app: AppHandle<R>) -> Result<serde_json::Value, Problem> {
    Ok(app.app_state().engine.sites().builtin_contract().document().clone())
}

/// Where the embedded practice plant answers, and what another program needs to talk to it (a toy's keys, not secrets).
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

#[tauri::command(root = "crate")]
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
