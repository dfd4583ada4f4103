//! Views of an import for the window and the command line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use takt_core::{
    ExcelRow, Item,
    finding::{FindingCode, Severity},
};

use crate::{
    check::{Facet, ImportCounts},
    draft::DraftView,
    header::HeadRow,
    import_id::ImportId,
    import_site::ImportSite,
    mapping::{Blank, FormatView, JoinedView, LayoutChange},
    mark::Finding,
    matching::Candidate,
    plan::{PartChoice, PlanStep, StepState},
    proposal::Proposal,
    reading_view::ReadingView,
    reference_checks::ReferenceChecksView,
};

/// A column of the file, with the field that it's matched with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ColumnView {
    /// 0-based position in [`GridRow::cells`].
    pub index: u32,
    /// The column's letters in Excel.
    pub letter: String,
    pub heading: String,
    /// True for the two columns that Takt writes next to a planner's rows. They're never matched with a field.
    pub own: bool,
    /// Up to three distinct values from the first rows.
    pub samples: Vec<String>,
    pub matched: Option<Candidate>,
    /// Further fields that the column fills.
    pub also: Vec<String>,
    /// The formats of its texts, open formats first. Empty if they need no format.
    pub formats: Vec<FormatView>,
    /// Best first, at most five.
    pub candidates: Vec<Candidate>,
}

/// A sheet's columns with some of its rows, for showing values in the workbook's own columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SheetRows {
    /// In the file's order, without the columns that Takt wrote.
    pub columns: Vec<SheetColumn>,
    /// The cells' texts in the order of the columns, per requested row. `None` if the sheet has no such row.
    pub rows: Vec<Option<Vec<String>>>,
}

/// A column of a sheet, and the fields that it fills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SheetColumn {
    /// The column's letters in Excel.
    pub letter: String,
    pub heading: String,
    /// The paths of the fields, for example `rawMaterials.code`. Empty if the column isn't sent.
    pub fields: Vec<String>,
}

/// A field of the chosen operation, flattened: parts of lists as `rawMaterials.code`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FieldView {
    pub path: String,
    /// The contract's field kind, for example `date-time`.
    pub kind: String,
    pub required: bool,
    /// `specified`, `assumed` or `site`.
    pub provenance: String,
    /// By language: en, de, es, pt.
    pub names: BTreeMap<String, String>,
    /// True if the field is part of the business key.
    pub key: bool,
    /// The text that every row gets, if the mapping sets one.
    pub constant: Option<String>,
    /// Whether an empty cell clears the service's value.
    pub blank: Blank,
    /// True if an empty cell may clear the service's value.
    pub clearable: bool,
    /// The columns whose texts are joined into the field.
    pub joined: Option<JoinedView>,
    /// Number of values for which the mapping has a replacement.
    pub replaced: u32,
    /// The only values that the contract allows. Empty if any value is allowed.
    pub allowed: Vec<String>,
}

/// A sheet of the workbook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SheetView {
    pub name: String,
    /// Rows with at least one cell. `None` before the sheet was read.
    pub rows: Option<u32>,
    pub columns: Option<u32>,
    /// False for sheets that Excel hides.
    pub visible: bool,
}

/// A field that several columns fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContestedField {
    /// The field's path, for example `rawMaterials.code`.
    pub field: String,
    /// 0-based, in the file's order.
    pub columns: Vec<u32>,
}

/// The state of an import, without its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ImportView {
    pub id: ImportId,
    /// The site that the rows are checked, previewed and sent for. `None` before one was chosen.
    pub destination: Option<ImportSite>,
    /// The file's name without its folder.
    pub file: String,
    /// Hexadecimal SHA-256 of the file.
    pub hash: String,
    pub sheets: Vec<SheetView>,
    pub sheet: String,
    /// 1-based. `None` if no row can be the header row.
    pub header_row: Option<u32>,
    /// The first rows (at most 15), so that the user can choose the header row.
    pub head: Vec<HeadRow>,
    pub operation: Option<String>,
    /// Best first, at most five.
    pub proposals: Vec<Proposal>,
    pub columns: Vec<ColumnView>,
    pub fields: Vec<FieldView>,
    /// Required fields without a column.
    pub missing: Vec<String>,
    /// Fields that several columns fit, with none chosen. No row is sent until one is.
    pub contested: Vec<ContestedField>,
    /// The list that takes one column per property, if the operation has one.
    pub property_list: Option<String>,
    /// Changes since the layout was remembered.
    pub changes: Vec<LayoutChange>,
    /// True if the user doesn't have to review the mapping. Each column is matched for certain, nothing is missing, and
    /// no format is open.
    pub settled: bool,
    pub counts: ImportCounts,
    /// Number of rows that Takt's status column in the file shows as accepted by an earlier submission.
    pub previously_accepted: u32,
    pub facets: Vec<Facet>,
    /// The site that the rows were checked against, and the fields that couldn't be checked.
    #[serde(rename = "sense")]
    pub reference_checks: ReferenceChecksView,
    pub reading: ReadingView,
    /// True if a fix can be undone.
    pub undo: bool,
    /// True if an undone fix can be redone.
    pub redo: bool,
    /// Number of cells that differ from the file.
    pub edited: u32,
    /// Number of rows with such cells.
    pub edited_rows: u32,
    /// Number of cells and rows that the mapping of an earlier file fixed.
    pub replayed: u32,
    /// Number of cells and rows that the last fix, undo or redo changed.
    pub touched: u32,
    /// Number of rows that the service rejected in the submission that the import follows. 0 if it follows none.
    pub rejected_rows: u32,
    /// Number of rows that were sent to the same site and operation, and that are no longer part of the import.
    pub sent_rows: u32,
    /// The steps to send, in order: only the current sheet, or all sheets once the plan was requested. Empty if the
    /// sheet's operation isn't known.
    pub steps: Vec<PlanStep>,
    /// True once the plan covers the whole workbook, regardless of the current sheet.
    pub covers_workbook: bool,
    /// The sum of the counts of all steps that aren't skipped.
    pub totals: ImportCounts,
    /// The lists that the sheet's rows may be parts of, best first. Empty until the plan was requested.
    pub parts: Vec<PartChoice>,
    pub draft: DraftView,
}

