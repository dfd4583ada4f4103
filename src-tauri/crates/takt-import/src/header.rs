//! Finds the header row, which is among the first rows and reads like field names. Rows above it may group its columns,
//! as in "Planned" over "Begin" and "End".

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use takt_core::ExcelRow;
use takt_sheet::{CellKind, MergedRange, Sheet, SheetRow};

use crate::matching::{ComparableHeading, Vocabulary};

/// Maximum number of rows that are searched. Titles and logos above the header row are shorter.
const MAX_SEARCHED_ROWS: usize = 30;
/// Maximum characters of a heading.
const MAX_HEADING_LENGTH: usize = 80;
/// Maximum number of header rows.
pub(crate) const MAX_HEADER_ROWS: usize = 3;
/// Maximum number of columns under merged cells, since merged cells of a malicious file may overlap.
const MAX_COVERED_COLUMNS: u32 = 200_000;
/// Separates the names of a column in several header rows.
const NAME_SEPARATOR: &str = " / ";

/// A row near the top of the sheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct HeadRow {
    pub row: ExcelRow,
    pub cells: Vec<String>,
}

impl HeadRow {
    pub(crate) fn from_row(row: &SheetRow) -> Self {
        Self { row: ExcelRow::new(row.number), cells: row.cells.iter().map(|cell| cell.shown().into_owned()).collect() }
    }
}

/// The rows that name the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HeaderRows {
    /// Position of the last header row among the sheet's rows.
    pub(crate) last: usize,
    /// Number of header rows, at least one.
    pub(crate) rows: usize,
}

/// Finds the header rows. The row with the most known field names is preferred, with the rows that group it. Otherwise,
/// the first wide row of distinct texts that don't look like values is used. Returns `None` if there is no such row.
pub(crate) fn find_header_rows(sheet: &Sheet, vocabularies: &[Vocabulary]) -> Option<HeaderRows> {
    let top = HeaderRowCandidates { sheet, first: 0, rows: sheet.rows.iter().take(MAX_SEARCHED_ROWS).collect() };
    let candidates = &top.rows;
    let widest = candidates.iter().map(count_filled).max()?;
    let mut best: Option<(HeaderRows, usize)> = None;
    for (last, row) in candidates.iter().enumerate() {
        if !has_only_names(row) {
            continue;
        }
        for rows in 1..=top.ending_at(last).rows {
            let header = HeaderRows { last, rows };
            let matches = max_known_names(&top.column_headings(header), vocabularies);
            // One known word may be a title ("Materials"), but a sheet with one column can't have more.
            let enough = matches >= 2 || (matches == 1 && widest == 1);
            // Rows that group the columns belong to the header even if they add no match.
            let better = |(found, best_matches): (HeaderRows, usize)| {
                matches > best_matches || (matches == best_matches && found.last == last)
            };
            if enough && best.is_none_or(better) {
                best = Some((header, matches));
            }
        }
    }
    if let Some((header, _)) = best {
        return Some(header);
    }
    let is_header_like = |row: &SheetRow| {
        count_filled(row) * 2 > widest && has_only_names(row) && has_distinct_texts(row) && !has_value(row)
    };
    candidates.iter().position(is_header_like).map(|last| top.ending_at(last))
}

/// Returns the header that ends at this row, with the rows above that group it.
pub(crate) fn header_rows_ending_at(sheet: &Sheet, last: usize) -> HeaderRows {
    HeaderRowCandidates::read(sheet, last).ending_at(last)
}

/// Returns the heading of each column. Merged cells give their text to all columns that they cover. For a single header
/// row, only those that begin above it count.
pub(crate) fn column_headings(sheet: &Sheet, header: HeaderRows) -> Vec<String> {
    HeaderRowCandidates::read(sheet, header.last).column_headings(header)
}

/// The rows that may be header rows, unpacked once.
struct HeaderRowCandidates<'a> {
    sheet: &'a Sheet,
    /// Position of the first of `rows` in the sheet.
    first: usize,
    rows: Vec<SheetRow>,
}

impl<'a> HeaderRowCandidates<'a> {
    /// Reads as many rows as a header can have, up to this position.
    fn read(sheet: &'a Sheet, last: usize) -> Self {
        let first = (last + 1).saturating_sub(MAX_HEADER_ROWS);
        Self { sheet, first, rows: sheet.rows.span_from(first).iter().take(last + 1 - first).collect() }
    }

    fn get(&self, position: usize) -> Option<&SheetRow> {
        self.rows.get(position.checked_sub(self.first)?)
    }

    fn ending_at(&self, last: usize) -> HeaderRows {
        let mut rows = 1;
        while rows < MAX_HEADER_ROWS && last >= rows && self.is_group_row(last - rows, last + 1 - rows) {
            rows += 1;
        }
        HeaderRows { last, rows }
    }

    fn column_headings(&self, header: HeaderRows) -> Vec<String> {
        let first = (header.last + 1).saturating_sub(header.rows);
        let rows: Vec<&SheetRow> = (first..=header.last).filter_map(|position| self.get(position)).collect();
        let touching_merges: Vec<&MergedRange> = match (rows.first(), rows.last()) {
            (Some(top), Some(end)) => {
                let touches = |merge: &&MergedRange| merge.first_row <= end.number && merge.last_row >= top.number;
                self.sheet.merges.iter().filter(touches).collect()
            }
            _ => Vec::new(),
        };
        let names: Vec<Vec<String>> = rows.iter().map(|row| self.names_in_row(row, &rows, &touching_merges)).collect();
        let joined = |column: usize| {
            let of_rows = names.iter().filter_map(|names| names.get(column));
            let mut parts: Vec<&str> = of_rows.map(String::as_str).filter(|part| !part.is_empty()).collect();
            parts.dedup();
            parts.join(NAME_SEPARATOR)
        };
        (0..self.sheet.columns as usize).map(joined).collect()
    }

