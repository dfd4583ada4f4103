//! Exports results as a workbook: every row with its result and reasons. For deletes a second sheet has the deleted
//! rows, with the members' names as headings so that it can be imported.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde_json::Value;
use takt_core::{Problem, Words};
use takt_import::{Original, SavedCopy, row_note, takt_columns};
use takt_journal::{Journal, RowResult, SubmissionId, SubmissionRecord, row::StoredRow};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, RowNote, write_workbook};

use super::{change_operation::ChangeOperation, submissions_state::Submissions, view::result_row};

/// The rows that are read from the journal at a time.
const PAGE_SIZE: u32 = 5_000;

impl Submissions {
    /// Exports the results of all rows, for all steps of the plan. For deletes the deleted rows are included.
    ///
    /// The results are written into a copy of the planner's workbook if `original` is the sent file, otherwise into a
    /// new workbook.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract no longer has its
    ///   operation.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): `path` is the planner's file (`own-file`).
    /// - A [file code](takt_core::problem#file-codes): the original can't be read again.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn export_results(
        &self,
        id: SubmissionId,
        original: Option<&Original>,
        path: &Path,
    ) -> Result<SavedCopy, Problem> {
        let shared = &self.shared;
        let steps = shared.journal.plans().steps(shared.journal.submission(id)?.plan)?;
        let records: Vec<SubmissionRecord> =
            steps.into_iter().map(|step| shared.journal.submission(step)).collect::<Result<_, _>>()?;
        let targets: Vec<(SubmissionId, ChangeOperation)> = records
            .iter()
            .map(|record| {
                Ok((record.id, ChangeOperation::find(&*shared.sites.contract(&record.site)?, &record.operation)?))
            })
            .collect::<Result<_, Problem>>()?;
        match original.filter(|original| records.iter().all(|record| record.hash == original.hash())) {
            Some(original) => write_into_original(&shared.journal, &shared.words(), &targets, original, path),
            None => {
                write_new_workbook(&shared.journal, &shared.words(), &targets, path)?;
                Ok(SavedCopy { path: path.display().to_string(), keeps_original: false })
            }
        }
    }
}

fn write_new_workbook(
    journal: &Journal,
    words: &Words,
    submissions: &[(SubmissionId, ChangeOperation)],
    path: &Path,
) -> Result<(), Problem> {
    let sheets = result_sheets(journal, words, submissions, |_| {})?;
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    write_workbook(path, &sheets).map_err(|error| Problem::from_sheet_error(&file, error))
}

/// Writes the planner's workbook with each row's result next to it, and appends the [`result_sheets`].
fn write_into_original(
    journal: &Journal,
    words: &Words,
    submissions: &[(SubmissionId, ChangeOperation)],
    original: &Original,
    path: &Path,
) -> Result<SavedCopy, Problem> {
    let mut statuses: HashMap<RowResult, Arc<str>> = HashMap::new();
    let mut rows: BTreeMap<String, Vec<RowNote>> = BTreeMap::new();
    let sheets = result_sheets(journal, words, submissions, |row| {
        let status =
            statuses.entry(row.result).or_insert_with(|| Arc::from(takt_columns::result_text(words, row.result)));
        let reasons = result_row(words, row).reasons.join("; ");
        let note = row_note(row.row, status, &reasons);
        match rows.get_mut(&row.sheet) {
            Some(notes) => notes.push(note),
            None => drop(rows.insert(row.sheet.clone(), vec![note])),
        }
    })?;
    // Rows of a sheet may be in several submissions.
    rows.values_mut().for_each(|notes| notes.sort_by_key(|note| note.row));
    let notes: Vec<_> =
        rows.into_iter().filter_map(|(sheet, rows)| original.sheet_notes(words, &sheet, rows)).collect();
    original.write(&notes, &sheets, path)
}

/// Creates the sheets of all results and, for deletes, of the deleted rows. Calls `on_row` with every row in order.
fn result_sheets(
    journal: &Journal,
    words: &Words,
    submissions: &[(SubmissionId, ChangeOperation)],
    mut on_row: impl FnMut(&StoredRow),
) -> Result<Vec<OutSheet>, Problem> {
    let mut results = results_sheet(words);
    let mut deleted = None;
    for (submission, target) in submissions {
        let submission = *submission;
        let mut after: Option<(String, u32)> = None;
        loop {
            let from = after.as_ref().map(|(sheet, row)| (sheet.as_str(), *row));
            let rows = journal.rows().after(submission, from, PAGE_SIZE)?;
            let Some(last) = rows.last() else { break };
            after = Some((last.sheet.clone(), last.row));
            for row in &rows {
                on_row(row);
                results.rows.push(result_cells(words, row));
                if target.deletes {
                    let deleted = deleted.get_or_insert_with(|| deleted_sheet(words, &target.key));
                    deleted.rows.push(deletion_cells(words, &target.key, row));
                }
            }
        }
    }
    Ok(std::iter::once(results).chain(deleted).collect())
}

fn results_sheet(words: &Words) -> OutSheet {
    let headings = ["sheet", "row", "key", "result", "reasons", "batch"];
    let widths = [20.0, 8.0, 36.0, 14.0, 80.0, 10.0];
    let columns = headings.iter().zip(widths).map(|(name, width)| OutColumn { heading: heading(words, name), width });
    OutSheet { name: heading(words, "results"), columns: columns.collect(), ..OutSheet::default() }
}

pub(super) fn deleted_sheet(words: &Words, key: &[String]) -> OutSheet {
    let result_columns = [("deletedAt", 22.0), ("result", 14.0)];
    let columns = key
        .iter()
        .map(|member| OutColumn { heading: member.clone(), width: 20.0 })
        .chain(result_columns.iter().map(|(name, width)| OutColumn { heading: heading(words, name), width: *width }));
    OutSheet { name: heading(words, "deleted"), columns: columns.collect(), ..OutSheet::default() }
}

fn result_cells(words: &Words, stored: &StoredRow) -> Vec<OutCell> {
    let row = result_row(words, stored);
    vec![
        row.sheet.into(),
        f64::from(row.row.get()).into(),
        row.key.into(),
        words.result_text(row.result).into(),
        row.reasons.join("; ").into(),
        row.batch.map_or(OutCell::Empty, |batch| f64::from(batch).into()),
    ]
}

pub(super) fn deletion_cells(words: &Words, key: &[String], row: &StoredRow) -> Vec<OutCell> {
    let result = row.result;
    let at = row.settled.filter(|_| result == RowResult::Accepted);
    key.iter()
        .map(|member| cell(row.body.as_ref().and_then(|body| body.get(member))))
        .chain([at.map_or(OutCell::Empty, |at| OutCell::DateTime(utc_seconds(at))), words.result_text(result).into()])
        .collect()
}

fn cell(value: Option<&Value>) -> OutCell {
    match value {
        None | Some(Value::Null) => OutCell::Empty,
        Some(Value::String(text)) => text.as_str().into(),
        Some(Value::Number(number)) => number.as_f64().map_or(OutCell::Empty, OutCell::Number),
        Some(other) => other.to_string().into(),
    }
}

/// Converts to UTC without fractions of a second. The heading states UTC.
fn utc_seconds(at: Timestamp) -> DateTime {
    let seconds = Timestamp::from_second(at.as_second()).unwrap_or(at);
    TimeZone::UTC.to_datetime(seconds)
}

pub(super) fn heading(words: &Words, name: &str) -> String {
    words.text(&["report", name], &BTreeMap::new())
}
