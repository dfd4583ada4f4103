//! Sites' own contracts: previewing, adopting, editing and restoring them.

use takt_engine::{
    Canceller, Problem,
    contract::{Assumption, ContractVersion, DriftEntry, Operation, OperationDifference},
    contracts::{
        AssumptionEdit, ContractDifferences, ContractPreview, ContractTest, MatchChoice, OperationEdit, SingleAnswer,
        SingleRequest,
    },
};
use tauri::{AppHandle, Runtime};

use crate::{commands::site, dialogs, state::AppStateAccess};

/// Lets the user choose a document, and previews its changes to the contract. `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_pick<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    title: String,
) -> Result<Option<ContractPreview>, Problem> {
    let Some(path) = dialogs::pick_document(&app, &title).await else { return Ok(None) };
    app.with_engine(move |engine| engine.contracts().preview_file(Some(&site), &path, &[]).map(Some)).await
}

/// Fetches the site's document from `address`, or from the usual addresses, and previews its changes to the contract.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_fetch<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    address: Option<String>,
) -> Result<ContractPreview, Problem> {
    app.engine().contracts().preview_address(&site, address.as_deref(), &[]).await
}

/// Compares two versions of a site's contract. Version 0 is the built-in contract.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_compare<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    before: u32,
    after: u32,
) -> Result<ContractDifferences, Problem> {
    app.with_engine(move |engine| engine.contracts().compare_versions(&site, before, after)).await
}

/// Previews the last document again with these matches of its operations.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_match<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    choices: Vec<MatchChoice>,
) -> Result<ContractPreview, Problem> {
    app.with_engine(move |engine| engine.contracts().preview_again(&site, &choices)).await
}

/// Adopts the document that was previewed last, and returns the new version's number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_take<R: Runtime>(app: AppHandle<R>, site: String) -> Result<u32, Problem> {
    let version = app.with_engine(move |engine| engine.contracts().apply_preview(&site)).await?;
    site::emit_changed(&app);
    Ok(version)
}

/// Lists the versions of a site's contract, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_versions<R: Runtime>(
    app: AppHandle<R>,
    site: String,
) -> Result<Vec<ContractVersion>, Problem> {
    app.with_engine(move |engine| engine.contracts().versions(&site)).await
}

/// Adopts an earlier version again, and returns the new version's number. Version 0 is the built-in contract.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_restore<R: Runtime>(app: AppHandle<R>, site: String, number: u32) -> Result<u32, Problem> {
    let version = app.with_engine(move |engine| engine.contracts().restore(&site, number)).await?;
    site::emit_changed(&app);
    Ok(version)
}

/// Compares the contract in force at a site with the built-in one.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_differences<R: Runtime>(
    app: AppHandle<R>,
    site: String,
) -> Result<Vec<OperationDifference>, Problem> {
    app.with_engine(move |engine| engine.contracts().differences(&site)).await
}

/// Lists the operations of the contract in force at a site.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_operations<R: Runtime>(
    app: AppHandle<R>,
    site: String,
) -> Result<Vec<Operation>, Problem> {
    app.with_engine(move |engine| Ok(engine.sites().contract(&site)?.operations().to_vec())).await
}

/// Lists the assumptions about the service as a whole, with the site's replacements.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_assumptions<R: Runtime>(
    app: AppHandle<R>,
    site: String,
) -> Result<Vec<Assumption>, Problem> {
    app.with_engine(move |engine| Ok(engine.sites().contract(&site)?.assumptions().to_vec())).await
}

/// Replaces assumptions in a new version, and returns its number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_replace_assumptions<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    edits: Vec<AssumptionEdit>,
) -> Result<u32, Problem> {
    let version = app.with_engine(move |engine| engine.contracts().replace_assumptions(&site, &edits)).await?;
    site::emit_changed(&app);
    Ok(version)
}

/// Sends each read once, and returns the contract changes that the responses suggest. Adopt them with `contract_take`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_learn<R: Runtime>(app: AppHandle<R>, site: String) -> Result<ContractTest, Problem> {
    app.engine().contracts().test(&site, &Canceller::new()).await
}

/// Edits operations in a new version, and returns its number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_edit<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    edits: Vec<OperationEdit>,
) -> Result<u32, Problem> {
    let version = app.with_engine(move |engine| engine.contracts().edit(&site, &edits)).await?;
    site::emit_changed(&app);
    Ok(version)
}

/// Sends a read once with an edit that isn't stored, and returns its response.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_ask<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    asked: SingleRequest,
) -> Result<SingleAnswer, Problem> {
    app.engine().contracts().send_single_request(&site, &asked, &Canceller::new()).await
}

/// Lists the differences between a site's observed responses and its contract in force.
#[tauri::command]
#[specta::specta]
pub(crate) async fn contract_drift<R: Runtime>(app: AppHandle<R>, site: String) -> Result<Vec<DriftEntry>, Problem> {
    app.with_engine(move |engine| engine.contracts().drift(&site)).await
}
