//! An earlier submission done again: with what it had rejected, or with the next file read as its file was.

use std::collections::HashMap;
use takt_journal::SubmissionId;

use super::History;
use takt_core::{Problem, RowId, RowResult};
use takt_import::{
    ImportView,
    import::{FixedBy, ImportId},
};

use crate::submission::is_its_file;

/// Rows read from the journal at a time.
const AT_ONCE: u32 = 5_000;

impl History {
    /// An import of the same or a corrected file with all rows left out but those that the submission had rejected. From here on
    /// it is for the submission's site alone.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, no such import is open, or its file has
    ///   no such sheet.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the import follows a submission of another site
    ///   (`other-site`).
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn fix_rejected(&self, import: ImportId, id: SubmissionId) -> Result<ImportView, Problem> {
        let (kept, view) = (self.submissions.view(id)?, self.imports.view(import)?);
        self.imports.fix_site(import, &kept.site, FixedBy::Submission { id })?;
        let its_own = is_its_file((&kept.file, &kept.sheet), (&view.file, &view.sheet));
        let sheet = if its_own { view.sheet } else { kept.sheet.clone() };
        let mut rejected = self.rejected_reasons(id)?;
        let rows = self.submissions.rejected_rows(id)?.into_iter().filter(|row| row.sheet == kept.sheet);
        let rows = rows.map(|row| (row.row, rejected.remove(&row).unwrap_or_default())).collect();
        self.imports.store_rejected(import, &sheet, rows)
    }

    /// Why each row was rejected.
    fn rejected_reasons(&self, id: SubmissionId) -> Result<HashMap<RowId, Vec<String>>, Problem> {
        let (mut reasons, mut offset) = (HashMap::new(), 0);
        loop {
            let page = self.submissions.result_rows(id, Some(RowResult::Rejected), offset, AT_ONCE)?;
            if page.rows.is_empty() {
                return Ok(reasons);
            }
            offset += AT_ONCE;
            reasons.extend(page.rows.into_iter().map(|row| (RowId { sheet: row.sheet, row: row.row }, row.reasons)));
        }
    }

    /// Reads an import as a submission's file was read, sheet by sheet, and leaves other sheets out. Of a single sheet the name
    /// doesn't matter: next week's may be called otherwise.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): there is no such submission, or no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): the submission kept no mapping (`no-mapping-kept`).
    /// - [`Code::MappingRefused`](takt_core::Code::MappingRefused): a mapping doesn't fit the file.
    /// - A [file code](takt_core::problem#file-codes): a sheet can't be read.
    /// - A [journal code](takt_core::problem#journal-codes): the submission can't be read.
    pub fn read_like(&self, import: ImportId, id: SubmissionId) -> Result<ImportView, Problem> {
        let mappings = self.submissions.mappings_of(id)?;
        let mut view = self.imports.plan(import)?;
        let alone = mappings.len() == 1;
        let mut read = Vec::new();
        for mut mapping in mappings {
            let is_there = |name: &String| view.sheets.iter().any(|sheet| sheet.name == *name);
            if alone && !mapping.sheet.as_ref().is_some_and(is_there) {
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
