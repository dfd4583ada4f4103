//! Repeats an earlier submission: with its rejected rows, or with another file and the same mapping.

use std::collections::HashMap;
use takt_journal::SubmissionId;

use super::submission_history::History;
use takt_core::{Problem, RowId, RowResult};
use takt_import::{FixedBy, ImportId, ImportView};

use crate::submission::is_renamed_text_sheet;

/// The rows that are read from the journal at a time.
const PAGE_SIZE: u32 = 5_000;

impl History {
    /// Excludes all rows of an import but those that the submission had rejected. The file may be the same or a
    /// corrected one.
    ///
    /// From then on the import is only for the submission's site.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, the import isn't open, or its file
    ///   has no such sheet.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import follows a submission of another site
    ///   (`other-site`).
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn fix_rejected(&self, import: ImportId, id: SubmissionId) -> Result<ImportView, Problem> {
        let (submission, view) = (self.submissions.view(id)?, self.imports.view(import)?);
        self.imports.fix_site(import, &submission.site, FixedBy::Submission { id })?;
        let is_same_file = is_renamed_text_sheet(&submission.file, &submission.sheet, &view.file, &view.sheet);
        let sheet = if is_same_file { view.sheet } else { submission.sheet.clone() };
        let mut rejected = self.rejected_reasons(id)?;
        let rows = self.submissions.rejected_rows(id)?.into_iter().filter(|row| row.sheet == submission.sheet);
        let rows = rows.map(|row| (row.row, rejected.remove(&row).unwrap_or_default())).collect();
        self.imports.store_rejected(import, &sheet, rows)
    }

    /// Returns the reasons of each rejected row.
    fn rejected_reasons(&self, id: SubmissionId) -> Result<HashMap<RowId, Vec<String>>, Problem> {
        let (mut reasons, mut offset) = (HashMap::new(), 0);
        loop {
            let page = self.submissions.result_rows(id, Some(RowResult::Rejected), offset, PAGE_SIZE)?;
            if page.rows.is_empty() {
                return Ok(reasons);
            }
            offset += PAGE_SIZE;
            reasons.extend(page.rows.into_iter().map(|row| (RowId { sheet: row.sheet, row: row.row }, row.reasons)));
        }
    }

    /// Reads an import by the mappings of a submission, sheet by sheet, and excludes other sheets.
    ///
    /// If the submission had a single sheet, its name doesn't matter.
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or the import isn't open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the submission has no stored mapping
    ///   (`no-mapping-kept`).
    /// - [`Code::MappingRefused`](takt_core::Code::MappingRefused): a mapping doesn't fit the file.
    /// - A [file code](takt_core::problem#file-codes): a sheet can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn read_like(&self, import: ImportId, id: SubmissionId) -> Result<ImportView, Problem> {
        let mappings = self.submissions.mappings_of(id)?;
        let mut view = self.imports.plan(import)?;
        let is_single = mappings.len() == 1;
        let mut read = Vec::new();
        for mut mapping in mappings {
            let exists = |name: &String| view.sheets.iter().any(|sheet| sheet.name == *name);
            if is_single && !mapping.sheet.as_ref().is_some_and(exists) {
                mapping.sheet = None;
            }
            view = self.imports.apply_mapping(import, &mapping)?;
            read.push(view.sheet.clone());
        }
        for step in view.steps.clone().iter().filter(|step| !read.contains(&step.sheet)) {
            view = self.imports.leave_sheet_out(import, &step.sheet, true)?;
        }
        Ok(view)
    }
}
