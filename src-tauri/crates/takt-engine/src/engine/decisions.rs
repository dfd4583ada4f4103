//! What comes after sending: doubt is resolved, mistakes are mended, changes are taken back.

use std::collections::HashMap;

use crate::{
    Decision, Engine, Fate, FixedBy, ImportView, MappingFile, Problem, RowId, SiteItems, SubmissionRequest,
    SubmissionView, UndoView, submission::is_its_file,
};

/// Rows read from the journal at a time.
const AT_ONCE: u32 = 5_000;

impl Engine {
    /// Reads back what is in doubt. What turns out not to have arrived is sent where nothing else is pending, else it waits
    /// with the rest for [`Engine::resume`].
    pub async fn find_out(&self, id: u32, confirmed: Option<&str>) -> Result<SubmissionView, Problem> {
        self.submissions.find_out(id, confirmed).await
    }

    /// A person decided about rows in doubt; without any named, about all of them.
    pub async fn decide(
        &self,
        id: u32,
        rows: &[RowId],
        decision: Decision,
        confirmed: Option<&str>,
    ) -> Result<SubmissionView, Problem> {
        let view = self.submissions.decide(id, rows, decision, confirmed).await?;
        match decision {
            Decision::Arrived => Ok(view),
            Decision::SendAgain => self.submissions.and_the_plan(view, confirmed),
        }
    }

    /// A person decided: all rows in doubt are sent again.
    pub async fn send_doubtful(&self, id: u32, confirmed: Option<&str>) -> Result<SubmissionView, Problem> {
        self.decide(id, &[], Decision::SendAgain, confirmed).await
    }

    /// The rejected rows that no later submission had accepted.
    pub fn rejected_rows(&self, id: u32) -> Result<Vec<RowId>, Problem> {
        self.submissions.rejected_rows(id)
    }

    /// An import of the same or a corrected file with all rows left out but those that the submission had rejected. From here on
    /// it is for the submission's site alone.
    pub fn mend_rejected(&self, import: u32, id: u32) -> Result<ImportView, Problem> {
        let (kept, view) = (self.submission(id)?, self.imports().view(import)?);
        self.imports().fix_site(import, &kept.site, FixedBy::Submission { id })?;
        let its_own = is_its_file((&kept.file, &kept.sheet), (&view.file, &view.sheet));
        let sheet = if its_own { view.sheet } else { kept.sheet.clone() };
        let mut rejected = self.rejected_reasons(id)?;
        let rows = self.rejected_rows(id)?.into_iter().filter(|row| row.sheet == kept.sheet);
        let rows = rows.map(|row| (row.row, rejected.remove(&row).unwrap_or_default())).collect();
        self.imports().keep_rejected(import, &sheet, rows)
    }

    /// Why each row was rejected.
    fn rejected_reasons(&self, id: u32) -> Result<HashMap<RowId, Vec<String>>, Problem> {
        let (mut reasons, mut offset) = (HashMap::new(), 0);
        loop {
            let page = self.fate_rows(id, Some(Fate::Rejected), offset, AT_ONCE)?;
            if page.rows.is_empty() {
                return Ok(reasons);
            }
            offset += AT_ONCE;
            reasons.extend(page.rows.into_iter().map(|row| (RowId { sheet: row.sheet, row: row.row }, row.reasons)));
        }
    }

    /// The request that sends a submission's rejected rows, and no others: as they are kept, or as a corrected file has them.
    pub fn retry(&self, id: u32, corrected: Option<SiteItems>) -> Result<SubmissionRequest, Problem> {
        self.submissions.retry(id, corrected)
    }

    /// The mappings that a submission was made with, of all of its plan's steps.
    pub fn mappings_of(&self, id: u32) -> Result<Vec<MappingFile>, Problem> {
        self.submissions.mappings_of(id)
    }

    /// Reads an import as a submission's file was read, sheet by sheet. Of a single sheet the name doesn't matter: next week's
    /// may be called otherwise.
    pub fn read_like(&self, import: u32, id: u32) -> Result<ImportView, Problem> {
        let mappings = self.mappings_of(id)?;
        let mut view = self.imports().view(import)?;
        let alone = mappings.len() == 1;
        for mut mapping in mappings {
            let is_there = |name: &String| view.sheets.iter().any(|sheet| sheet.name == *name);
            if alone && !mapping.sheet.as_ref().is_some_and(is_there) {
                mapping.sheet = None;
            }
            view = self.imports().apply_mapping(import, &mapping)?;
        }
        Ok(view)
    }

    /// Rows that an undo may put back, as far as that is known without asking the service: none where nothing can be put back.
    pub fn undoable_rows(&self, id: u32) -> Result<u32, Problem> {
        self.submissions.undoable_rows(id)
    }

    /// What an undo would do now. Reads the service and changes nothing.
    pub async fn undo_plan(&self, id: u32) -> Result<UndoView, Problem> {
        self.submissions.undo_plan(id).await
    }

    /// Puts back what a submission changed, by another one that follows it. Rows that changed since are left alone.
    pub async fn undo(&self, id: u32, confirmed: Option<&str>) -> Result<SubmissionView, Problem> {
        self.submissions.undo(id, confirmed).await
    }
}
