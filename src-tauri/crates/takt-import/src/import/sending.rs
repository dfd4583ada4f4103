//! The whole workbook at once: its plan, and what is found, sent and written over all of its steps.

use std::path::Path;

use super::{
    Finding, ImportId, ImportView, Imports, MappingFile, Original, PlanMapping, SavedCopy, StepItems, StepPart,
    plan::Book, session::Session,
};
use takt_browse::browse::ExportSnapshot;
use takt_core::{Language, Problem, Words};

impl Imports {
    /// Looks at every visible sheet and makes the plan: [`ImportView::steps`]. Sheets that were looked at stay as they are.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open. A sheet that can't be read stays out of the
    /// plan.
    pub fn plan(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.recompute(id, |book| self.around(book.site().as_deref(), |around| book.plan(around)))
    }

    /// Leaves a sheet out of the plan, or takes it in again.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or its plan has no such sheet.
    pub fn leave_sheet_out(&self, id: ImportId, sheet: &str, out: bool) -> Result<ImportView, Problem> {
        self.change(id, |book| book.skip_rows(sheet, out))
    }

    /// The rows of the chosen sheet are parts of another sheet's items.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, the sheet `part.of` is no step or is this one,
    /// or its operation has no such list.
    pub fn choose_part(&self, id: ImportId, part: &StepPart) -> Result<ImportView, Problem> {
        self.change(id, |book| self.around(book.site().as_deref(), |around| book.choose_part(part, around)))
    }

    /// Puts these steps first, in this order, and the others behind them. What a step refers to goes before it all the same: an
    /// order against that is refused.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open, or a sheet is no step.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): a step would go before another to which its rows refer
    ///   (`order-of-steps`).
    pub fn order_steps(&self, id: ImportId, sheets: &[String]) -> Result<ImportView, Problem> {
        self.change(id, |book| self.around(book.site().as_deref(), |around| book.order_steps(sheets, around)))
    }

    /// Every finding, step by step, by row and column.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn findings(&self, id: ImportId) -> Result<Vec<Finding>, Problem> {
        let mut findings = Vec::new();
        self.each_finding(id, |finding| findings.push(finding))?;
        Ok(findings)
    }

    /// Likewise, one after the other: a sheet may have millions.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn each_finding(&self, id: ImportId, mut see: impl FnMut(Finding)) -> Result<(), Problem> {
        self.look(id, |book| self.sent(book).for_each(|sheet| sheet.each_finding(&mut see)))
    }

    /// The mappings of all steps, to be kept as one file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no sheet has an operation (`no-operation`).
    pub fn mapping(&self, id: ImportId) -> Result<PlanMapping, Problem> {
        let sheets: Vec<MappingFile> = self.look(id, |book| self.sent(book).filter_map(Session::mapping).collect())?;
        if sheets.is_empty() { Err(Problem::in_the_way("no-operation")) } else { Ok(PlanMapping { sheets }) }
    }

    /// What would be sent, step by step. Taking it remembers the mappings for the next file with these headings.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no sheet has an operation (`no-operation`).
    /// - A [journal code](takt_core::problem#journal-codes): the mapping can't be remembered.
    pub fn items(&self, id: ImportId) -> Result<Vec<StepItems>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        let made = self.around(book.site().as_deref(), |around| book.items(around))?;
        for sheet in self.sent(&book) {
            if let Some(mapping) = sheet.mapping_to_remember() {
                self.remember(&mapping, sheet.headings())?;
            }
        }
        Ok(made)
    }

    /// For the next file with the headings of one sheet.
    pub(super) fn remember_mapping_of(&self, id: ImportId, sheet: &str) -> Result<(), Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        if let Some(sheet) = book.sheet(sheet)
            && let Some(mapping) = sheet.mapping_to_remember()
        {
            self.remember(&mapping, sheet.headings())?;
        }
        Ok(())
    }

    /// What would be sent, step by step, and the revision that it is of. Nothing is remembered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - [`Code::Precondition`](takt_core::Code::Precondition): no sheet has an operation (`no-operation`).
    pub fn to_send(&self, id: ImportId) -> Result<(Vec<StepItems>, u32), Problem> {
        self.look(id, |book| Ok((self.around(book.site().as_deref(), |around| book.items(around))?, book.revision())))?
    }

    /// What the workbook remembers, where it is one of Takt's exports.
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

    /// Another one after every change of what would be sent; absent where it isn't open.
    pub fn revision(&self, id: ImportId) -> Option<u32> {
        let book = self.book(id).ok()?;
        let book = book.lock();
        Some(book.revision())
    }

    /// The file itself with the sheets of all steps, for giving it back with what became of their rows. It outlives the import.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn original(&self, id: ImportId) -> Result<Original, Problem> {
        self.look(id, |book| original(book, self.sent(book)))?
    }

    /// Likewise, with these sheets.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    pub fn original_of(&self, id: ImportId, sheets: &[String]) -> Result<Original, Problem> {
        self.look(id, |book| original(book, sheets.iter().filter_map(|sheet| book.sheet(sheet))))?
    }

    /// A copy of the planner's own workbook with how each row of every step stands, and why.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no such import is open.
    /// - As [`Original::write`] for what can't be written.
    pub fn save_findings(&self, id: ImportId, language: Language, path: &Path) -> Result<SavedCopy, Problem> {
        let original = self.original(id)?;
        let words = Words::load(language);
        let notes = self.look(id, |book| {
            let rows = self.sent(book).map(|sheet| sheet.row_notes(language));
            rows.filter_map(|(sheet, rows)| original.notes(&words, &sheet, rows)).collect::<Vec<_>>()
        })?;
        original.write(&notes, &[], path)
    }

    /// The sheets whose rows are sent, in their order.
    fn sent<'a>(&self, book: &'a Book) -> impl Iterator<Item = &'a Session> + use<'a> {
        let sheets = self.around(book.site().as_deref(), |around| book.sent_sheets(around));
        sheets.into_iter().filter_map(|sheet| book.sheet(&sheet))
    }

    fn look<T>(&self, id: ImportId, look: impl FnOnce(&Book) -> T) -> Result<T, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(look(&book))
    }
}

fn original<'a>(book: &Book, sheets: impl Iterator<Item = &'a Session>) -> Result<Original, Problem> {
    let mut original = book.current()?.original();
    original.sheets = sheets.flat_map(|sheet| sheet.original().sheets).collect();
    Ok(original)
}
