//! Sites and site files: saving, choosing, checking, exporting and importing them. Secrets are never returned.

use serde::Serialize;
use specta::Type;
use takt_engine::{
    Engine, Problem,
    site_file::{SiteFilePreview, SiteFiles},
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
    emit_changed(&app);
    Ok(saved)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_remove<R: Runtime>(app: AppHandle<R>, name: String) -> Result<(), Problem> {
    let removed = name.clone();
    app.with_engine(move |engine| engine.remove_site(&removed)).await?;
    receiving::stop(&app, &name).await;
    app.app_state().end_rehearsal(&name).await;
    emit_changed(&app);
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_choose<R: Runtime>(app: AppHandle<R>, name: String) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.sites().select_site(&name)).await?;
    receiving::update_tray(&app);
    emit_changed(&app);
    Ok(())
}

/// Checks the connection to a site step by step.
#[tauri::command]
#[specta::specta]
pub(crate) async fn site_check<R: Runtime>(app: AppHandle<R>, name: String) -> Result<ConnectionCheck, Problem> {
    let checked = app.engine().sites().check_connection(&name).await;
    // The check may have ended the sign-in.
    emit_changed(&app);
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

/// A site file that the user chose, and a preview of its changes.
#[derive(Debug, Clone, Serialize, Type)]
pub(crate) struct ChosenSiteFile {
    path: String,
    preview: SiteFilePreview,
}

/// Asks where to save a site file. Returns false if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn site_file_save<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    title: String,
) -> Result<bool, Problem> {
    let Some(path) = dialogs::save_with_extension(&app, &title, &format!("{site}.takt-site"), "json").await else {
        return Ok(false);
    };
    app.with_engine(move |engine| SiteFiles::new(engine).export(&site, &path)).await?;
    Ok(true)
}

/// Asks for a site file, and previews its changes. Returns `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn site_file_pick<R: Runtime>(
    app: AppHandle<R>,
    title: String,
) -> Result<Option<ChosenSiteFile>, Problem> {
    let Some(path) = dialogs::pick_site_file(&app, &title).await else { return Ok(None) };
    app.app_state().grants.grant(&path);
    let chosen = path.display().to_string();
    let preview = app.with_engine(move |engine| SiteFiles::new(engine).preview(&path)).await?;
    Ok(Some(ChosenSiteFile { path: chosen, preview }))
}

/// Imports a site file that the user has chosen.
#[tauri::command]
#[specta::specta]
pub(crate) async fn site_file_import<R: Runtime>(app: AppHandle<R>, path: String) -> Result<(), Problem> {
    let path = app.app_state().grants.check_granted(&path)?;
    let file = path.clone();
    let found = app.with_engine(move |engine| {
        let site = SiteFiles::new(engine).load_site(&file)?;
        let before = site_named(engine, &site.name)?;
        Ok((site, before))
    });
    let (site, before) = found.await?;
    questions::ask(&app, questions::about_site(before.as_ref(), &site)).await?;
    app.with_engine(move |engine| SiteFiles::new(engine).import(&path)).await?;
    emit_changed(&app);
    Ok(())
}

/// Returns the site of this name, or `None` if there is none.
fn site_named(engine: &Engine, name: &str) -> Result<Option<Site>, Problem> {
    Ok(engine.sites().list()?.into_iter().map(|view| view.site).find(|site| site.name == name))
}

/// Notifies the page that a site changed. A closed window needs no notification.
pub(crate) fn emit_changed<R: Runtime>(app: &AppHandle<R>) {
    if let Err(error) = SiteChanged.emit(app) {
        tracing::debug!(%error, "nobody hears that a site changed");
    }
}
