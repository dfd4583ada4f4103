//! Cells that the file merges over several rows. Only the first cell has the content. A fix copies it into the empty
//! cells below.

use std::collections::BTreeSet;

use takt_core::ExcelRow;
use takt_sheet::{RowSpan, Sheet, column_letters};

use crate::{fix::Fix, reading_view::MergedView};

/// Maximum number of cells that are examined, since merges of a malicious file may overlap.
const MAX_EXAMINED_CELLS: usize = 4_000_000;

/// The merged cells that can be filled.
#[derive(Debug, Default)]
pub(super) struct MergedCells {
    fills: Vec<MergedFill>,
}

#[derive(Debug)]
struct MergedFill {
    column: u32,
    from: ExcelRow,
    to: Vec<ExcelRow>,
}

impl MergedCells {
    /// Finds merged cells below the header row whose first row has content, and whose other rows have empty cells.
    pub(super) fn find(sheet: &Sheet, rows: RowSpan<'_>) -> Self {
        let ends = rows.number(0).zip(rows.len().checked_sub(1).and_then(|last| rows.number(last)));
        let Some((first, last)) = ends.filter(|_| !sheet.merges.is_empty()) else { return Self::default() };
        let mut cells = rows.reader();
        let mut has_content = |row: u32, column: u32| {
            let at = rows.position(row)?;
            Some(cells.cell(at, column).is_some_and(|cell| !cell.is_empty()))
        };
        let mut examined = 0;
        let mut fills = Vec::new();
        for merge in &sheet.merges {
            let (from, column) = (merge.first_row, merge.first_column);
            if from < first || merge.last_row <= from || has_content(from, column) != Some(true) {
                continue;
            }
            let below = from + 1..=merge.last_row.min(last);
            let to: Vec<ExcelRow> =
                below.filter(|&row| has_content(row, column) == Some(false)).map(ExcelRow::new).collect();
            examined += (merge.last_row.min(last) - from) as usize;
            if !to.is_empty() {
                fills.push(MergedFill { column, from: ExcelRow::new(from), to });
            }
            if examined > MAX_EXAMINED_CELLS {
                break;
            }
        }
        Self { fills }
    }

    pub(super) fn create_fixes(&self) -> Vec<Fix> {
        let fill = |fill: &MergedFill| Fix::Fill { column: fill.column, from: fill.from, to: fill.to.clone() };
        self.fills.iter().map(fill).collect()
    }

    pub(super) fn merged_view(&self) -> MergedView {
        let columns: BTreeSet<u32> = self.fills.iter().map(|fill| fill.column).collect();
        MergedView {
            cells: u32::try_from(self.fills.iter().map(|fill| fill.to.len()).sum::<usize>()).unwrap_or(u32::MAX),
            columns: columns.into_iter().map(column_letters).collect(),
        }
    }
}
