//! Manages the open workbooks: users' changes to them, their findings, the items to send, and copies with results.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;
use takt_browse::{lists::ExportSnapshot, reference::ReferenceSnapshot};
use takt_contract::Contract;
use takt_core::{Clock, Code, ExcelRow, Language, Problem, Words};
use takt_journal::Journal;
use takt_sites::Sites;

use crate::{
    fix::{FindingKind, FindingValues, Fix, SentTo},
    grid::RejectedRows,
    header::HeadRow,
    import_id::ImportId,
    import_progress::ProgressListener,
    mapping::{FieldValues, MappingChange, MappingFile, PlanMapping},
    mark::Finding,
    original::{Original, SavedCopy},
    plan::{OpenWorkbook, StepItems, StepPart},
    read_settings::ReadSettings,
    reading_view::{RowChoice, TextReading},
    reference_checks::ReferenceContext,
    session::{Session, SessionContext, unknown_problem},
    view::{CellHelp, CellPlace, FoundCells, GridPage, ImportView, ProblemCell, RowFilter, SheetRows},
};

/// Maximum number of open workbooks. If there are more, those opened first are closed.
const MAX_OPEN_WORKBOOKS: usize = 8;

/// Opens workbooks and manages them until they're closed. An open workbook is identified by its [`ImportId`].
pub struct Imports {
    pub(crate) contract: Arc<Contract>,
    /// The sites whose contracts are used. Without sites, `contract` is used.
    pub(crate) sites: Option<Arc<Sites>>,
    pub(crate) journal: Arc<Journal>,
    pub(crate) clock: Clock,
    pub(crate) read_settings: ReadSettings,
    pub(crate) drafts_enabled: OnceLock<()>,
    open: Mutex<OpenImports>,
}

#[derive(Debug, Default)]
struct OpenImports {
    last_id: u32,
    books: BTreeMap<ImportId, Arc<Mutex<OpenWorkbook>>>,
}

impl std::fmt::Debug for Imports {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Imports").finish_non_exhaustive()
    }
}

impl Imports {
    /// Creates imports. Workbooks are matched with the contract of their site, or with `contract` if `sites` is `None`.
    /// Large files are copied into the folder `copies` while they're open. Without that folder, they're in memory.
    #[must_use]
    pub fn new(
        contract: Arc<Contract>,
        sites: Option<Arc<Sites>>,
        journal: Arc<Journal>,
        clock: Clock,
        copies: Option<PathBuf>,
    ) -> Self {
        Self {
            contract,
            sites,
            journal,
            clock,
            read_settings: ReadSettings::new(copies),
            drafts_enabled: OnceLock::new(),
            open: Mutex::default(),
        }
    }

    /// Returns the settings for reading files. Changes apply to files that are opened afterwards.
    #[must_use]
    pub fn read_settings(&self) -> &ReadSettings {
        &self.read_settings
    }

    /// Reads a workbook's first sheet with content and proposes its operation.
    ///
    /// # Errors
    ///
    /// A [file code](takt_core::problem#file-codes): the workbook can't be read. `FileEmpty` is also returned if no
    /// sheet has content.
    pub fn open(&self, path: &Path) -> Result<ImportView, Problem> {
        self.open_with_progress(path, &|_| true)
    }

    /// Opens a workbook like [`Self::open`] and reports progress to `watch`. The first rows are reported once. If
    /// `watch` returns false, reading stops with the obstacle `reading-stopped`.
    ///
    /// # Errors
    ///
    /// As [`Self::open`], and [`Code::Precondition`] (`reading-stopped`) after `watch` returned false.
    pub fn open_with_progress(&self, path: &Path, watch: &ProgressListener<'_>) -> Result<ImportView, Problem> {
        let id = self.next_id();
        let book = self.open_with_draft(id, path, watch)?;
        self.insert_book(id, book)
    }

    pub(crate) fn next_id(&self) -> ImportId {
        let mut open = self.open.lock();
        open.last_id += 1;
        ImportId::new(open.last_id)
    }

