//! One opened workbook, from its sheets to checked rows. Every choice recomputes what follows from it.

mod arrange;
mod columns;
mod contested;
mod doubts;
mod draft;
mod field_counts;
mod finding_values;
mod fixes;
mod found_fix;
mod items;
mod merged;
mod notes;
mod plan_access;
mod reference_check;

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
};
use takt_core::ExcelRow;

use takt_contract::Contract;
use takt_sheet::{Limits, ReadProgress, RowSpan, Sheet, Workbook};

use self::merged::MergedCells;
use super::{
    CellPlace, DraftView, Finding, FoundCells, GridPage, HeadRow, ImportCounts, ImportId, ImportView, LayoutChange,
    Proposal, RowChoice, RowFilter, SheetView,
    check::{self, CheckResult, Layout, Plan},
    fix::FixStack,
    grid,
    header::{self, Heading},
    mapping::{NearestMapping, Rules},
    mark::is_about_column,
    matching::ColumnMatch,
    original::workbook_hash,
    proposal::{self, KnownOperations},
    row_exclusion::RowExclusion,
    sense::{ReferenceChecks, ReferenceContext},
    takt_columns::TaktColumns,
    target::Targets,
    watch::{ImportProgress, OpenWatch},
};
use takt_browse::browse::EXPORTED;
use takt_core::{Code, Problem};

/// Rows that a person sees for choosing the heading.
const HEAD_ROWS: usize = 15;

#[derive(Debug)]
pub(super) struct Session {
    id: ImportId,
    path: PathBuf,
    file: String,
    hash: String,
    workbook: Workbook,
    limits: Limits,
    sheets: Vec<SheetView>,
    sheet: Sheet,
    /// Position of the heading among the sheet's rows.
    header: Option<usize>,
    /// How many rows the heading has; the last of them is `header`.
    header_rows: usize,
    aside: RowExclusion,
    proposals: Vec<Proposal>,
    targets: Option<Targets>,
    /// True where these very headings were used for the operation before.
    known: bool,
    /// Empty where the column is one of Takt's own.
    headings: Vec<String>,
    own: TaktColumns,
    /// By column: the name by which the mapping calls it.
    names: Vec<String>,
    matches: Vec<ColumnMatch>,
    /// What the mapping says beyond the columns' fields.
    rules: Rules,
    /// Fields whose column a person or a mapping chose among several that fit.
    decided: BTreeSet<String>,
    /// What changed since the layout was remembered.
    changes: Vec<LayoutChange>,
    /// By target: which column fills it, and how that column's texts are read. Found once per check, since it takes every row.
    layout: Layout,
    reference_context: ReferenceContext,
    senses: ReferenceChecks,
    checked: CheckResult,
    filtered: Option<(RowFilter, grid::Listing)>,
    fixes: FixStack,
    /// Cells and rows that the last fix, undo or redo changed.
    touched: u32,
    merged: MergedCells,
    /// What the submission that this follows had rejected.
    rejected: grid::RejectedRows,
}

/// What a session asks of its surroundings.
pub(super) struct SessionContext<'a> {
    pub contract: &'a Contract,
    /// The mapping that was used for these headings before, or for ones like them.
    pub(super) remembered: &'a dyn Fn(&str, &[String]) -> Option<NearestMapping>,
    /// The operation that these very headings were used for last.
    pub(super) used_for: &'a dyn Fn(&[String]) -> Option<String>,
    pub(super) limits: Limits,
    /// What a sheet is held against before anything is known of a site.
    pub(super) reference_context: ReferenceContext,
    /// Made when it is asked for.
    pub(super) operations: OnceLock<KnownOperations>,
}

impl SessionContext<'_> {
    fn operations(&self) -> &KnownOperations {
        self.operations.get_or_init(|| KnownOperations::of(self.contract))
    }
}

/// Which file a session reads.
struct FileSource {
    /// Empty for a workbook that Takt made itself.
    path: PathBuf,
    name: String,
    /// Empty until the file was gone through, and where it is only looked at.
    hash: String,
}

impl Session {
    pub(super) fn open(
        id: ImportId,
        path: &Path,
        around: &SessionContext<'_>,
        watch: &OpenWatch<'_>,
    ) -> Result<Self, Problem> {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let named = |problem: Problem| problem.parameter("file", file.clone());
        let workbook = Workbook::open(path, &around.limits).map_err(|error| named(error.into()))?;
        // Beside the reading: a large file takes a while to go through.
        let mut session = Self::of_workbook(id, (path.to_path_buf(), file.clone()), workbook, around);
        let hashing = (!around.limits.reads_in_place).then(|| {
            let workbook = session.workbook.clone();
            thread::spawn(move || workbook_hash(&workbook))
        });
        session.take_first_sheet(around, watch).map_err(named)?;
        // What was read is whole; whether it is the file that a person means is another question.
        session.workbook.check_unchanged().map_err(|error| named(error.into()))?;
        if let Some(hashing) = hashing {
            let hash = hashing.join().unwrap_or_else(|_| Err(Problem::new(Code::Bug)));
            session.hash = hash.map_err(named)?;
        }
        Ok(session)
    }

