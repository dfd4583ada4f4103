//! What a delete takes away stays behind: a workbook in the home folder for each, written with what is to be deleted before the
//! first request leaves, and again with every link's result when a run ends. It is made from the journal, so that one that was
//! broken off is completed later.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use takt_journal::{SubmissionId, SubmissionRecord, row::StoredRow};
use takt_sheet::writer::{OutCell, OutColumn, OutSheet, write_workbook};

use super::{Shared, Submissions, draft::Target, report, snapshot};
use takt_core::{Problem, Words, blocking::run_blocking};

use crate::link::{CleanupLink, duration_cell, headings};

/// Rows read from the journal at a time.
const PAGE: u32 = 5_000;
/// How it stood when its workbook was written, by submission.
const STAMP: &str = "deleted.stamp";
/// What was known beside what is sent, by submission.
const BESIDE: &str = "deleted.beside";

/// The saved workbook of what a submission deleted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeletedWorkbook {
    /// Its name in its folder.
    pub file: String,
    pub path: String,
}

impl Submissions {
    /// The workbook of what a submission deleted, written again if it isn't as it should be. Absent if its operation doesn't
    /// delete, or if the workbook is gone and the rows are purged.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the contract doesn't know its operation.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the workbook can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub async fn deleted_workbook(&self, id: SubmissionId) -> Result<Option<DeletedWorkbook>, Problem> {
        let shared = Arc::clone(&self.shared);
        run_blocking(move || {
            let record = shared.journal.submission(id)?;
            let target = Target::find(&*shared.sites.contract(&record.site)?, &record.operation)?;
            if !target.deletes {
                return Ok(None);
            }
            if record.purged.is_none() && !shared.runs_here(id) {
                shared.store_deleted(id, &target)?;
            }
            let path = shared.workbook_path(&record);
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            Ok(path.is_file().then(|| DeletedWorkbook { file, path: path.display().to_string() }))
        })
        .await
    }
}

impl Shared {
    /// The workbook that is kept of a delete.
    pub(super) fn workbook_path(&self, record: &SubmissionRecord) -> PathBuf {
        let zone = TimeZone::get(&self.sites.zone(&record.site)).unwrap_or(TimeZone::UTC);
        let day = zone.to_datetime(record.started).date();
        let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
        let site: String = record.site.chars().map(plain).collect();
        self.deleted.join(format!("{day} {site} {:06}.xlsx", record.id))
    }

    /// Keeps what was known of each item beside what is sent, in the items' order.
    pub(super) fn store_beside(
        &self,
        submission: SubmissionId,
        beside: &Value,
    ) -> Result<(), takt_journal::JournalError> {
        self.journal.settings().set(&format!("{BESIDE}.{submission}"), beside)
    }

    /// Writes the workbook, unless it stands there as it should. Nothing happens for what deletes nothing.
    pub(super) fn store_deleted(&self, submission: SubmissionId, target: &Target) -> Result<(), Problem> {
        if !target.deletes {
            return Ok(());
        }
        let record = self.journal.submission(submission)?;
        let (path, stamp) = (self.workbook_path(&record), stamp(&record));
        let name = format!("{STAMP}.{submission}");
        if path.is_file() && self.journal.settings().get(&name)?.as_ref() == Some(&stamp) {
            return Ok(());
        }
        let file = path.display().to_string();
        let failed = |error| Problem::new(takt_core::Code::WriteFailed).parameter("file", &file).details(error);
        takt_journal::private::create_private_folder(&self.deleted).map_err(failed)?;
        let words = self.words();
        // Who may read it is taken over from what was there.
        drop(takt_journal::private::open_private_file(&path).map_err(failed)?);
        let sheets = [self.links(&words, &record, target)?, about(&words, &record)];
        write_workbook(&path, &sheets).map_err(|error| Problem::of_sheet(&file, error))?;
        Ok(self.journal.settings().set(&name, &stamp)?)
    }

    /// Under the members' own names, so that it can be read in again.
    fn links(&self, words: &Words, record: &SubmissionRecord, target: &Target) -> Result<OutSheet, Problem> {
        let beside = self.journal.settings().get(&format!("{BESIDE}.{}", record.id))?;
        let beside: Vec<CleanupLink> = beside.and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
        let known = headings(self.sites.builtin_contract());
        let known = known.iter().filter(|_| !beside.is_empty());
        let known: Vec<OutColumn> =
            known.map(|(name, width)| OutColumn { heading: name.clone(), width: *width }).collect();
        let mut sheet = report::deleted_sheet(words, &target.key);
        let reasons = OutColumn { heading: report::heading(words, "reasons"), width: 60.0 };
        let of_them = known.len();
        let at = target.key.len();
        sheet.columns.splice(at..at, known);
        sheet.columns.push(reasons);
        let mut after: Option<(String, u32)> = None;
        loop {
            let from = after.as_ref().map(|(sheet, row)| (sheet.as_str(), *row));
            let rows = self.journal.rows().after(record.id, from, PAGE)?;
            let Some(last) = rows.last() else { break };
            after = Some((last.sheet.clone(), last.row));
            sheet.rows.extend(rows.iter().map(|row| {
                let mut cells = report::deletion(words, &target.key, row);
                cells.splice(at..at, said(&beside, row).into_iter().take(of_them));
                cells.push(snapshot::row(words, row).reasons.join("; ").into());
                cells
            }));
        }
        Ok(sheet)
    }
}

/// What was known of a row's process.
fn said(beside: &[CleanupLink], row: &StoredRow) -> [OutCell; 3] {
    let place = (row.item as usize).checked_sub(1);
    match place.and_then(|place| beside.get(place)) {
        Some(known) => [
            known.description.as_str().into(),
            duration_cell(known.labor_seconds),
            duration_cell(known.machine_seconds),
        ],
        None => [OutCell::Empty, OutCell::Empty, OutCell::Empty],
    }
}

/// Changes with everything that the workbook says.
fn stamp(record: &SubmissionRecord) -> Value {
    json!([format!("{:?}", record.state), format!("{:?}", record.counts), record.ended.map(|ended| ended.to_string())])
}

fn about(words: &Words, record: &SubmissionRecord) -> OutSheet {
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
