//! What was deleted before: the workbooks that are kept of deletes, listed, looked at and taken along.

use std::path::{Path, PathBuf};
use takt_journal::{ResultCounts, SubmissionState};

use serde::{Deserialize, Serialize};
use takt_sheet::{Limits, Workbook};

use super::{facts::Facts, matrix::count};
use takt_core::{Code, Problem};

use crate::{Templates, submission::DeletedView};

/// Rows that are shown of one workbook; all stand in the file.
const MAX_ROWS: usize = 20_000;
const EXTENSION: &str = "xlsx";

/// A kept workbook's rows, as Excel shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeletedTable {
    pub file: String,
    /// Where it lies.
    pub path: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// More than `rows` where that would be too many to show.
    pub total: u32,
}

impl Templates {
    /// Every delete, newest first. A workbook that a dead Takt left unfinished is completed from the journal.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract says nothing of templates, or has no operation that deletes their links.
    /// - A [journal code](takt_core::problem#journal-codes): the submissions can't be read.
    pub fn deleted_before(&self) -> Result<Vec<DeletedView>, Problem> {
        let operation = &Facts::of(&self.contract)?.cleanup.delete.operation;
        let mut deletions = self.submissions.deletes(operation)?;
        let known_files: Vec<&str> = deletions.iter().map(|view| view.file.as_str()).collect();
        let strays: Vec<DeletedView> = files(&self.home.deleted())
            .into_iter()
            .filter(|file| !known_files.contains(&file.as_str()))
            .map(stray)
            .collect();
        deletions.extend(strays);
        Ok(deletions)
    }

    /// What a kept workbook holds.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such file among what was deleted.
    /// - A [file code](takt_core::problem#file-codes): the file can't be read.
    pub fn deleted_table(&self, file: &str) -> Result<DeletedTable, Problem> {
        let path = self.deleted_path(file)?;
        let limits = Limits::default();
        let problem_of = |error| Problem::of_sheet(file, error);
        let workbook = Workbook::open(&path, &limits).map_err(problem_of)?;
        let first = workbook.sheets().first().map(|entry| entry.name.clone()).unwrap_or_default();
        let sheet = workbook.read(&first, &limits, &|| false).map_err(problem_of)?;
        let wide = sheet.columns as usize;
        let mut lines = sheet.rows.iter().map(|row| {
            let mut cells: Vec<String> = row.cells.iter().map(|cell| cell.shown().into_owned()).collect();
            cells.resize(wide, String::new());
            cells
        });
        let columns = lines.next().unwrap_or_default();
        let mut rows = Vec::new();
        let mut total = 0;
        for line in lines {
            total += 1;
            if rows.len() < MAX_ROWS {
                rows.push(line);
            }
        }
        Ok(DeletedTable { file: file.to_owned(), path: path.display().to_string(), columns, rows, total: count(total) })
    }

    /// Copies a kept workbook to where a person wants it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such file among what was deleted.
    /// - [`Code::WriteFailed`]: the copy can't be written.
    pub fn copy_deleted(&self, file: &str, to: &Path) -> Result<(), Problem> {
        let from = self.deleted_path(file)?;
        let failed = |error| Problem::new(Code::WriteFailed).parameter("file", to.display().to_string()).details(error);
        std::fs::copy(&from, to).map(drop).map_err(failed)
    }

    /// Opens a kept workbook in the system's own program for it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such file among what was deleted.
    /// - [`Code::Precondition`]: the system has no program that opens it (`no-program`).
    pub fn open_deleted(&self, file: &str) -> Result<(), Problem> {
        let path = self.deleted_path(file)?;
        if takt_core::browser::open_file(&path) {
            return Ok(());
        }
        Err(Problem::in_the_way("no-program").parameter("file", path.display().to_string()))
    }

    /// A name that leads out of the folder, or to nothing, is unknown.
    fn deleted_path(&self, file: &str) -> Result<PathBuf, Problem> {
        let folder = self.home.deleted();
        let there = files(&folder).into_iter().any(|known| known == file);
        there.then(|| folder.join(file)).ok_or_else(|| Problem::new(Code::Unknown).parameter("what", file))
    }
}

/// Workbooks in the folder; none where there is no folder yet.
fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    let workbooks = named.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    let mut names: Vec<String> = workbooks.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
    names.sort_unstable_by(|one, other| other.cmp(one));
    names
}

/// Of a workbook whose journal is gone only its name tells something.
fn stray(file: String) -> DeletedView {
    DeletedView {
        started: file.split(' ').next().unwrap_or_default().to_owned(),
        file,
        submission: None,
        site: String::new(),
        person: String::new(),
        total: 0,
        counts: ResultCounts::default(),
        state: SubmissionState::Finished,
        problem: None,
    }
}
