//! One opened sheet of a workbook, from its cells to checked rows. Every choice recomputes what depends on it.

mod arrange;
mod columns;
mod contested;
mod context;
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
mod recompute;
mod reference_check;
mod state;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    thread,
};

use takt_core::ExcelRow;
use takt_sheet::{ReadProgress, Workbook};

pub(crate) use self::{
    context::SessionContext,
    state::{Session, unknown},
};
use self::{recompute::Changed, state::SourceFile};
use crate::{
    check::ImportCounts,
    draft::DraftView,
    field_view, grid,
    header::{self, HeadRow, Heading},
    import_id::ImportId,
    mark::{Finding, is_about_column},
    original::workbook_hash,
    proposal,
    reading_view::RowChoice,
    row_exclusion::RowExclusion,
    takt_columns::TaktColumns,
    target::Targets,
    view::{CellPlace, FoundCells, GridPage, ImportView, RowFilter, SheetView},
    watch::{ImportProgress, OpenWatch},
};
use takt_browse::lists::EXPORTED;
use takt_core::{Code, Problem};

/// Number of rows that are shown for choosing the header row.
const HEAD_ROWS: usize = 15;

impl Session {
    pub(crate) fn open(
        id: ImportId,
        path: &Path,
        ctx: &SessionContext<'_>,
        watch: &OpenWatch<'_>,
    ) -> Result<Self, Problem> {
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let named = |problem: Problem| problem.parameter("file", file.clone());
        let workbook = Workbook::open(path, &ctx.limits).map_err(|error| named(error.into()))?;
        // Hashed while the sheet is read, since a large file takes a while.
        let mut session = Self::from_workbook(id, path.to_path_buf(), file.clone(), workbook, ctx);
        let hashing = (!ctx.limits.reads_in_place).then(|| {
            let workbook = session.source.workbook.clone();
            thread::spawn(move || workbook_hash(&workbook))
        });
        session.open_first_sheet(ctx, watch).map_err(named)?;
        // The file may have been replaced while it was read.
        session.source.workbook.check_unchanged().map_err(|error| named(error.into()))?;
        if let Some(hashing) = hashing {
            let hash = hashing.join().unwrap_or_else(|_| Err(Problem::new(Code::Bug)));
            session.source.hash = hash.map_err(named)?;
        }
        Ok(session)
    }

    /// Opens a workbook that Takt created. `name` is shown instead of a file name.
    pub(crate) fn open_made(
        id: ImportId,
        name: &str,
        bytes: Vec<u8>,
        ctx: &SessionContext<'_>,
    ) -> Result<Self, Problem> {
        let workbook = Workbook::from_bytes(bytes, "made.xlsx", &ctx.limits)?;
        let mut session = Self::from_workbook(id, PathBuf::new(), name.to_owned(), workbook, ctx);
        session.source.hash = workbook_hash(&session.source.workbook)?;
        session.open_first_sheet(ctx, &|_| true)?;
        Ok(session)
    }

    fn from_workbook(id: ImportId, path: PathBuf, file: String, workbook: Workbook, ctx: &SessionContext<'_>) -> Self {
        let sheets: Vec<SheetView> = workbook
            .sheets()
            .iter()
            // The sheet that Takt adds to an exported workbook isn't offered.
            .filter(|entry| entry.visible || entry.name != EXPORTED)
            .map(|entry| SheetView { name: entry.name.clone(), rows: None, columns: None, visible: entry.visible })
            .collect();
        let source = SourceFile { path, name: file, hash: String::new(), workbook, limits: ctx.limits.clone(), sheets };
        Self::new(id, source, ctx.reference_context.clone())
    }

    /// Opens another sheet of the same file, with its own state.
    pub(crate) fn open_sheet(&self, name: &str, ctx: &SessionContext<'_>) -> Result<Self, Problem> {
        let mut session = Self::new(self.id, self.source.clone(), self.reference_context.clone());
        session.table.excluded_rows = RowExclusion::new(self.table.excluded_rows.choice);
        session.choose_sheet(name, ctx)?;
        Ok(session)
    }

    fn choose_sheet(&mut self, name: &str, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        self.choose_sheet_watched(name, ctx, &|_| true)
    }

    fn choose_sheet_watched(
        &mut self,
        name: &str,
        ctx: &SessionContext<'_>,
        watch: &OpenWatch<'_>,
    ) -> Result<(), Problem> {
        self.read_sheet(name, watch)?;
        let heading = header::find(&self.table.sheet, ctx.operations().vocabularies());
        self.set_heading(heading, ctx);
        Ok(())
    }

    /// Chooses which rows below the header row are left out. Columns keep their fields.
    pub(crate) fn choose_rows(&mut self, choice: RowChoice) {
        self.table.excluded_rows.choice = choice;
        self.skip_rows();
        self.recompute(Changed::Mapping);
    }

