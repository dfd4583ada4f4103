//! Templates: reading them, their use, the cleanup list of links, and deleting links.

use std::time::{Duration, Instant};

use takt_engine::{
    Problem,
    browse::BrowseProgress,
    cleanup::{Affected, CleanupLink, IdList, Ids, LinksToDelete, TemplateUseView, TemplatesView},
    import::ImportId,
    preview::PreviewChoice,
    submission::PlanView,
};
use tauri::{AppHandle, Runtime, ipc::Channel};
use tauri_specta::Event;

use crate::{
    commands::{site, submission::claim_choice},
    dialogs,
    events::TemplatesProgressed,
    state::{AppStateAccess, cancellable_blocking, report_progress},
};

/// The minimum time between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Returns the ids of templates that were read at the chosen site, also before this start.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_remembered<R: Runtime>(app: AppHandle<R>) -> Result<Ids, Problem> {
    app.with_engine(move |engine| engine.templates().remembered_ids(&engine.sites().selected_site()?.name)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn template_forget<R: Runtime>(app: AppHandle<R>) -> Result<(), Problem> {
    app.with_engine(move |engine| engine.templates().forget_ids(&engine.sites().selected_site()?.name)).await
}

/// Lists the named id lists of the chosen site.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_lists<R: Runtime>(app: AppHandle<R>) -> Result<Vec<IdList>, Problem> {
    app.with_engine(move |engine| engine.templates().id_lists(&engine.sites().selected_site()?.name)).await
}

/// Stores ids under a name. Without ids, removes the name.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_list_save<R: Runtime>(app: AppHandle<R>, list: IdList) -> Result<Vec<IdList>, Problem> {
    app.with_engine(move |engine| engine.templates().store_id_list(&engine.sites().selected_site()?.name, &list)).await
}

/// Starts reading templates (`12, 14, 20-24`). `templatesProgressed` reports the progress. Templates are available at
/// once.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_read<R: Runtime>(app: AppHandle<R>, ids: String) -> Result<u32, Problem> {
    let site = app.chosen_site().await?.name;
    let ids = takt_engine::cleanup::parse_template_ids(&ids)?;
    let id = app.app_state().template_readings.add(app.engine().templates().create_set(&site, &ids));
    continue_reading(&app, id)?;
    Ok(id)
}

/// Continues reading the templates of a set that haven't been read.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_continue<R: Runtime>(app: AppHandle<R>, id: u32) -> Result<(), Problem> {
    continue_reading(&app, id)
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn template_stop<R: Runtime>(app: AppHandle<R>, id: u32) -> Result<(), Problem> {
    app.app_state().template_readings.get(id)?.canceller.cancel();
    Ok(())
}

/// Returns the templates that have been read so far.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_view<R: Runtime>(app: AppHandle<R>, id: u32) -> Result<TemplatesView, Problem> {
    let set = app.app_state().template_readings.get(id)?.set;
    app.with_engine(move |engine| engine.templates().view(&set)).await
}

/// Returns the templates that the chosen site's orders use, or `None` if their use hasn't been read.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_use<R: Runtime>(app: AppHandle<R>) -> Result<Option<TemplateUseView>, Problem> {
    app.with_engine(move |engine| engine.templates().template_use(&engine.sites().selected_site()?.name)).await
}

/// Reads the use of templates again. Cancel it with `ticket_stop`. `channel` receives the progress.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_use_read<R: Runtime>(
    app: AppHandle<R>,
    ticket: u32,
    channel: Channel<BrowseProgress>,
) -> Result<TemplateUseView, Problem> {
    let reading = cancellable_blocking(&app, ticket, async move |engine, canceller| {
        let site = engine.sites().selected_site()?.name;
        engine.templates().read_template_use(&site, &canceller, |progress| report_progress(&channel, progress)).await
    });
    let found = reading.await;
    site::emit_changed(&app);
    found
}

/// Reads the chosen site's running and planned orders that use these templates.
#[tauri::command]
#[specta::specta]
pub(crate) async fn links_affected<R: Runtime>(
    app: AppHandle<R>,
    templates: Vec<i64>,
    ticket: u32,
    channel: Channel<BrowseProgress>,
) -> Result<Affected, Problem> {
    let found = cancellable_blocking(&app, ticket, async move |engine, canceller| {
        let site = engine.sites().selected_site()?.name;
        engine
            .templates()
            .read_affected_orders(&site, &templates, &canceller, |progress| report_progress(&channel, progress))
            .await
    });
    found.await
}

