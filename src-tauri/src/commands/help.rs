//! The help: its pages and their search. Fields are described by the chosen site's contract.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{Engine, Problem};
use takt_help::{
    HelpGroup, HelpPage,
    html::{PageLocation, render_html},
    page, search,
};
use tauri::{AppHandle, Runtime};

use crate::{preferences::Language, state::AppStateAccess};

/// An entry in the help's table of contents.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct HelpTitle {
    page: String,
    group: HelpGroup,
    title: String,
}

/// A page's title and content.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct HelpText {
    title: String,
    /// HTML with pictures. Links are `./#` and the page's id.
    html: String,
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn help_pages<R: Runtime>(app: AppHandle<R>, language: Language) -> Result<Vec<HelpTitle>, Problem> {
    app.with_engine(move |engine| {
        let pages = pages(engine, language)?.into_iter();
        Ok(pages.map(|HelpPage { id, group, title, .. }| HelpTitle { page: id, group, title }).collect())
    })
    .await
}

/// Returns a page, or `None` if it doesn't exist.
#[tauri::command]
#[specta::specta]
pub(crate) async fn help_page<R: Runtime>(
    app: AppHandle<R>,
    page: String,
    language: Language,
) -> Result<Option<HelpText>, Problem> {
    app.with_engine(move |engine| {
        let found = pages(engine, language)?.into_iter().find(|candidate| candidate.id == page);
        Ok(found.map(|page| HelpText { html: render_html(&page.text, PageLocation::Window), title: page.title }))
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn help_search<R: Runtime>(
    app: AppHandle<R>,
    query: String,
    language: Language,
) -> Result<Vec<search::HelpMatch>, Problem> {
    app.with_engine(move |engine| Ok(search::search_pages(&pages(engine, language)?, &query))).await
}

fn pages(engine: &Engine, language: Language) -> Result<Vec<HelpPage>, Problem> {
    let contract = engine.sites().contract(&engine.sites().selected_site()?.name)?;
    Ok(page::pages(&contract, language.engine_language()))
}
