//! The rows of the grid, filtered, sorted and returned page by page.

mod sorting;

use std::collections::{BTreeMap, BTreeSet};

use takt_core::{ExcelRow, finding::Severity};
use takt_sheet::{Cell, RowSpan, Sheet, SheetRow};

use self::sorting::SortedPositions;
use crate::{
    check::CheckResult,
    fix::Overlay,
    mark::Mark,
    row_mapper::RowMapper,
    row_position::RowPosition,
    view::{CellPlace, FoundCells, GridCell, GridPage, GridRow, ProblemCell, RowFilter, RowSort, RowState},
};

/// Maximum number of cells that a search lists.
const MAX_FOUND_CELLS: usize = 10_000;

/// The rows that the service rejected, by Excel's number, each with the service's messages.
pub type RejectedRows = BTreeMap<ExcelRow, Vec<String>>;

/// The positions of the rows that pass a filter, in the requested order.
#[derive(Debug)]
pub(crate) enum Listing {
    /// All rows, in the sheet's order. Contains the number of rows.
    All(u32),
    Some(Vec<u32>),
    Sorted(SortedPositions),
}

impl Listing {
    fn new(source: &GridSource<'_>, filter: &RowFilter) -> Self {
        let (rows, mapper) = (source.rows, source.mapper.as_ref());
        let text = filter.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let found = [
            positions_with_finding(mapper, source.check_result, filter),
            filter.state.map(|state| positions_in_state(source, state)),
            text.map(|text| rows.find_rows_with_text(text)),
            unsent_positions(source),
        ];
        let passing = found.into_iter().flatten().reduce(|mut some, others| {
            some.retain(|position| others.binary_search(position).is_ok());
            some
        });
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        match (filter.sort, passing) {
            (Some(RowSort { column: Some(column), descending }), passing) => {
                Self::Sorted(SortedPositions::new(passing.as_deref(), rows, mapper, column, descending))
            }
            (Some(sort), passing) if is_reversed(sort) => {
                Self::Some(passing.unwrap_or_else(|| (0..count).collect()).into_iter().rev().collect())
            }
            (_, None) => Self::All(count),
            (_, Some(passing)) => Self::Some(passing),
        }
    }

    fn total(&self) -> u32 {
        match self {
            Self::All(count) => *count,
            Self::Some(positions) => u32::try_from(positions.len()).unwrap_or(u32::MAX),
            Self::Sorted(sorted) => u32::try_from(sorted.len()).unwrap_or(u32::MAX),
        }
    }

    fn page(&mut self, offset: u32, limit: u32) -> Vec<u32> {
        match self {
            Self::All(count) => (offset..offset.saturating_add(limit).min(*count)).collect(),
            Self::Some(positions) => positions.iter().skip(offset as usize).take(limit as usize).copied().collect(),
            Self::Sorted(sorted) => sorted.page(offset as usize, limit as usize),
        }
    }
}

/// Returns the positions of the rows that weren't sent, or `None` if none was sent. Sent rows aren't part of the import.
fn unsent_positions(source: &GridSource<'_>) -> Option<Vec<u32>> {
    if source.overlay.sent_count() == 0 {
        return None;
    }
    let is_unsent = |position: &u32| {
        let number = source.rows.number(*position as usize);
        number.is_some_and(|number| !source.overlay.is_sent(ExcelRow::new(number)))
    };
    let count = u32::try_from(source.rows.len()).unwrap_or(u32::MAX);
    Some((0..count).filter(is_unsent).collect())
}

/// Returns true for descending row numbers.
fn is_reversed(sort: RowSort) -> bool {
    sort.column.is_none() && sort.descending
}

/// Returns the numbers of edited rows. If the import fixes rejected rows, other rows won't be sent and are left out.
pub(crate) fn edited_rows(overlay: &Overlay, rejected: &RejectedRows) -> impl Iterator<Item = ExcelRow> {
    overlay.edited_row_numbers().filter(|row| rejected.is_empty() || rejected.contains_key(row))
}