/// Returns the links that an import would delete at the chosen site, or `None` if it deletes no links.
#[tauri::command]
#[specta::specta]
pub(crate) async fn links_of_import<R: Runtime>(
    app: AppHandle<R>,
    import_id: ImportId,
    preview: Option<PreviewChoice>,
) -> Result<Option<LinksToDelete>, Problem> {
    app.with_engine(move |engine| {
        engine.templates().preview_import_links(&engine.import_sites().site_or_chosen(import_id)?, import_id, preview)
    })
    .await
}

/// Returns the cleanup list of the chosen site.
#[tauri::command]
#[specta::specta]
pub(crate) async fn cleanup_links<R: Runtime>(app: AppHandle<R>) -> Result<Vec<CleanupLink>, Problem> {
    app.with_engine(move |engine| engine.templates().links(&engine.sites().selected_site()?.name)).await
}

/// Stores the cleanup list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn cleanup_set_links<R: Runtime>(
    app: AppHandle<R>,
    links: Vec<CleanupLink>,
) -> Result<Vec<CleanupLink>, Problem> {
    app.with_engine(move |engine| engine.templates().store_links(&engine.sites().selected_site()?.name, links)).await
}

/// Saves the list as a workbook. Returns the path, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn cleanup_save<R: Runtime>(
    app: AppHandle<R>,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let site = app.chosen_site().await?.name;
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "xlsx").await else { return Ok(None) };
    let shown = path.display().to_string();
    app.with_engine(move |engine| engine.templates().save_links(&site, &path)).await?;
    Ok(Some(shown))
}

/// Returns operation codes to suggest for links: those of earlier deletes, then those of the orders.
#[tauri::command]
#[specta::specta]
pub(crate) async fn cleanup_operation_codes<R: Runtime>(app: AppHandle<R>) -> Result<Vec<String>, Problem> {
    app.with_engine(move |engine| engine.templates().operation_codes(&engine.sites().selected_site()?.name)).await
}

/// Saves the templates of a set as a workbook. Returns the path, or `None` if the dialog was canceled.
#[tauri::command]
#[specta::specta]
pub(crate) async fn template_save<R: Runtime>(
    app: AppHandle<R>,
    id: u32,
    title: String,
    name: String,
) -> Result<Option<String>, Problem> {
    let set = app.app_state().template_readings.get(id)?.set;
    let Some(path) = dialogs::save_with_extension(&app, &title, &name, "xlsx").await else { return Ok(None) };
    let shown = path.display().to_string();
    app.with_engine(move |engine| engine.templates().save_matrix(&set, &path)).await?;
    Ok(Some(shown))
}

/// Deletes links in a submission. With `skip_claimed`, links that colleagues are sending are skipped.
#[tauri::command]
#[specta::specta]
pub(crate) async fn links_delete<R: Runtime>(
    app: AppHandle<R>,
    links: Vec<CleanupLink>,
    confirmed: Option<String>,
    skip_claimed: bool,
) -> Result<PlanView, Problem> {
    let site = app.chosen_site().await?.name;
    app.engine().templates().delete_links(&site, &links, confirmed, claim_choice(skip_claimed)).await
}

fn continue_reading<R: Runtime>(app: &AppHandle<R>, id: u32) -> Result<(), Problem> {
    let (set, canceller) = app.app_state().template_readings.begin_reading(id)?;
    let (engine, app) = (app.engine(), app.clone());
    tokio::spawn(async move {
        let progress_app = app.clone();
        let mut last_report: Option<Instant> = None;
        let read = engine
            .templates()
            .read(&set, &canceller, |progress| {
                if last_report.is_none_or(|last_report| last_report.elapsed() > PROGRESS_INTERVAL) {
                    last_report = Some(Instant::now());
                    emit_progress(&progress_app, &TemplatesProgressed { id, progress, problem: None, done: false });
                }
            })
            .await;
        emit_progress(&app, &TemplatesProgressed { id, progress: set.progress(), problem: read.err(), done: true });
        site::emit_changed(&app);
    });
    Ok(())
}

fn emit_progress<R: Runtime>(app: &AppHandle<R>, news: &TemplatesProgressed) {
    if let Err(error) = news.emit(app) {
        tracing::debug!(%error, "nobody hears how far reading templates is");
    }
}
