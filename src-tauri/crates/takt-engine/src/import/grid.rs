//! The rows that the grid asks for: filtered, sorted and written out page by page.

use takt_sheet::{RowSpan, Sheet, SheetRow};

use super::{
    GridCell, GridPage, GridRow, RowFilter, RowState,
    check::{Checked, Plan},
    mend::{self, Overlay},
};

/// The positions of the rows that pass a filter, in the wanted order.
pub(super) fn filtered(
    rows: RowSpan<'_>,
    plan: Option<&Plan<'_>>,
    checked: &Checked,
    overlay: &Overlay,
    filter: &RowFilter,
) -> Vec<u32> {
    let text = filter.text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase);
    let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let mut reader = rows.reader();
    let mut positions: Vec<u32> = (0..count)
        .filter(|&position| has_finding(plan, checked, position, filter))
        .filter(|&position| stands(rows.number(position as usize), overlay, filter.state))
        .filter(|&position| {
            text.as_ref().is_none_or(|text| reader.get(position as usize).is_some_and(|row| holds(&row, text)))
        })
        .collect();
    if let Some(sort) = filter.sort {
        mend::sort(&mut positions, rows, plan, sort);
    }
    positions
}

fn stands(row: Option<u32>, overlay: &Overlay, state: Option<RowState>) -> bool {
    match (state, row) {
        (None, _) => true,
        (Some(RowState::Edited), Some(row)) => overlay.is_edited(row),
        (Some(RowState::Excluded), Some(row)) => overlay.excludes(row),
        (Some(_), None) => false,
    }
}

fn has_finding(plan: Option<&Plan<'_>>, checked: &Checked, position: u32, filter: &RowFilter) -> bool {
    if filter.severity.is_none() && filter.code.is_none() && filter.field.is_none() {
        return true;
    }
    checked.of_row(position).iter().any(|mark| {
        let path = plan.and_then(|plan| plan.targets.fields.get(mark.target as usize)).map(|target| &target.path);
        filter.severity.is_none_or(|severity| severity == mark.severity)
            && filter.code.is_none_or(|code| code == mark.code)
            && filter.field.as_ref().is_none_or(|field| Some(field) == path)
    })
}

fn holds(row: &SheetRow, text: &str) -> bool {
    row.cells.iter().any(|cell| cell.shown().to_lowercase().contains(text))
}

/// Everything that is shown of a sheet's rows.
pub(super) struct Shown<'a> {
    pub(super) sheet: &'a Sheet,
    pub(super) rows: RowSpan<'a>,
    pub(super) plan: Option<Plan<'a>>,
    pub(super) checked: &'a Checked,
    pub(super) overlay: &'a Overlay,
}

impl Shown<'_> {
    /// Writes out rows `offset..offset + limit` of these positions.
    pub(super) fn page(&self, positions: &[u32], (offset, limit): (u32, u32)) -> GridPage {
        let wanted = positions.iter().skip(offset as usize).take(limit as usize);
        let mut reader = self.rows.reader();
        let rows = wanted.filter_map(|&position| Some(self.row(position, &reader.get(position as usize)?))).collect();
        GridPage { total: u32::try_from(positions.len()).unwrap_or(u32::MAX), offset, rows }
    }

    fn row(&self, position: u32, row: &SheetRow) -> GridRow {
        let marks = self.checked.of_row(position);
        let findings =
            marks.iter().filter_map(|mark| Some(mark.finding(&self.sheet.name, row, self.plan.as_ref()?.targets)));
        GridRow {
            row: row.number,
            excluded: self.overlay.excludes(row.number),
            severity: self.checked.severity(position),
            cells: (0..self.sheet.columns).map(|column| self.cell(row, position, column)).collect(),
            findings: findings.collect(),
        }
    }

    fn cell(&self, row: &SheetRow, position: u32, column: u32) -> GridCell {
        let plan = self.plan.as_ref();
        let shown = row.cell(column).map(|cell| cell.shown().into_owned()).unwrap_or_default();
        let target = plan.and_then(|plan| plan.layout.columns.iter().position(|&filled_by| filled_by == Some(column)));
        let read = plan.zip(target).and_then(|(plan, target)| plan.read(row, target)?.ok()).map(|read| read.shown());
        let marks = self.checked.of_row(position).iter().filter(|mark| mark.column == Some(column));
        let was = self.overlay.original(row.number, column).map(|cell| cell.shown().into_owned());
        GridCell { shown, read, severity: marks.map(|mark| mark.severity).min(), was }
    }
}
