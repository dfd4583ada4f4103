//! One opened sheet of a workbook, from its cells to checked rows. Every choice recomputes the results that depend on
//! it.

mod annotated_copy;
mod column_mapping;
mod draft;
mod fixes;
mod items;
mod merged_cells;
mod state;
mod text_reading;
mod view;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use takt_browse::{
    lists::SNAPSHOT_SHEET,
    reference::{ReferenceRequest, ReferenceSnapshot},
};
use takt_contract::{Contract, RefersTo};
use takt_core::{
    Code, ExcelRow, Problem,
    finding::{FindingCode, Severity},
};
use takt_sheet::{ReadProgress, Workbook};

pub(crate) use self::state::{Session, SessionContext, unknown_problem};
use self::state::{SessionChange, SourceFile};
use crate::{
    check::{CheckResult, ImportCounts},
    grid,
    header::{self, HeaderRows},
    import_id::ImportId,
    import_progress::{ImportProgress, ProgressListener},
    mark::{Finding, Mark, is_about_column},
    original::workbook_hash,
    proposal::{self, Proposal},
    reading_view::RowChoice,
    reference_checks::{self, PredecessorValues},
    row_exclusion::RowExclusion,
    row_grouper::UnsortedResult,
    row_position::RowPosition,
    takt_columns::TaktColumns,
    target::TargetFields,
    view::{CellPlace, FoundCells, GridPage, ProblemCell, RowFilter, SheetView},
};

/// A row with its business key.
#[derive(Debug, Clone)]
pub(crate) struct KeyedRow {
    /// Its position among the rows below the header row.
    pub(crate) position: RowPosition,
    pub(crate) number: u32,
    pub(crate) is_excluded: bool,
    pub(crate) has_errors: bool,
    /// The parts of the key, in order.
    pub(crate) key: Vec<Option<String>>,
}