    /// A workbook that Takt made itself; `name` stands where a file's would.
    pub(super) fn open_made(
        id: ImportId,
        name: &str,
        bytes: Vec<u8>,
        around: &SessionContext<'_>,
    ) -> Result<Self, Problem> {
        let workbook = Workbook::from_bytes(bytes, "made.xlsx", &around.limits)?;
        let mut session = Self::of_workbook(id, (PathBuf::new(), name.to_owned()), workbook, around);
        session.hash = workbook_hash(&session.workbook)?;
        session.take_first_sheet(around, &|_| true)?;
        Ok(session)
    }

    fn of_workbook(
        id: ImportId,
        (path, file): (PathBuf, String),
        workbook: Workbook,
        around: &SessionContext<'_>,
    ) -> Self {
        let sheets: Vec<SheetView> = workbook
            .sheets()
            .iter()
            // The sheet that Takt itself adds to an exported workbook isn't offered.
            .filter(|entry| entry.visible || entry.name != EXPORTED)
            .map(|entry| SheetView { name: entry.name.clone(), rows: None, columns: None, visible: entry.visible })
            .collect();
        let source = FileSource { path, name: file, hash: String::new() };
        let mut session =
            Self::of_file(id, source, (workbook, around.limits.clone()), around.reference_context.clone());
        session.sheets = sheets;
        session
    }

    /// The same file's sheet of that name, with a state of its own.
    pub(super) fn beside(&self, name: &str, around: &SessionContext<'_>) -> Result<Self, Problem> {
        let source = FileSource { path: self.path.clone(), name: self.file.clone(), hash: self.hash.clone() };
        let mut session = Self::of_file(
            self.id,
            source,
            (self.workbook.clone(), self.limits.clone()),
            self.reference_context.clone(),
        );
        session.sheets.clone_from(&self.sheets);
        session.aside = RowExclusion::new(self.aside.choice);
        session.choose_sheet(name, around)?;
        Ok(session)
    }

    fn of_file(
        id: ImportId,
        source: FileSource,
        (workbook, limits): (Workbook, Limits),
        reference_context: ReferenceContext,
    ) -> Self {
        Self {
            id,
            path: source.path,
            file: source.name,
            hash: source.hash,
            workbook,
            limits,
            sheets: Vec::new(),
            sheet: Sheet::default(),
            header: None,
            header_rows: 1,
            aside: RowExclusion::default(),
            proposals: Vec::new(),
            targets: None,
            known: false,
            headings: Vec::new(),
            own: TaktColumns::default(),
            names: Vec::new(),
            matches: Vec::new(),
            rules: Rules::default(),
            decided: BTreeSet::new(),
            changes: Vec::new(),
            layout: Layout::default(),
            reference_context,
            senses: ReferenceChecks::default(),
            checked: CheckResult::default(),
            filtered: None,
            fixes: FixStack::default(),
            touched: 0,
            merged: MergedCells::default(),
            rejected: grid::RejectedRows::new(),
        }
    }

    fn choose_sheet(&mut self, name: &str, around: &SessionContext<'_>) -> Result<(), Problem> {
        self.choose_sheet_watched(name, around, &|_| true)
    }

    fn choose_sheet_watched(
        &mut self,
        name: &str,
        around: &SessionContext<'_>,
        watch: &OpenWatch<'_>,
    ) -> Result<(), Problem> {
        self.read_sheet(name, watch)?;
        let heading = header::find(&self.sheet, around.operations().vocabularies());
        self.take_heading(heading, around);
        Ok(())
    }

    /// Which rows below the heading are left out. Columns keep their fields.
    pub(super) fn choose_rows(&mut self, choice: RowChoice) {
        self.aside.choice = choice;
        self.skip_rows();
        self.check();
    }

    pub(super) fn choose_header(&mut self, row: u32, around: &SessionContext<'_>) -> Result<(), Problem> {
        self.aside.restore(&mut self.sheet);
        let position = self.sheet.rows.position(row);
        let position = position.ok_or_else(|| self.no_header_at(row))?;
        self.take_heading(Some(header::ending_at(&self.sheet, position)), around);
        Ok(())
    }

    /// The same heading with so many rows: the last one stays.
    pub(super) fn choose_header_rows(&mut self, rows: u32, around: &SessionContext<'_>) -> Result<(), Problem> {
        let problem = || Problem::new(Code::NoHeader).parameter("case", "rows").parameter("sheet", &self.sheet.name);
        let last = self.header.ok_or_else(problem)?;
        let rows = rows as usize;
        if !(1..=header::MAX_ROWS.min(last + 1)).contains(&rows) {
            return Err(problem().parameter("rows", rows.to_string()));
        }
        self.take_heading(Some(Heading { last, rows }), around);
        Ok(())
    }

