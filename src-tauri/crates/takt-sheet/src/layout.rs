//! The layout of a sheet: its hidden rows and columns, and its merged cells.

/// More merged ranges aren't stored. They matter only for headings, of which a sheet has few.
const MAX_MERGES: usize = 20_000;
/// More ranges than a sheet can have.
const MAX_HIDDEN_RANGES: usize = 1_100_000;

/// A range of cells that is shown as one. Its content is in the first cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MergedRange {
    /// 1-based, as Excel shows it.
    pub first_row: u32,
    pub last_row: u32,
    /// 0-based.
    pub first_column: u32,
    pub last_column: u32,
}

impl MergedRange {
    /// Parses a range such as `A1:C2`, or returns `None` if it is invalid.
    pub(crate) fn parse(range: &str) -> Option<Self> {
        let (from, to) = range.trim().split_once(':')?;
        let ((first_column, first_row), (last_column, last_row)) = (parse_address(from)?, parse_address(to)?);
        Self { first_row, last_row, first_column, last_column }.validate()
    }

    /// Returns `None` if the last row or column precedes the first one.
    pub(crate) fn validate(self) -> Option<Self> {
        (self.first_row <= self.last_row && self.first_column <= self.last_column).then_some(self)
    }
}

/// Parses `$A$1` or `A1` into its column and its 1-based row.
fn parse_address(name: &str) -> Option<(u32, u32)> {
    let name = name.replace('$', "");
    let digits = name.find(|letter: char| letter.is_ascii_digit())?;
    let row: u32 = name.get(digits..)?.parse().ok()?;
    (row > 0).then_some((crate::column_index(name.get(..digits)?)?, row))
}

/// The layout of a sheet. Readers add to it in any order.
#[derive(Debug, Default)]
pub(crate) struct SheetLayout {
    /// First and last, 1-based.
    hidden_rows: Vec<(u32, u32)>,
    /// First and last, 0-based.
    hidden_columns: Vec<(u32, u32)>,
    merges: Vec<MergedRange>,
}

impl SheetLayout {
    /// Hides the rows from 1-based `first` to `last`.
    pub(crate) fn hide_rows(&mut self, first: u32, last: u32) {
        let has_room = self.hidden_rows.len() < MAX_HIDDEN_RANGES;
        match self.hidden_rows.last_mut() {
            Some(before) if before.1.checked_add(1) == Some(first) => before.1 = last,
            _ if has_room => self.hidden_rows.push((first, last)),
            _ => {}
        }
    }

    /// Hides the columns from 0-based `first` to `last`.
    pub(crate) fn hide_columns(&mut self, first: u32, last: u32) {
        if self.hidden_columns.len() < MAX_MERGES {
            self.hidden_columns.push((first, last));
        }
    }

    pub(crate) fn add_merge(&mut self, merge: MergedRange) {
        if self.merges.len() < MAX_MERGES {
            self.merges.push(merge);
        }
    }

    /// Returns which of the first `columns` columns are hidden, ascending.
    pub(crate) fn hidden_columns(&self, columns: u32) -> Vec<u32> {
        let is_hidden = |column: &u32| self.hidden_columns.iter().any(|(first, last)| (first..=last).contains(&column));
        if self.hidden_columns.is_empty() { Vec::new() } else { (0..columns).filter(is_hidden).collect() }
    }

    /// Returns the ranges of hidden rows, 1-based, and the merged ranges.
    pub(crate) fn into_parts(self) -> (Vec<(u32, u32)>, Vec<MergedRange>) {
        (self.hidden_rows, self.merges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rows, SheetRow};

    #[test]
    fn ranges_are_read_and_rows_marked() {
        let merge = MergedRange { first_row: 1, last_row: 2, first_column: 2, last_column: 27 };
        assert_eq!(MergedRange::parse("C1:AB2"), Some(merge));
        assert_eq!(MergedRange::parse("$C$1:$AB$2"), Some(merge));
        for odd in ["", "A1", "A:B", "B2:A1", "A0:B2", "1:2", "A99999999999:B2"] {
            assert_eq!(MergedRange::parse(odd), None, "{odd}");
        }
        let mut layout = SheetLayout::default();
        layout.hide_rows(7, 9);
        layout.hide_rows(2, 2);
        layout.hide_rows(3, 3);
        let rows = [1, 2, 3, 4, 8, 10].map(|number| SheetRow { number, cells: Vec::new(), hidden: false });
        let mut rows = Rows::from_rows(rows);
        rows.hide(layout.hidden_rows.clone());
        let hidden: Vec<u32> = rows.iter().filter(|row| row.hidden).map(|row| row.number).collect();
        assert_eq!(hidden, [2, 3, 8]);
        layout.hide_columns(1, 2);
        layout.hide_columns(9, 16_383);
        assert_eq!(layout.hidden_columns(11), [1, 2, 9, 10]);
    }
}
