//! The sources of imports: files, recent files with their drafts, and rows of a list. Reports progress and the first
//! rows until the rows are checked.

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use serde::{Deserialize, Serialize};
use specta::Type;
use takt_engine::{
    Engine, Problem,
    import::{Drafts, FromRows, HeadRow, ImportId, ImportProgress, ImportView, RecentFileView, RowChange},
    submission::{Relation, SubmissionOrigin},
};
use tauri::{AppHandle, Runtime, ipc::Channel};

use crate::{
    dialogs,
    preferences::Language,
    state::{AppStateAccess, RowSetId, cancellable_blocking, report_progress},
};

/// The maximum number of progress messages per sheet, since more would only slow down the window.
const PROGRESS_PARTS: f64 = 200.0;

/// The progress of a workbook that is being read.
#[derive(Debug, Clone, Serialize, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpeningView {
    /// The file's name without its folder.
    pub(crate) file: String,
    pub(crate) sheet: String,
    /// The rows with content so far.
    pub(crate) rows: u32,
    /// The part of the sheet that has been read, from 0 to 1, absent if unknown.
    pub(crate) share: Option<f64>,
    /// The first rows (at most 100), in one message only. Empty in all others.
    pub(crate) head: Vec<HeadRow>,
}

/// Asks for a file with the native dialog. `title` and `filter` are in the window's language. Cancel the reading with
/// `ticket_stop`. `channel` receives the progress.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_pick<R: Runtime>(
    app: AppHandle<R>,
    title: String,
    filter: String,
    ticket: u32,
    channel: Channel<OpeningView>,
) -> Result<Option<ImportView>, Problem> {
    let Some(path) = dialogs::pick_workbook(&app, &title, &filter).await else { return Ok(None) };
    app.app_state().grants.grant(&path);
    open(&app, path, ticket, channel).await.map(Some)
}

/// Opens a file that the user dropped on the window or chose before. Other files are refused.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_open<R: Runtime>(
    app: AppHandle<R>,
    path: String,
    ticket: u32,
    channel: Channel<OpeningView>,
) -> Result<ImportView, Problem> {
    let path = app.app_state().grants.check_granted(&path)?;
    open(&app, path, ticket, channel).await
}

/// Opens a table that the user pasted. It's stored as a file, whose name starts with `name`.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_paste<R: Runtime>(
    app: AppHandle<R>,
    name: String,
    text: String,
    ticket: u32,
    channel: Channel<OpeningView>,
) -> Result<ImportView, Problem> {
    let path = app.with_engine(move |engine| engine.import_sites().write_pasted_table(&name, &text)).await?;
    open(&app, path, ticket, channel).await
}

/// Lists recent files. Files with a draft come first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recent_files<R: Runtime>(app: AppHandle<R>) -> Result<Vec<RecentFileView>, Problem> {
    app.with_engine(move |engine| Drafts::new(engine.imports()).recent_files()).await
}

/// Opens a recent file by the hash of its content. Its path was recorded when the user chose it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recent_open<R: Runtime>(
    app: AppHandle<R>,
    hash: String,
    ticket: u32,
    channel: Channel<OpeningView>,
) -> Result<ImportView, Problem> {
    let path = app.with_engine(move |engine| Drafts::new(engine.imports()).file_path(&hash)).await?;
    app.app_state().grants.grant(&path);
    open(&app, path, ticket, channel).await
}

/// Removes a file and its draft from the list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recent_forget<R: Runtime>(app: AppHandle<R>, hash: String) -> Result<(), Problem> {
    app.with_engine(move |engine| Drafts::new(engine.imports()).remove_file(&hash)).await
}

/// Lists the operations that rows of a list can be used for.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rows_become<R: Runtime>(app: AppHandle<R>, list: String) -> Result<Vec<String>, Problem> {
    app.with_engine(move |engine| {
        engine.import_sources().list_target_operations(&engine.sites().selected_site()?.name, &list)
    })
    .await
}

/// Opens rows of a set as an import for an operation. Without positions, the rows that `changes` names are used.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_from_rows<R: Runtime>(
    app: AppHandle<R>,
    set: RowSetId,
    positions: Vec<u32>,
    operation: String,
    changes: Vec<RowChange>,
    language: Language,
) -> Result<ImportView, Problem> {
    let rows = app.app_state().set(set)?.rows;
    let from = FromRows { positions, operation, changes };
    app.with_engine(move |engine| {
        let view = engine.import_sources().open_rows(&rows, &from, language.engine_language())?;
        assign_chosen_site(engine, view.id)
    })
    .await
}

/// Opens a workbook and reports the progress. The import is for the chosen site, or for the site of its draft.
pub(super) async fn open<R: Runtime>(
    app: &AppHandle<R>,
    path: PathBuf,
    ticket: u32,
    channel: Channel<OpeningView>,
) -> Result<ImportView, Problem> {
    app.app_state().dialog_folder.remember(&path);
    let found = cancellable_blocking(app, ticket, async move |engine, canceller| {
        let part = AtomicU32::new(u32::MAX);
        let view = engine.imports().open_with_progress(&path, &|progress| {
            let view = OpeningView::new(&path, progress);
            if view.is_worth_reporting(&part) {
                report_progress(&channel, view);
            }
            !canceller.is_cancelled()
        })?;
        match &view.draft.restored {
            Some(restored) => Ok(continue_draft(&engine, restored.position.follows, view)),
            None => assign_chosen_site(&engine, view.id),
        }
    });
    found.await
}

/// Assigns the import to the chosen site. The user can choose another one later.
fn assign_chosen_site(engine: &Engine, import: ImportId) -> Result<ImportView, Problem> {
    let site = engine.sites().selected_site()?.name;
    let view = engine.import_sites().choose_site(import, &site);
    if view.is_err() {
        engine.imports().close(import);
    }
    view
}

/// Restores a draft's site, and its rejected rows if it is a retry.
fn continue_draft(engine: &Engine, follows: Option<SubmissionOrigin>, view: ImportView) -> ImportView {
    let import = view.id;
    let retries = follows.filter(|follows| follows.relation == Relation::Retry);
    let continued = match retries {
        Some(follows) => engine.history().limit_to_rejected_rows(import, follows.submission),
        None if view.destination.is_none() => assign_chosen_site(engine, import),
        None => return view,
    };
    continued.unwrap_or_else(|problem| {
        tracing::warn!(?problem, "a draft goes on without what it followed");
        view
    })
}

impl OpeningView {
    fn new(path: &Path, progress: ImportProgress) -> Self {
        let share = (progress.of > 0).then(|| f64::from(progress.read) / f64::from(progress.of));
        Self {
            file: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            sheet: progress.sheet,
            rows: progress.rows,
            share,
            head: progress.head.unwrap_or_default(),
        }
    }

    /// Returns whether the message contains the first rows, or the progress has reached another part of the sheet.
    fn is_worth_reporting(&self, last: &AtomicU32) -> bool {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of parts"
        )]
        let part = self.share.map_or(u32::MAX, |share| (share * PROGRESS_PARTS) as u32);
        let last_part = last.swap(part, Ordering::Relaxed);
        !self.head.is_empty() || self.share.is_none() || part != last_part
    }
}
