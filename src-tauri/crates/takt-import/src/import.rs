//! Imports: opened workbooks, from bytes to items that can be sent.
//!
//! Owns finding the heading, proposing the operation, matching columns, reading cells towards their fields, and checking
//! every row. Leaves reading files to takt-sheet, and sending to `submission`.

pub(crate) mod blank;
mod building;
mod cell_search;
mod check;
mod date;
mod draft;
mod duration_text;
mod file_reading;
#[cfg(test)]
mod file_tests;
mod fix;
mod from_rows;
#[cfg(test)]
mod fuzz_tests;
mod grid;
mod header;
mod heading;
mod import_id;
mod import_site;
mod invisible;
mod item_source;
mod item_stream;
mod mapping;
mod mark;
mod matching;
mod number;
mod original;
mod pass;
mod plan;
mod position;
mod proposal;
mod reading;
mod reading_view;
mod reference_check;
mod remembered_mapping;
mod row;
mod row_exclusion;
mod sample;
mod sending;
mod sense;
mod session;
pub mod takt_columns;
mod target;
mod view;
mod watch;
mod week;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use parking_lot::Mutex;
use takt_contract::Contract;
use takt_core::{Clock, Code, Problem};
use takt_journal::Journal;
use takt_sites::Sites;

pub(crate) use self::remembered_mapping::fields_filled;
pub use self::{
    cell_search::CellSearch,
    draft::{
        DraftOnFile, DraftView, Drafts, EarlierDraft, FileState, ImportPosition, RecentFileView, RestoredDraft,
        SentFileView,
    },
    file_reading::FileReading,
    fix::{FindingKind, FindingValue, FindingValues, Fix, FoundFix, TextChange},
    from_rows::{FromRows, ImportSources, RowChange, shows_the_same},
    grid::RejectedRows,
    import_id::ImportId,
    import_site::{FixedBy, ImportSite, ImportSites, SiteItems},
    item_source::{ItemSource, SheetItems},
    item_stream::ItemStream,
    mapping::*,
    original::{Original, SavedCopy, file_hash, file_start_hash, row_note},
    plan::{ItemWait, PartChoice, PlanStep, StepItems, StepPart, StepState},
    reading_view::*,
    sense::{PredecessorValues, SenseView, UncheckedField, UncheckedReason},
    view::*,
    watch::{ImportProgress, OpenWatch},
};
use self::{
    plan::Book,
    sense::ReferenceContext,
    session::{Session, SessionContext},
};

/// Workbooks that are open at a time; the oldest is closed first.
const MAX_OPEN_WORKBOOKS: usize = 8;

/// The opened workbooks.
pub struct Imports {
    contract: Arc<Contract>,
    /// Whose contracts the workbooks are matched with; without them, the built-in one.
    sites: Option<Arc<Sites>>,
    journal: Arc<Journal>,
    clock: Clock,
    file_reading: FileReading,
    keeps_drafts: OnceLock<()>,
    open: Mutex<OpenImports>,
}

#[derive(Debug, Default)]
struct OpenImports {
    last: u32,
    books: BTreeMap<ImportId, Arc<Mutex<Book>>>,
}

impl std::fmt::Debug for Imports {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Imports").finish_non_exhaustive()
    }
}

