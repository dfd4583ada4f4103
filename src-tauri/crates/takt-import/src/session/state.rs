//! The state of an opened sheet, and the results computed from it. A change recomputes the results that depend on it.
//!
//! | change | computed again |
//! |---|---|
//! | mapping or left-out rows | merged cells, layout, reference checks, findings of all rows |
//! | the site's data or earlier sheets | reference checks, findings of all rows |
//! | cells, by a fix | merged cells, formats of the columns, findings of the changed rows |
//!
//! If a fix changes how a column is read, all rows are checked.

use std::{collections::BTreeSet, path::PathBuf, sync::OnceLock};

use takt_contract::Contract;
use takt_core::{Code, ExcelRow, Problem};
use takt_sheet::{Limits, RowSpan, Sheet, Workbook};

use super::merged_cells::MergedCells;
use crate::{
    check::{self, CheckResult},
    column_layout::ColumnLayout,
    fix::{FixStack, FixStep},
    grid,
    import_id::ImportId,
    mapping::{LayoutChange, MappingRules, NearestMapping},
    matching::ColumnMatch,
    proposal::{KnownOperations, Proposal},
    reference_checks::{ReferenceChecks, ReferenceContext},
    row_exclusion::RowExclusion,
    row_mapper::RowMapper,
    takt_columns::TaktColumns,
    target::TargetFields,
    view::{RowFilter, SheetView},
};

/// One opened sheet, with the user's choices and the results computed from them.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) id: ImportId,
    pub(super) source: SourceFile,
    /// `None` before a site was chosen.
    pub(super) site: Option<String>,
    pub(super) table: SheetTable,
    pub(super) mapping: SheetMapping,
    pub(super) fixes: FixStack,
    /// Number of cells and rows that the last fix, undo or redo changed.
    pub(super) changed_cells: u32,
    /// The site's data, which rows are checked against.
    pub(super) reference_context: ReferenceContext,
    /// Rows that the service rejected in the submission that this import follows.
    pub(super) rejected_rows: grid::RejectedRows,
    pub(super) results: SessionResults,
}

/// The file that a session was opened from.
#[derive(Debug, Clone)]
pub(super) struct SourceFile {
    /// Empty for a workbook that Takt created.
    pub(super) path: PathBuf,
    pub(super) name: String,
    /// Hexadecimal SHA-256. Empty until the file was hashed, and if files are read in place.
    pub(super) hash: String,
    pub(super) workbook: Workbook,
    pub(super) limits: Limits,
    pub(super) sheets: Vec<SheetView>,
}

/// The sheet's cells, its header rows and the rows that are left out.
#[derive(Debug, Default)]
pub(super) struct SheetTable {
    pub(super) sheet: Sheet,
    /// Position of the header row among the sheet's rows.
    pub(super) header: Option<usize>,
    /// Number of header rows. The last one is `header`.
    pub(super) header_rows: usize,
    pub(super) excluded_rows: RowExclusion,
    /// By column, empty for Takt's own columns.
    pub(super) headings: Vec<String>,
    pub(super) takt_columns: TaktColumns,
}

/// The operation, and the fields that the columns fill.
#[derive(Debug, Clone, Default)]
pub(super) struct SheetMapping {
    pub(super) proposals: Vec<Proposal>,
    /// `None` without an operation.
    pub(super) targets: Option<TargetFields>,
    /// True if these headings were used for the operation before.
    pub(super) is_remembered: bool,
    /// By column, its name in the mapping.
    pub(super) names: Vec<String>,
    pub(super) matches: Vec<ColumnMatch>,
    /// The mapping's rules, such as formats, constants and replacements.
    pub(super) rules: MappingRules,
    /// Fields whose column the user or a mapping chose among several that fit.
    pub(super) chosen_fields: BTreeSet<String>,
    pub(super) changes: Vec<LayoutChange>,
}

/// The results computed from the rest of a session by [`Session::recompute`]. Findings between sheets are added later.
#[derive(Debug, Default)]
pub(super) struct SessionResults {
    pub(super) merged_cells: MergedCells,
    /// By target, the column that fills it and how its texts are read. Determined once per check, since every row must
    /// be read.
    pub(super) layout: ColumnLayout,
    pub(super) reference_checks: ReferenceChecks,
    pub(super) check_result: CheckResult,
    /// The rows that pass the last filter, cached for the next page.
    pub(super) listing: Option<(RowFilter, grid::Listing)>,
}

/// The part of a session that changed. All results that depend on it are computed again.
pub(super) enum SessionChange {
    /// The header row, left-out rows, the operation, columns or rules.
    Mapping,
    /// The site's data, or the values of earlier sheets.
    Reference,
    /// Cells and rows, by a fix. The listing stays, so that users keep their place.
    Cells(FixScope),
}

/// The cells that a fix affects.
pub(super) struct FixScope {
    /// Ascending.
    pub(super) rows: Vec<ExcelRow>,
    /// Columns whose format may have changed.
    pub(super) columns: Vec<u32>,
    /// Number of changed cells and rows, for the view.
    pub(super) change_count: u32,
}

