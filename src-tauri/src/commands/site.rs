//! Sites: saving, choosing and checking them. Secrets are never returned.

use takt_engine::{
    Engine, Problem,
    sites::{ConnectionCheck, Site, SiteSaveResult, SiteSecrets},
    system::write_file,
};
use tauri::{AppHandle, Runtime};
use tauri_specta::Event;

use crate::{
    dialogs,
    events::SiteChanged,
    questions, receiving,
    state::{AppStateAccess, run_blocking},
};

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_save<R: Runtime>(
    app: AppHandle<R>,
    site: Site,
    secrets: SiteSecrets,
) -> Result<SiteSaveResult, Problem> {
    let name = site.name.clone();
    let before = app.with_engine(move |engine| site_named(engine, &name)).await?;
    questions::ask(&app, questions::about_site(before.as_ref(), &site)).await?;
    let saved = app.with_engine(move |engine| engine.save_site(site, secrets)).await?;
    changed(&app);
    Ok(saved)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_remove<R: Runtime>(app: AppHandle<R>, name: String) -> Result<(), Problem> {
    let removed = name.clone();
    app.with_engine(move |engine| engine.remove_site(&removed)).await?;
    receiving::stop(&app, &name).await;
    app.app_state().end_rehearsal(&name).await;
    changed(&app);
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_choose<R: Runtime>(app: AppHandle<R>, name: String) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.sites().choose(&name)).await?;
    receiving::update_tray(&app);
    changed(&app);
    Ok(())
}

/// Checks the connection to a site step by step.
#[tauri::command]
#[specta::specta]
pub(crate) async fn site_check<R: Runtime>(app: AppHandle<R>, name: String) -> Result<ConnectionCheck, Problem> {
    let checked = app.engine().sites().check_connection(&name).await;
    // The check may have ended the sign-in.
    changed(&app);
    checked
}

/// Asks where to save the transcript of the identity provider's exchange. Returns the path, or `None` if the dialog was
/// canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn transcript_save<R: Runtime>(
    app: AppHandle<R>,
    text: String,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "txt").await else { return Ok(None) };
    let shown = path.display().to_string();
    run_blocking(move || write_file(&path, text.as_bytes())).await?;
    Ok(Some(shown))
}

/// Returns the site of this name, or `None` if there is none.
pub(super) fn site_named(engine: &Engine, name: &str) -> Result<Option<Site>, Problem> {
    Ok(engine.sites().list()?.into_iter().map(|view| view.site).find(|site| site.name == name))
}

/// Notifies the page that a site changed. A closed window needs no notification.
pub(crate) fn changed<R: Runtime>(app: &AppHandle<R>) {
    if let Err(error) = SiteChanged.emit(app) {
        tracing::debug!(%error, "nobody hears that a site changed");
    }
}
