//! Reading lists of the service: one page or all pages, and the filters.

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    Canceller, Problem,
    browse::{
        BrowseEnd, BrowsePage, BrowseProgress, BrowseQuery, NamedSpan, PageRequest, PageResult, ReadFilters, RowSet,
    },
};
use tauri::{AppHandle, Runtime, WebviewWindow, ipc::Channel};
use tauri_specta::Event;

use crate::{
    commands::site,
    events::BrowseProgressed,
    state::{AppStateAccess, OpenSet, RowSetId, cancellable, report_progress, run_blocking},
};

/// The maximum number of rows per response with a page.
const MAX_ROWS: usize = 1_000;
/// The maximum number of rows per response if the page exceeds `MAX_PAGE_SIZE` bytes.
const MAX_ROWS_OF_LARGE_PAGE: usize = 20;
const MAX_PAGE_SIZE: usize = 4 * 1024 * 1024;

/// A page's rows, and the number of the set that contains them.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
pub(crate) struct StoredPage {
    set: RowSetId,
    /// The number of rows in the set. The response for a large page contains fewer.
    count: u32,
    #[serde(flatten)]
    page: BrowsePage,
}

/// Reads one page into a set. Long texts in the response are shortened. Cancel it with `ticket_stop`. If the rate limit
/// delays the request, `channel` receives the end of the delay.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_page<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
    query: BrowseQuery,
    page: u32,
    limit: u32,
    ticket: u32,
    channel: Channel<BrowseProgress>,
) -> Result<StoredPage, Problem> {
    let engine = app.engine();
    let set = empty_set(&app, &query).await?;
    let (reader, channel) = (&engine, &channel);
    let result = cancellable(&app, ticket, |canceller| {
        let (query, set) = (&query, &set);
        async move {
            let report = |progress| report_progress(channel, progress);
            reader.browse().read_page_with_progress(query, PageRequest { page, limit }, set, &canceller, report).await
        }
    });
    let result = result.await;
    site::emit_changed(&app);
    let PageResult { page, pages, total, count, unknown } = result?;
    let first = if set.bytes() <= MAX_PAGE_SIZE { MAX_ROWS } else { MAX_ROWS_OF_LARGE_PAGE };
    let set_id = app.app_state().add_set(window.label(), set.clone()).0;
    run_blocking(move || {
        let page = BrowsePage { rows: set.rows(0..first), page, pages, total, unknown }.shortened();
        Ok(StoredPage { set: set_id, count, page })
    })
    .await
}

/// Starts reading all pages into a set. `browseProgressed` reports the progress. Rows are available at once.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_all<R: Runtime>(
    app: AppHandle<R>,
    window: WebviewWindow<R>,
    query: BrowseQuery,
) -> Result<RowSetId, Problem> {
    let set = empty_set(&app, &query).await?;
    let (id, canceller) = app.app_state().add_set(window.label(), set.clone());
    read_into_set(app, id, OpenSet { rows: set, canceller }, Some(query));
    Ok(id)
}

/// Continues reading all pages after reading has ended early.
#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_continue<R: Runtime>(app: AppHandle<R>, id: RowSetId) -> Result<(), Problem> {
    let set = app.app_state().renew_set(id)?;
    read_into_set(app, id, set, None);
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn browse_stop<R: Runtime>(app: AppHandle<R>, id: RowSetId) -> Result<(), Problem> {
    app.app_state().set(id)?.canceller.cancel();
    Ok(())
}

/// Returns the last filters of the operation at the chosen site.
#[tauri::command]
#[specta::specta]
pub(crate) async fn read_filters<R: Runtime>(app: AppHandle<R>, operation: String) -> Result<ReadFilters, Problem> {
    app.with_engine(move |engine| engine.browse().read_filters(&engine.sites().selected_site()?.name, &operation)).await
}

#[tauri::command]
#[specta::specta]
pub(crate) async fn read_filters_save<R: Runtime>(
    app: AppHandle<R>,
    operation: String,
    filters: ReadFilters,
) -> Result<(), Problem> {
    app.with_engine(move |engine| {
        engine.browse().store_read_filters(&engine.sites().selected_site()?.name, &operation, &filters)
    })
    .await
}

/// Lists the named time spans at the chosen site. Reads the stations' shifts if they aren't known yet.
#[tauri::command]
#[specta::specta]
pub(crate) async fn read_spans<R: Runtime>(app: AppHandle<R>) -> Result<Vec<NamedSpan>, Problem> {
    let site = app.chosen_site().await?.name;
    app.engine().reference().refresh_hours(&site, &Canceller::new()).await;
    app.with_engine(move |engine| engine.browse().named_spans(&site)).await
}

/// Creates a set for a query's rows at the chosen site.
async fn empty_set<R: Runtime>(app: &AppHandle<R>, query: &BrowseQuery) -> Result<RowSet, Problem> {
    let operation = query.operation.clone();
    app.with_engine(move |engine| engine.browse().row_set(&engine.sites().selected_site()?.name, &operation)).await
}

/// Reads the rest of a list into a set in the background. With a query, starts at its first page.
fn read_into_set<R: Runtime>(
    app: AppHandle<R>,
    id: RowSetId,
    OpenSet { rows, canceller }: OpenSet,
    query: Option<BrowseQuery>,
) {
    let engine = app.engine();
    tokio::spawn(async move {
        let mut last =
            BrowseProgress { rows: u32::try_from(rows.len()).unwrap_or(u32::MAX), ..BrowseProgress::default() };
        let mut on_progress = |progress| {
            last = progress;
            emit_progress(&app, &BrowseProgressed { id, progress, problem: None, end: None, done: false });
        };
        let read = match &query {
            Some(query) => engine.browse().read_all(query, &rows, &canceller, &mut on_progress).await,
            None => engine.browse().continue_read(&rows, &canceller, &mut on_progress).await,
        };
        let (end, problem): (Option<BrowseEnd>, Option<Problem>) = match read {
            Ok(end) => (Some(end), None),
            Err(problem) => (None, Some(problem)),
        };
        emit_progress(&app, &BrowseProgressed { id, progress: last, problem, end, done: true });
        site::emit_changed(&app);
    });
}

fn emit_progress<R: Runtime>(app: &AppHandle<R>, progressed: &BrowseProgressed) {
    if let Err(error) = progressed.emit(app) {
        tracing::debug!(%error, "nobody hears how far reading is");
    }
}
