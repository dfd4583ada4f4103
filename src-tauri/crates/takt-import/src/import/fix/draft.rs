//! The saved form of fixes. Each step lists the changed cells, with adjacent rows as one span.

use serde::{Deserialize, Serialize};
use takt_core::ExcelRow;
use takt_sheet::Cell;

use super::{super::mapping::Replacement, stack::CarriedFixes};

/// The first and last of adjacent rows.
pub(super) type Span = (u32, u32);

/// The saved fixes of one sheet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FixesDraft {
    pub(super) steps: Vec<StepDraft>,
    pub(super) carried: CarriedFixes,
    pub(super) refused: bool,
    pub(super) carried_only: bool,
}

/// The saved changes of one fix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StepDraft {
    pub(super) cells: Vec<CellsDraft>,
    pub(super) excluded: Vec<Span>,
    pub(super) included: Vec<Span>,
    pub(super) replacements: Vec<Replacement>,
    pub(super) merged: bool,
    pub(super) replayed: bool,
}

/// Cells of one column that all get the same content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CellsDraft {
    pub(super) column: u32,
    pub(super) cell: Cell,
    pub(super) rows: Vec<Span>,
}

/// Appends a row to the spans.
pub(super) fn push_row(all: &mut Vec<Span>, row: ExcelRow) {
    match all.last_mut().filter(|(_, last)| last.checked_add(1) == Some(row.get())) {
        Some((_, last)) => *last = row.get(),
        None => all.push((row.get(), row.get())),
    }
}

/// Returns every row of the spans, in order.
pub(super) fn span_rows(spans: &[Span]) -> impl Iterator<Item = ExcelRow> {
    spans.iter().flat_map(|&(first, last)| (first..=last).map(ExcelRow::new))
}
