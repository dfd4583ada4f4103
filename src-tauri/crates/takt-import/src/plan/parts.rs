//! Findings between sheets of parts and the sheets with their items.

use std::collections::{BTreeMap, HashMap};

use takt_core::finding::{FindingCode, Severity};

use super::open_workbook::OpenWorkbook;
use crate::{
    mark::{FindingDetail, Mark},
    row_position::RowPosition,
    session::{KeyedRow, Session},
};

const PART_CODES: [FindingCode; 2] = [FindingCode::NoParent, FindingCode::ManyParents];
const OWNER_CODES: [FindingCode; 1] = [FindingCode::PartsWrong];
/// Maximum number of rows that a finding names.
const MAX_LISTED_ROWS: usize = 10;

/// Finds items by their business key, also if only some of its parts are given.
#[derive(Debug, Default)]
pub(super) struct ItemKeyIndex {
    by_first_part: HashMap<String, Vec<KeyEntry>>,
    /// By complete key, the index of the item.
    by_complete_key: HashMap<Vec<Option<String>>, usize>,
}

#[derive(Debug)]
struct KeyEntry {
    key: Vec<Option<String>>,
    index: usize,
}

/// The items that a key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyMatch {
    Missing,
    One(usize),
    Several,
}

impl ItemKeyIndex {
    /// Adds a key with its index. If an equal key was added before, nothing changes.
    pub(super) fn add(&mut self, key: &[Option<String>], index: usize) {
        let Some(Some(first)) = key.first() else { return };
        if self.by_complete_key.contains_key(key) {
            return;
        }
        self.by_complete_key.insert(key.to_vec(), index);
        self.by_first_part.entry(first.clone()).or_default().push(KeyEntry { key: key.to_vec(), index });
    }

    pub(super) fn find(&self, key: &[Option<String>]) -> KeyMatch {
        let Some(known) = key.first().and_then(Option::as_ref).and_then(|first| self.by_first_part.get(first)) else {
            return KeyMatch::Missing;
        };
        // A complete key only matches an equal key, even if items share its first part.
        let is_complete =
            key.iter().all(Option::is_some) && known.first().is_some_and(|known| known.key.len() == key.len());
        if is_complete {
            return self.by_complete_key.get(key).map_or(KeyMatch::Missing, |&index| KeyMatch::One(index));
        }
        let fits = |known: &&KeyEntry| key.iter().zip(&known.key).all(|(own, theirs)| own.is_none() || own == theirs);
        let mut found = known.iter().filter(fits).map(|known| known.index);
        match (found.next(), found.next()) {
            (None, _) => KeyMatch::Missing,
            (Some(index), None) => KeyMatch::One(index),
            (Some(_), Some(_)) => KeyMatch::Several,
        }
    }
}

/// Marks parts without an item, and items whose parts have errors.
pub(super) fn mark_part_errors(book: &mut OpenWorkbook) {
    let mut wrong: BTreeMap<String, HashMap<usize, (String, Vec<u32>)>> = BTreeMap::new();
    let names: Vec<String> = book.sheets.iter().map(|sheet| sheet.sheet_name().to_owned()).collect();
    for name in &names {
        let owner = book.owners.get(name).filter(|_| !book.is_left_out(name)).cloned();
        let Some(of) = owner.as_ref().and_then(|owner| book.sheet(owner)) else {
            if let Some(sheet) = book.sheet_mut(name) {
                sheet.replace_marks(&PART_CODES, Vec::new());
            }
            continue;
        };
        let owner_rows: Vec<KeyedRow> = of.keyed_rows().collect();
        let of = of.sheet_name().to_owned();
        let Some(sheet) = book.sheet_mut(name) else { continue };
        let found = mark_parts_without_item(sheet, &of, &owner_rows);
        let of_owner = wrong.entry(of).or_default();
        for (index, row) in found {
            of_owner.entry(index).or_insert_with(|| (name.clone(), Vec::new())).1.push(row);
        }
    }
    for name in &names {
        let wrong = wrong.remove(name).unwrap_or_default();
        let Some(sheet) = book.sheet_mut(name) else { continue };
        let marks = wrong.into_iter().map(|(index, (parts, mut rows))| {
            let more = rows.len().saturating_sub(MAX_LISTED_ROWS);
            rows.truncate(MAX_LISTED_ROWS);
            let position = RowPosition::from_index(index).unwrap_or_default();
            create_item_mark(
                sheet,
                position,
                FindingCode::PartsWrong,
                FindingDetail::other_sheet_rows(parts.into(), rows.into(), more),
            )
        });
        let marks = marks.collect();
        sheet.replace_marks(&OWNER_CODES, marks);
    }
}

/// Marks parts that belong to no item or to several. Returns the other parts with errors, each as the position of its
/// item's row and its own row number.
fn mark_parts_without_item(sheet: &mut Session, of: &str, owner_rows: &[KeyedRow]) -> Vec<(usize, u32)> {
    let mut keys = ItemKeyIndex::default();
    for row in owner_rows {
        keys.add(&row.key, row.position.index());
    }
    // Earlier marks are removed first, so that `has_errors` doesn't include them.
    sheet.replace_marks(&PART_CODES, Vec::new());
    let mut wrong = Vec::new();
    let mut marks = Vec::new();
    for row in sheet.keyed_rows().filter(|row| !row.is_excluded && row.key.first().is_some_and(Option::is_some)) {
        let named = keys.find(&row.key);
        let code = match named {
            KeyMatch::Missing => Some(FindingCode::NoParent),
            KeyMatch::Several => Some(FindingCode::ManyParents),
            KeyMatch::One(index) => {
                if row.has_errors {
                    wrong.push((index, row.number));
                }
                None
            }
        };
        if let Some(code) = code {
            marks.push(create_item_mark(
                sheet,
                row.position,
                code,
                FindingDetail::other_sheet_rows(of.into(), Box::new([]), 0),
            ));
        }
    }
    sheet.replace_marks(&PART_CODES, marks);
    wrong
}

fn create_item_mark(sheet: &Session, position: RowPosition, code: FindingCode, detail: FindingDetail) -> Mark {
    let (target, column) = sheet.key_location();
    Mark { position, column, target, severity: Severity::Error, code, detail }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(parts: &[&str]) -> Vec<Option<String>> {
        parts.iter().map(|part| (!part.is_empty()).then(|| (*part).to_owned())).collect()
    }

    #[test]
    fn a_part_of_a_key_names_what_it_fits_alone() {
        let mut keys = ItemKeyIndex::default();
        keys.add(&key(&["WO-1", "010"]), 0);
        keys.add(&key(&["WO-2", "010"]), 1);
        keys.add(&key(&["WO-2", "020"]), 2);
        keys.add(&key(&["WO-2", "020"]), 3);
        assert_eq!(keys.find(&key(&["WO-1", ""])), KeyMatch::One(0));
        assert_eq!(keys.find(&key(&["WO-2", "020"])), KeyMatch::One(2));
        assert_eq!(keys.find(&key(&["WO-2", ""])), KeyMatch::Several);
        assert_eq!(keys.find(&key(&["WO-1", "020"])), KeyMatch::Missing);
        assert_eq!(keys.find(&key(&["", "010"])), KeyMatch::Missing);
    }
}