    pub(crate) fn insert_book(&self, id: ImportId, book: OpenWorkbook) -> Result<ImportView, Problem> {
        let view = self.with_context(&book.contract(), |ctx| book.view(ctx))?;
        let mut open = self.open.lock();
        open.books.insert(id, Arc::new(Mutex::new(book)));
        while open.books.len() > MAX_OPEN_WORKBOOKS {
            open.books.pop_first();
        }
        Ok(view)
    }

    /// Returns the import's current state.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn view(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.with_book(id, |_| Ok(()))
    }

    /// Shows another sheet of the workbook, and reads it first if needed.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or its file has no such sheet.
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    pub fn choose_sheet(&self, id: ImportId, sheet: &str) -> Result<ImportView, Problem> {
        self.with_book(id, |book| self.with_context(&book.contract(), |ctx| book.choose_sheet(sheet, ctx)))
    }

    /// Makes `row` the header row. It's 1-based, as in Excel.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - [`Code::NoHeader`]: the sheet has no such row.
    pub fn choose_header_row(&self, id: ImportId, row: u32) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| {
            self.with_context(&book.contract(), |ctx| book.current_mut()?.choose_header_row(row, ctx))
        })
    }

    /// Sets the number of header rows, 1 to 3. The last header row stays the same.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - [`Code::NoHeader`]: the sheet has no heading, or it can't have that many rows.
    pub fn choose_header_rows(&self, id: ImportId, rows: u32) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| {
            self.with_context(&book.contract(), |ctx| book.current_mut()?.choose_header_rows(rows, ctx))
        })
    }

    /// Sets how a text file is read.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or there is no such encoding or separator.
    /// - A [file code](takt_core::problem#file-codes): the text can't be read that way.
    pub fn choose_text(&self, id: ImportId, reading: &TextReading) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| {
            self.with_context(&book.contract(), |ctx| book.current_mut()?.choose_text(reading, ctx))
        })
    }

    /// Chooses which rows below the header row are left out.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn choose_rows(&self, id: ImportId, choice: RowChoice) -> Result<ImportView, Problem> {
        self.change_session(id, |session| {
            session.choose_rows(choice);
            Ok(())
        })
    }

    /// Sets the operation that the sheet's rows are sent with.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open, or the contract has no such operation that takes items.
    pub fn choose_operation(&self, id: ImportId, operation: &str) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| {
            self.with_context(&book.contract(), |ctx| book.choose_operation(operation, ctx))
        })
    }

    /// Matches a column with a field, or with none. If another column had the field, that column loses it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or it has no such column or field.
    /// - [`Code::Precondition`]: the sheet has no operation yet (`no-operation`).
    /// - [`Code::MappingRefused`]: the change would make another rule of the mapping invalid.
    pub fn match_column(&self, id: ImportId, column: u32, field: Option<&str>) -> Result<ImportView, Problem> {
        self.change_session(id, |session| session.match_column(column, field))
    }

    /// Changes the mapping. An invalid change is refused with the reason and leaves the mapping unchanged.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or it has no such column or field.
    /// - [`Code::Precondition`]: the sheet has no operation yet (`no-operation`).
    /// - [`Code::MappingRefused`]: the mapping would be invalid. The obstacle names the reason.
    pub fn change_mapping(&self, id: ImportId, change: MappingChange) -> Result<ImportView, Problem> {
        self.change_session(id, |session| session.change_mapping(change))
    }

    /// Returns the distinct values of a field with their counts, for replacing them.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or the operation has no such field.
    /// - [`Code::Precondition`]: the sheet has no operation yet (`no-operation`).
    pub fn distinct_values(&self, id: ImportId, field: &str) -> Result<FieldValues, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        book.current()?.distinct_values(field)
    }

    /// Reads the sheet that the mapping names, or the current sheet, with this mapping.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, the file has no sheet of that name, or the contract has no such
    ///   operation.
    /// - [`Code::NoHeader`]: the sheet doesn't have the mapping's header row.
    /// - [`Code::MappingRefused`]: the mapping is invalid, or names a heading or field that doesn't exist.
    /// - A [file code](takt_core::problem#file-codes): the sheet that the mapping names can't be read.
    pub fn apply_mapping(&self, id: ImportId, mapping: &MappingFile) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| self.with_context(&book.contract(), |ctx| book.apply_mapping(mapping, ctx)))
    }

    /// Returns a page of the current sheet's rows for the grid.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn rows(&self, id: ImportId, filter: &RowFilter, offset: u32, limit: u32) -> Result<GridPage, Problem> {
        let book = self.book(id)?;
        let mut book = book.lock();
        Ok(book.current_mut()?.page(filter, offset, limit))
    }

    /// Applies a fix as one step that can be undone. A fix that changes nothing isn't a step.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or the sheet has no such column.
    /// - [`Code::InvalidInput`]: the fix changes more cells than one step allows.
    pub fn fix(&self, id: ImportId, fix: &Fix) -> Result<ImportView, Problem> {
        self.change_session(id, |session| session.apply_fix(fix))
    }

    /// Undoes the last fix, if there is one.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn undo(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.change_session(id, |session| {
            session.undo();
            Ok(())
        })
    }

    /// Redoes the fix that was undone last, if there is one.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn redo(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.change_session(id, |session| {
            session.redo();
            Ok(())
        })
    }

    /// Returns suggestions for a cell. `site_codes` returns the codes that the site knows for a field, nearest first,
    /// given the field's path and the cell's text.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn cell_help(
        &self,
        id: ImportId,
        row: u32,
        column: u32,
        site_codes: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> Result<CellHelp, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.current()?.cell_help(row, column, site_codes))
    }

    /// Returns the values and rows with one kind of finding. `site_codes` is as in [`Imports::cell_help`].
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn finding_values(
        &self,
        id: ImportId,
        kind: &FindingKind,
        site_codes: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> Result<FindingValues, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.current()?.finding_values(kind, site_codes))
    }

    /// Previews the first rows of a text file with these settings, without applying them. Returns no rows for other
    /// files.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or there is no such encoding or separator.
    /// - A [file code](takt_core::problem#file-codes): the text can't be read that way.
    pub fn preview_text(&self, id: ImportId, reading: &TextReading) -> Result<Vec<HeadRow>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        book.current()?.preview_text(reading)
    }

    /// Closes an import. Nothing happens if no such import is open.
    pub fn close(&self, id: ImportId) {
        self.open.lock().books.remove(&id);
    }

    /// Reads every visible sheet and creates the plan, [`ImportView::steps`]. Sheets that were opened before keep their
    /// state.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - A [file code](takt_core::problem#file-codes): a sheet can't be read.
    pub fn plan(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.apply_change(id, |book| self.with_context(&book.contract(), |ctx| book.open_all_sheets(ctx)))
    }

    /// Leaves a sheet out of the plan, or includes it again.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open, or its plan has no such sheet.
    pub fn leave_sheet_out(&self, id: ImportId, sheet: &str, out: bool) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| book.set_left_out(sheet, out))
    }

    /// Makes the current sheet's rows parts of another sheet's items.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open, `part.of` isn't a step or is the current sheet, or its operation has
    /// no such list.
    pub fn choose_part(&self, id: ImportId, part: &StepPart) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| self.with_context(&book.contract(), |ctx| book.choose_part(part, ctx)))
    }

    /// Puts these steps first, in this order, and the others after them. An order that contradicts references between
    /// steps is refused.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or a sheet isn't a step.
    /// - [`Code::Precondition`]: a step would come before a step that its rows refer to (`order-of-steps`).
    pub fn order_steps(&self, id: ImportId, sheets: &[String]) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| self.with_context(&book.contract(), |ctx| book.order_steps(sheets, ctx)))
    }

    /// Returns every finding, by step, row and column.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn findings(&self, id: ImportId) -> Result<Vec<Finding>, Problem> {
        let mut findings = Vec::new();
        self.visit_findings(id, |finding| findings.push(finding))?;
        Ok(findings)
    }

    /// Passes each finding to `visit`. Unlike [`Self::findings`], doesn't collect them, since a sheet may have
    /// millions.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn visit_findings(&self, id: ImportId, mut visit: impl FnMut(Finding)) -> Result<(), Problem> {
        self.with_locked_book(id, |book| self.sent_sheets(book).for_each(|sheet| sheet.visit_findings(&mut visit)))
    }

    /// Returns the mappings of all steps, for writing them as one file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - [`Code::Precondition`]: no sheet has an operation (`no-operation`).
    pub fn mapping(&self, id: ImportId) -> Result<PlanMapping, Problem> {
        let sheets: Vec<MappingFile> =
            self.with_locked_book(id, |book| self.sent_sheets(book).filter_map(Session::mapping).collect())?;
        if sheets.is_empty() { Err(Problem::obstacle("no-operation")) } else { Ok(PlanMapping { sheets }) }
    }

    /// Returns the items to send, step by step, and remembers the mappings for the next file with these headings.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - [`Code::Precondition`]: no sheet has an operation (`no-operation`).
    /// - A [journal code](takt_core::problem#journal-codes): the mapping can't be remembered.
    pub fn prepare_items(&self, id: ImportId) -> Result<Vec<StepItems>, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        let made = self.with_context(&book.contract(), |ctx| book.build_items(ctx))?;
        self.remember_mappings_of(&book)?;
        Ok(made)
    }

    /// Remembers the mappings of all sent sheets for the next file with these headings.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - A [journal code](takt_core::problem#journal-codes): a mapping can't be remembered.
    pub fn remember_mappings(&self, id: ImportId) -> Result<(), Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        self.remember_mappings_of(&book)
    }

    fn remember_mappings_of(&self, book: &OpenWorkbook) -> Result<(), Problem> {
        for sheet in self.sent_sheets(book) {
            if let Some(mapping) = sheet.mapping_to_remember() {
                self.remember_mapping(&mapping, sheet.headings())?;
            }
        }
        Ok(())
    }

    /// Returns the items to send, step by step, and the import's revision. Mappings aren't remembered.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - [`Code::Precondition`]: no sheet has an operation (`no-operation`).
    pub fn items_with_revision(&self, id: ImportId) -> Result<(Vec<StepItems>, u32), Problem> {
        self.with_locked_book(id, |book| {
            Ok((self.with_context(&book.contract(), |ctx| book.build_items(ctx))?, book.revision()))
        })?
    }

    /// Returns the snapshot in the workbook, if it's one of Takt's exports.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn read_export_snapshot(&self, id: ImportId) -> Result<Option<ExportSnapshot>, Problem> {
        let book = self.book(id)?;
        let workbook = {
            let book = book.lock();
            book.current()?.original().workbook
        };
        Ok(ExportSnapshot::read_from(&workbook, &self.read_settings.limits()))
    }

    /// Returns the import's revision, which increases whenever the items to send may have changed. Returns `None` if
    /// the import isn't open.
    pub fn revision(&self, id: ImportId) -> Option<u32> {
        let book = self.book(id).ok()?;
        let book = book.lock();
        Some(book.revision())
    }

    /// Returns the file with the sheets of all steps, for a copy with the results of its rows. The result stays valid
    /// after the import is closed.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn original(&self, id: ImportId) -> Result<Original, Problem> {
        self.with_locked_book(id, |book| original_with_sheets(book, self.sent_sheets(book)))?
    }

    /// Like [`Self::original`], but with these sheets.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn original_with_sheets(&self, id: ImportId, sheets: &[String]) -> Result<Original, Problem> {
        self.with_locked_book(id, |book| {
            original_with_sheets(book, sheets.iter().filter_map(|sheet| book.sheet(sheet)))
        })?
    }

    /// Writes a copy of the planner's workbook with each row's status and reasons.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - As [`Original::write`].
    pub fn save_findings(&self, id: ImportId, language: Language, path: &Path) -> Result<SavedCopy, Problem> {
        let original = self.original(id)?;
        let words = Words::load(language);
        let notes = self.with_locked_book(id, |book| {
            let rows = self.sent_sheets(book).map(|sheet| sheet.row_notes(language));
            rows.filter_map(|(sheet, rows)| original.sheet_notes(&words, &sheet, rows)).collect::<Vec<_>>()
        })?;
        original.write(&notes, &[], path)
    }

    fn change_session(
        &self,
        id: ImportId,
        change: impl FnOnce(&mut Session) -> Result<(), Problem>,
    ) -> Result<ImportView, Problem> {
        self.apply_user_change(id, |book| change(book.current_mut()?))
    }

    /// Applies a user's change, and updates the revision and the draft.
    pub(crate) fn apply_user_change(
        &self,
        id: ImportId,
        change: impl FnOnce(&mut OpenWorkbook) -> Result<(), Problem>,
    ) -> Result<ImportView, Problem> {
        self.apply_change(id, |book| change(book).map(|()| book.draft.mark_changed()))
    }

    /// Applies a change, and updates the revision, since the items to send may change. The draft isn't marked as
    /// changed.
    pub(crate) fn apply_change(
        &self,
        id: ImportId,
        change: impl FnOnce(&mut OpenWorkbook) -> Result<(), Problem>,
    ) -> Result<ImportView, Problem> {
        self.with_book(id, |book| {
            book.bump_revision();
            change(book)
        })
    }

    pub(crate) fn with_book(
        &self,
        id: ImportId,
        change: impl FnOnce(&mut OpenWorkbook) -> Result<(), Problem>,
    ) -> Result<ImportView, Problem> {
        let book = self.book(id)?;
        let mut book = book.lock();
        change(&mut book)?;
        book.update_dependencies();
        self.store_draft(&mut book);
        self.with_context(&book.contract(), |ctx| book.view(ctx))
    }

    pub(crate) fn book(&self, id: ImportId) -> Result<Arc<Mutex<OpenWorkbook>>, Problem> {
        let open = self.open.lock();
        let book = open.books.get(&id).cloned();
        book.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }

    pub(crate) fn with_context<T>(&self, contract: &Arc<Contract>, work: impl FnOnce(&SessionContext<'_>) -> T) -> T {
        let find_mapping = |operation: &str, headings: &[String]| self.find_mapping(operation, headings);
        let find_last_operation = |headings: &[String]| self.find_last_operation(headings);
        let reference = Arc::new(self.empty_reference());
        let reference_context = ReferenceContext { reference, predecessors: Arc::default(), problem: None };
        work(&SessionContext {
            contract,
            find_mapping: &find_mapping,
            find_last_operation: &find_last_operation,
            limits: self.read_settings.limits(),
            reference_context,
            operations: OnceLock::new(),
        })
    }

    /// Returns empty reference data, which is used until a site's data is read.
    pub(crate) fn empty_reference(&self) -> ReferenceSnapshot {
        ReferenceSnapshot::empty(&self.contract, &self.clock)
    }

    /// Returns the sheets whose rows are sent, in order.
    fn sent_sheets<'a>(&self, book: &'a OpenWorkbook) -> impl Iterator<Item = &'a Session> + use<'a> {
        let sheets = self.with_context(&book.contract(), |ctx| book.sent_sheets(ctx));
        sheets.into_iter().filter_map(|sheet| book.sheet(&sheet))
    }

    fn with_locked_book<T>(&self, id: ImportId, work: impl FnOnce(&OpenWorkbook) -> T) -> Result<T, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(work(&book))
    }
}