/// The data that a session needs from the imports.
pub(crate) struct SessionContext<'a> {
    pub(crate) contract: &'a Contract,
    /// Returns an operation's mapping for these headings, or for similar ones.
    pub(crate) find_mapping: &'a dyn Fn(&str, &[String]) -> Option<NearestMapping>,
    /// Returns the operation that these headings were last used for.
    pub(crate) find_last_operation: &'a dyn Fn(&[String]) -> Option<String>,
    pub(crate) limits: Limits,
    /// The reference data before any site is known.
    pub(crate) reference_context: ReferenceContext,
    /// Created on first use.
    pub(crate) operations: OnceLock<KnownOperations>,
}

impl SessionContext<'_> {
    pub(super) fn operations(&self) -> &KnownOperations {
        self.operations.get_or_init(|| KnownOperations::new(self.contract))
    }
}

impl Session {
    pub(super) fn new(id: ImportId, source: SourceFile, reference_context: ReferenceContext) -> Self {
        Self {
            id,
            source,
            site: None,
            table: SheetTable { header_rows: 1, ..SheetTable::default() },
            mapping: SheetMapping::default(),
            fixes: FixStack::default(),
            changed_cells: 0,
            reference_context,
            rejected_rows: grid::RejectedRows::new(),
            results: SessionResults::default(),
        }
    }

    pub(super) fn mapper(&self) -> Option<RowMapper<'_>> {
        Some(RowMapper {
            targets: self.mapping.targets.as_ref()?,
            layout: &self.results.layout,
            overlay: &self.fixes.overlay,
            reference_checks: &self.results.reference_checks,
        })
    }

    /// Returns the rows below the header row, or all rows without one.
    pub(super) fn rows(&self) -> RowSpan<'_> {
        self.table.sheet.rows.span_from(self.data_start())
    }

    pub(super) fn data_start(&self) -> usize {
        self.table.header.map_or(0, |header| header + 1)
    }

    pub(super) fn recompute(&mut self, change: SessionChange) {
        match change {
            SessionChange::Mapping => {
                let operation = self.mapping.targets.as_ref().map(|targets| &*targets.operation);
                self.fixes.overlay.set_target(self.site.as_deref(), operation);
                self.results.listing = None;
                self.results.merged_cells = MergedCells::find(&self.table.sheet, self.rows());
                self.results.layout = self.find_layout();
                self.results.layout.contested = self.contested_parameters();
                self.results.reference_checks = self.build_reference_checks();
                self.check_rows();
            }
            SessionChange::Reference => {
                self.results.listing = None;
                self.results.reference_checks = self.build_reference_checks();
                self.check_rows();
            }
            SessionChange::Cells(scope) => {
                self.results.merged_cells = MergedCells::find(&self.table.sheet, self.rows());
                let rows = self.table.sheet.rows.span_from(self.data_start());
                let (layout, overlay) = (&mut self.results.layout, &self.fixes.overlay);
                let targets = self.mapping.targets.as_ref();
                match targets.map(|targets| layout.refresh_formats(targets, rows, overlay, Some(&scope.columns))) {
                    Some(false) => self.check_changed_rows(&scope.rows),
                    // Every row is read differently, or there is no operation.
                    Some(true) | None => self.check_rows(),
                }
            }
        }
    }

    fn find_layout(&self) -> ColumnLayout {
        let Some(targets) = &self.mapping.targets else { return ColumnLayout::default() };
        let (matches, rules, names) = (&self.mapping.matches, &self.mapping.rules, &self.mapping.names);
        let today = self.reference_context.reference.local_now().date();
        ColumnLayout::new(targets, matches, rules, names, self.rows(), &self.fixes.overlay, today)
    }

    fn build_reference_checks(&self) -> ReferenceChecks {
        let targets = self.mapping.targets.as_ref();
        let checks =
            targets.map(|targets| ReferenceChecks::new(targets, &self.results.layout, &self.reference_context));
        checks.unwrap_or_default()
    }

    fn check_rows(&mut self) {
        self.results.check_result = match self.mapper() {
            Some(mapper) => check::check_all_rows(&mapper, self.rows()),
            None => CheckResult::without_operation(self.rows().len()),
        };
        self.mark_ambiguities();
    }

    fn check_changed_rows(&mut self, changed: &[ExcelRow]) {
        let rows = self.rows();
        let position = |row: &ExcelRow| rows.position(row.get());
        let changed: Vec<u32> =
            changed.iter().filter_map(position).filter_map(|position| u32::try_from(position).ok()).collect();
        let before = std::mem::take(&mut self.results.check_result);
        if let Some(mapper) = self.mapper() {
            self.results.check_result = check::recheck_rows(&mapper, self.rows(), before, &changed);
        }
        self.mark_ambiguities();
    }

    /// Returns the cells that a step of fixes affects.
    pub(super) fn fix_scope(&self, step: &FixStep) -> FixScope {
        let targets = self.mapping.targets.iter().flat_map(|targets| &targets.fields);
        let columns = targets.zip(&self.results.layout.columns).filter_map(|(target, column)| {
            let affects =
                |&column: &u32| step.affects_format(target.kind, column, &self.table.sheet, &self.fixes.overlay);
            (*column).filter(affects)
        });
        FixScope { rows: step.changed_rows(), columns: columns.collect(), change_count: step.change_count() }
    }
}

/// Returns the problem [`Code::Unknown`] for something that doesn't exist.
pub(crate) fn unknown_problem(what: &str) -> Problem {
    Problem::new(Code::Unknown).parameter("what", what)
}
