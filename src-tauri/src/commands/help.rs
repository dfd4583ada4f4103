//! The help: its pages and their search. Fields are described by the chosen site's contract.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::Problem;
use takt_help::{
    HelpGroup, HelpPage,
    html::{Surroundings, rendered},
    page, search,
};
use tauri::{AppHandle, Runtime};

use crate::{
    preferences::Language,
    state::{AppStateAccess, run_blocking},
};

/// A page in the list of pages.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct HelpTitle {
    page: String,
    group: HelpGroup,
    title: String,
}

/// The content of a page.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct HelpText {
    title: String,
    /// HTML with pictures. Links are `./#` and the page's id.
    html: String,
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn help_pages<R: Runtime>(app: AppHandle<R>, language: Language) -> Result<Vec<HelpTitle>, Problem> {
    let pages = pages(&app, language).await?;
    Ok(pages.into_iter().map(|HelpPage { id, group, title, .. }| HelpTitle { page: id, group, title }).collect())
}

/// Returns a page, or `None` if it doesn't exist.
#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn help_page<R: Runtime>(
    app: AppHandle<R>,
    page: String,
    language: Language,
) -> Result<Option<HelpText>, Problem> {
    let found = pages(&app, language).await?.into_iter().find(|candidate| candidate.id == page);
    Ok(found.map(|page| HelpText { html: rendered(&page.text, Surroundings::Window), title: page.title }))
}

#[tauri::command(root = "crate")]
#[specta::specta]
pub(crate) async fn help_search<R: Runtime>(
    app: AppHandle<R>,
    query: String,
    language: Language,
) -> Result<Vec<search::HelpMatch>, Problem> {
    Ok(search::matches(&pages(&app, language).await?, &query))
}

async fn pages<R: Runtime>(app: &AppHandle<R>, language: Language) -> Result<Vec<HelpPage>, Problem> {
    let engine = app.app_state().engine.clone();
    run_blocking(move || {
        let contract = engine.sites().contract(&engine.sites().chosen()?.name)?;
        Ok(page::pages(&contract, language.engine_language()))
    })
    .await
}
