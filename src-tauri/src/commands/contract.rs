//! Sites' own contracts: looked at, taken, and earlier ones taken again.

use takt_engine::{
    Canceller, Problem,
    contract::{Assumption, ContractVersion, DriftEntry, Operation, OperationDifference},
    contracts::{
        AssumptionEdit, ContractDifferences, ContractPreview, ContractTest, MatchChoice, OperationEdit, SingleAnswer,
        SingleRequest,
    },
};
use tauri::{AppHandle, Runtime};

use crate::{
    commands::site,
    dialogs,
    state::{AppStateAccess, run_blocking},
};

/// A person chooses a document; what it would change. Nothing where nothing was chosen.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_pick<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    title: String,
) -> Result<Option<ContractPreview>, Problem> {
    let Some(path) = dialogs::pick_document(&title).await else { return Ok(None) };
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.contracts().preview_file(Some(&site), &path, &[]).map(Some)).await
}

/// The site is asked for its document at the usual addresses, or at one that a person knows.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_fetch<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    address: Option<String>,
) -> Result<ContractPreview, Problem> {
    let engine = app.app_state().engine.clone();
    engine.contracts().preview_address(&site, address.as_deref(), &[]).await
}

/// What a version of a site's contract says otherwise than an earlier one; 0 is the built-in contract.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_compare<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    before: u32,
    after: u32,
) -> Result<ContractDifferences, Problem> {
    app.app_state().engine.contracts().compare_versions(&site, before, after)
}

/// The document that was looked at last, with other choices.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_match<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    choices: Vec<MatchChoice>,
) -> Result<ContractPreview, Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || engine.contracts().preview_again(&site, &choices)).await
}

/// Takes the document that was looked at last; gives the version's number.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_take<R: Runtime>(app: AppHandle<R>, site: String) -> Result<u32, Problem> {
    let version = app.app_state().engine.contracts().take(&site)?;
    site::changed(&app);
    Ok(version)
}

/// Every version of a site's contract, newest first.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_versions<R: Runtime>(
    app: AppHandle<R>,
    site: String,
) -> Result<Vec<ContractVersion>, Problem> {
    app.app_state().engine.contracts().versions(&site)
}

/// Puts an earlier version in force again; 0 is the built-in contract.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_restore<R: Runtime>(app: AppHandle<R>, site: String, number: u32) -> Result<u32, Problem> {
    let version = app.app_state().engine.contracts().restore(&site, number)?;
    site::changed(&app);
    Ok(version)
}

/// What the contract in force at a site changes of the built-in one.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_differences<R: Runtime>(
    app: AppHandle<R>,
    site: String,
) -> Result<Vec<OperationDifference>, Problem> {
    app.app_state().engine.contracts().differences(&site)
}

/// Every operation, as the contract in force at a site has it.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_operations<R: Runtime>(
    app: AppHandle<R>,
    site: String,
) -> Result<Vec<Operation>, Problem> {
    Ok(app.app_state().engine.sites().contract(&site)?.operations().to_vec())
}

/// What is decided for the service as a whole, with what a site says instead.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_assumptions<R: Runtime>(
    app: AppHandle<R>,
    site: String,
) -> Result<Vec<Assumption>, Problem> {
    Ok(app.app_state().engine.sites().contract(&site)?.assumptions().to_vec())
}

/// Replaces assumptions by hand, as a new version; gives its number.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_replace_assumptions<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    edits: Vec<AssumptionEdit>,
) -> Result<u32, Problem> {
    let version = app.app_state().engine.contracts().replace_assumptions(&site, &edits)?;
    site::changed(&app);
    Ok(version)
}

/// Asks each read once and says what the answers show; nothing is written. What was learned is taken like a document.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_learn<R: Runtime>(app: AppHandle<R>, site: String) -> Result<ContractTest, Problem> {
    let engine = app.app_state().engine.clone();
    engine.contracts().test(&site, &Canceller::new()).await
}

/// Sets operations by hand, as a new version; gives its number.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_edit<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    edits: Vec<OperationEdit>,
) -> Result<u32, Problem> {
    let version = app.app_state().engine.contracts().edit(&site, &edits)?;
    site::changed(&app);
    Ok(version)
}

/// Asks a read once as it would be with an edit, which isn't kept.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_ask<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    asked: SingleRequest,
) -> Result<SingleAnswer, Problem> {
    let engine = app.app_state().engine.clone();
    engine.contracts().ask_once(&site, &asked, &Canceller::new()).await
}

/// What a site answers otherwise than its contract in force says, as far as answers were looked at.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn contract_drift<R: Runtime>(app: AppHandle<R>, site: String) -> Result<Vec<DriftEntry>, Problem> {
    app.app_state().engine.contracts().drift(&site)
}
