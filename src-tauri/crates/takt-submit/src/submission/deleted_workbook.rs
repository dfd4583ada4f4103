//! The workbooks with deleted rows, one per delete, in the home folder.
//!
//! A workbook is written before the first request, and again with the results when a run ends. It is created from the
//! journal, so that an incomplete one can be completed later.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use takt_core::{Code, Problem, Words};
use takt_journal::{
    JournalError, ResultCounts, SubmissionId, SubmissionRecord, SubmissionState, private_file, row::StoredRow,
};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::{
    change_operation::ChangeOperation,
    result_workbook,
    submissions_state::{Submissions, SubmissionsState},
    view::result_row,
};
use crate::link::{CleanupLink, duration_cell, process_headings};

/// The rows that are read from the journal at a time.
const PAGE_SIZE: u32 = 5_000;
/// The submissions that are read from the journal at a time.
const SUBMISSIONS_PER_PAGE: u32 = 1_000;
/// The setting with the state of a submission when its workbook was written.
const WRITTEN_STATE: &str = "deleted.stamp";
/// The setting with the data about a submission's items that isn't part of their bodies.
const KNOWN_DATA: &str = "deleted.beside";

/// The workbook with the rows that a submission deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeletedWorkbook {
    pub file: String,
    pub path: String,
}

/// A delete and its workbook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeletedView {
    /// The workbook's file name, also if the file couldn't be written.
    pub file: String,
    /// Absent if only the workbook remains and the journal lacks the submission.
    pub submission: Option<SubmissionId>,
    /// ISO 8601.
    pub started: String,
    pub site: String,
    pub person: String,
    pub total: u32,
    pub counts: ResultCounts,
    pub state: SubmissionState,
    /// The reason why the workbook couldn't be updated.
    pub problem: Option<Problem>,
}

impl Submissions {
    /// Returns the workbook with the rows that a submission deleted, and updates it if needed.
    ///
    /// Returns `None` if the operation doesn't delete, or if the workbook is missing and the rows are purged.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission, or the contract doesn't have its
    ///   operation.
    /// - [`Code::WriteFailed`]: the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub async fn deleted_workbook(&self, id: SubmissionId) -> Result<Option<DeletedWorkbook>, Problem> {
        self.run_blocking(move |submissions| {
            let shared = &submissions.shared;
            let record = shared.journal.submission(id)?;
            let target = ChangeOperation::find(&*shared.sites.contract(&record.site)?, &record.operation)?;
            if !target.deletes {
                return Ok(None);
            }
            if record.purged.is_none() && !shared.runs_here(id) {
                shared.store_deleted(id, &target)?;
            }
            let path = shared.workbook_path(&record)?;
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            Ok(path.is_file().then(|| DeletedWorkbook { file, path: path.display().to_string() }))
        })
        .await
    }

    /// Lists the submissions of a delete operation with their workbooks, the newest first. Outdated workbooks are
    /// written again.
    pub(crate) fn list_deletes(&self, operation: &str) -> Result<Vec<DeletedView>, Problem> {
        let target = ChangeOperation::find(self.shared.sites.builtin_contract(), operation)?;
        let mut records = Vec::new();
        loop {
            let offset = u32::try_from(records.len()).unwrap_or(u32::MAX);
            let page = self.shared.journal.submissions(offset, SUBMISSIONS_PER_PAGE)?;
            if page.is_empty() {
                break;
            }
            records.extend(page);
        }
        let is_written = |record: &SubmissionRecord| record.state != SubmissionState::Preparing;
        let deletes = records.into_iter().filter(|record| record.operation == operation && is_written(record));
        deletes.map(|record| self.deleted_view(record, &target)).collect()
    }

    fn deleted_view(&self, record: SubmissionRecord, target: &ChangeOperation) -> Result<DeletedView, Problem> {
        let (shared, id) = (&self.shared, record.id);
        let path = shared.workbook_path(&record)?;
        // A run in this process writes the workbook, and purged rows can't be written.
        let problem =
            if shared.runs_here(id) || record.purged.is_some() { None } else { shared.store_deleted(id, target).err() };
        Ok(DeletedView {
            file: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            submission: Some(id),
            started: record.started.to_string(),
            counts: record.counts,
            state: record.state,
            site: record.site,
            person: record.person,
            total: record.total,
            problem,
        })
    }
}

impl SubmissionsState {
    /// Returns the path of a delete's workbook, which contains the start date, the site and the submission's number.
    fn workbook_path(&self, record: &SubmissionRecord) -> Result<PathBuf, Problem> {
        let day = self.sites.time_zone(&record.site)?.to_datetime(record.started).date();
        let sanitize = |character: char| if character.is_alphanumeric() { character } else { '-' };
        let site: String = record.site.chars().map(sanitize).collect();
        Ok(self.deleted.join(format!("{day} {site} {:06}.xlsx", record.id)))
    }