fn positions_in_state(source: &GridSource<'_>, state: RowState) -> Vec<u32> {
    let at = |number: ExcelRow| source.rows.position(number.get()).and_then(|position| u32::try_from(position).ok());
    let mut positions: Vec<u32> = match state {
        RowState::Edited => edited_rows(source.overlay, source.rejected_rows).filter_map(at).collect(),
        RowState::Excluded => source.overlay.excluded_rows().iter().copied().filter_map(at).collect(),
        RowState::Rejected => source.rejected_rows.keys().copied().filter_map(at).collect(),
    };
    positions.sort_unstable();
    positions
}

/// Returns the positions of rows with the findings that the filter requests, or `None` if it requests no findings.
fn positions_with_finding(
    mapper: Option<&RowMapper<'_>>,
    check_result: &CheckResult,
    filter: &RowFilter,
) -> Option<Vec<u32>> {
    if filter.severity.is_none() && filter.code.is_none() && filter.field.is_none() {
        return None;
    }
    let passes = |mark: &&Mark| {
        let path = mapper.and_then(|mapper| mapper.targets.fields.get(mark.target as usize)).map(|target| &target.path);
        filter.severity.is_none_or(|severity| severity == mark.severity)
            && filter.code.is_none_or(|code| code == mark.code)
            && filter.field.as_ref().is_none_or(|field| Some(field) == path)
    };
    let mut positions: Vec<u32> = check_result.marks.iter().filter(passes).map(|mark| mark.position.get()).collect();
    positions.dedup();
    Some(positions)
}

/// The data that the grid shows of a sheet's rows.
pub(crate) struct GridSource<'a> {
    pub(crate) sheet: &'a Sheet,
    pub(crate) rows: RowSpan<'a>,
    pub(crate) mapper: Option<RowMapper<'a>>,
    pub(crate) check_result: &'a CheckResult,
    pub(crate) overlay: &'a Overlay,
    pub(crate) rejected_rows: &'a RejectedRows,
}

