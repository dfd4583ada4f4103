//! Site files for colleagues: exporting, previewing and importing them.

use takt_engine::{
    Problem,
    site_file::{SiteFilePreview, SiteFiles},
};
use tauri::{AppHandle, Runtime};

use crate::{commands::site, dialogs, questions, state::AppStateAccess};

/// A site file that the user chose, and what it would set up.
#[derive(Debug, Clone, serde::Serialize, specta::Type)]
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
    app.with_engine(move |engine| SiteFiles::of(engine).export(&site, &path)).await?;
    Ok(true)
}

/// Asks for a site file, and returns what it would set up. Returns `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn site_file_pick<R: Runtime>(
    app: AppHandle<R>,
    title: String,
) -> Result<Option<ChosenSiteFile>, Problem> {
    let Some(path) = dialogs::pick_site_file(&title).await else { return Ok(None) };
    app.app_state().grants.grant(&path);
    let chosen = path.display().to_string();
    let preview = app.with_engine(move |engine| SiteFiles::of(engine).preview(&path)).await?;
    Ok(Some(ChosenSiteFile { path: chosen, preview }))
}

/// Imports a chosen site file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn site_file_import<R: Runtime>(app: AppHandle<R>, path: String) -> Result<(), Problem> {
    let path = app.app_state().grants.checked(&path)?;
    let file = path.clone();
    let found = app.with_engine(move |engine| {
        let site = SiteFiles::of(engine).site(&file)?;
        let before = site::site_named(engine, &site.name)?;
        Ok((site, before))
    });
    let (site, before) = found.await?;
    questions::ask(&app, questions::about_site(before.as_ref(), &site)).await?;
    app.with_engine(move |engine| SiteFiles::of(engine).import(&path)).await?;
    site::changed(&app);
    Ok(())
}