    pub(crate) fn choose_header(&mut self, row: u32, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        self.table.excluded_rows.restore(&mut self.table.sheet);
        let position = self.table.sheet.rows.position(row);
        let position = position.ok_or_else(|| self.no_header_at(row))?;
        self.set_heading(Some(header::ending_at(&self.table.sheet, position)), ctx);
        Ok(())
    }

    /// Changes the number of header rows. The last one stays the same.
    pub(crate) fn choose_header_rows(&mut self, rows: u32, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let problem =
            || Problem::new(Code::NoHeader).parameter("case", "rows").parameter("sheet", &self.table.sheet.name);
        let last = self.table.header.ok_or_else(problem)?;
        let rows = rows as usize;
        if !(1..=header::MAX_ROWS.min(last + 1)).contains(&rows) {
            return Err(problem().parameter("rows", rows.to_string()));
        }
        self.set_heading(Some(Heading { last, rows }), ctx);
        Ok(())
    }

    fn no_header_at(&self, row: u32) -> Problem {
        let problem = Problem::new(Code::NoHeader).parameter("case", "row");
        problem.parameter("sheet", &self.table.sheet.name).parameter("row", row.to_string())
    }

    fn set_heading(&mut self, heading: Option<Heading>, ctx: &SessionContext<'_>) {
        self.table.header = heading.map(|heading| heading.last);
        self.table.header_rows = heading.map_or(1, |heading| heading.rows);
        self.skip_rows();
        self.propose(ctx);
    }

    /// Leaves out rows, but never the header row or rows above it, so that its position stays.
    fn skip_rows(&mut self) {
        self.table.excluded_rows.skip_rows(&mut self.table.sheet, self.table.header.map_or(0, |header| header + 1));
    }

    pub(crate) fn choose_operation(&mut self, operation: &str, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let contract_operation = ctx.contract.operation(operation).ok_or_else(|| unknown(operation))?;
        self.mapping.targets = Some(Targets::from_operation(contract_operation).ok_or_else(|| unknown(operation))?);
        self.match_columns(ctx);
        Ok(())
    }

    /// Returns the file's path. Empty if Takt created the workbook.
    pub(crate) fn path(&self) -> &Path {
        &self.source.path
    }

    pub(crate) fn headings(&self) -> &[String] {
        &self.table.headings
    }

    /// Passes each finding to `visit`, since there may be millions.
    pub(crate) fn each_finding(&self, visit: &mut dyn FnMut(Finding)) {
        let Some(targets) = &self.mapping.targets else { return };
        let rows = self.rows();
        let mut reader = rows.reader();
        let mut listed = HashSet::new();
        for mark in &self.computed.checked.marks {
            if is_about_column(mark.code) && !listed.insert((mark.code, mark.target)) {
                continue;
            }
            let position = mark.position.index();
            let Some(number) = rows.number(position) else { continue };
            let cell = mark.column.and_then(|column| reader.cell(position, column));
            visit(mark.finding(&self.table.sheet.name, ExcelRow::new(number), cell, targets));
        }
        self.table.excluded_rows.finding(&self.table.sheet.name).into_iter().chain(self.doubts_above()).for_each(visit);
    }

    pub(crate) fn page(&mut self, filter: &RowFilter, offset: u32, limit: u32) -> GridPage {
        self.with_listing(filter, |shown, listing| shown.page(listing, offset, limit))
    }