impl ImportView {
    /// Returns the steps that are sent, in order. Rows of a sheet of parts are sent with their items.
    pub fn steps_to_send(&self) -> impl Iterator<Item = &PlanStep> {
        self.steps.iter().filter(|step| step.state != StepState::Skipped && step.part.is_none())
    }
}

/// The filter and order of the rows that the grid requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowFilter {
    /// Only rows with a finding of this severity.
    pub severity: Option<Severity>,
    /// Only rows with this kind of finding.
    pub code: Option<FindingCode>,
    /// Only rows with findings about this field (with `code`).
    pub field: Option<String>,
    /// Only rows that contain this text, ignoring case.
    pub text: Option<String>,
    /// Only rows in this state.
    #[serde(default)]
    pub state: Option<RowState>,
    /// The order. `None` for the sheet's own order.
    #[serde(default)]
    pub sort: Option<RowSort>,
    /// Fixed rows keep their place until this number or another part of the filter changes.
    #[serde(default)]
    pub round: u32,
}

/// A state by which rows can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum RowState {
    /// One of its cells differs from the file.
    Edited,
    Excluded,
    /// The service rejected it in the submission that the import follows.
    Rejected,
}

/// Sorts by the values of a column: numbers as numbers, and dates as dates. Empty cells come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowSort {
    /// 0-based. `None` sorts by row number.
    pub column: Option<u32>,
    pub descending: bool,
}

/// Suggestions for a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CellHelp {
    /// Number of cells in the column that show the same text, including this one.
    pub alike: u32,
    /// Values that the field accepts, nearest first.
    pub suggestions: Vec<String>,
}

/// A cell as it's shown, and as it will be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GridCell {
    pub shown: String,
    /// The value that will be sent. `None` if the column isn't matched, or the cell is empty or unreadable.
    pub read: Option<String>,
    /// The worst finding's severity.
    pub severity: Option<Severity>,
    /// The file's text if the user changed the cell.
    pub was: Option<String>,
}

/// A row of the grid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GridRow {
    pub row: ExcelRow,
    /// True if the user excluded it, or if it was sent.
    pub excluded: bool,
    /// The worst finding's severity.
    pub severity: Option<Severity>,
    /// By column index.
    pub cells: Vec<GridCell>,
    pub findings: Vec<Finding>,
    /// The service's reasons for rejecting this row in the submission that the import follows. They aren't trusted.
    pub rejected: Vec<String>,
}

/// A page of the rows that pass the filter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GridPage {
    /// Number of rows that pass the filter.
    pub total: u32,
    pub offset: u32,
    pub rows: Vec<GridRow>,
}

/// The position of a cell in the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CellPlace {
    /// The 0-based index of the row among the rows that pass the filter.
    pub index: u32,
    /// 0-based.
    pub column: u32,
}

/// A cell with an error or a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ProblemCell {
    pub cell: CellPlace,
    /// The 1-based number of the cell among all cells with an error or a warning.
    pub number: u32,
    /// The number of cells with an error or a warning.
    pub total: u32,
}

/// Cells that contain a searched text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FoundCells {
    /// Row by row.
    pub cells: Vec<CellPlace>,
    /// True if the search stopped, because it found more cells than are listed.
    pub more: bool,
}

/// The items of one sheet that an import would send.
#[derive(Debug, Clone, Default)]
pub struct ItemSet {
    pub operation: String,
    /// The file's name without its folder.
    pub file: String,
    /// Hexadecimal SHA-256 of the file.
    pub hash: String,
    pub sheet: String,
    pub items: Vec<Item>,
    /// The mappings of the sheet and of sheets with parts of its items, as in a mapping file.
    pub mapping: Option<serde_json::Value>,
}
