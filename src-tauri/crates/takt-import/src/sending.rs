//! The plan of a whole workbook, with the findings, items and copies of all its steps.

use std::path::Path;

use crate::{
    import_id::ImportId,
    imports::Imports,
    mapping::{MappingFile, PlanMapping},
    mark::Finding,
    original::{Original, SavedCopy},
    plan::{Book, StepItems, StepPart},
    session::Session,
    view::ImportView,
};
use takt_browse::lists::ExportSnapshot;
use takt_core::{Language, Problem, Words};

impl Imports {
    /// Reads every visible sheet and creates the plan, [`ImportView::steps`]. Sheets that were opened before keep their
    /// state.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - A [file code](takt_core::problem#file-codes): a sheet can't be read.
    pub fn plan(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.recompute(id, |book| self.with_context(book.site().as_deref(), |ctx| book.plan(ctx)))
    }

    /// Leaves a sheet out of the plan, or includes it again.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or its plan has no such sheet.
    pub fn leave_sheet_out(&self, id: ImportId, sheet: &str, out: bool) -> Result<ImportView, Problem> {
        self.change(id, |book| book.set_left_out(sheet, out))
    }

    /// Makes the current sheet's rows parts of another sheet's items.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, the sheet `part.of` is no step or is this
    /// one, or its operation has no such list.
    pub fn choose_part(&self, id: ImportId, part: &StepPart) -> Result<ImportView, Problem> {
        self.change(id, |book| self.with_context(book.site().as_deref(), |ctx| book.choose_part(part, ctx)))
    }

    /// Puts these steps first, in this order, and the others after them. An order that contradicts references between
    /// steps is refused.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or a sheet is no step.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): a step would go before another to which its rows refer
    ///   (`order-of-steps`).
    pub fn order_steps(&self, id: ImportId, sheets: &[String]) -> Result<ImportView, Problem> {
        self.change(id, |book| self.with_context(book.site().as_deref(), |ctx| book.order_steps(sheets, ctx)))
    }

    /// Returns every finding, by step, row and column.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn findings(&self, id: ImportId) -> Result<Vec<Finding>, Problem> {
        let mut findings = Vec::new();
        self.each_finding(id, |finding| findings.push(finding))?;
        Ok(findings)
    }

    /// Passes each finding to `see`, like [`Self::findings`], since a sheet may have millions.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn each_finding(&self, id: ImportId, mut see: impl FnMut(Finding)) -> Result<(), Problem> {
        self.with_locked_book(id, |book| self.sent_sheets(book).for_each(|sheet| sheet.each_finding(&mut see)))
    }

    /// Returns the mappings of all steps, for writing them as one file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no sheet has an operation (`no-operation`).
    pub fn mapping(&self, id: ImportId) -> Result<PlanMapping, Problem> {
        let sheets: Vec<MappingFile> =
            self.with_locked_book(id, |book| self.sent_sheets(book).filter_map(Session::mapping).collect())?;
        if sheets.is_empty() { Err(Problem::obstacle("no-operation")) } else { Ok(PlanMapping { sheets }) }
    }

    /// Returns what would be sent, step by step. Remembers the mappings for the next file with these headings.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no sheet has an operation (`no-operation`).
    /// - A [journal code](takt_core::problem#journal-codes): the mapping can't be remembered.
    pub fn items(&self, id: ImportId) -> Result<Vec<StepItems>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        let made = self.with_context(book.site().as_deref(), |ctx| book.items(ctx))?;
        self.remember_mappings_of(&book)?;
        Ok(made)
    }

    /// Remembers the mappings of all sent sheets for the next file with these headings.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - A [journal code](takt_core::problem#journal-codes): a mapping can't be remembered.
    pub fn remember_mappings(&self, id: ImportId) -> Result<(), Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        self.remember_mappings_of(&book)
    }

    fn remember_mappings_of(&self, book: &Book) -> Result<(), Problem> {
        for sheet in self.sent_sheets(book) {
            if let Some(mapping) = sheet.mapping_to_remember() {
                self.remember(&mapping, sheet.headings())?;
            }
        }
        Ok(())
    }

    /// Returns what would be sent, step by step, and its revision. Mappings aren't remembered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no sheet has an operation (`no-operation`).
    pub fn to_send(&self, id: ImportId) -> Result<(Vec<StepItems>, u32), Problem> {
        self.with_locked_book(id, |book| {
            Ok((self.with_context(book.site().as_deref(), |ctx| book.items(ctx))?, book.revision()))
        })?
    }

    /// Returns the snapshot in the workbook, if it's one of Takt's exports.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn exported(&self, id: ImportId) -> Result<Option<ExportSnapshot>, Problem> {
        let book = self.book(id)?;
        let workbook = {
            let book = book.lock();
            book.current()?.original().workbook
        };
        Ok(ExportSnapshot::of(&workbook, &self.file_reading.limits()))
    }

    /// Returns a number that increases with every change of what would be sent, or `None` if the import isn't open.
    pub fn revision(&self, id: ImportId) -> Option<u32> {
        let book = self.book(id).ok()?;
        let book = book.lock();
        Some(book.revision())
    }

    /// Returns the file with the sheets of all steps, for writing a copy with the results of its rows. It outlives the
    /// import.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn original(&self, id: ImportId) -> Result<Original, Problem> {
        self.with_locked_book(id, |book| original(book, self.sent_sheets(book)))?
    }

    /// Like [`Self::original`], but with these sheets.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn original_of(&self, id: ImportId, sheets: &[String]) -> Result<Original, Problem> {
        self.with_locked_book(id, |book| original(book, sheets.iter().filter_map(|sheet| book.sheet(sheet))))?
    }

    /// Writes a copy of the planner's workbook with each row's status and reasons.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - As [`Original::write`].
    pub fn save_findings(&self, id: ImportId, language: Language, path: &Path) -> Result<SavedCopy, Problem> {
        let original = self.original(id)?;
        let words = Words::load(language);
        let notes = self.with_locked_book(id, |book| {
            let rows = self.sent_sheets(book).map(|sheet| sheet.row_notes(language));
            rows.filter_map(|(sheet, rows)| original.notes(&words, &sheet, rows)).collect::<Vec<_>>()
        })?;
        original.write(&notes, &[], path)
    }

    /// Returns the sheets whose rows are sent, in order.
    fn sent_sheets<'a>(&self, book: &'a Book) -> impl Iterator<Item = &'a Session> + use<'a> {
        let sheets = self.with_context(book.site().as_deref(), |ctx| book.sent_sheets(ctx));
        sheets.into_iter().filter_map(|sheet| book.sheet(&sheet))
    }

    fn with_locked_book<T>(&self, id: ImportId, work: impl FnOnce(&Book) -> T) -> Result<T, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(work(&book))
    }
}

fn original<'a>(book: &Book, sheets: impl Iterator<Item = &'a Session>) -> Result<Original, Problem> {
    let mut original = book.current()?.original();
    original.sheets = sheets.flat_map(|sheet| sheet.original().sheets).collect();
    Ok(original)
}
