//! Where the heading is: the row among the first ones that reads like names of fields, not like values; and the rows above
//! it that group its columns, as in "Planned" over "Begin" and "End".

use std::collections::HashMap;

use takt_sheet::{CellKind, Merge, Sheet, SheetRow};

use super::matching::{ComparableHeading, Vocabulary};

/// Titles and logos stand above headings, but not more than this.
const MAX_CHECKED: usize = 30;
/// Headings are short.
const MAX_HEADING_LENGTH: usize = 80;
/// More rows than this are no heading.
pub(super) const MAX_ROWS: usize = 3;
/// Columns under merged cells that are looked at: a hostile file's may lie over each other.
const MAX_COVERED_COLUMNS: u32 = 200_000;
/// Between the names of a column in several heading rows.
const JOINT: &str = " / ";

/// The rows that name the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heading {
    /// Position of the last of them among the sheet's rows.
    pub(super) last: usize,
    /// How many there are, at least one.
    pub(super) rows: usize,
}

/// A row that names known fields wins, with the rows that group it; otherwise the first row that is wide, all text, all
/// different, and holds nothing that looks like a value. Absent where no row is like that.
pub(super) fn find(sheet: &Sheet, vocabularies: &[Vocabulary]) -> Option<Heading> {
    let top = HeadingRows { sheet, first: 0, rows: sheet.rows.iter().take(MAX_CHECKED).collect() };
    let looked_at = &top.rows;
    let widest = looked_at.iter().map(filled).max()?;
    let mut best: Option<(Heading, usize)> = None;
    for (last, row) in looked_at.iter().enumerate() {
        if !all_names(row) {
            continue;
        }
        for rows in 1..=top.ending_at(last).rows {
            let heading = Heading { last, rows };
            let matches = most_known(&top.texts(heading), vocabularies);
            // One known word may be a title ("Materials"); in a sheet with one column it is all there can be.
            let enough = matches >= 2 || (matches == 1 && widest == 1);
            // What groups a row that is as good without it belongs to the heading, too.
            let better = |(found, most): (Heading, usize)| matches > most || (matches == most && found.last == last);
            if enough && best.is_none_or(better) {
                best = Some((heading, matches));
            }
        }
    }
    if let Some((heading, _)) = best {
        return Some(heading);
    }
    let reads_like_one =
        |row: &SheetRow| filled(row) * 2 > widest && all_names(row) && all_different(row) && !any_value(row);
    looked_at.iter().position(reads_like_one).map(|last| top.ending_at(last))
}

/// The heading whose last row is this one, with the rows above that group it.
pub(super) fn ending_at(sheet: &Sheet, last: usize) -> Heading {
    HeadingRows::around(sheet, last).ending_at(last)
}

/// By column. Merged cells fill to the right and down where there are several rows, and down into a single one.
pub(super) fn texts(sheet: &Sheet, heading: Heading) -> Vec<String> {
    HeadingRows::around(sheet, heading.last).texts(heading)
}

/// The rows among which a heading is, unpacked once.
struct HeadingRows<'a> {
    sheet: &'a Sheet,
    /// Position of the first of them.
    first: usize,
    rows: Vec<SheetRow>,
}

impl<'a> HeadingRows<'a> {
    /// As many rows as a heading can have, the last of them at this position.
    fn around(sheet: &'a Sheet, last: usize) -> Self {
        let first = (last + 1).saturating_sub(MAX_ROWS);
        Self { sheet, first, rows: sheet.rows.below(first).iter().take(last + 1 - first).collect() }
    }

    fn get(&self, position: usize) -> Option<&SheetRow> {
        self.rows.get(position.checked_sub(self.first)?)
    }

    fn ending_at(&self, last: usize) -> Heading {
        let mut rows = 1;
        while rows < MAX_ROWS && last >= rows && self.groups(last - rows, last + 1 - rows) {
            rows += 1;
        }
        Heading { last, rows }
    }

    fn texts(&self, heading: Heading) -> Vec<String> {
        let first = (heading.last + 1).saturating_sub(heading.rows);
        let rows: Vec<&SheetRow> = (first..=heading.last).filter_map(|position| self.get(position)).collect();
        let around: Vec<&Merge> = match (rows.first(), rows.last()) {
            (Some(top), Some(end)) => {
                let touches = |merge: &&Merge| merge.first_row <= end.number && merge.last_row >= top.number;
                self.sheet.merges.iter().filter(touches).collect()
            }
            _ => Vec::new(),
        };
        let names: Vec<Vec<String>> = rows.iter().map(|row| self.names(row, &rows, &around)).collect();
        let joined = |column: usize| {
            let of_rows = names.iter().filter_map(|names| names.get(column));
            let mut parts: Vec<&str> = of_rows.map(String::as_str).filter(|part| !part.is_empty()).collect();
            parts.dedup();
            parts.join(JOINT)
        };
        (0..self.sheet.columns as usize).map(joined).collect()
    }

