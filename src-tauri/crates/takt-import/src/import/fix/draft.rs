//! Fixes as a draft keeps them: what stands in which cells, step by step, with rows next to each other as one span.

use serde::{Deserialize, Serialize};
use takt_core::ExcelRow;
use takt_sheet::Cell;

use super::{super::mapping::Replacement, stack::CarriedFixes};

/// The first and the last of rows next to each other.
pub(super) type Span = (u32, u32);

/// The fixes of one sheet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FixesDraft {
    pub(super) steps: Vec<StepDraft>,
    pub(super) carried: CarriedFixes,
    pub(super) refused: bool,
    pub(super) carried_only: bool,
}

/// What one fix did.
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

/// Cells of one column that all hold the same then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CellsDraft {
    pub(super) column: u32,
    pub(super) cell: Cell,
    pub(super) rows: Vec<Span>,
}

/// Adds a row behind the others.
pub(super) fn spans(all: &mut Vec<Span>, row: ExcelRow) {
    match all.last_mut().filter(|(_, last)| last.checked_add(1) == Some(row.get())) {
        Some((_, last)) => *last = row.get(),
        None => all.push((row.get(), row.get())),
    }
}

/// Every row of the spans, in their order.
pub(super) fn numbers(spans: &[Span]) -> impl Iterator<Item = ExcelRow> {
    spans.iter().flat_map(|&(first, last)| (first..=last).map(ExcelRow::new))
}
