//! Stores drafts and the list of opened files in the journal. takt-journal owns the tables.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use takt_core::{Code, Problem};
use takt_journal::{
    Journal, JournalError, ResultCounts, SubmissionId,
    recent_file::{DraftRecord, DraftSummary, ListedFile, RecentFile, RecentFiles},
};
use takt_sheet::Workbook;

use crate::{
    draft::{DraftView, EarlierDraft, ImportPosition, RestoredDraft, WorkbookDraft},
    import_id::ImportId,
    import_progress::ProgressListener,
    imports::Imports,
    original::{file_hash, workbook_hash},
    plan::OpenWorkbook,
    session::Session,
    view::ImportView,
};

/// Maximum bytes of a draft. A larger draft isn't saved, and the user is asked before closing it.
const MAX_DRAFT_BYTES: usize = 8 * 1024 * 1024;
/// Maximum bytes of a file that is read again to find out whether it changed. A larger file with another time is shown
/// as changed.
const MAX_COMPARED_FILE_BYTES: u64 = 32 * 1024 * 1024;

/// Whether a file that was opened before has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum FileState {
    /// The size and time, or the content, are the same.
    Same,
    /// The content is different, or the file is too large to compare.
    Changed,
    /// The file is missing or can't be accessed.
    Missing,
}

/// A file that was opened before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RecentFileView {
    /// Hexadecimal SHA-256 of the content that was opened. It identifies the file in this list.
    pub hash: String,
    pub file: String,
    /// The path of the folder, without the file's name.
    pub folder: String,
    pub state: FileState,
    pub opened: String,
    pub draft: Option<DraftOnFile>,
    pub sent: Option<SentFileView>,
}

/// An unsent draft of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DraftOnFile {
    pub changed: String,
    pub site: Option<String>,
    pub edited: u32,
    pub excluded: u32,
}

/// The last submission of a file, with the other steps of its plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SentFileView {
    pub submission: SubmissionId,
    pub site: String,
    pub started: String,
    /// The rows of all steps.
    pub counts: ResultCounts,
}

/// The drafts and recent files of imports.
#[derive(Debug, Clone, Copy)]
pub struct Drafts<'a> {
    imports: &'a Imports,
}

impl<'a> Drafts<'a> {
    /// Creates access to the drafts of the workbooks in `imports`.
    #[must_use]
    pub fn new(imports: &'a Imports) -> Self {
        Self { imports }
    }

    /// Enables drafts and the list of recent files. Only the window needs them, since users edit files there.
    pub fn enable_drafts(self) {
        let _set = self.imports.drafts_enabled.set(());
    }

    /// Returns true if there is a draft of the file's content.
    ///
    /// # Errors
    ///
    /// - A [file code](takt_core::problem#file-codes): the file can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the drafts can't be read.
    pub fn has_draft(self, path: &Path) -> Result<bool, Problem> {
        let hash = file_hash(path)?;
        Ok(self.recent_files()?.iter().any(|file| file.hash == hash && file.draft.is_some()))
    }

    /// Returns the recent files. Files with a draft come first, then the most recently opened ones.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the files can't be read.
    pub fn recent_files(self) -> Result<Vec<RecentFileView>, Problem> {
        let journal = &self.imports.journal;
        let view = |listed: ListedFile| -> Result<RecentFileView, Problem> {
            let sent = listed.sent.map(|last| sent_file_view(journal, last)).transpose()?;
            Ok(recent_file_view(listed, sent))
        };
        RecentFiles::new(journal).list()?.into_iter().map(view).collect()
    }

    /// Returns the path of the file that had this content.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such file was opened.
    /// - A [journal code](takt_core::problem#journal-codes): the list can't be read.
    pub fn file_path(self, hash: &str) -> Result<PathBuf, Problem> {
        let found = RecentFiles::new(&self.imports.journal).find(hash)?;
        found.map(|listed| PathBuf::from(listed.file.path)).ok_or_else(|| unknown_file_problem(hash))
    }

    /// Removes a file and its draft from the list.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the file can't be removed from the list.
    pub fn remove_file(self, hash: &str) -> Result<(), Problem> {
        RecentFiles::new(&self.imports.journal).forget(hash)?;
        Ok(())
    }

