//! What sheets of parts and the sheets with their items mean for each other.

use crate::import::position::Position;
use std::collections::{BTreeMap, HashMap};

use super::Book;
use takt_core::finding::{FindingCode, Severity};

use crate::import::{
    mark::{Mark, Note},
    session::Session,
};

const OF_PARTS: [FindingCode; 2] = [FindingCode::NoParent, FindingCode::ManyParents];
const OF_OWNERS: [FindingCode; 1] = [FindingCode::PartsWrong];
/// How many rows a finding names.
const MAX_ROWS_NAMED: usize = 10;

/// A row with its business key.
#[derive(Debug, Clone)]
pub(in crate::import) struct Row {
    /// Among the rows below the heading.
    pub(in crate::import) position: Position,
    pub(in crate::import) number: u32,
    /// A person left it out.
    pub(in crate::import) out: bool,
    pub(in crate::import) wrong: bool,
    /// In the key's order.
    pub(in crate::import) key: Vec<Option<String>>,
}

/// Items found by their business key, also where only the first parts of it are given.
#[derive(Debug, Default)]
pub(super) struct Keys {
    by_first: HashMap<String, Vec<KeyEntry>>,
    /// By the whole key.
    exact: HashMap<Vec<Option<String>>, usize>,
}

#[derive(Debug)]
struct KeyEntry {
    key: Vec<Option<String>>,
    place: usize,
}

/// What a key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyMatch {
    Nothing,
    One(usize),
    Several,
}

impl Keys {
    /// The first of equal keys counts.
    pub(super) fn add(&mut self, key: &[Option<String>], place: usize) {
        let Some(Some(first)) = key.first() else { return };
        if self.exact.contains_key(key) {
            return;
        }
        self.exact.insert(key.to_vec(), place);
        self.by_first.entry(first.clone()).or_default().push(KeyEntry { key: key.to_vec(), place });
    }

    pub(super) fn find(&self, key: &[Option<String>]) -> KeyMatch {
        let Some(known) = key.first().and_then(Option::as_ref).and_then(|first| self.by_first.get(first)) else {
            return KeyMatch::Nothing;
        };
        // A whole key fits itself alone, however many items begin like it.
        let is_whole =
            key.iter().all(Option::is_some) && known.first().is_some_and(|known| known.key.len() == key.len());
        if is_whole {
            return self.exact.get(key).map_or(KeyMatch::Nothing, |&place| KeyMatch::One(place));
        }
        let fits = |known: &&KeyEntry| key.iter().zip(&known.key).all(|(own, theirs)| own.is_none() || own == theirs);
        let mut found = known.iter().filter(fits).map(|known| known.place);
        match (found.next(), found.next()) {
            (None, _) => KeyMatch::Nothing,
            (Some(place), None) => KeyMatch::One(place),
            (Some(_), Some(_)) => KeyMatch::Several,
        }
    }
}

/// Marks parts without an item, and items whose parts are wrong.
pub(super) fn settle(book: &mut Book) {
    let mut wrong: BTreeMap<String, HashMap<usize, (String, Vec<u32>)>> = BTreeMap::new();
    let names: Vec<String> = book.sheets.iter().map(|sheet| sheet.sheet_name().to_owned()).collect();
    for name in &names {
        let owner = book.owners.get(name).filter(|_| !book.is_out(name)).cloned();
        let Some(of) = owner.as_ref().and_then(|owner| book.sheet(owner)) else {
            if let Some(sheet) = book.sheet_mut(name) {
                sheet.put_marks(&OF_PARTS, Vec::new());
            }
            continue;
        };
        let owner_rows: Vec<Row> = of.row_keys().collect();
        let of = of.sheet_name().to_owned();
        let Some(sheet) = book.sheet_mut(name) else { continue };
        let found = mark_parts(sheet, &of, &owner_rows);
        let of_owner = wrong.entry(of).or_default();
        for (place, row) in found {
            of_owner.entry(place).or_insert_with(|| (name.clone(), Vec::new())).1.push(row);
        }
    }
    for name in &names {
        let wrong = wrong.remove(name).unwrap_or_default();
        let Some(sheet) = book.sheet_mut(name) else { continue };
        let marks = wrong.into_iter().map(|(place, (parts, mut rows))| {
            let more = rows.len().saturating_sub(MAX_ROWS_NAMED);
            rows.truncate(MAX_ROWS_NAMED);
            let position = Position::of_index(place).unwrap_or_default();
            mark(sheet, position, FindingCode::PartsWrong, Note::rows_elsewhere(parts.into(), rows.into(), more))
        });
        let marks = marks.collect();
        sheet.put_marks(&OF_OWNERS, marks);
    }
}

/// Gives the wrong rows by the position of the row that they belong to.
fn mark_parts(sheet: &mut Session, of: &str, owner_rows: &[Row]) -> Vec<(usize, u32)> {
    let mut keys = Keys::default();
    for row in owner_rows {
        keys.add(&row.key, row.position.index());
    }
    // What it said before isn't what is wrong with the row itself.
    sheet.put_marks(&OF_PARTS, Vec::new());
    let mut wrong = Vec::new();
    let mut marks = Vec::new();
    for row in sheet.row_keys().filter(|row| !row.out && row.key.first().is_some_and(Option::is_some)) {
        let named = keys.find(&row.key);
        let code = match named {
            KeyMatch::Nothing => Some(FindingCode::NoParent),
            KeyMatch::Several => Some(FindingCode::ManyParents),
            KeyMatch::One(place) => {
                if row.wrong {
                    wrong.push((place, row.number));
                }
                None
            }
        };
        if let Some(code) = code {
            marks.push(mark(sheet, row.position, code, Note::rows_elsewhere(of.into(), Box::new([]), 0)));
        }
    }
    sheet.put_marks(&OF_PARTS, marks);
    wrong
}

fn mark(sheet: &Session, position: Position, code: FindingCode, note: Note) -> Mark {
    let (target, column) = sheet.key_place();
    Mark { position, column, target, severity: Severity::Error, code, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parts: &[&str]) -> Vec<Option<String>> {
        parts.iter().map(|part| (!part.is_empty()).then(|| (*part).to_owned())).collect()
    }

    #[test]
    fn a_part_of_a_key_names_what_it_fits_alone() {
        let mut keys = Keys::default();
        keys.add(&key(&["WO-1", "010"]), 0);
        keys.add(&key(&["WO-2", "010"]), 1);
        keys.add(&key(&["WO-2", "020"]), 2);
        keys.add(&key(&["WO-2", "020"]), 3);
        assert_eq!(keys.find(&key(&["WO-1", ""])), KeyMatch::One(0));
        assert_eq!(keys.find(&key(&["WO-2", "020"])), KeyMatch::One(2));
        assert_eq!(keys.find(&key(&["WO-2", ""])), KeyMatch::Several);
        assert_eq!(keys.find(&key(&["WO-1", "020"])), KeyMatch::Nothing);
        assert_eq!(keys.find(&key(&["", "010"])), KeyMatch::Nothing);
    }
}