    fn no_header_at(&self, row: u32) -> Problem {
        let problem = Problem::new(Code::NoHeader).parameter("case", "row");
        problem.parameter("sheet", &self.sheet.name).parameter("row", row.to_string())
    }

    fn take_heading(&mut self, heading: Option<Heading>, around: &SessionContext<'_>) {
        self.header = heading.map(|heading| heading.last);
        self.header_rows = heading.map_or(1, |heading| heading.rows);
        self.skip_rows();
        self.propose(around);
    }

    /// Never the heading or what stands above it, so that its position stays.
    fn skip_rows(&mut self) {
        self.aside.skip_rows(&mut self.sheet, self.header.map_or(0, |header| header + 1));
    }

    pub(super) fn choose_operation(&mut self, operation: &str, around: &SessionContext<'_>) -> Result<(), Problem> {
        let contract_operation = around.contract.operation(operation).ok_or_else(|| unknown(operation))?;
        self.targets = Some(Targets::of(contract_operation).ok_or_else(|| unknown(operation))?);
        self.match_columns(around);
        Ok(())
    }

    /// Empty where Takt made the workbook itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn headings(&self) -> &[String] {
        &self.headings
    }

    /// One after the other, since there may be millions.
    pub(super) fn each_finding(&self, see: &mut dyn FnMut(Finding)) {
        let Some(targets) = &self.targets else { return };
        let rows = self.rows();
        let mut reader = rows.reader();
        let mut listed = HashSet::new();
        for mark in &self.checked.marks {
            if is_about_column(mark.code) && !listed.insert((mark.code, mark.target)) {
                continue;
            }
            let position = mark.position.index();
            let Some(number) = rows.number(position) else { continue };
            let cell = mark.column.and_then(|column| reader.cell(position, column));
            see(mark.finding(&self.sheet.name, ExcelRow::new(number), cell, targets));
        }
        self.aside.finding(&self.sheet.name).into_iter().chain(self.doubts_above()).for_each(see);
    }

    pub(super) fn page(&mut self, filter: &RowFilter, offset: u32, limit: u32) -> GridPage {
        self.look(filter, |shown, listing| shown.page(listing, (offset, limit)))
    }

    /// Looks at the rows that pass a filter; their order is kept for who looks next.
    fn look<T>(&mut self, filter: &RowFilter, see: impl FnOnce(&grid::GridSource<'_>, &mut grid::Listing) -> T) -> T {
        let listing = self.filtered.take().filter(|(kept, _)| kept == filter).map(|(_, listing)| listing);
        let shown = grid::GridSource {
            sheet: &self.sheet,
            rows: self.rows(),
            plan: self.plan(),
            checked: &self.checked,
            overlay: &self.fixes.overlay,
            rejected: &self.rejected,
        };
        let mut listing = listing.unwrap_or_else(|| shown.listing(filter));
        let seen = see(&shown, &mut listing);
        self.filtered = Some((filter.clone(), listing));
        seen
    }

    /// The cells that show a text, in the order of the rows that pass the filter.
    pub(super) fn find_cells(&mut self, filter: &RowFilter, text: &str) -> FoundCells {
        self.look(filter, |shown, listing| shown.find(listing, text))
    }

    /// Where the values of a column end, seen from one of its cells, as Excel goes by Ctrl and an arrow.
    pub(super) fn data_edge(&mut self, filter: &RowFilter, from: CellPlace, down: bool) -> u32 {
        self.look(filter, |shown, listing| shown.edge(listing, from, down))
    }

    pub(super) fn view(&self) -> ImportView {
        let head = self.sheet.rows.iter().take(HEAD_ROWS).map(|row| HeadRow::of(&row));
        ImportView {
            id: self.id,
            destination: None,
            file: self.file.clone(),
            hash: self.hash.clone(),
            sheets: self.sheets.clone(),
            sheet: self.sheet.name.clone(),
            header_row: self.header.and_then(|header| self.sheet.rows.number(header)),
            head: head.collect(),
            operation: self.targets.as_ref().map(|targets| targets.operation.clone()),
            proposals: self.proposals.clone(),
            columns: self.columns(),
            fields: self.targets.as_ref().map(|targets| targets.views(&self.rules, &self.names)).unwrap_or_default(),
            missing: self.missing(),
            contested: self.contested(),
            property_list: self.targets.as_ref().and_then(|targets| targets.property_list().map(str::to_owned)),
            changes: self.changes.clone(),
            settled: self.settled() && self.sheets.iter().filter(|sheet| sheet.visible).count() <= 1,
            counts: self.checked.counts,
            previously_accepted: self.own.accepted(self.rows()),
            facets: self.checked.facets.clone(),
            sense: self.senses.view(&self.reference_context),
            reading: self.reading(),
            undo: self.fixes.can_undo(),
            redo: self.fixes.can_redo(),
            edited: self.fixes.overlay.edited(),
            edited_rows: self.fixes.overlay.edited_rows(),
            replayed: self.fixes.replayed(),
            touched: self.touched,
            rejected_rows: u32::try_from(self.rejected.len()).unwrap_or(u32::MAX),
            steps: Vec::new(),
            whole: false,
            totals: ImportCounts::default(),
            parts: Vec::new(),
            draft: DraftView::default(),
        }
    }

    /// The first visible sheet that holds anything; else the first one.
    fn take_first_sheet(&mut self, around: &SessionContext<'_>, watch: &OpenWatch<'_>) -> Result<(), Problem> {
        let mut names: Vec<String> =
            self.sheets.iter().filter(|sheet| sheet.visible).map(|sheet| sheet.name.clone()).collect();
        names.extend(self.sheets.iter().filter(|sheet| !sheet.visible).map(|sheet| sheet.name.clone()));
        for name in &names {
            self.choose_sheet_watched(name, around, watch)?;
            if !self.sheet.rows.is_empty() {
                return Ok(());
            }
        }
        Err(Problem::new(Code::FileEmpty))
    }

    fn read_sheet(&mut self, name: &str, watch: &OpenWatch<'_>) -> Result<(), Problem> {
        if !self.sheets.iter().any(|sheet| sheet.name == name) {
            return Err(self.no_sheet(name));
        }
        self.aside = RowExclusion::new(self.aside.choice);
        let tell = |glimpse: ReadProgress<'_>| watch(ImportProgress::of(name, glimpse));
        let read = self.workbook.read_watched(name, &self.limits, &tell);
        let is_only_sheet = self.sheets.len() == 1;
        self.sheet = read.map_err(|error| match error {
            error if is_only_sheet => Problem::of_sheet(&self.file, error),
            error => Problem::of_named_sheet(&self.file, name, error),
        })?;
        self.fixes.lay_over(&mut self.sheet);
        if let Some(view) = self.sheets.iter_mut().find(|sheet| sheet.name == name) {
            view.rows = u32::try_from(self.sheet.rows.len()).ok();
            view.columns = Some(self.sheet.columns);
        }
        Ok(())
    }

    /// What the sheet is for, by its headings; taken where it is clear.
    pub(super) fn propose(&mut self, around: &SessionContext<'_>) {
        self.headings = self.read_headings();
        self.own = TaktColumns::take(&mut self.headings);
        let hints = [self.file.as_str(), self.sheet.name.as_str()];
        self.proposals = around.operations().propose(around.contract, &self.headings, &hints);
        let used_for = (around.used_for)(&self.headings).filter(|used| around.contract.operation(used).is_some());
        self.known = used_for.is_some();
        self.targets = used_for
            .as_deref()
            .or_else(|| proposal::clear_winner(&self.proposals))
            .and_then(|operation| around.contract.operation(operation))
            .and_then(Targets::of);
        self.match_columns(around);
    }

    fn check(&mut self) {
        self.filtered = None;
        self.find_merged();
        let (matches, rules) = (&self.matches, (&self.rules, &self.names[..]));
        let around = (&self.fixes.overlay, self.reference_context.reference.local_now().date());
        let layout = self.targets.as_ref().map(|targets| Layout::new(targets, matches, rules, self.rows(), around));
        self.layout = layout.unwrap_or_default();
        self.layout.contested = self.contested_notes();
        self.make_sense();
        self.check_rows();
    }

    fn check_rows(&mut self) {
        self.checked = match self.plan() {
            Some(plan) => check::check(&plan, self.rows()),
            None => CheckResult::unchecked(self.rows().len()),
        };
        self.mark_doubts();
    }

    fn plan(&self) -> Option<Plan<'_>> {
        Some(Plan {
            targets: self.targets.as_ref()?,
            layout: &self.layout,
            overlay: &self.fixes.overlay,
            senses: &self.senses,
        })
    }

    /// The rows below the heading; all rows where there is none.
    fn rows(&self) -> RowSpan<'_> {
        self.sheet.rows.below(self.below())
    }

    fn below(&self) -> usize {
        self.header.map_or(0, |header| header + 1)
    }

    fn read_headings(&self) -> Vec<String> {
        let Some(last) = self.header else { return vec![String::new(); self.sheet.columns as usize] };
        header::texts(&self.sheet, Heading { last, rows: self.header_rows })
    }
}

pub(super) fn unknown(what: &str) -> Problem {
    Problem::new(Code::Unknown).parameter("what", what)
}
