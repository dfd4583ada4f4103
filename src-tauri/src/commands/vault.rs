//! The encrypted vault file with secrets. Passphrases are never returned.

use takt_engine::Problem;
use tauri::{AppHandle, Runtime};

use crate::{commands::site, state::AppStateAccess};

/// Unlocks the file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn vault_unlock<R: Runtime>(app: AppHandle<R>, passphrase: String) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.sites().secrets().unlock(&passphrase)).await?;
    site::emit_changed(&app);
    Ok(())
}

/// Creates the file, or changes its passphrase.
#[tauri::command]
#[specta::specta]
pub(crate) async fn vault_create<R: Runtime>(app: AppHandle<R>, passphrase: String) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.sites().secrets().set_passphrase(&passphrase)).await?;
    site::emit_changed(&app);
    Ok(())
}

/// Removes the file. The page has asked the user.
#[tauri::command]
#[specta::specta]
pub(crate) async fn vault_remove<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.sites().secrets().remove_vault_file()).await?;
    site::emit_changed(&app);
    Ok(())
}
