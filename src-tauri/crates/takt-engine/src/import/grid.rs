//! The rows that the grid asks for, filtered and written out page by page.

use takt_sheet::{Sheet, SheetRow};

use super::{
    GridCell, GridPage, GridRow, RowFilter,
    check::{Checked, Plan},
};

/// The positions of the rows that pass a filter.
pub(super) fn filtered(rows: &[SheetRow], plan: Option<&Plan<'_>>, checked: &Checked, filter: &RowFilter) -> Vec<u32> {
    let text = filter.text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase);
    let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    (0..count)
        .filter(|&position| has_finding(plan, checked, position, filter))
        .filter(|&position| {
            text.as_ref().is_none_or(|text| rows.get(position as usize).is_some_and(|row| holds(row, text)))
        })
        .collect()
}

/// Writes out rows `offset..offset + limit` of the filtered ones.
pub(super) fn page(
    sheet: &Sheet,
    rows: &[SheetRow],
    plan: Option<&Plan<'_>>,
    checked: &Checked,
    positions: &[u32],
    (offset, limit): (u32, u32),
) -> GridPage {
    let wanted = positions.iter().skip(offset as usize).take(limit as usize);
    let rows = wanted
        .filter_map(|&position| Some(grid_row(sheet, rows.get(position as usize)?, plan, checked, position)))
        .collect();
    GridPage { total: u32::try_from(positions.len()).unwrap_or(u32::MAX), offset, rows }
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

fn grid_row(sheet: &Sheet, row: &SheetRow, plan: Option<&Plan<'_>>, checked: &Checked, position: u32) -> GridRow {
    let marks = checked.of_row(position);
    let cells = (0..sheet.columns)
        .map(|column| {
            let shown = row.cell(column).map(|cell| cell.shown().into_owned()).unwrap_or_default();
            let target =
                plan.and_then(|plan| plan.layout.columns.iter().position(|&filled_by| filled_by == Some(column)));
            let read =
                plan.zip(target).and_then(|(plan, target)| plan.read(row, target)?.ok()).map(|read| read.shown());
            let severity = marks.iter().filter(|mark| mark.column == Some(column)).map(|mark| mark.severity).min();
            GridCell { shown, read, severity }
        })
        .collect();
    let findings = plan
        .map_or_else(Vec::new, |plan| marks.iter().map(|mark| mark.finding(&sheet.name, row, plan.targets)).collect());
    GridRow { row: row.number, severity: checked.severity(position), cells, findings }
}