fn original_with_sheets<'a>(
    book: &OpenWorkbook,
    sheets: impl Iterator<Item = &'a Session>,
) -> Result<Original, Problem> {
    let mut original = book.current()?.original();
    original.sheets = sheets.flat_map(|sheet| sheet.original().sheets).collect();
    Ok(original)
}

/// Searches the cells of an import.
#[derive(Debug, Clone, Copy)]
pub struct CellSearch<'a>(&'a Imports);

impl<'a> CellSearch<'a> {
    /// Creates a search in the workbooks of `imports`.
    #[must_use]
    pub fn new(imports: &'a Imports) -> Self {
        Self(imports)
    }

    /// Returns the cells that contain a text, ignoring case. Searches the rows that pass the filter, in their order.
    ///
    /// # Errors
    ///
    /// [`takt_core::Code::Unknown`]: no such import is open.
    pub fn find_cells(self, id: ImportId, filter: &RowFilter, text: &str) -> Result<FoundCells, Problem> {
        let book = self.0.book(id)?;
        let mut book = book.lock();
        Ok(book.current_mut()?.find_cells(filter, text))
    }

    /// Returns the numbers of a sheet's rows with a cell that contains a text, ignoring case.
    ///
    /// # Errors
    ///
    /// [`takt_core::Code::Unknown`]: no such import is open, or this sheet wasn't opened.
    pub fn find_rows(self, id: ImportId, sheet: &str, text: &str) -> Result<BTreeSet<ExcelRow>, Problem> {
        let book = self.0.book(id)?;
        let book = book.lock();
        Ok(book.sheet(sheet).ok_or_else(|| unknown_problem(sheet))?.find_rows(text))
    }

