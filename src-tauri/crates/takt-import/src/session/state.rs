//! The state of an opened sheet.

use std::{collections::BTreeSet, path::PathBuf};

use takt_core::{Code, Problem};
use takt_sheet::{Limits, RowSpan, Sheet, Workbook};

use super::merged::MergedCells;
use crate::{
    check::CheckResult,
    column_layout::ColumnLayout,
    fix::FixStack,
    grid,
    import_id::ImportId,
    mapping::{LayoutChange, Rules},
    matching::ColumnMatch,
    proposal::Proposal,
    reference_checks::{ReferenceChecks, ReferenceContext},
    row_exclusion::RowExclusion,
    row_mapper::RowMapper,
    takt_columns::TaktColumns,
    target::Targets,
    view::{RowFilter, SheetView},
};

/// One opened sheet, with the user's choices and the results computed from them.
#[derive(Debug)]
pub(crate) struct Session {
    pub(super) id: ImportId,
    pub(super) source: SourceFile,
    pub(super) table: SheetTable,
    pub(super) mapping: SheetMapping,
    pub(super) fixes: FixStack,
    /// Cells and rows that the last fix, undo or redo changed.
    pub(super) changed_cells: u32,
    /// The site's data, which rows are checked against.
    pub(super) reference_context: ReferenceContext,
    /// Rows that the service rejected in the submission that this import follows.
    pub(super) rejected: grid::RejectedRows,
    pub(super) computed: Computed,
}

/// The file of a session.
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

/// The sheet's cells, and where its table begins.
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
    /// Absent without an operation.
    pub(super) targets: Option<Targets>,
    /// True if these headings were used for the operation before.
    pub(super) is_known: bool,
    /// By column, its name in the mapping.
    pub(super) names: Vec<String>,
    pub(super) matches: Vec<ColumnMatch>,
    /// The mapping's rules beyond the columns' fields.
    pub(super) rules: Rules,
    /// Fields whose column the user or a mapping chose among several that fit.
    pub(super) decided: BTreeSet<String>,
    /// Changes since the layout was remembered.
    pub(super) changes: Vec<LayoutChange>,
}

/// The results computed from the rest of a session by [`Session::recompute`]. Findings between sheets are added later.
#[derive(Debug, Default)]
pub(super) struct Computed {
    pub(super) merged: MergedCells,
    /// By target, the column that fills it and how its texts are read. Determined once per check, since it takes every
    /// row.
    pub(super) layout: ColumnLayout,
    pub(super) reference_checks: ReferenceChecks,
    pub(super) checked: CheckResult,
    /// The rows that pass the last filter, cached for the next page.
    pub(super) listing: Option<(RowFilter, grid::Listing)>,
}

impl Session {
    pub(super) fn new(id: ImportId, source: SourceFile, reference_context: ReferenceContext) -> Self {
        Self {
            id,
            source,
            table: SheetTable { header_rows: 1, ..SheetTable::default() },
            mapping: SheetMapping::default(),
            fixes: FixStack::default(),
            changed_cells: 0,
            reference_context,
            rejected: grid::RejectedRows::new(),
            computed: Computed::default(),
        }
    }

    pub(super) fn mapper(&self) -> Option<RowMapper<'_>> {
        Some(RowMapper {
            targets: self.mapping.targets.as_ref()?,
            layout: &self.computed.layout,
            overlay: &self.fixes.overlay,
            reference_checks: &self.computed.reference_checks,
        })
    }

    /// Returns the rows below the header row, or all rows without one.
    pub(super) fn rows(&self) -> RowSpan<'_> {
        self.table.sheet.rows.below(self.data_start())
    }

    pub(super) fn data_start(&self) -> usize {
        self.table.header.map_or(0, |header| header + 1)
    }
}

/// Returns the problem for something that doesn't exist.
pub(crate) fn unknown(what: &str) -> Problem {
    Problem::new(Code::Unknown).parameter("what", what)
}
