//! The whole workbook at once: its plan, and what is found, sent and written over all of its sheets.

use std::{path::Path, sync::PoisonError};

use super::{
    Finding, ImportView, Imports, ItemSet, Original, PlanItems, PlanMapping, SavedCopy, StepPart, StepState, plan::Book,
};
use crate::{Language, Problem, Words, browse::ExportSnapshot};

impl Imports {
    /// Looks at every visible sheet and makes the plan: [`ImportView::steps`]. Sheets that were looked at stay as they are.
    pub fn plan(&self, id: u32) -> Result<ImportView, Problem> {
        self.change(id, |book| self.around(|around| book.plan(around)))
    }

    /// Leaves a sheet out of the plan, or takes it in again.
    pub fn leave_sheet_out(&self, id: u32, sheet: &str, out: bool) -> Result<ImportView, Problem> {
        self.change(id, |book| book.leave_out(sheet, out))
    }

    /// The rows of the chosen sheet are parts of another sheet's items.
    pub fn choose_part(&self, id: u32, part: &StepPart) -> Result<ImportView, Problem> {
        self.change(id, |book| self.around(|around| book.choose_part(part, around)))
    }

    /// Every finding of the plan's sheets, step by step; those of sheets that are left out are no part of it.
    pub fn plan_findings(&self, id: u32) -> Result<Vec<Finding>, Problem> {
        self.look(id, |book| book.findings(&self.steps_in(book)))
    }

    /// The mappings of all steps, to be kept as one file.
    pub fn plan_mapping(&self, id: u32) -> Result<PlanMapping, Problem> {
        self.look(id, |book| {
            let sheets = self.steps_in(book);
            let sheets = sheets.iter().filter_map(|sheet| book.sheet(sheet)?.mapping());
            PlanMapping { sheets: sheets.collect() }
        })
    }

    /// What would be sent, step by step. Taking it remembers the mappings for the next file with these headings.
    pub fn plan_items(&self, id: u32) -> Result<Vec<PlanItems>, Problem> {
        let book = self.book(id)?;
        let book = book.lock().unwrap_or_else(PoisonError::into_inner);
        let made = self.around(|around| book.items(around))?;
        for sheet in self.steps_in(&book).iter().filter_map(|sheet| book.sheet(sheet)) {
            if let Some(mapping) = sheet.mapping_to_remember() {
                self.remember(&mapping, sheet.headings())?;
            }
        }
        Ok(made)
    }

    /// What would be sent, step by step, and the revision that it is of. Nothing is remembered.
    pub(crate) fn to_send(&self, id: u32) -> Result<(Vec<ItemSet>, u32), Problem> {
        let book = self.book(id)?;
        let book = book.lock().unwrap_or_else(PoisonError::into_inner);
        let sets = if self.around(|around| book.is_plan(around)) {
            self.around(|around| book.items(around))?.into_iter().map(|step| step.set).collect()
        } else {
            vec![book.current()?.items()?]
        };
        Ok((sets, book.revision()))
    }

    /// What the workbook remembers, where it is one of Takt's exports.
    pub(crate) fn exported(&self, id: u32) -> Result<Option<ExportSnapshot>, Problem> {
        let book = self.book(id)?;
        let workbook = {
            let book = book.lock().unwrap_or_else(PoisonError::into_inner);
            book.current()?.original().workbook
        };
        Ok(ExportSnapshot::of(&workbook, &self.limits.get().cloned().unwrap_or_default()))
    }

    /// Another one after every change of what would be sent; absent where it isn't open.
    pub(crate) fn revision(&self, id: u32) -> Option<u32> {
        let book = self.book(id).ok()?;
        let book = book.lock().unwrap_or_else(PoisonError::into_inner);
        Some(book.revision())
    }

    /// The file itself with all sheets of the plan, for giving it back with what became of their rows.
    pub fn plan_original(&self, id: u32) -> Result<Original, Problem> {
        let book = self.book(id)?;
        let book = book.lock().unwrap_or_else(PoisonError::into_inner);
        let mut original = book.current()?.original();
        let sheets = self.steps_in(&book);
        original.sheets =
            sheets.iter().filter_map(|sheet| book.sheet(sheet)).flat_map(|sheet| sheet.original().sheets).collect();
        Ok(original)
    }

    /// A copy of the planner's own workbook with how each row of every step stands, and why.
    pub fn save_plan_findings(&self, id: u32, language: Language, path: &Path) -> Result<SavedCopy, Problem> {
        let original = self.plan_original(id)?;
        let words = Words::load(language);
        let notes = self.look(id, |book| {
            let sheets = self.steps_in(book);
            let rows = sheets.iter().filter_map(|sheet| Some(book.sheet(sheet)?.row_notes(language)));
            rows.filter_map(|(sheet, rows)| original.notes(&words, &sheet, rows)).collect::<Vec<_>>()
        })?;
        original.write(&notes, &[], path)
    }

    /// The sheets of the plan in its order, without those that are left out.
    fn steps_in(&self, book: &Book) -> Vec<String> {
        let steps = self.around(|around| book.steps(around)).into_iter();
        steps.filter(|step| step.state != StepState::LeftOut).map(|step| step.sheet).collect()
    }

    fn look<T>(&self, id: u32, look: impl FnOnce(&Book) -> T) -> Result<T, Problem> {
        let book = self.book(id)?;
        let book = book.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(look(&book))
    }
}
