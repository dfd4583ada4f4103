//! Results in the planner's own workbook, which is given again for it: the one that was sent, and no other.

use std::path::Path;

use serde_json::Value;
use takt_journal::SubmissionRecord;

use super::file_name;
use crate::{History, ImportView, MappingFile, Original, PlanMapping, Problem, SavedCopy};

impl History {
    /// Each row's fate and reasons beside it, in a copy of the workbook that was sent; of a plan those of all its steps. Another
    /// file is refused: its rows would be told what became of others.
    pub fn return_results(&self, id: u32, workbook: &Path, path: &Path) -> Result<SavedCopy, Problem> {
        let record = self.journal.submission(id)?;
        let view = self.imports.open(workbook)?;
        let returned = self.return_into(&record, &view, workbook, path);
        self.imports.close(view.id);
        returned
    }

    fn return_into(
        &self,
        record: &SubmissionRecord,
        view: &ImportView,
        workbook: &Path,
        path: &Path,
    ) -> Result<SavedCopy, Problem> {
        if record.hash != view.hash {
            let file = file_name(workbook);
            return Err(Problem::in_the_way("another-file").parameter("file", file));
        }
        let Some(plan) = record.plan else {
            let original = self.sheet_of(record, view)?;
            return self.submissions.export_results_into(record.id, &original, path);
        };
        let imports = &self.imports;
        imports.plan(view.id)?;
        for step in self.journal.plans().steps(plan)? {
            self.read_as_then(view.id, &self.journal.submission(step)?);
        }
        let original = imports.plan_original(view.id)?;
        self.submissions.export_plan(plan, Some(&original), path)
    }

    fn sheet_of(&self, record: &SubmissionRecord, view: &ImportView) -> Result<Original, Problem> {
        let imports = &self.imports;
        if view.sheet != record.sheet {
            imports.choose_sheet(view.id, &record.sheet)?;
        }
        self.read_as_then(view.id, record);
        imports.original(view.id)
    }

    /// Where the heading stood then. What a mapping of an earlier Takt says and this one doesn't take is found as in any file.
    fn read_as_then(&self, import: u32, record: &SubmissionRecord) {
        for mapping in record.mapping.as_ref().map(mappings).unwrap_or_default() {
            if let Err(problem) = self.imports.apply_mapping(import, &mapping) {
                tracing::info!(submission = record.id, %problem, "the mapping of then isn't taken any more");
            }
        }
    }
}

/// Of one sheet or of several.
fn mappings(kept: &Value) -> Vec<MappingFile> {
    match serde_json::from_value::<PlanMapping>(kept.clone()) {
        Ok(plan) => plan.sheets,
        Err(_) => serde_json::from_value(kept.clone()).into_iter().collect(),
    }
}