    /// Records the user's position in the import.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn set_position(self, id: ImportId, position: ImportPosition) -> Result<ImportView, Problem> {
        self.imports.with_book(id, |book| {
            book.draft.is_unsaved |= book.draft.has_changes && book.draft.position != position;
            book.draft.position = position;
            Ok(())
        })
    }

    /// Removes the draft after its rows were sent. The history then has their results.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - A [journal code](takt_core::problem#journal-codes): the draft can't be removed.
    pub fn remove_draft(self, id: ImportId) -> Result<(), Problem> {
        self.imports
            .with_book(id, |book| {
                (book.draft.has_changes, book.draft.is_unsaved, book.draft.view) = (false, false, DraftView::default());
                RecentFiles::new(&self.imports.journal).discard_draft(book.current()?.hash())?;
                Ok(())
            })
            .map(drop)
    }

    /// Opens the file again without the user's changes. The draft is removed after the file was read.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - A [file code](takt_core::problem#file-codes): the file can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the draft can't be removed.
    pub fn start_over(self, id: ImportId) -> Result<ImportView, Problem> {
        let book = self.imports.book(id)?;
        let (path, hash, destination) = {
            let book = book.lock();
            let current = book.current()?;
            (current.path().to_path_buf(), current.hash().to_owned(), book.destination().cloned())
        };
        let new = self.imports.next_id();
        let site = destination.as_ref().map(|own| own.site.clone());
        let contract = match &site {
            Some(site) => self.imports.site_contract(site)?,
            None => self.imports.chosen_contract(),
        };
        let session = self.imports.with_context(&contract, |ctx| Session::open(new, &path, ctx, &|_| true))?;
        let mut fresh = OpenWorkbook::new(session, contract);
        if let Some(destination) = destination {
            fresh.set_destination(destination);
        }
        RecentFiles::new(&self.imports.journal).discard_draft(&hash)?;
        self.imports.close(id);
        self.imports.insert_book(new, fresh)
    }

    /// Applies the column mapping of a draft for an earlier content of the file, and removes that draft. Columns that
    /// no longer exist are skipped. Fixes aren't applied, since the rows may differ now.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or there is no such draft.
    /// - A [journal code](takt_core::problem#journal-codes): the draft can't be read or removed.
    pub fn apply_draft_columns(self, id: ImportId, hash: &str) -> Result<ImportView, Problem> {
        let draft = self.imports.load_draft(hash)?.ok_or_else(|| unknown_file_problem(hash))?.1;
        self.imports.apply_user_change(id, |book| {
            self.imports.with_context(&book.contract(), |ctx| book.apply_draft_columns(&draft, ctx))?;
            book.draft.view.earlier = None;
            RecentFiles::new(&self.imports.journal).forget(hash)?;
            Ok(())
        })
    }
}

impl Imports {
    /// Opens a file and restores its draft, if one was saved for its content.
    pub(crate) fn open_with_draft(
        &self,
        id: ImportId,
        path: &Path,
        watch: &ProgressListener<'_>,
    ) -> Result<OpenWorkbook, Problem> {
        let contract = self.chosen_contract();
        let open = || self.with_context(&contract, |ctx| Session::open(id, path, ctx, watch));
        let session = open()?;
        let hash = session.hash().to_owned();
        let mut book = OpenWorkbook::new(session, Arc::clone(&contract));
        if self.drafts_enabled.get().is_none() {
            return Ok(book);
        }
        // If the journal fails, the user can still view the file.
        if let Err(problem) = self.restore_draft(&mut book, path, &hash) {
            tracing::warn!(?problem, "the draft of a file can't be read");
            book = OpenWorkbook::new(open()?, contract);
        }
        if let Err(problem) = self.add_recent_file(path, &hash) {
            tracing::warn!(?problem, "a file that was opened can't be listed");
        }
        Ok(book)
    }

    /// Returns true if a site still exists. Unreadable sites are an error, because the draft would lose its site.
    fn has_site(&self, site: &str) -> Result<bool, Problem> {
        let Some(sites) = &self.sites else { return Ok(true) };
        match sites.find(site) {
            Ok(_) => Ok(true),
            Err(problem) if problem.code == Code::Unknown => Ok(false),
            Err(problem) => Err(problem),
        }
    }

    fn restore_draft(&self, book: &mut OpenWorkbook, path: &Path, hash: &str) -> Result<(), Problem> {
        if let Some((summary, draft)) = self.load_draft(hash)? {
            if let Some(destination) = draft.destination.clone()
                && self.has_site(&destination.site)?
            {
                book.set_contract(self.site_contract(&destination.site)?);
                book.set_destination(destination);
            }
            self.with_context(&book.contract(), |ctx| book.restore_draft(&draft, ctx))?;
            let restored = RestoredDraft {
                changed: timestamp_text(summary.changed),
                edited: summary.edited,
                excluded: summary.excluded,
                position: draft.position.clone(),
            };
            book.draft.has_changes = true;
            book.draft.position = draft.position;
            book.draft.view = DraftView { kept: true, restored: Some(restored), earlier: None };
            return Ok(());
        }
        let path = path.display().to_string();
        let others = RecentFiles::new(&self.journal).list()?.into_iter();
        let earlier = others.filter(|other| other.file.path == path && other.file.hash != hash).find_map(|other| {
            let DraftSummary { changed, edited, excluded, .. } = other.draft?;
            Some(EarlierDraft { hash: other.file.hash, changed: timestamp_text(changed), edited, excluded })
        });
        book.draft.view.earlier = earlier;
        Ok(())
    }