    /// Of one row of a heading, by column: its own text, else that of the merged cells that cover the column, else, above the
    /// last row of a heading without merged cells, the next text at its left.
    fn names(&self, row: &SheetRow, rows: &[&SheetRow], around: &[&Merge]) -> Vec<String> {
        let is_last = rows.last().is_some_and(|end| end.number == row.number);
        let covered = self.covered(row, rows.len() > 1, around);
        let loose = rows.len() > 1 && around.is_empty() && !is_last;
        let mut left = String::new();
        let name = |column: u32| {
            let own = text(row, column);
            if !own.is_empty() {
                left.clone_from(&own);
                return own;
            }
            match covered.get(&column) {
                Some(text) => text.clone(),
                None if loose => left.clone(),
                None => own,
            }
        };
        (0..self.sheet.columns).map(name).collect()
    }

    /// The texts of merged cells, by the columns that they cover in a row.
    fn covered(&self, row: &SheetRow, among_several: bool, around: &[&Merge]) -> HashMap<u32, String> {
        let mut covered = HashMap::new();
        let mut steps = 0;
        let covers = |merge: &&&Merge| {
            (merge.first_row..=merge.last_row).contains(&row.number) && (among_several || merge.first_row < row.number)
        };
        for merge in around.iter().filter(covers) {
            let text = self.text_of(merge);
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

    /// What merged cells show.
    fn text_of(&self, merge: &Merge) -> String {
        if let Some(row) = self.rows.iter().find(|row| row.number == merge.first_row) {
            return text(row, merge.first_column);
        }
        let cell = self.sheet.rows.position(merge.first_row);
        let cell = cell.and_then(|position| self.sheet.rows.cell(position, merge.first_column));
        cell.map(|cell| cell.shown().trim().to_owned()).unwrap_or_default()
    }

    /// Whether the upper row groups the columns of the lower one: by merged cells, or, where the file has none of them, by
    /// gaps over names that would else stand twice.
    fn groups(&self, upper: usize, lower: usize) -> bool {
        let (Some(upper), Some(lower)) = (self.get(upper), self.get(lower)) else { return false };
        if upper.number + 1 != lower.number || filled(upper) < 2 || !all_names(upper) || any_value(upper) {
            return false;
        }
        let merges = &self.sheet.merges;
        let spans = |merge: &&Merge| {
            merge.first_row == upper.number
                && (merge.last_column > merge.first_column || merge.last_row >= lower.number)
        };
        merges.iter().any(|merge| spans(&merge))
            || (merges.is_empty() && filled(upper) < filled(lower) && all_names(lower) && !all_different(lower))
    }
}

fn text(row: &SheetRow, column: u32) -> String {
    row.cell(column).map(|cell| cell.shown().trim().to_owned()).unwrap_or_default()
}

fn filled(row: &SheetRow) -> usize {
    row.cells.iter().filter(|cell| !cell.is_empty()).count()
}

fn all_names(row: &SheetRow) -> bool {
    row.cells
        .iter()
        .filter(|cell| !cell.is_empty())
        .all(|cell| cell.kind() == CellKind::Text && cell.shown().chars().count() <= MAX_HEADING_LENGTH)
        && filled(row) > 0
}

fn all_different(row: &SheetRow) -> bool {
    let mut texts: Vec<_> = row.cells.iter().filter(|cell| !cell.is_empty()).map(|cell| cell.shown()).collect();
    texts.sort();
    let before = texts.len();
    texts.dedup();
    texts.len() == before
}

/// A text that starts with a digit or holds several is a value: a number, a date, a code.
fn any_value(row: &SheetRow) -> bool {
    row.cells.iter().any(|cell| {
        let shown = cell.shown();
        let digits = shown.chars().filter(char::is_ascii_digit).count();
        shown.trim_start().starts_with(|letter: char| letter.is_ascii_digit()) || digits >= 3
    })
}

/// Different names that one of the vocabularies knows.
fn most_known(names: &[String], vocabularies: &[Vocabulary]) -> usize {
    let different: std::collections::BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let different: Vec<ComparableHeading> = different.into_iter().map(ComparableHeading::of).collect();
    let count = |vocabulary: &Vocabulary| different.iter().filter(|name| vocabulary.knows(name)).count();
    vocabularies.iter().map(count).max().unwrap_or_default()
}
