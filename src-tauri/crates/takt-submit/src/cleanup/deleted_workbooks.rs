//! The workbooks of earlier deletes: listed, shown and copied.

use std::path::{Path, PathBuf};
use takt_journal::{ResultCounts, SubmissionState};

use serde::{Deserialize, Serialize};
use takt_sheet::{Limits, Workbook};

use super::{cleanup_contract::CleanupContract, templates::Templates, view::saturating_u32};
use takt_core::{Code, Problem};

use crate::submission::DeletedView;

/// Rows beyond this limit aren't shown, but the file contains them.
const MAX_ROWS: usize = 20_000;
const EXTENSION: &str = "xlsx";

/// The rows of a stored workbook, as Excel shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeletedTable {
    pub file: String,
    pub path: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// The number of rows in the file, which may be more than in `rows`.
    pub total: u32,
}

impl Templates {
    /// Lists all deletes, the newest first, then workbooks without a journal entry. A workbook that a killed process
    /// left incomplete is completed from the journal.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: the contract doesn't define templates, or has no operation that deletes their links.
    /// - A [journal code](takt_core::problem#journal-codes): the submissions can't be read.
    pub fn list_deletes(&self) -> Result<Vec<DeletedView>, Problem> {
        let operation = &CleanupContract::find(&self.contract)?.cleanup.delete.operation;
        let mut deletions = self.submissions.list_deletes(operation)?;
        let known_files: Vec<&str> = deletions.iter().map(|view| view.file.as_str()).collect();
        let strays: Vec<DeletedView> = list_workbooks(&self.home.deleted_rows())
            .into_iter()
            .filter(|file| !known_files.contains(&file.as_str()))
            .map(view_without_journal)
            .collect();
        deletions.extend(strays);
        Ok(deletions)
    }

    /// Reads a stored workbook.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no delete has such a file.
    /// - A [file code](takt_core::problem#file-codes): the file can't be read.
    pub fn deleted_table(&self, file: &str) -> Result<DeletedTable, Problem> {
        let path = self.deleted_path(file)?;
        let limits = Limits::default();
        let problem_of = |error| Problem::from_sheet_error(file, error);
        let workbook = Workbook::open(&path, &limits).map_err(problem_of)?;
        let first = workbook.sheets().first().map(|entry| entry.name.clone()).unwrap_or_default();
        let sheet = workbook.read(&first, &limits, &|| false).map_err(problem_of)?;
        let width = sheet.columns as usize;
        let mut rows_of_cells = sheet.rows.iter().map(|row| {
            let mut cells: Vec<String> = row.cells.iter().map(|cell| cell.shown().into_owned()).collect();
            cells.resize(width, String::new());
            cells
        });
        let columns = rows_of_cells.next().unwrap_or_default();
        let mut rows = Vec::new();
        let mut total = 0;
        for cells in rows_of_cells {
            total += 1;
            if rows.len() < MAX_ROWS {
                rows.push(cells);
            }
        }
        Ok(DeletedTable {
            file: file.to_owned(),
            path: path.display().to_string(),
            columns,
            rows,
            total: saturating_u32(total),
        })
    }

    /// Copies a stored workbook to `to`.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no delete has such a file.
    /// - [`Code::WriteFailed`]: the copy can't be written.
    pub fn copy_deleted(&self, file: &str, to: &Path) -> Result<(), Problem> {
        let from = self.deleted_path(file)?;
        let failed = |error| Problem::new(Code::WriteFailed).parameter("file", to.display().to_string()).details(error);
        std::fs::copy(&from, to).map(drop).map_err(failed)
    }

    /// Opens a stored workbook in the system's default program.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no delete has such a file.
    /// - [`Code::Precondition`]: the system has no program for it (`no-program`).
    pub fn open_deleted(&self, file: &str) -> Result<(), Problem> {
        let path = self.deleted_path(file)?;
        if takt_core::browser::open_file(&path) {
            return Ok(());
        }
        Err(Problem::obstacle("no-program").parameter("file", path.display().to_string()))
    }

    /// Returns the path of a stored workbook. Names that aren't in the folder are refused as unknown.
    fn deleted_path(&self, file: &str) -> Result<PathBuf, Problem> {
        let folder = self.home.deleted_rows();
        let exists = list_workbooks(&folder).into_iter().any(|known| known == file);
        exists.then(|| folder.join(file)).ok_or_else(|| Problem::new(Code::Unknown).parameter("what", file))
    }
}

/// Lists the folder's workbooks in descending order of their names. The list is empty if the folder can't be read.
fn list_workbooks(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path()).filter(|path| path.is_file());
    let workbooks = paths.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    let mut names: Vec<String> = workbooks.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
    names.sort_unstable_by(|one, other| other.cmp(one));
    names
}

/// Describes a workbook without a journal entry. Only its name is known.
fn view_without_journal(file: String) -> DeletedView {
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
