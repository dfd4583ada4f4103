//! The encrypted vault file with secrets. Passphrases are never returned.

use takt_engine::Problem;
use tauri::{AppHandle, Runtime};

use crate::{commands::site, state::AppStateAccess};

/// Unlocks the file, so that its secrets can be used until Takt ends.
#[tauri::command]
#[specta::specta]
pub(crate) async fn vault_unlock<R: Runtime>(app: AppHandle<R>, passphrase: String) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.sites().secrets().unlock(&passphrase)).await?;
    site::emit_changed(&app);
    Ok(())
}

/// Creates the file, or encrypts it with a new passphrase.
#[tauri::command]
#[specta::specta]
pub(crate) async fn vault_create<R: Runtime>(app: AppHandle<R>, passphrase: String) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.sites().secrets().set_passphrase(&passphrase)).await?;
    site::emit_changed(&app);
    Ok(())
}

/// Removes the file, and moves its secrets to the system's storage or to memory. Secrets of a locked file are lost. The
/// page has asked the user for confirmation.
#[tauri::command]
#[specta::specta]
pub(crate) async fn vault_remove<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.sites().secrets().remove_vault_file()).await?;
    site::emit_changed(&app);
    Ok(())
}
