//! Finds rows of a text file with more or fewer fields than its header row. An unquoted separator shifts the values of
//! a row, and a truncated file ends within one.

use std::{ops::Range, sync::Arc};

use takt_core::{
    ExcelRow,
    finding::{FindingCode, Severity},
};
use takt_sheet::{FieldCount, QuoteFault, SheetRow};

use super::state::Session;
use crate::{
    mark::{Mark, Note},
    position::Position,
};

/// The expected number of fields in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ExpectedFields {
    /// Fields up to the last column with a heading.
    min: u32,
    /// Fields of the header row, including empty ones.
    max: u32,
}

impl Session {
    /// Returns findings about rows below the header row. A row whose cell in question was fixed has none.
    pub(super) fn field_count_marks(&self) -> Vec<Mark> {
        let Some(expected) = self.expected_fields() else { return Vec::new() };
        let counts = &self.table.sheet.doubts.field_counts;
        let ends = counts.iter().skip(1).map(|next| next.row).chain([u32::MAX]);
        let mut marks = Vec::new();
        for (count, end) in counts.iter().zip(ends) {
            if count.fields > expected.max {
                self.mark_extra(&mut marks, count.row..end, expected);
            } else if count.fields < expected.min {
                self.mark_missing(&mut marks, *count, end, expected);
            }
        }
        marks.extend(self.cut_letter_mark(expected));
        marks
    }

    /// Marks the last value of a file that ends within a character, if the row has as many fields as it should.
    fn cut_letter_mark(&self, expected: ExpectedFields) -> Option<Mark> {
        let number = self.table.sheet.doubts.open_row.filter(|_| self.table.sheet.doubts.has_cut_letter)?;
        let fields = self.fields_of(number)?;
        let column = fields.checked_sub(1)?;
        if fields < expected.min || self.is_fixed(number, column) {
            return None;
        }
        let (position, _) = self.positions(number..number.saturating_add(1)).next()?;
        mark(position, column, Severity::Error, FindingCode::CutRow, note(fields, expected.max))
    }

    /// Returns `None` for a sheet without a header row, and for files other than text files.
    fn expected_fields(&self) -> Option<ExpectedFields> {
        let last = self.table.header?;
        let first = (last + 1).checked_sub(self.table.header_rows)?;
        let mut expected = ExpectedFields { min: 0, max: 0 };
        for row in (first..=last).filter_map(|position| self.table.sheet.rows.get(position)) {
            expected.max = expected.max.max(self.fields_of(row.number)?);
            expected.min = expected.min.max(filled_width(&row));
        }
        Some(expected)
    }

    fn fields_of(&self, row: u32) -> Option<u32> {
        let counts = &self.table.sheet.doubts.field_counts;
        let at = counts.partition_point(|count| count.row <= row).checked_sub(1)?;
        counts.get(at).map(|count| count.fields)
    }

    /// Returns positions and numbers of the rows with these numbers that are below the header row and not excluded.
    fn positions(&self, numbers: Range<u32>) -> impl Iterator<Item = (usize, u32)> {
        let rows = self.rows();
        let last = rows.len().checked_sub(1).and_then(|last| rows.number(last)).unwrap_or_default();
        (numbers.start..numbers.end.min(last.saturating_add(1)))
            .filter(|&number| !self.fixes.overlay.excludes(ExcelRow::new(number)))
            .filter_map(move |number| Some((rows.position(number)?, number)))
    }

    /// Marks the first value after the header row's last field. Empty fields there do no harm.
    fn mark_extra(&self, marks: &mut Vec<Mark>, numbers: Range<u32>, expected: ExpectedFields) {
        let mut reader = self.rows().reader();
        for (position, number) in self.positions(numbers) {
            let Some(row) = reader.get(position) else { continue };
            let is_extra = |column: &u32| {
                row.cell(*column).is_some_and(|cell| !cell.is_empty()) && !self.is_fixed(number, *column)
            };
            let Some(column) = (expected.max..filled_width(&row)).find(is_extra) else { continue };
            let note = note(filled_width(&row), expected.max);
            marks.extend(mark(position, column, Severity::Error, FindingCode::ExtraFields, note));
        }
    }

    /// Marks the first column that the row lacks. In a row that may be cut, marks the value that may be incomplete.
    fn mark_missing(&self, marks: &mut Vec<Mark>, count: FieldCount, end: u32, expected: ExpectedFields) {
        let note = note(count.fields, expected.min);
        // An unclosed quote is already an error.
        let is_swallowed = |number: u32| {
            let last = self.table.sheet.doubts.quotes.last();
            last.is_some_and(|last| last.row == number && last.fault == QuoteFault::NotClosed)
        };
        let lacks_required = self.required_columns().iter().any(|&column| column >= count.fields);
        for (position, number) in self.positions(count.row..end) {
            let is_cut = self.table.sheet.doubts.open_row == Some(number);
            let first = if is_cut { count.fields.saturating_sub(1) } else { count.fields };
            if is_swallowed(number) || (first..expected.min).any(|column| self.is_fixed(number, column)) {
                continue;
            }
            let (severity, code) = match () {
                () if is_cut => (Severity::Error, FindingCode::CutRow),
                () if lacks_required => (Severity::Error, FindingCode::MissingFields),
                () => (Severity::Warning, FindingCode::MissingFields),
            };
            marks.extend(mark(position, first, severity, code, note.clone()));
        }
    }

    /// Returns the columns of fields that an item requires.
    fn required_columns(&self) -> Vec<u32> {
        let Some(mapper) = self.mapper() else { return Vec::new() };
        let required =
            mapper.targets.fields.iter().enumerate().filter(|(_, field)| field.required && field.part_of.is_none());
        required.flat_map(|(target, _)| mapper.columns_of(target)).collect()
    }

    fn is_fixed(&self, row: u32, column: u32) -> bool {
        self.fixes.overlay.original(ExcelRow::new(row), column).is_some()
    }
}

fn filled_width(row: &SheetRow) -> u32 {
    let last = row.cells.iter().rposition(|cell| !cell.is_empty());
    last.and_then(|last| u32::try_from(last + 1).ok()).unwrap_or_default()
}

fn note(fields: u32, expected: u32) -> Note {
    Note::Parameters(Arc::new([("fields", fields.to_string()), ("expected", expected.to_string())].into()))
}

fn mark(position: usize, column: u32, severity: Severity, code: FindingCode, note: Note) -> Option<Mark> {
    let position = Position::from_index(position)?;
    Some(Mark { position, column: Some(column), target: super::doubts::NO_TARGET, severity, code, note })
}