impl GridSource<'_> {
    pub(crate) fn listing(&self, filter: &RowFilter) -> Listing {
        Listing::new(self, filter)
    }

    /// Returns rows `offset..offset + limit` of a listing.
    pub(crate) fn page(&self, listing: &mut Listing, offset: u32, limit: u32) -> GridPage {
        let wanted = listing.page(offset, limit).into_iter();
        let mut reader = self.rows.reader();
        let rows = wanted.filter_map(|position| Some(self.row(position, &reader.get(position as usize)?))).collect();
        GridPage { total: listing.total(), offset, rows }
    }

    /// Returns the cells of a listing that contain a text, ignoring case.
    pub(crate) fn find_cells(&self, listing: &mut Listing, text: &str) -> FoundCells {
        let mut found = FoundCells::default();
        let needle = text.to_lowercase();
        if needle.is_empty() {
            return found;
        }
        let showing = self.rows.find_rows_with_text(text);
        let mut reader = self.rows.reader();
        for (index, position) in (0..).zip(listing.page(0, listing.total())) {
            if showing.binary_search(&position).is_err() {
                continue;
            }
            let Some(row) = reader.get(position as usize) else { continue };
            let shows =
                |column: &u32| row.cell(*column).is_some_and(|cell| cell.shown().to_lowercase().contains(&needle));
            found.cells.extend((0..self.sheet.columns).filter(shows).map(|column| CellPlace { index, column }));
            if found.cells.len() > MAX_FOUND_CELLS {
                found.cells.truncate(MAX_FOUND_CELLS);
                found.more = true;
                break;
            }
        }
        found
    }

    /// Returns the next or previous cell with an error or a warning, and its number among these cells. Begins at the other
    /// end of the listing if there is none in this direction. Findings without a column count for the first column.
    pub(crate) fn find_problem(
        &self,
        listing: &mut Listing,
        from: Option<CellPlace>,
        forward: bool,
    ) -> Option<ProblemCell> {
        let mut places: Vec<CellPlace> = Vec::new();
        for (index, position) in (0..).zip(listing.page(0, listing.total())) {
            let marks = self.check_result.marks_of_row(RowPosition::new(position)).iter();
            let problems = marks.filter(|mark| mark.severity != Severity::Note);
            let columns: BTreeSet<u32> = problems.map(|mark| mark.column.unwrap_or_default()).collect();
            places.extend(columns.into_iter().map(|column| CellPlace { index, column }));
        }
        let key = |place: &CellPlace| (place.index, place.column);
        let next = match from {
            Some(from) if forward => places.iter().position(|place| key(place) > key(&from)),
            Some(from) => places.iter().rposition(|place| key(place) < key(&from)),
            None => None,
        };
        let next = next.unwrap_or(if forward { 0 } else { places.len().saturating_sub(1) });
        let cell = *places.get(next)?;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Some(ProblemCell { cell, number: count(next + 1), total: count(places.len()) })
    }

    /// Returns the row where a run of values ends, like Ctrl+arrow in Excel. From a value, it's the last value before
    /// an empty cell. From that value or an empty cell, it's the next value, or the listing's end.
    pub(crate) fn find_data_edge(&self, listing: &mut Listing, from: CellPlace, down: bool) -> u32 {
        let total = listing.total();
        let positions = listing.page(0, total);
        let mut reader = self.rows.reader_for_columns(vec![from.column]);
        let mut has_value = |index: &u32| {
            let position = positions.get(*index as usize).copied();
            let cell = position.and_then(|position| reader.cell(position as usize, from.column));
            cell.is_some_and(|cell| !cell.to_cell().shown().is_empty())
        };
        let last = total.saturating_sub(1);
        let mut indices: Box<dyn Iterator<Item = u32>> =
            if down { Box::new(from.index + 1..=last) } else { Box::new((0..from.index.min(total)).rev()) };
        let end = if down { last } else { 0 };
        let Some(next) = indices.next() else { return from.index };
        if has_value(&from.index) && has_value(&next) {
            return indices.take_while(|index| has_value(index)).last().unwrap_or(next);
        }
        if has_value(&next) { next } else { indices.find(has_value).unwrap_or(end) }
    }

    fn row(&self, position: u32, row: &SheetRow) -> GridRow {
        let marks = self.check_result.marks_of_row(RowPosition::new(position));
        let findings = marks.iter().filter_map(|mark| {
            let cell = mark.column.and_then(|column| row.cell(column)).map(Cell::as_ref);
            Some(mark.to_finding(&self.sheet.name, ExcelRow::new(row.number), cell, self.mapper.as_ref()?.targets))
        });
        GridRow {
            row: ExcelRow::new(row.number),
            excluded: self.overlay.excludes(ExcelRow::new(row.number)),
            severity: self.check_result.severity(RowPosition::new(position)),
            cells: (0..self.sheet.columns).map(|column| self.cell(row, position, column)).collect(),
            findings: findings.collect(),
            rejected: self.rejected_rows.get(&ExcelRow::new(row.number)).cloned().unwrap_or_default(),
        }
    }

    fn cell(&self, row: &SheetRow, position: u32, column: u32) -> GridCell {
        let mapper = self.mapper.as_ref();
        let shown = row.cell(column).map(|cell| cell.shown().into_owned()).unwrap_or_default();
        let target =
            mapper.and_then(|mapper| mapper.layout.columns.iter().position(|&filled_by| filled_by == Some(column)));
        let read = mapper
            .zip(target)
            .and_then(|(mapper, target)| mapper.read(row, target)?.ok())
            .map(|read| read.display_text());
        let marks = self
            .check_result
            .marks_of_row(RowPosition::new(position))
            .iter()
            .filter(|mark| mark.column == Some(column));
        let was = self.overlay.original_cell(ExcelRow::new(row.number), column).map(|cell| cell.shown().into_owned());
        GridCell { shown, read, severity: marks.map(|mark| mark.severity).min(), was }
    }
}