    /// Returns the next or previous cell with an error or a warning among the rows that pass the filter, in their order.
    /// After the last one, the first one follows. `None` if no row has one.
    ///
    /// # Errors
    ///
    /// [`takt_core::Code::Unknown`]: no such import is open.
    pub fn find_problem(
        self,
        id: ImportId,
        filter: &RowFilter,
        from: Option<CellPlace>,
        forward: bool,
    ) -> Result<Option<ProblemCell>, Problem> {
        let book = self.0.book(id)?;
        let mut book = book.lock();
        Ok(book.current_mut()?.find_problem(filter, from, forward))
    }

    /// Returns where a run of values ends above or below a cell, like Ctrl+arrow in Excel. The result is a row's index
    /// among the rows that pass the filter.
    ///
    /// # Errors
    ///
    /// [`takt_core::Code::Unknown`]: no such import is open.
    pub fn find_data_edge(self, id: ImportId, filter: &RowFilter, from: CellPlace, down: bool) -> Result<u32, Problem> {
        let book = self.0.book(id)?;
        let mut book = book.lock();
        Ok(book.current_mut()?.find_data_edge(filter, from, down))
    }
}

impl SheetRows {
    /// Reads rows of a sheet for showing them in the workbook's own columns.
    ///
    /// # Errors
    ///
    /// [`takt_core::Code::Unknown`]: no such import is open, or this sheet wasn't opened.
    pub fn read(imports: &Imports, id: ImportId, sheet: &str, rows: &[ExcelRow]) -> Result<Self, Problem> {
        let book = imports.book(id)?;
        let book = book.lock();
        Ok(book.sheet(sheet).ok_or_else(|| unknown_problem(sheet))?.sheet_rows(rows))
    }
}