    fn load_draft(&self, hash: &str) -> Result<Option<(DraftSummary, WorkbookDraft)>, Problem> {
        let Some(DraftRecord { summary, body }) = RecentFiles::new(&self.journal).draft(hash)? else { return Ok(None) };
        let draft = serde_json::from_value(body).map_err(|error| Problem::new(Code::Bug).details(error))?;
        Ok(Some((summary, draft)))
    }

    fn add_recent_file(&self, path: &Path, hash: &str) -> Result<(), Problem> {
        let Some((size, modified)) = file_size_and_time(path) else { return Ok(()) };
        RecentFiles::new(&self.journal).record_opened(&RecentFile {
            hash: hash.to_owned(),
            path: path.display().to_string(),
            file: file_name(path),
            size,
            modified,
            opened: (self.clock)(),
        })?;
        Ok(())
    }

    /// Saves the draft if it has unsaved changes. A failure is logged and shown in the view, but isn't an error.
    pub(crate) fn store_draft(&self, book: &mut OpenWorkbook) {
        if self.drafts_enabled.get().is_none() || !book.draft.has_changes || !std::mem::take(&mut book.draft.is_unsaved)
        {
            return;
        }
        let saved = self.save_draft(book).inspect_err(|problem| tracing::warn!(?problem, "a draft can't be kept"));
        book.draft.view.kept = saved.unwrap_or(false);
    }

    fn save_draft(&self, book: &OpenWorkbook) -> Result<bool, Problem> {
        let current = book.current()?;
        if current.path().as_os_str().is_empty() {
            return Ok(false);
        }
        let failed = |error: serde_json::Error| Problem::new(Code::Bug).details(error);
        let body = serde_json::to_value(book.create_draft()).map_err(failed)?;
        if serde_json::to_string(&body).map_err(failed)?.len() > MAX_DRAFT_BYTES {
            return Ok(false);
        }
        let (edited, excluded) = book.fix_counts();
        let summary = DraftSummary { changed: (self.clock)(), site: book.site(), edited, excluded };
        let draft = DraftRecord { summary, body };
        let stored = |draft: &DraftRecord| -> Result<bool, JournalError> {
            RecentFiles::new(&self.journal).store_draft(current.hash(), draft)
        };
        if stored(&draft)? {
            return Ok(true);
        }
        // The file isn't in the list because it couldn't be added or was removed meanwhile.
        self.add_recent_file(current.path(), current.hash())?;
        Ok(stored(&draft)?)
    }
}

/// Returns the results of the rows in all steps of a submission's plan.
fn sent_file_view(journal: &Journal, last: SubmissionId) -> Result<SentFileView, Problem> {
    let last = journal.submission(last)?;
    let steps = journal.plans().steps(last.plan)?;
    let steps = steps.into_iter().map(|id| journal.submission(id)).collect::<Result<Vec<_>, _>>()?;
    Ok(SentFileView {
        submission: last.id,
        counts: steps.iter().map(|step| step.counts).sum(),
        site: last.site,
        started: timestamp_text(last.started),
    })
}

fn recent_file_view(listed: ListedFile, sent: Option<SentFileView>) -> RecentFileView {
    let ListedFile { file, draft, sent: _ } = listed;
    let path = PathBuf::from(&file.path);
    RecentFileView {
        state: file_state(&path, &file),
        folder: path.parent().map(|folder| folder.display().to_string()).unwrap_or_default(),
        hash: file.hash,
        file: file.file,
        opened: timestamp_text(file.opened),
        draft: draft.map(|draft| DraftOnFile {
            changed: timestamp_text(draft.changed),
            site: draft.site,
            edited: draft.edited,
            excluded: draft.excluded,
        }),
        sent,
    }
}

/// Compares a file with its recorded state. A file of the same size with another time is read again, since it may have
/// been saved unchanged.
fn file_state(path: &Path, before: &RecentFile) -> FileState {
    let Some((size, modified)) = file_size_and_time(path) else { return FileState::Missing };
    if size != before.size {
        return FileState::Changed;
    }
    if modified == before.modified {
        return FileState::Same;
    }
    let limits = takt_sheet::Limits::default();
    let read = || -> Option<String> { workbook_hash(&Workbook::open(path, &limits).ok()?).ok() };
    if size <= MAX_COMPARED_FILE_BYTES && read().as_ref() == Some(&before.hash) {
        FileState::Same
    } else {
        FileState::Changed
    }
}

fn file_size_and_time(path: &Path) -> Option<(u64, Timestamp)> {
    let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((data.len(), Timestamp::try_from(data.modified().ok()?).ok()?))
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn unknown_file_problem(hash: &str) -> Problem {
    Problem::new(Code::Unknown).parameter("what", hash)
}

fn timestamp_text(at: Timestamp) -> String {
    at.to_string()
}