    /// Stores the data about the items that isn't part of their bodies, in the items' order.
    pub(super) fn store_known_data(&self, submission: SubmissionId, known_data: &Value) -> Result<(), JournalError> {
        self.journal.settings().set(&format!("{KNOWN_DATA}.{submission}"), known_data)
    }

    /// Writes the workbook if it is missing or outdated. Does nothing for operations that don't delete.
    pub(super) fn store_deleted(&self, submission: SubmissionId, target: &ChangeOperation) -> Result<(), Problem> {
        if !target.deletes {
            return Ok(());
        }
        let record = self.journal.submission(submission)?;
        let (path, stamp) = (self.workbook_path(&record)?, written_state(&record));
        let name = format!("{WRITTEN_STATE}.{submission}");
        if path.is_file() && self.journal.settings().get(&name)?.as_ref() == Some(&stamp) {
            return Ok(());
        }
        let file = path.display().to_string();
        let failed = |error| Problem::new(Code::WriteFailed).parameter("file", &file).details(error);
        private_file::create_private_folder(&self.deleted).map_err(failed)?;
        let words = self.words();
        // The new file inherits the permissions of an existing one.
        drop(private_file::open_private_file(&path).map_err(failed)?);
        let sheets = [self.links_sheet(&words, &record, target)?, about_sheet(&words, &record)];
        write_workbook(&path, &sheets).map_err(|error| Problem::from_sheet_error(&file, error))?;
        Ok(self.journal.settings().set(&name, &stamp)?)
    }

    /// Creates the sheet of links, with the members' names as headings so that it can be imported.
    fn links_sheet(
        &self,
        words: &Words,
        record: &SubmissionRecord,
        target: &ChangeOperation,
    ) -> Result<OutSheet, Problem> {
        let known_data = self.journal.settings().get(&format!("{KNOWN_DATA}.{}", record.id))?;
        let known_data: Vec<CleanupLink> =
            known_data.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
        let known = process_headings(self.sites.builtin_contract());
        let known = known.iter().filter(|_| !known_data.is_empty());
        let known: Vec<OutColumn> =
            known.map(|(name, width)| OutColumn { heading: name.clone(), width: *width }).collect();
        let mut sheet = result_workbook::deleted_sheet(words, &target.key);
        let reasons = OutColumn { heading: result_workbook::heading(words, "reasons"), width: 60.0 };
        let known_count = known.len();
        let at = target.key.len();
        sheet.columns.splice(at..at, known);
        sheet.columns.push(reasons);
        let mut after: Option<(String, u32)> = None;
        loop {
            let from = after.as_ref().map(|(sheet, row)| (sheet.as_str(), *row));
            let rows = self.journal.rows().after(record.id, from, PAGE_SIZE)?;
            let Some(last) = rows.last() else { break };
            after = Some((last.sheet.clone(), last.row));
            sheet.rows.extend(rows.iter().map(|row| {
                let mut cells = result_workbook::deletion_cells(words, &target.key, row);
                cells.splice(at..at, known_cells(&known_data, row).into_iter().take(known_count));
                cells.push(result_row(words, row).reasons.join("; ").into());
                cells
            }));
        }
        Ok(sheet)
    }
}

/// Returns the cells with the known data of a row's process.
fn known_cells(known_data: &[CleanupLink], row: &StoredRow) -> [OutCell; 3] {
    let index = (row.item as usize).checked_sub(1);
    match index.and_then(|index| known_data.get(index)) {
        Some(known) => [
            known.description.as_str().into(),
            duration_cell(known.labor_seconds),
            duration_cell(known.machine_seconds),
        ],
        None => [OutCell::Empty, OutCell::Empty, OutCell::Empty],
    }
}

/// Returns a value that changes whenever the workbook must be written again.
fn written_state(record: &SubmissionRecord) -> Value {
    json!([format!("{:?}", record.state), format!("{:?}", record.counts), record.ended.map(|ended| ended.to_string())])
}

fn about_sheet(words: &Words, record: &SubmissionRecord) -> OutSheet {
    let text = |name: &str| words.text(&["report", name], &BTreeMap::new());
    let counts = record.counts;
    let open = record.total - counts.accepted.min(record.total);
    let lines: [(&str, OutCell); 6] = [
        ("site", record.site.as_str().into()),
        ("started", record.started.to_string().into()),
        ("person", record.person.as_str().into()),
        ("file", record.file.as_str().into()),
        ("wereDeleted", f64::from(counts.accepted).into()),
        ("notDeleted", f64::from(open).into()),
    ];
    OutSheet {
        name: text("about"),
        columns: [24.0, 48.0].map(|width| OutColumn { heading: String::new(), width }).to_vec(),
        rows: lines.into_iter().map(|(name, cell)| vec![text(name).into(), cell]).collect(),
        ..OutSheet::default()
    }
}