impl Imports {
    /// A workbook is matched with the contract of the site that it is for; without `sites`, with `contract`. Large files are
    /// copied into the folder `copies` while they are open; without one they are held in memory.
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
            file_reading: FileReading::new(copies),
            keeps_drafts: OnceLock::new(),
            open: Mutex::default(),
        }
    }

    /// How files are read from now on.
    #[must_use]
    pub fn file_reading(&self) -> &FileReading {
        &self.file_reading
    }

    /// Reads a workbook's first sheet that holds anything, and proposes what it is.
    ///
    /// # Errors
    ///
    /// A [file code](takt_core::problem#file-codes): the workbook can't be read; `FileEmpty` also where no sheet holds
    /// anything.
    pub fn open(&self, path: &Path) -> Result<ImportView, Problem> {
        self.open_watched(path, &|_| true)
    }

    /// The same, telling now and then how far it is and, once, what the first rows are. Once the answer is false nobody wants
    /// the workbook any more, and it ends with the obstacle `reading-stopped`.
    ///
    /// # Errors
    ///
    /// As [`Self::open`]; [`Code::Precondition`] (`reading-stopped`) once `watch` answered false.
    pub fn open_watched(&self, path: &Path, watch: &OpenWatch<'_>) -> Result<ImportView, Problem> {
        let id = self.next();
        let book = self.with_draft(id, path, watch)?;
        self.insert_book(id, book)
    }

    fn next(&self) -> ImportId {
        let mut open = self.open.lock();
        open.last += 1;
        ImportId::new(open.last)
    }

    fn insert_book(&self, id: ImportId, book: Book) -> Result<ImportView, Problem> {
        let view = self.around(book.site().as_deref(), |around| book.view(around))?;
        let mut open = self.open.lock();
        open.books.insert(id, Arc::new(Mutex::new(book)));
        while open.books.len() > MAX_OPEN_WORKBOOKS {
            open.books.pop_first();
        }
        Ok(view)
    }

    /// The import as it is.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn view(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.with_book(id, |_| Ok(()))
    }

    /// Shows another sheet of the workbook, and reads it where it wasn't read yet.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or its file has no such sheet.
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    pub fn choose_sheet(&self, id: ImportId, sheet: &str) -> Result<ImportView, Problem> {
        self.with_book(id, |book| self.around(book.site().as_deref(), |around| book.choose(sheet, around)))
    }

    /// `row` is 1-based, as Excel shows it.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - [`Code::NoHeader`]: the sheet has no such row.
    pub fn choose_header(&self, id: ImportId, row: u32) -> Result<ImportView, Problem> {
        self.change(id, |book| {
            self.around(book.site().as_deref(), |around| book.current_mut()?.choose_header(row, around))
        })
    }

    /// How many rows the heading has, 1 to 3; the last of them stays where it is.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open.
    /// - [`Code::NoHeader`]: the sheet has no heading, or it can't have that many rows.
    pub fn choose_header_rows(&self, id: ImportId, rows: u32) -> Result<ImportView, Problem> {
        self.change(id, |book| {
            self.around(book.site().as_deref(), |around| book.current_mut()?.choose_header_rows(rows, around))
        })
    }

    /// How a text file is read; nothing happens to any other.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or there is no such encoding or separator.
    /// - A [file code](takt_core::problem#file-codes): the text can't be read that way.
    pub fn choose_text(&self, id: ImportId, reading: &TextReading) -> Result<ImportView, Problem> {
        self.change(id, |book| {
            self.around(book.site().as_deref(), |around| book.current_mut()?.choose_text(reading, around))
        })
    }

    /// Which rows below the heading are left out.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn choose_rows(&self, id: ImportId, choice: RowChoice) -> Result<ImportView, Problem> {
        self.with(id, |session| {
            session.choose_rows(choice);
            Ok(())
        })
    }

    /// What the sheet's rows are for.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open, or the contract has no such operation that
    /// takes items.
    pub fn choose_operation(&self, id: ImportId, operation: &str) -> Result<ImportView, Problem> {
        self.change(id, |book| self.around(book.site().as_deref(), |around| book.choose_operation(operation, around)))
    }

    /// Gives a column a field, or none. A field that another column had moves.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or it has no such column or field.
    /// - [`Code::Precondition`]: the sheet has no operation yet (`no-operation`).
    /// - [`Code::MappingRefused`]: what the mapping says of the field or the heading
    ///   doesn't fit any more.
    pub fn match_column(&self, id: ImportId, column: u32, field: Option<&str>) -> Result<ImportView, Problem> {
        self.with(id, |session| session.match_column(column, field))
    }

    /// Changes what the mapping says. What can't be is refused with the reason, and the mapping stays as it was.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or it has no such column or field.
    /// - [`Code::Precondition`]: the sheet has no operation yet (`no-operation`).
    /// - [`Code::MappingRefused`]: what it would say can't be; the obstacle tells why.
    pub fn change_mapping(&self, id: ImportId, change: MappingChange) -> Result<ImportView, Problem> {
        self.with(id, |session| session.change(change))
    }

    /// The different values of a field with how often they stand, for replacing them.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or the operation has no such field.
    /// - [`Code::Precondition`]: the sheet has no operation yet (`no-operation`).
    pub fn values(&self, id: ImportId, field: &str) -> Result<FieldValues, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        book.current()?.values(field)
    }

    /// Reads the sheet that the mapping names, or the one that is shown, as the mapping says.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or the contract has no such operation.
    /// - [`Code::NoHeader`]: the sheet has no row where the mapping has the heading.
    /// - [`Code::MappingRefused`]: a sheet, a heading or a field that it names isn't
    ///   there, or it says what can't be.
    /// - A [file code](takt_core::problem#file-codes): the sheet that it names can't be read.
    pub fn apply_mapping(&self, id: ImportId, mapping: &MappingFile) -> Result<ImportView, Problem> {
        self.change(id, |book| self.around(book.site().as_deref(), |around| book.apply(mapping, around)))
    }

    /// Rows of the sheet that is shown, as a grid has them.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn rows(&self, id: ImportId, filter: &RowFilter, offset: u32, limit: u32) -> Result<GridPage, Problem> {
        let book = self.book(id)?;
        let mut book = book.lock();
        Ok(book.current_mut()?.page(filter, offset, limit))
    }

    /// Fixes the rows: one step that can be taken back. A fix that changes nothing is none.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or the sheet has no such column.
    /// - [`Code::InvalidInput`]: more cells than are changed as one step.
    pub fn fix(&self, id: ImportId, fix: &Fix) -> Result<ImportView, Problem> {
        self.with(id, |session| session.fix(fix))
    }

    /// Leaves every row of a sheet out but those that the service rejected, as one step that can be taken back, and every other
    /// sheet with them. It says nothing about the next file.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no such import is open, or its file has no such sheet.
    /// - A [file code](takt_core::problem#file-codes): the sheet can't be read.
    pub fn store_rejected(&self, id: ImportId, sheet: &str, rejected: RejectedRows) -> Result<ImportView, Problem> {
        self.change(id, |book| {
            self.around(book.site().as_deref(), |around| book.choose(sheet, around))?;
            book.send_only(sheet);
            book.current_mut()?.store_rejected(rejected)
        })
    }

    /// Takes the last fix back; nothing happens where there is none.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn undo(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.with(id, |session| {
            session.undo();
            Ok(())
        })
    }

    /// Does again what was taken back last; nothing happens where there is nothing.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn redo(&self, id: ImportId) -> Result<ImportView, Problem> {
        self.with(id, |session| {
            session.redo();
            Ok(())
        })
    }

    /// What can be done about a cell. `known` are the codes that a field is known to take at the site, nearest first, by the
    /// field's path and the cell's text.
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn cell_help(
        &self,
        id: ImportId,
        (row, column): (u32, u32),
        known: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> Result<CellHelp, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.current()?.cell_help(row, column, known))
    }

    /// Everything of one kind of finding. `known` as in [`Imports::cell_help`].
    ///
    /// # Errors
    ///
    /// [`Code::Unknown`]: no such import is open.
    pub fn finding_values(
        &self,
        id: ImportId,
        kind: &FindingKind,
        known: &dyn Fn(&str, &str) -> Vec<String>,
    ) -> Result<FindingValues, Problem> {
        let book = self.book(id)?;
        let book = book.lock();
        Ok(book.current()?.finding_values(kind, known))
    }

    /// The first rows of a text as they would be with these letters and columns; nothing for any other file. The file's own
    /// choice stays as it is.
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

    pub fn close(&self, id: ImportId) {
        self.open.lock().books.remove(&id);
    }

    fn with(
        &self,
        id: ImportId,
        change: impl FnOnce(&mut Session) -> Result<(), Problem>,
    ) -> Result<ImportView, Problem> {
        self.change(id, |book| change(book.current_mut()?))
    }

    /// A person changes something: what would be sent may be something else afterwards.
    fn change(
        &self,
        id: ImportId,
        change: impl FnOnce(&mut Book) -> Result<(), Problem>,
    ) -> Result<ImportView, Problem> {
        self.recompute(id, |book| change(book).map(|()| book.draft.touch()))
    }

    /// What would be sent may be something else afterwards, and it is no person's work.
    fn recompute(
        &self,
        id: ImportId,
        change: impl FnOnce(&mut Book) -> Result<(), Problem>,
    ) -> Result<ImportView, Problem> {
        self.with_book(id, |book| {
            book.changed();
            change(book)
        })
    }

    fn with_book(
        &self,
        id: ImportId,
        change: impl FnOnce(&mut Book) -> Result<(), Problem>,
    ) -> Result<ImportView, Problem> {
        let book = self.book(id)?;
        let mut book = book.lock();
        change(&mut book)?;
        let contract = self.contract(book.site().as_deref());
        book.settle(&contract);
        self.store_draft(&mut book);
        self.around(book.site().as_deref(), |around| book.view(around))
    }

    /// The workbook as it lies open.
    fn book(&self, id: ImportId) -> Result<Arc<Mutex<Book>>, Problem> {
        let open = self.open.lock();
        let book = open.books.get(&id).cloned();
        book.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", id.to_string()))
    }

    fn around<T>(&self, site: Option<&str>, work: impl FnOnce(&SessionContext<'_>) -> T) -> T {
        let remembered = |operation: &str, headings: &[String]| self.remembered(operation, headings);
        let used_for = |headings: &[String]| self.used_for(headings);
        let (contract, reference) = (&self.contract(site), Arc::new(self.no_reference()));
        let reference_context = ReferenceContext { reference, predecessors: Arc::default(), problem: None };
        work(&SessionContext {
            contract,
            remembered: &remembered,
            used_for: &used_for,
            limits: self.file_reading.limits(),
            reference_context,
            operations: OnceLock::new(),
        })
    }
}
