//! Where the heading is: the row among the first ones that reads like names of fields, not like values.

use takt_sheet::{CellKind, SheetRow};

use super::matching::Vocabulary;

/// Titles and logos stand above headings, but not more than this.
const MOST_LOOKED_AT: usize = 30;
/// Headings are short.
const LONGEST_HEADING: usize = 80;

/// The position of the heading among `rows`. A row that names known fields wins; otherwise the first row that is wide,
/// all text, all different, and holds nothing that looks like a value. Absent where no row is like that.
pub(super) fn find(rows: &[SheetRow], vocabularies: &[Vocabulary]) -> Option<usize> {
    let looked_at = rows.get(..rows.len().min(MOST_LOOKED_AT))?;
    let widest = looked_at.iter().map(filled).max()?;
    let mut best: Option<(usize, usize)> = None;
    for (position, row) in looked_at.iter().enumerate() {
        if !all_names(row) {
            continue;
        }
        let known = most_known(row, vocabularies);
        // One known word may be a title ("Materials"); in a sheet with one column it is all there can be.
        let enough = known >= 2 || (known == 1 && widest == 1);
        if enough && best.is_none_or(|(_, most)| known > most) {
            best = Some((position, known));
        }
    }
    if let Some((position, _)) = best {
        return Some(position);
    }
    looked_at.iter().position(|row| filled(row) * 2 > widest && all_names(row) && all_different(row) && !any_value(row))
}

fn filled(row: &SheetRow) -> usize {
    row.cells.iter().filter(|cell| !cell.is_empty()).count()
}

fn all_names(row: &SheetRow) -> bool {
    row.cells
        .iter()
        .filter(|cell| !cell.is_empty())
        .all(|cell| cell.kind() == CellKind::Text && cell.shown().chars().count() <= LONGEST_HEADING)
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

fn most_known(row: &SheetRow, vocabularies: &[Vocabulary]) -> usize {
    let count = |vocabulary: &Vocabulary| row.cells.iter().filter(|cell| vocabulary.knows(&cell.shown())).count();
    vocabularies.iter().map(count).max().unwrap_or_default()
}