    /// Returns the names in one header row, by column. A column without its own text gets the text of merged cells that
    /// cover it. If the header has no merged cells, it gets the next text on its left, except in the last header row.
    fn names_in_row(&self, row: &SheetRow, rows: &[&SheetRow], merges: &[&MergedRange]) -> Vec<String> {
        let is_last = rows.last().is_some_and(|end| end.number == row.number);
        let covered = self.merged_texts_by_column(row, rows.len() > 1, merges);
        let fills_from_left = rows.len() > 1 && merges.is_empty() && !is_last;
        let mut left_text = String::new();
        let name = |column: u32| {
            let own = cell_text(row, column);
            if !own.is_empty() {
                left_text.clone_from(&own);
                return own;
            }
            match covered.get(&column) {
                Some(text) => text.clone(),
                None if fills_from_left => left_text.clone(),
                None => own,
            }
        };
        (0..self.sheet.columns).map(name).collect()
    }

    /// Returns the texts of merged cells by the columns that they cover in a row.
    fn merged_texts_by_column(
        &self,
        row: &SheetRow,
        is_multi_row: bool,
        merges: &[&MergedRange],
    ) -> HashMap<u32, String> {
        let mut covered = HashMap::new();
        let mut steps = 0;
        let covers = |merge: &&&MergedRange| {
            (merge.first_row..=merge.last_row).contains(&row.number) && (is_multi_row || merge.first_row < row.number)
        };
        for merge in merges.iter().filter(covers) {
            let text = self.merged_text(merge);
            let last = merge.last_column.min(self.sheet.columns.saturating_sub(1));
            for column in merge.first_column..=last {
                covered.entry(column).or_insert_with(|| text.clone());
            }
            steps += last.saturating_sub(merge.first_column) + 1;
            if steps > MAX_COVERED_COLUMNS {
                break;
            }
        }
        covered
    }

    /// Returns the text of merged cells, which is in their first row and column.
    fn merged_text(&self, merge: &MergedRange) -> String {
        if let Some(row) = self.rows.iter().find(|row| row.number == merge.first_row) {
            return cell_text(row, merge.first_column);
        }
        let cell = self.sheet.rows.position(merge.first_row);
        let cell = cell.and_then(|position| self.sheet.rows.cell(position, merge.first_column));
        cell.map(|cell| cell.shown().trim().to_owned()).unwrap_or_default()
    }

    /// Returns true if the upper row groups the columns of the lower one, by merged cells. In a file without merged
    /// cells, the upper row must have gaps and the lower row repeated names.
    fn is_group_row(&self, upper: usize, lower: usize) -> bool {
        let (Some(upper), Some(lower)) = (self.get(upper), self.get(lower)) else { return false };
        if upper.number + 1 != lower.number || count_filled(upper) < 2 || !has_only_names(upper) || has_value(upper) {
            return false;
        }
        let merges = &self.sheet.merges;
        let spans = |merge: &&MergedRange| {
            merge.first_row == upper.number
                && (merge.last_column > merge.first_column || merge.last_row >= lower.number)
        };
        merges.iter().any(|merge| spans(&merge))
            || (merges.is_empty()
                && count_filled(upper) < count_filled(lower)
                && has_only_names(lower)
                && !has_distinct_texts(lower))
    }
}

fn cell_text(row: &SheetRow, column: u32) -> String {
    row.cell(column).map(|cell| cell.shown().trim().to_owned()).unwrap_or_default()
}

fn count_filled(row: &SheetRow) -> usize {
    row.cells.iter().filter(|cell| !cell.is_empty()).count()
}

fn has_only_names(row: &SheetRow) -> bool {
    row.cells
        .iter()
        .filter(|cell| !cell.is_empty())
        .all(|cell| cell.kind() == CellKind::Text && cell.shown().chars().count() <= MAX_HEADING_LENGTH)
        && count_filled(row) > 0
}

fn has_distinct_texts(row: &SheetRow) -> bool {
    let mut texts: Vec<_> = row.cells.iter().filter(|cell| !cell.is_empty()).map(|cell| cell.shown()).collect();
    texts.sort();
    let before = texts.len();
    texts.dedup();
    texts.len() == before
}

/// Returns true if a cell's text looks like a value, since it starts with a digit or has at least three digits.
fn has_value(row: &SheetRow) -> bool {
    row.cells.iter().any(|cell| {
        let shown = cell.shown();
        let digits = shown.chars().filter(char::is_ascii_digit).count();
        shown.trim_start().starts_with(|letter: char| letter.is_ascii_digit()) || digits >= 3
    })
}

/// Returns the highest number of distinct names that one vocabulary knows.
fn max_known_names(names: &[String], vocabularies: &[Vocabulary]) -> usize {
    let different: std::collections::BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let different: Vec<ComparableHeading> = different.into_iter().map(ComparableHeading::new).collect();
    let count = |vocabulary: &Vocabulary| different.iter().filter(|name| vocabulary.contains(name)).count();
    vocabularies.iter().map(count).max().unwrap_or_default()
}
