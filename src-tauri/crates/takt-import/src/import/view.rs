//! What the window and the command line see of an import.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use takt_core::{
    ExcelRow, Item,
    finding::{FindingCode, Severity},
};

use super::{
    DraftView, ImportId, ImportSite, SenseView,
    mapping::{Blank, FormatView, JoinedView, LayoutChange},
    plan::{PartChoice, PlanStep},
    reading_view::ReadingView,
};

/// One finding about a cell, or about a row where `column` is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Finding {
    pub sheet: String,
    pub row: ExcelRow,
    /// The column's letters as Excel shows them.
    pub column: Option<String>,
    /// The field's path, for example `rawMaterials.code`.
    pub field: Option<String>,
    pub severity: Severity,
    pub code: FindingCode,
    /// What the text names: `value`, `limit`, `rows`, ...
    pub parameters: BTreeMap<String, String>,
}

/// Why a column was matched with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum MatchReason {
    /// A mapping kept from an earlier file with these headings.
    Remembered,
    SameName,
    Synonym,
    Similar,
    ByHand,
}

/// A field that a column might be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Candidate {
    /// The field's path.
    pub field: String,
    /// 0 to 1.
    pub score: f64,
    pub reason: MatchReason,
}

/// A column of the file and what it was matched with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ColumnView {
    /// 0-based position in [`GridRow::cells`].
    pub index: u32,
    /// As Excel shows it.
    pub letter: String,
    pub heading: String,
    /// One of the two columns that Takt writes beside a planner's rows: no field is looked for.
    pub own: bool,
    /// Up to three different values from the first rows.
    pub samples: Vec<String>,
    pub matched: Option<Candidate>,
    /// Further fields that the column fills.
    pub also: Vec<String>,
    /// How its texts are read; absent where they need no format.
    pub format: Option<FormatView>,
    /// Best first, at most five.
    pub candidates: Vec<Candidate>,
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
    /// True where the field is part of the business key.
    pub key: bool,
    /// The text that stands for every row.
    pub constant: Option<String>,
    /// What an empty cell means.
    pub blank: Blank,
    /// True where an empty cell may empty the service's value.
    pub clearable: bool,
    /// The columns whose texts make the field together.
    pub joined: Option<JoinedView>,
    /// Values that are replaced while reading.
    pub replaced: u32,
    /// The only values that the contract allows; empty where any is.
    pub allowed: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct SheetView {
    pub name: String,
    /// Rows with at least one cell; absent before the sheet was read.
    pub rows: Option<u32>,
    pub columns: Option<u32>,
    /// False for sheets that Excel hides.
    pub visible: bool,
}

/// An operation that the file might be for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Proposal {
    pub operation: String,
    /// 0 to 1.
    pub score: f64,
    /// Columns that found a field.
    pub matched: u32,
    /// Columns of the sheet.
    pub columns: u32,
    /// Required fields that no column was found for.
    pub missing: Vec<String>,
}

/// A field that several columns fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ContestedField {
    /// The field's path.
    pub field: String,
    /// 0-based, in the file's order.
    pub columns: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ImportCounts {
    /// Rows below the heading that hold anything.
    pub rows: u32,
    pub items: u32,
    /// Rows with at least one error.
    pub error_rows: u32,
    /// Rows with at least one warning, whether or not they have an error too.
    pub warning_rows: u32,
    /// Rows that can be sent.
    pub ready_rows: u32,
    pub errors: u32,
    pub warnings: u32,
    /// Rows that a person left out: neither checked nor sent.
    pub excluded: u32,
}

impl ImportCounts {
    /// Both together.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            items: self.items + other.items,
            error_rows: self.error_rows + other.error_rows,
            warning_rows: self.warning_rows + other.warning_rows,
            ready_rows: self.ready_rows + other.ready_rows,
            errors: self.errors + other.errors,
            warnings: self.warnings + other.warnings,
            excluded: self.excluded + other.excluded,
        }
    }
}

/// A kind of finding with how often it stands, for the filter at the grid's left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Facet {
    pub severity: Severity,
    pub code: FindingCode,
    pub field: Option<String>,
    pub count: u32,
}

