//! GraphQL on the chosen site: queries, results as tables and files, the schema, and stored queries.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    ExportFormat, Problem,
    graphql::{
        GraphqlAnswer, GraphqlEditorState, GraphqlRequest, GraphqlRows, GraphqlSchema, QueryHistoryEntry, SavedQuery,
        TypedQuery,
    },
    system::write_file,
};
use tauri::{AppHandle, Runtime};

use crate::{
    commands::site,
    dialogs,
    state::{AppStateAccess, cancellable, run_blocking},
};

/// A result and its number, which identifies it in requests for rows and files.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct StoredAnswer {
    id: u32,
    #[serde(flatten)]
    answer: GraphqlAnswer,
}

/// Runs a query on the chosen site. `typed` is added to the history. Cancel it with `ticket_stop`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_run<R: Runtime>(
    app: AppHandle<R>,
    request: GraphqlRequest,
    typed: TypedQuery,
    ticket: u32,
) -> Result<StoredAnswer, Problem> {
    let chosen = app.with_engine(move |engine| {
        let chosen = engine.sites().selected_site()?.name;
        engine.graphql().add_to_history(&chosen, &typed)?;
        Ok(chosen)
    });
    let chosen = chosen.await?;
    let engine = app.engine();
    let reading = cancellable(&app, ticket, |canceller| {
        let (engine, chosen, request) = (&engine, &chosen, &request);
        async move { engine.graphql().run(chosen, request, &canceller).await }
    });
    let outcome = reading.await;
    site::emit_changed(&app);
    let result = outcome?;
    let (result, answer) = run_blocking(move || {
        let answer = result.view();
        Ok((result, answer))
    })
    .await?;
    Ok(StoredAnswer { id: app.app_state().graphql_answers.add(result), answer })
}

/// Returns the chosen site's schema, from the cache unless `again` is set.
#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_schema<R: Runtime>(
    app: AppHandle<R>,
    again: bool,
    ticket: u32,
) -> Result<GraphqlSchema, Problem> {
    let engine = app.engine();
    let chosen = app.chosen_site().await?.name;
    let reading = cancellable(&app, ticket, |canceller| {
        let (engine, chosen) = (&engine, &chosen);
        async move { engine.graphql().schema(chosen, again, &canceller).await }
    });
    let schema = reading.await;
    site::emit_changed(&app);
    schema
}

/// Returns a page of rows from a list in a result.
#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_rows<R: Runtime>(
    app: AppHandle<R>,
    id: u32,
    path: String,
    offset: u32,
    limit: u32,
) -> Result<GraphqlRows, Problem> {
    let answer = app.app_state().graphql_answers.get(id)?;
    run_blocking(move || Ok(answer.table(Some(&path))?.rows(offset as usize, limit as usize))).await
}

/// Saves a list as a file, or the whole result as JSON if `path` is absent. Returns the file's path, or `None` if the
/// dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_export<R: Runtime>(
    app: AppHandle<R>,
    id: u32,
    path: Option<String>,
    format: ExportFormat,
    title: String,
) -> Result<Option<String>, Problem> {
    let answer = app.app_state().graphql_answers.get(id)?;
    let name = path.as_deref().unwrap_or("graphql").to_owned();
    let Some(file): Option<PathBuf> = dialogs::save_as(&app, &title, &name, format).await else { return Ok(None) };
    let shown = file.display().to_string();
    run_blocking(move || match &path {
        Some(path) => answer.table(Some(path))?.write(format, &file),
        None => write_file(&file, answer.result.text().as_bytes()),
    })
    .await?;
    Ok(Some(shown))
}

/// The user's queries on the chosen site.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct GraphqlState {
    editor: GraphqlEditorState,
    saved: Vec<SavedQuery>,
    history: Vec<QueryHistoryEntry>,
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_state<R: Runtime>(app: AppHandle<R>) -> Result<GraphqlState, Problem> {
    app.with_engine(move |engine| {
        let chosen = engine.sites().selected_site()?.name;
        Ok(GraphqlState {
            editor: engine.graphql().editor_state(&chosen)?,
            saved: engine.graphql().saved_queries(&chosen)?,
            history: engine.graphql().history(&chosen)?,
        })
    })
    .await
}

/// Stores the editor's content for the site that the editor was opened for. Another site may be chosen by now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_editor_save<R: Runtime>(
    app: AppHandle<R>,
    site: String,
    editor: GraphqlEditorState,
) -> Result<(), Problem> {
    app.with_engine(move |engine| {
        engine.sites().find(&site)?;
        engine.graphql().store_editor_state(&site, &editor)
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_save<R: Runtime>(
    app: AppHandle<R>,
    name: String,
    typed: TypedQuery,
) -> Result<Vec<SavedQuery>, Problem> {
    app.with_engine(move |engine| engine.graphql().save_query(&engine.sites().selected_site()?.name, &name, &typed))
        .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_unsave<R: Runtime>(app: AppHandle<R>, name: String) -> Result<Vec<SavedQuery>, Problem> {
    app.with_engine(move |engine| engine.graphql().remove_saved_query(&engine.sites().selected_site()?.name, &name))
        .await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn graphql_forget_history<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.graphql().forget_history(&engine.sites().selected_site()?.name)).await
}
