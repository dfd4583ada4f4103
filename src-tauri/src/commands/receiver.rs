//! The receiver of a site's events: its state, start and stop, settings and secrets.

use takt_engine::Problem;
use takt_engine::inbox::ReceiverSettings;
use tauri::{AppHandle, Runtime};

use crate::{
    receiving::{self, ReceiverView},
    state::AppStateAccess,
};

#[tauri::command]
#[specta::specta]
pub(crate) async fn receiver_view<R: Runtime>(app: AppHandle<R>, site: String) -> Result<ReceiverView, Problem> {
    receiving::view(&app, &site).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn receiver_start<R: Runtime>(app: AppHandle<R>, site: String) -> Result<(), Problem> {
    receiving::start(&app, &site).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn receiver_stop<R: Runtime>(app: AppHandle<R>, site: String) -> Result<(), Problem> {
    receiving::stop(&app, &site).await;
    Ok(())
}

/// Stores the settings. The receiver restarts if its address or port changes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn receiver_change<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    settings: ReceiverSettings,
) -> Result<(), Problem> {
    receiving::change(&app, &site, settings).await
}

/// Adds a secret for checking signatures. Secrets are never returned.
#[tauri::command]
#[specta::specta]
pub(crate) async fn receiver_secret_add<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    secret: String,
) -> Result<(), Problem> {
    let named = site.clone();
    app.with_engine(move |engine| engine.inbox().add_secret(&named, secret.trim())).await?;
    receiving::renew_secrets(&app, &site).await;
    Ok(())
}

/// Removes a secret by its 0-based index. The oldest secret comes first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn receiver_secret_remove<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    at: u32,
) -> Result<(), Problem> {
    let named = site.clone();
    app.with_engine(move |engine| engine.inbox().remove_secret(&named, at as usize)).await?;
    receiving::renew_secrets(&app, &site).await;
    Ok(())
}
