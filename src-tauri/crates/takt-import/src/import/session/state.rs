//! The state of an opened sheet.

use std::{collections::BTreeSet, path::PathBuf};

use takt_core::{Code, Problem};
use takt_sheet::{Limits, RowSpan, Sheet, Workbook};

use super::merged::MergedCells;
use crate::import::{
    check::CheckResult,
    column_layout::ColumnLayout,
    fix::FixStack,
    grid,
    import_id::ImportId,
    mapping::{LayoutChange, Rules},
    matching::ColumnMatch,
    proposal::Proposal,
    row_exclusion::RowExclusion,
    row_mapper::RowMapper,
    sense::{ReferenceChecks, ReferenceContext},
    takt_columns::TaktColumns,
    target::Targets,
    view::{RowFilter, SheetView},
};

/// One opened sheet, with the user's choices and everything that is computed from them.
#[derive(Debug)]
pub(in crate::import) struct Session {
    pub(super) id: ImportId,
    pub(super) path: PathBuf,
    pub(super) file: String,
    pub(super) hash: String,
    pub(super) workbook: Workbook,
    pub(super) limits: Limits,
    pub(super) sheets: Vec<SheetView>,
    pub(super) sheet: Sheet,
    /// Position of the header row among the sheet's rows.
    pub(super) header: Option<usize>,
    /// Number of header rows. The last one is `header`.
    pub(super) header_rows: usize,
    pub(super) excluded_rows: RowExclusion,
    pub(super) proposals: Vec<Proposal>,
    pub(super) targets: Option<Targets>,
    /// True if these headings were used for the operation before.
    pub(super) known: bool,
    /// By column, empty for Takt's own columns.
    pub(super) headings: Vec<String>,
    pub(super) takt_columns: TaktColumns,
    /// By column, its name in the mapping.
    pub(super) names: Vec<String>,
    pub(super) matches: Vec<ColumnMatch>,
    /// The mapping's rules beyond the columns' fields.
    pub(super) rules: Rules,
    /// Fields whose column the user or a mapping chose among several that fit.
    pub(super) decided: BTreeSet<String>,
    /// Changes since the layout was remembered.
    pub(super) changes: Vec<LayoutChange>,
    /// By target, the column that fills it and how its texts are read. Determined once per check, since it takes every
    /// row.
    pub(super) layout: ColumnLayout,
    pub(super) reference_context: ReferenceContext,
    pub(super) reference_checks: ReferenceChecks,
    pub(super) checked: CheckResult,
    pub(super) filtered: Option<(RowFilter, grid::Listing)>,
    pub(super) fixes: FixStack,
    /// Cells and rows that the last fix, undo or redo changed.
    pub(super) changed_cells: u32,
    pub(super) merged: MergedCells,
    /// Rows that the service rejected in the submission that this import follows.
    pub(super) rejected: grid::RejectedRows,
}

/// The file of a session.
pub(super) struct FileSource {
    /// Empty for a workbook that Takt created.
    pub(super) path: PathBuf,
    pub(super) name: String,
    /// Empty until the file was hashed, and if files are read in place.
    pub(super) hash: String,
}

impl Session {
    pub(super) fn from_file(
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
            excluded_rows: RowExclusion::default(),
            proposals: Vec::new(),
            targets: None,
            known: false,
            headings: Vec::new(),
            takt_columns: TaktColumns::default(),
            names: Vec::new(),
            matches: Vec::new(),
            rules: Rules::default(),
            decided: BTreeSet::new(),
            changes: Vec::new(),
            layout: ColumnLayout::default(),
            reference_context,
            reference_checks: ReferenceChecks::default(),
            checked: CheckResult::default(),
            filtered: None,
            fixes: FixStack::default(),
            changed_cells: 0,
            merged: MergedCells::default(),
            rejected: grid::RejectedRows::new(),
        }
    }

    pub(super) fn mapper(&self) -> Option<RowMapper<'_>> {
        Some(RowMapper {
            targets: self.targets.as_ref()?,
            layout: &self.layout,
            overlay: &self.fixes.overlay,
            reference_checks: &self.reference_checks,
        })
    }

    /// Returns the rows below the header row, or all rows without one.
    pub(super) fn rows(&self) -> RowSpan<'_> {
        self.sheet.rows.below(self.data_start())
    }

    pub(super) fn data_start(&self) -> usize {
        self.header.map_or(0, |header| header + 1)
    }
}

/// Returns the problem for something that doesn't exist.
pub(in crate::import) fn unknown(what: &str) -> Problem {
    Problem::new(Code::Unknown).parameter("what", what)
}
