//! Sites: kept, chosen, tested. A secret goes in and never comes out.

use takt_engine::{
    Problem,
    sites::{Site, SiteSaveResult, SiteTest},
};
use tauri::{AppHandle, Wry};
use tauri_specta::Event;

use crate::{events::SiteChanged, questions, receiving, state::AppStateAccess};

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_save(
    app: AppHandle<Wry>,
    site: Site,
    secret: Option<String>,
) -> Result<SiteSaveResult, Problem> {
    let before =
        app.app_state().engine.sites().list()?.into_iter().map(|view| view.site).find(|known| known.name == site.name);
    questions::ask(&app, questions::of_site(before.as_ref(), &site)).await?;
    let saved = app.app_state().engine.save_site(site, secret)?;
    changed(&app);
    Ok(saved)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_remove(app: AppHandle<Wry>, name: String) -> Result<(), Problem> {
    app.app_state().engine.remove_site(&name)?;
    receiving::stop(&app, &name).await;
    changed(&app);
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_choose(app: AppHandle<Wry>, name: String) -> Result<(), Problem> {
    app.app_state().engine.sites().choose(&name)?;
    receiving::update_tray(&app);
    changed(&app);
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn site_test(app: AppHandle<Wry>, name: String) -> Result<SiteTest, Problem> {
    app.app_state().engine.sites().test(&name).await
}

/// A window that is already gone needs no news.
pub(crate) fn changed(app: &AppHandle<Wry>) {
    if let Err(error) = SiteChanged.emit(app) {
        tracing::debug!(%error, "nobody hears that a site changed");
    }
}