impl Session {
    pub(crate) fn open(
        id: ImportId,
        path: &Path,
        ctx: &SessionContext<'_>,
        watch: &ProgressListener<'_>,
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
    pub(crate) fn open_generated(
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
            .filter(|entry| entry.visible || entry.name != SNAPSHOT_SHEET)
            .map(|entry| SheetView { name: entry.name.clone(), rows: None, columns: None, visible: entry.visible })
            .collect();
        let source = SourceFile { path, name: file, hash: String::new(), workbook, limits: ctx.limits.clone(), sheets };
        Self::new(id, source, ctx.reference_context.clone())
    }

    /// Opens another sheet of the same file in a separate session.
    pub(crate) fn open_sheet(&self, name: &str, ctx: &SessionContext<'_>) -> Result<Self, Problem> {
        let mut session = Self::new(self.id, self.source.clone(), self.reference_context.clone());
        session.site.clone_from(&self.site);
        session.table.excluded_rows = RowExclusion::new(self.table.excluded_rows.choice);
        session.choose_sheet(name, ctx)?;
        Ok(session)
    }

    fn choose_sheet(&mut self, name: &str, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        self.choose_sheet_with_progress(name, ctx, &|_| true)
    }

    fn choose_sheet_with_progress(
        &mut self,
        name: &str,
        ctx: &SessionContext<'_>,
        watch: &ProgressListener<'_>,
    ) -> Result<(), Problem> {
        self.read_sheet(name, watch)?;
        let header = header::find_header_rows(&self.table.sheet, ctx.operations().vocabularies());
        self.set_header_rows(header, ctx);
        Ok(())
    }

    /// Chooses which rows below the header row are left out. Columns keep their fields.
    pub(crate) fn choose_rows(&mut self, choice: RowChoice) {
        self.table.excluded_rows.choice = choice;
        self.skip_rows();
        self.recompute(SessionChange::Mapping);
    }

    pub(crate) fn choose_header_row(&mut self, row: u32, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        self.table.excluded_rows.restore_rows(&mut self.table.sheet);
        let position = self.table.sheet.rows.position(row);
        let position = position.ok_or_else(|| self.no_header_problem(row))?;
        self.set_header_rows(Some(header::header_rows_ending_at(&self.table.sheet, position)), ctx);
        Ok(())
    }

    /// Changes the number of header rows. The last one stays the same.
    pub(crate) fn choose_header_rows(&mut self, rows: u32, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let problem =
            || Problem::new(Code::NoHeader).parameter("case", "rows").parameter("sheet", &self.table.sheet.name);
        let last = self.table.header.ok_or_else(problem)?;
        let rows = rows as usize;
        if !(1..=header::MAX_HEADER_ROWS.min(last + 1)).contains(&rows) {
            return Err(problem().parameter("rows", rows.to_string()));
        }
        self.set_header_rows(Some(HeaderRows { last, rows }), ctx);
        Ok(())
    }

    fn no_header_problem(&self, row: u32) -> Problem {
        let problem = Problem::new(Code::NoHeader).parameter("case", "row");
        problem.parameter("sheet", &self.table.sheet.name).parameter("row", row.to_string())
    }

    fn set_header_rows(&mut self, header: Option<HeaderRows>, ctx: &SessionContext<'_>) {
        self.table.header = header.map(|header| header.last);
        self.table.header_rows = header.map_or(1, |header| header.rows);
        self.skip_rows();
        self.propose_operation(ctx);
    }

    /// Leaves out rows, but never the header row or rows above it, so that the header row's position stays the same.
    fn skip_rows(&mut self) {
        self.table.excluded_rows.skip_rows(&mut self.table.sheet, self.table.header.map_or(0, |header| header + 1));
    }

    pub(crate) fn choose_operation(&mut self, operation: &str, ctx: &SessionContext<'_>) -> Result<(), Problem> {
        let contract_operation = ctx.contract.operation(operation).ok_or_else(|| unknown_problem(operation))?;
        self.mapping.targets =
            Some(TargetFields::from_operation(contract_operation).ok_or_else(|| unknown_problem(operation))?);
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

    /// Passes each finding to `visit` instead of collecting them, since there may be millions.
    pub(crate) fn visit_findings(&self, visit: &mut dyn FnMut(Finding)) {
        let Some(targets) = &self.mapping.targets else { return };
        let rows = self.rows();
        let mut reader = rows.reader();
        let mut listed = HashSet::new();
        for mark in &self.results.check_result.marks {
            if is_about_column(mark.code) && !listed.insert((mark.code, mark.target)) {
                continue;
            }
            let position = mark.position.index();
            let Some(number) = rows.number(position) else { continue };
            let cell = mark.column.and_then(|column| reader.cell(position, column));
            visit(mark.to_finding(&self.table.sheet.name, ExcelRow::new(number), cell, targets));
        }
        self.table
            .excluded_rows
            .totals_finding(&self.table.sheet.name)
            .into_iter()
            .chain(self.findings_above_rows())
            .for_each(visit);
    }

    pub(crate) fn page(&mut self, filter: &RowFilter, offset: u32, limit: u32) -> GridPage {
        self.with_listing(filter, |grid, listing| grid.page(listing, offset, limit))
    }

    /// Passes a listing of the rows that pass a filter to `visit`. The listing is cached for the next call.
    fn with_listing<T>(
        &mut self,
        filter: &RowFilter,
        visit: impl FnOnce(&grid::GridSource<'_>, &mut grid::Listing) -> T,
    ) -> T {
        let listing = self.results.listing.take().filter(|(cached, _)| cached == filter).map(|(_, listing)| listing);
        let source = grid::GridSource {
            sheet: &self.table.sheet,
            rows: self.rows(),
            mapper: self.mapper(),
            check_result: &self.results.check_result,
            overlay: &self.fixes.overlay,
            rejected_rows: &self.rejected_rows,
        };
        let mut listing = listing.unwrap_or_else(|| source.listing(filter));
        let result = visit(&source, &mut listing);
        self.results.listing = Some((filter.clone(), listing));
        result
    }

    /// Returns the cells that contain a text, ignoring case. Searches the rows that pass the filter, in their order.
    pub(crate) fn find_cells(&mut self, filter: &RowFilter, text: &str) -> FoundCells {
        self.with_listing(filter, |grid, listing| grid.find_cells(listing, text))
    }

    /// Returns the next or previous cell with an error or a warning among the rows that pass the filter.
    pub(crate) fn find_problem(
        &mut self,
        filter: &RowFilter,
        from: Option<CellPlace>,
        forward: bool,
    ) -> Option<ProblemCell> {
        self.with_listing(filter, |grid, listing| grid.find_problem(listing, from, forward))
    }

    /// Returns where the values of a column end, from one of its cells, like Ctrl+arrow in Excel.
    pub(crate) fn find_data_edge(&mut self, filter: &RowFilter, from: CellPlace, down: bool) -> u32 {
        self.with_listing(filter, |grid, listing| grid.find_data_edge(listing, from, down))
    }

    /// Reads the first sheet with content. Visible sheets come first.
    fn open_first_sheet(&mut self, ctx: &SessionContext<'_>, watch: &ProgressListener<'_>) -> Result<(), Problem> {
        let mut names: Vec<String> =
            self.source.sheets.iter().filter(|sheet| sheet.visible).map(|sheet| sheet.name.clone()).collect();
        names.extend(self.source.sheets.iter().filter(|sheet| !sheet.visible).map(|sheet| sheet.name.clone()));
        for name in &names {
            self.choose_sheet_with_progress(name, ctx, watch)?;
            if !self.table.sheet.rows.is_empty() {
                return Ok(());
            }
        }
        Err(Problem::new(Code::FileEmpty))
    }

    fn read_sheet(&mut self, name: &str, watch: &ProgressListener<'_>) -> Result<(), Problem> {
        if !self.source.sheets.iter().any(|sheet| sheet.name == name) {
            return Err(self.unknown_sheet_problem(name));
        }
        self.table.excluded_rows = RowExclusion::new(self.table.excluded_rows.choice);
        let report = |progress: ReadProgress<'_>| watch(ImportProgress::from_read_progress(name, progress));
        let read = self.source.workbook.read_with_progress(name, &self.source.limits, &report);
        let is_only_sheet = self.source.sheets.len() == 1;
        self.table.sheet = read.map_err(|error| match error {
            error if is_only_sheet => Problem::from_sheet_error(&self.source.name, error),
            error => Problem::from_named_sheet_error(&self.source.name, name, error),
        })?;
        self.fixes.reapply(&mut self.table.sheet);
        if let Some(view) = self.source.sheets.iter_mut().find(|sheet| sheet.name == name) {
            view.rows = u32::try_from(self.table.sheet.rows.len()).ok();
            view.columns = Some(self.table.sheet.columns);
        }
        Ok(())
    }

    /// Proposes operations by the sheet's headings. Chooses the best one if it's clearly ahead.
    pub(crate) fn propose_operation(&mut self, ctx: &SessionContext<'_>) {
        self.table.headings = self.read_headings();
        self.table.takt_columns = TaktColumns::extract(&mut self.table.headings);
        let hints = [self.source.name.as_str(), self.table.sheet.name.as_str()];
        self.mapping.proposals = ctx.operations().propose_operations(ctx.contract, &self.table.headings, &hints);
        let used_for =
            (ctx.find_last_operation)(&self.table.headings).filter(|used| ctx.contract.operation(used).is_some());
        self.mapping.is_remembered = used_for.is_some();
        self.mapping.targets = used_for
            .as_deref()
            .or_else(|| proposal::clear_winner(&self.mapping.proposals))
            .and_then(|operation| ctx.contract.operation(operation))
            .and_then(TargetFields::from_operation);
        self.match_columns(ctx);
    }

    fn read_headings(&self) -> Vec<String> {
        let Some(last) = self.table.header else { return vec![String::new(); self.table.sheet.columns as usize] };
        header::column_headings(&self.table.sheet, HeaderRows { last, rows: self.table.header_rows })
    }

    /// Returns the problem for a missing sheet. It lists the file's sheets.
    fn unknown_sheet_problem(&self, name: &str) -> Problem {
        let sheets: Vec<&str> = self.source.sheets.iter().map(|sheet| sheet.name.as_str()).collect();
        let problem = Problem::new(Code::Unknown).parameter("case", "sheet").parameter("what", name);
        problem.parameter("file", &self.source.name).parameter("sheets", sheets.join(", "))
    }

    pub(crate) fn sheet_name(&self) -> &str {
        &self.table.sheet.name
    }

    /// Returns the sheet's index in the workbook, or the highest number if it's missing.
    pub(crate) fn sheet_index(&self) -> usize {
        self.source.sheets.iter().position(|sheet| sheet.name == self.table.sheet.name).unwrap_or(usize::MAX)
    }

    pub(crate) fn visible_sheets(&self) -> Vec<String> {
        self.source.sheets.iter().filter(|sheet| sheet.visible).map(|sheet| sheet.name.clone()).collect()
    }

    pub(crate) fn dimensions(&self) -> (Option<u32>, Option<u32>) {
        (u32::try_from(self.table.sheet.rows.len()).ok(), Some(self.table.sheet.columns))
    }

    /// Returns true if there are rows below a header row.
    pub(crate) fn has_rows(&self) -> bool {
        self.table.header.is_some() && !self.rows().is_empty()
    }

    pub(crate) fn operation(&self) -> Option<&str> {
        self.mapping.targets.as_ref().map(|targets| targets.operation.as_str())
    }

    /// Returns the list that the rows are members of, if they're parts of another sheet's items.
    pub(crate) fn part_list(&self) -> Option<&str> {
        self.mapping.targets.as_ref()?.list.as_deref()
    }

    /// Returns true if the headings were used for this operation before.
    pub(crate) fn is_operation_remembered(&self) -> bool {
        self.mapping.is_remembered
    }

    /// Returns true if the operation is certain without a choice by the user. Either its headings were used for it
    /// before, or the key's first field, most columns and at least half of the required fields are matched.
    pub(crate) fn has_certain_operation(&self) -> bool {
        let Some(targets) = &self.mapping.targets else { return false };
        let named = self.table.headings.iter().filter(|heading| !heading.is_empty()).count();
        let matched = self.mapping.matches.iter().filter(|column_match| column_match.matched.is_some()).count();
        let key = targets.key.first().is_some_and(|key| self.fills(key));
        let needed = targets.fields.iter().filter(|target| target.required && target.part_of.is_none()).count();
        self.mapping.is_remembered || (key && matched * 2 > named && self.missing_fields().len() * 2 <= needed)
    }

    pub(crate) fn proposals(&self) -> &[Proposal] {
        &self.mapping.proposals
    }

    /// Returns the counts without rows that were sent.
    pub(crate) fn counts(&self) -> ImportCounts {
        let counts = self.results.check_result.counts;
        let sent = self.sent_rows();
        let without_sent = |rows: u32| rows.saturating_sub(sent);
        ImportCounts { rows: without_sent(counts.rows), excluded: without_sent(counts.excluded), ..counts }
    }

    /// Returns the number of rows that were sent to the current site and operation.
    pub(crate) fn sent_rows(&self) -> u32 {
        u32::try_from(self.fixes.overlay.sent_count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn set_targets(&mut self, targets: TargetFields, ctx: &SessionContext<'_>) {
        self.mapping.targets = Some(targets);
        self.match_columns(ctx);
    }

    /// Returns true if a column or the mapping fills the field.
    pub(crate) fn fills(&self, path: &str) -> bool {
        self.mapping.matches.iter().any(|column_match| column_match.fills(path))
            || self.mapping.rules.constants.contains_key(path)
            || self.mapping.rules.joined.contains_key(path)
    }

    /// Returns true if every field of the business key is filled.
    pub(crate) fn fills_key(&self) -> bool {
        self.mapping.targets.as_ref().is_some_and(|targets| targets.key.iter().all(|member| self.fills(member)))
    }

    /// Returns true if a filled field refers to items of this operation.
    pub(crate) fn refers_to(&self, operation: &str) -> bool {
        let fields = self.mapping.targets.iter().flat_map(|targets| targets.fields.iter().enumerate());
        let refers = |refers_to: &RefersTo| refers_to.sync.as_deref() == Some(operation);
        fields
            .filter(|(_, field)| field.refers_to.as_ref().is_some_and(refers))
            .any(|(target, _)| self.results.layout.fills(target))
    }

    /// Returns each row with its business key, including excluded rows.
    pub(crate) fn keyed_rows(&self) -> impl Iterator<Item = KeyedRow> {
        let mapper = self.mapper();
        let key_targets: Vec<Option<usize>> =
            mapper.iter().flat_map(|mapper| mapper.targets.key.iter().map(|name| mapper.targets.index(name))).collect();
        let columns: Vec<u32> = mapper
            .iter()
            .flat_map(|mapper| key_targets.iter().flatten().flat_map(|&target| mapper.source_columns(target)))
            .collect();
        let rows = mapper.is_some().then(|| self.rows().iter_for_columns(columns));
        (0..).map(RowPosition::new).zip(rows.into_iter().flatten()).filter_map(move |(position, row)| {
            let mapper = mapper?;
            Some(KeyedRow {
                position,
                number: row.number,
                is_excluded: mapper.overlay.excludes(ExcelRow::new(row.number)),
                has_errors: self.results.check_result.severity(position) == Some(Severity::Error),
                key: key_targets
                    .iter()
                    .map(|target| Some(mapper.read(&row, (*target)?)?.ok()?.display_text()))
                    .collect(),
            })
        })
    }

    /// Returns the target and the column of findings about the whole key.
    pub(crate) fn key_location(&self) -> (u16, Option<u32>) {
        let location = || {
            let targets = self.mapping.targets.as_ref()?;
            let target = targets.index(targets.key.first()?)?;
            Some((u16::try_from(target).ok()?, self.results.layout.columns.get(target).copied().flatten()))
        };
        location().unwrap_or_default()
    }

    /// Replaces all marks that have one of these codes by `marks`.
    pub(crate) fn replace_marks(&mut self, codes: &[FindingCode], marks: Vec<Mark>) {
        let of_codes = |mark: &Mark| codes.contains(&mark.code);
        if self.mapping.targets.is_none() || (marks.is_empty() && !self.results.check_result.marks.iter().any(of_codes))
        {
            return;
        }
        let before = std::mem::take(&mut self.results.check_result);
        let Some(mapper) = self.mapper() else { return };
        let mut all_marks: Vec<Mark> = before.marks.into_iter().filter(|mark| !of_codes(mark)).collect();
        all_marks.extend(marks);
        let raw = UnsortedResult { marks: all_marks, items: before.items, hashes: before.hashes };
        let check_result = CheckResult::new(&mapper, self.rows().len(), raw, before.counts.items);
        self.results.check_result = check_result;
    }

    /// Returns requests for the reference data that the sheet's filled fields need.
    pub(crate) fn reference_requests(&self, contract: &Contract) -> Vec<ReferenceRequest> {
        self.mapper()
            .map(|mapper| reference_checks::reference_requests(contract, &mapper, self.rows()))
            .unwrap_or_default()
    }

    /// Sets the site's reference data, and checks every row again. Returns true if the items to send changed.
    pub(crate) fn set_reference(&mut self, reference: Arc<ReferenceSnapshot>, problem: Option<Problem>) -> bool {
        (self.reference_context.reference, self.reference_context.problem) = (reference, problem);
        self.recheck_references()
    }

    /// Sets the site that the rows are sent to. Rows that were sent to another site are part of the import again.
    pub(crate) fn set_site(&mut self, site: &str) {
        self.site = Some(site.to_owned());
        if self.fixes.overlay.has_sent_rows() {
            self.recompute(SessionChange::Mapping);
        }
    }

    /// Sets the values that earlier sheets will create, and checks every row again if they changed. Returns true if the
    /// items to send changed.
    pub(crate) fn set_predecessors(&mut self, predecessors: Arc<PredecessorValues>) -> bool {
        let has_changed = self.reference_context.predecessors != predecessors;
        if has_changed {
            self.reference_context.predecessors = predecessors;
        }
        has_changed && self.recheck_references()
    }

    fn recheck_references(&mut self) -> bool {
        let before = std::mem::take(&mut self.results.check_result);
        self.recompute(SessionChange::Reference);
        !self.results.check_result.has_same_items(&before)
    }
}