/// Everything about an import but its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ImportView {
    pub id: ImportId,
    /// The site that it is checked, previewed and sent for; absent before one was chosen.
    pub destination: Option<ImportSite>,
    /// The file's name without its folder.
    pub file: String,
    /// Hexadecimal SHA-256 of the file.
    pub hash: String,
    pub sheets: Vec<SheetView>,
    pub sheet: String,
    /// 1-based; absent where no row could be a heading.
    pub header_row: Option<u32>,
    /// The first rows as they stand (at most 15), so that a person can choose the heading.
    pub head: Vec<HeadRow>,
    pub operation: Option<String>,
    /// Best first, at most five.
    pub proposals: Vec<Proposal>,
    pub columns: Vec<ColumnView>,
    pub fields: Vec<FieldView>,
    /// Required fields that no column is matched with.
    pub missing: Vec<String>,
    /// Fields that several columns fit, and none was chosen: no row is sent before.
    pub contested: Vec<ContestedField>,
    /// The list that takes one column per property, where the operation has one.
    pub property_list: Option<String>,
    /// What changed since the layout was remembered.
    pub changes: Vec<LayoutChange>,
    /// True if the mapping needs no person: each column is matched for certain, nothing is missing, and no format is open.
    pub settled: bool,
    pub counts: ImportCounts,
    /// Rows that an earlier submission had accepted, as Takt's own status column in the file says.
    pub previously_accepted: u32,
    pub facets: Vec<Facet>,
    /// What the rows were held against beyond the contract.
    pub sense: SenseView,
    pub reading: ReadingView,
    /// True where there is a fix to take back.
    pub undo: bool,
    /// True where one that was taken back can be done again.
    pub redo: bool,
    /// Cells that hold something else than the file.
    pub edited: u32,
    /// Rows with such a cell.
    pub edited_rows: u32,
    /// Cells and rows that were fixed as in an earlier file, by its mapping.
    pub replayed: u32,
    /// Cells and rows that the last fix, undo or redo changed.
    pub touched: u32,
    /// Rows that the submission that it follows had rejected: they are what it is about. 0 where it follows none.
    pub rejected_rows: u32,
    /// What is sent, in its order: the sheet that is looked at, or all of the workbook once the plan was asked for. Empty where
    /// nobody knows what the sheet is for.
    pub steps: Vec<PlanStep>,
    /// True once all of the workbook is the plan, whichever sheet is looked at.
    pub whole: bool,
    /// Over all steps that aren't left out.
    pub totals: ImportCounts,
    /// What the sheet's rows could be parts of, best first; empty until the plan was asked for.
    pub parts: Vec<PartChoice>,
    /// What of it is kept until it is sent.
    pub draft: DraftView,
}

/// A row near the top of the sheet, as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HeadRow {
    pub row: ExcelRow,
    pub cells: Vec<String>,
}

/// Which rows the grid wants.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowFilter {
    /// Only rows with a finding of this severity.
    pub severity: Option<Severity>,
    /// Only rows with this kind of finding.
    pub code: Option<FindingCode>,
    /// Only with findings on this field (with `code`).
    pub field: Option<String>,
    /// Only rows that hold this text somewhere, letter case ignored.
    pub text: Option<String>,
    /// Only rows in this state.
    #[serde(default)]
    pub state: Option<RowState>,
    /// The order; the sheet's own where absent.
    #[serde(default)]
    pub sort: Option<RowSort>,
    /// Fixed rows stay where they are until the rows are asked for anew: by another filter, or by another number here.
    #[serde(default)]
    pub round: u32,
}

/// What a person did with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum RowState {
    /// One of its cells holds something else than the file.
    Edited,
    Excluded,
    /// The submission that the import follows had it rejected.
    Rejected,
}

/// By the values of a column as they are read: numbers as numbers, dates as dates. What is empty comes last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RowSort {
    /// 0-based; by row number where absent.
    pub column: Option<u32>,
    pub descending: bool,
}

/// What can be done about a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CellHelp {
    /// Cells of the column that show the same text, this one among them.
    pub alike: u32,
    /// Values that the field would take, the nearest first.
    pub suggestions: Vec<String>,
}

/// A cell as the file shows it, and as it will be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GridCell {
    pub shown: String,
    /// As read for its field; absent where not matched, empty or not readable.
    pub read: Option<String>,
    /// The worst finding's severity.
    pub severity: Option<Severity>,
    /// What the file shows, where a person put something else.
    pub was: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GridRow {
    pub row: ExcelRow,
    /// True where a person left it out.
    pub excluded: bool,
    /// The worst finding's severity.
    pub severity: Option<Severity>,
    /// By column index.
    pub cells: Vec<GridCell>,
    pub findings: Vec<Finding>,
    /// Why the submission that the import follows had it rejected, in the service's words (not trusted).
    pub rejected: Vec<String>,
}

/// A window onto the filtered rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct GridPage {
    /// Rows that pass the filter.
    pub total: u32,
    pub offset: u32,
    pub rows: Vec<GridRow>,
}

/// A cell as the grid shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct CellPlace {
    /// The row's place among those that pass the filter, from 0.
    pub index: u32,
    /// From 0.
    pub column: u32,
}

/// Cells that show a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct FoundCells {
    /// Row by row.
    pub cells: Vec<CellPlace>,
    /// True where there are more, which weren't looked for.
    pub more: bool,
}

/// What an import would send of one sheet.
#[derive(Debug, Clone, Default)]
pub struct ItemSet {
    pub operation: String,
    /// The file's name without its folder.
    pub file: String,
    /// Hexadecimal SHA-256 of the file.
    pub hash: String,
    pub sheet: String,
    pub items: Vec<Item>,
    /// Which column was which field, as a mapping file says it: of the sheet, or of it and those that hold parts of its items.
    pub mapping: Option<serde_json::Value>,
}
