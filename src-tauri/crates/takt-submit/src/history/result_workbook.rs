//! Writes results into a copy of the workbook that was sent, which the user selects again.

use std::path::Path;

use serde_json::Value;
use takt_journal::{SubmissionId, SubmissionRecord};

use super::submission_history::{History, file_name};
use takt_core::Problem;
use takt_import::{ImportId, ImportView, MappingFile, PlanMapping, SavedCopy};

impl History {
    /// Writes each row's result and reasons next to it, in a copy of the workbook that was sent, for all steps of its
    /// plan.
    ///
    /// Another file is refused because its rows would get the results of other rows.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the workbook lacks one of its
    ///   sheets.
    /// - A [file code](takt_core::problem#file-codes): the workbook can't be read.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): it isn't the file that was sent (`another-file`), or
    ///   `path` is the planner's file (`own-file`).
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): the copy can't be written.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn return_results(&self, id: SubmissionId, workbook: &Path, path: &Path) -> Result<SavedCopy, Problem> {
        let record = self.journal.submission(id)?;
        let view = self.imports.open(workbook)?;
        let saved = self.export_into(&record, &view, workbook, path);
        self.imports.close(view.id);
        saved
    }

    fn export_into(
        &self,
        record: &SubmissionRecord,
        view: &ImportView,
        workbook: &Path,
        path: &Path,
    ) -> Result<SavedCopy, Problem> {
        if record.hash != view.hash {
            let file = file_name(workbook);
            return Err(Problem::obstacle("another-file").parameter("file", file));
        }
        let mut sheets = Vec::new();
        for step in self.journal.plans().steps(record.plan)? {
            let step = self.journal.submission(step)?;
            self.imports.choose_sheet(view.id, &step.sheet)?;
            sheets.extend(self.apply_mappings(view.id, &step));
            sheets.push(step.sheet);
        }
        let original = self.imports.original_of(view.id, &sheets)?;
        self.submissions.export_results(record.id, Some(&original), path)
    }

    /// Reads a sheet by the submission's mapping, for its header row. Returns the other sheets of the mapping.
    ///
    /// A mapping of an earlier version that is no longer valid is ignored.
    fn apply_mappings(&self, import: ImportId, record: &SubmissionRecord) -> Vec<String> {
        let mappings = record.mapping.as_ref().map(mappings).unwrap_or_default();
        for mapping in &mappings {
            if let Err(problem) = self.imports.apply_mapping(import, mapping) {
                tracing::info!(submission = %record.id, %problem, "the mapping of then isn't taken any more");
            }
        }
        let sheets = mappings.into_iter().filter_map(|mapping| mapping.sheet);
        sheets.filter(|sheet| *sheet != record.sheet).collect()
    }
}

/// Parses a mapping of one sheet or of several.
fn mappings(stored: &Value) -> Vec<MappingFile> {
    match serde_json::from_value::<PlanMapping>(stored.clone()) {
        Ok(plan) => plan.sheets,
        Err(_) => serde_json::from_value(stored.clone()).into_iter().collect(),
    }
}