/// Limits an import to the rows that are sent again after a submission.
#[derive(Debug, Clone, Copy)]
pub struct FollowUpRows<'a>(&'a Imports);

impl<'a> FollowUpRows<'a> {
    /// Creates the access to the imports of `imports`.
    #[must_use]
    pub fn new(imports: &'a Imports) -> Self {
        Self(imports)
    }

    /// Excludes every row of a sheet except the rows that the service rejected, as one step that can be undone. Other
    /// sheets aren't sent. The exclusion isn't remembered for the next file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or its file has no such sheet.
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    pub fn limit_to_rejected_rows(
        self,
        id: ImportId,
        sheet: &str,
        rejected: RejectedRows,
    ) -> Result<ImportView, Problem> {
        self.0.apply_user_change(id, |book| {
            self.0.with_context(&book.contract(), |ctx| book.choose_sheet(sheet, ctx))?;
            book.limit_to_sheet(sheet);
            book.current_mut()?.limit_to_rejected_rows(rejected)
        })
    }

    /// Excludes rows of a sheet, as one step that can be undone.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or its file has no such sheet.
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    pub fn exclude_rows(self, id: ImportId, sheet: &str, rows: Vec<ExcelRow>) -> Result<ImportView, Problem> {
        self.0.apply_user_change(id, |book| {
            self.0.with_context(&book.contract(), |ctx| book.choose_sheet(sheet, ctx))?;
            book.current_mut()?.apply_fix(&Fix::Exclude { rows })
        })
    }

    /// Removes the rows of a sheet that were sent from the import, as long as it's for the same site and operation. An
    /// undo doesn't bring them back, so that they aren't sent twice. An import without a site gets the site that they
    /// were sent to.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or its file has no such sheet.
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    pub fn remove_sent_rows(
        self,
        id: ImportId,
        sheet: &str,
        to: SentTo,
        rows: Vec<ExcelRow>,
    ) -> Result<ImportView, Problem> {
        if self.0.destination(id)?.is_none() {
            self.0.choose_site(id, &to.site)?;
        }
        self.0.apply_user_change(id, |book| {
            self.0.with_context(&book.contract(), |ctx| book.choose_sheet(sheet, ctx))?;
            book.current_mut()?.remove_sent_rows(to, rows);
            Ok(())
        })
    }
}