    /// Passes the rows that pass a filter to `visit`. Their order is cached for the next call.
    fn with_listing<T>(
        &mut self,
        filter: &RowFilter,
        visit: impl FnOnce(&grid::GridSource<'_>, &mut grid::Listing) -> T,
    ) -> T {
        let listing = self.computed.listing.take().filter(|(cached, _)| cached == filter).map(|(_, listing)| listing);
        let shown = grid::GridSource {
            sheet: &self.table.sheet,
            rows: self.rows(),
            mapper: self.mapper(),
            checked: &self.computed.checked,
            overlay: &self.fixes.overlay,
            rejected: &self.rejected,
        };
        let mut listing = listing.unwrap_or_else(|| shown.listing(filter));
        let seen = visit(&shown, &mut listing);
        self.computed.listing = Some((filter.clone(), listing));
        seen
    }

    /// Returns the cells that show a text, in the order of the rows that pass the filter.
    pub(crate) fn find_cells(&mut self, filter: &RowFilter, text: &str) -> FoundCells {
        self.with_listing(filter, |shown, listing| shown.find(listing, text))
    }

    /// Returns where the values of a column end, from one of its cells, like Ctrl+arrow in Excel.
    pub(crate) fn data_edge(&mut self, filter: &RowFilter, from: CellPlace, down: bool) -> u32 {
        self.with_listing(filter, |shown, listing| shown.edge(listing, from, down))
    }

    pub(crate) fn view(&self) -> ImportView {
        let head = self.table.sheet.rows.iter().take(HEAD_ROWS).map(|row| HeadRow::from_row(&row));
        ImportView {
            id: self.id,
            destination: None,
            file: self.source.name.clone(),
            hash: self.source.hash.clone(),
            sheets: self.source.sheets.clone(),
            sheet: self.table.sheet.name.clone(),
            header_row: self.table.header.and_then(|header| self.table.sheet.rows.number(header)),
            head: head.collect(),
            operation: self.mapping.targets.as_ref().map(|targets| targets.operation.clone()),
            proposals: self.mapping.proposals.clone(),
            columns: self.columns(),
            fields: self
                .mapping
                .targets
                .as_ref()
                .map(|targets| field_view::views(targets, &self.mapping.rules, &self.mapping.names))
                .unwrap_or_default(),
            missing: self.missing(),
            contested: self.contested(),
            property_list: self.mapping.targets.as_ref().and_then(|targets| targets.property_list().map(str::to_owned)),
            changes: self.mapping.changes.clone(),
            settled: self.is_settled() && self.source.sheets.iter().filter(|sheet| sheet.visible).count() <= 1,
            counts: self.computed.checked.counts,
            previously_accepted: self.table.takt_columns.accepted(self.rows()),
            facets: self.computed.checked.facets.clone(),
            reference_checks: self.computed.reference_checks.view(&self.reference_context),
            reading: self.reading(),
            undo: self.fixes.can_undo(),
            redo: self.fixes.can_redo(),
            edited: self.fixes.overlay.edited(),
            edited_rows: self.fixes.overlay.edited_rows(),
            replayed: self.fixes.replayed(),
            touched: self.changed_cells,
            rejected_rows: u32::try_from(self.rejected.len()).unwrap_or(u32::MAX),
            steps: Vec::new(),
            covers_workbook: false,
            totals: ImportCounts::default(),
            parts: Vec::new(),
            draft: DraftView::default(),
        }
    }

    /// Reads the first sheet with content. Visible sheets come first.
    fn open_first_sheet(&mut self, ctx: &SessionContext<'_>, watch: &OpenWatch<'_>) -> Result<(), Problem> {
        let mut names: Vec<String> =
            self.source.sheets.iter().filter(|sheet| sheet.visible).map(|sheet| sheet.name.clone()).collect();
        names.extend(self.source.sheets.iter().filter(|sheet| !sheet.visible).map(|sheet| sheet.name.clone()));
        for name in &names {
            self.choose_sheet_watched(name, ctx, watch)?;
            if !self.table.sheet.rows.is_empty() {
                return Ok(());
            }
        }
        Err(Problem::new(Code::FileEmpty))
    }

    fn read_sheet(&mut self, name: &str, watch: &OpenWatch<'_>) -> Result<(), Problem> {
        if !self.source.sheets.iter().any(|sheet| sheet.name == name) {
            return Err(self.unknown_sheet(name));
        }
        self.table.excluded_rows = RowExclusion::new(self.table.excluded_rows.choice);
        let report = |progress: ReadProgress<'_>| watch(ImportProgress::from_read_progress(name, progress));
        let read = self.source.workbook.read_watched(name, &self.source.limits, &report);
        let is_only_sheet = self.source.sheets.len() == 1;
        self.table.sheet = read.map_err(|error| match error {
            error if is_only_sheet => Problem::of_sheet(&self.source.name, error),
            error => Problem::of_named_sheet(&self.source.name, name, error),
        })?;
        self.fixes.reapply(&mut self.table.sheet);
        if let Some(view) = self.source.sheets.iter_mut().find(|sheet| sheet.name == name) {
            view.rows = u32::try_from(self.table.sheet.rows.len()).ok();
            view.columns = Some(self.table.sheet.columns);
        }
        Ok(())
    }

    /// Proposes operations by the headings, and chooses one if it's clear.
    pub(crate) fn propose(&mut self, ctx: &SessionContext<'_>) {
        self.table.headings = self.read_headings();
        self.table.takt_columns = TaktColumns::extract(&mut self.table.headings);
        let hints = [self.source.name.as_str(), self.table.sheet.name.as_str()];
        self.mapping.proposals = ctx.operations().propose(ctx.contract, &self.table.headings, &hints);
        let used_for = (ctx.used_for)(&self.table.headings).filter(|used| ctx.contract.operation(used).is_some());
        self.mapping.is_known = used_for.is_some();
        self.mapping.targets = used_for
            .as_deref()
            .or_else(|| proposal::clear_winner(&self.mapping.proposals))
            .and_then(|operation| ctx.contract.operation(operation))
            .and_then(Targets::from_operation);
        self.match_columns(ctx);
    }

    fn read_headings(&self) -> Vec<String> {
        let Some(last) = self.table.header else { return vec![String::new(); self.table.sheet.columns as usize] };
        header::texts(&self.table.sheet, Heading { last, rows: self.table.header_rows })
    }
}
