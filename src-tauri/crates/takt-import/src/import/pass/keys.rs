//! The rows' business keys: which row had the same key before. A hash finds it, and the key itself decides.

use std::hash::{DefaultHasher, Hash, Hasher};
use takt_core::ExcelRow;

use takt_sheet::SheetRow;

use super::super::{check::Plan, reading::ReadValue, target::Targets};

/// The hash of a row without a key.
pub(crate) const NO_KEY: u64 = 0;
/// In place of the hash of a row that wasn't looked at.
pub(super) const SKIPPED: u64 = u64::MAX;
/// Between the parts of a key when rows are compared: it can't be typed into a cell.
const KEY_SEPARATOR: char = '\u{1f}';

/// The keys of neighbouring rows, as text.
#[derive(Debug, Default)]
pub(super) struct KeyTexts {
    text: String,
    /// By row: where its key ends.
    ends: Vec<u32>,
    /// By row: of its key; [`NO_KEY`], or [`SKIPPED`].
    pub(super) hashes: Vec<u64>,
}

/// All keys so far.
#[derive(Debug)]
pub(super) struct Keys {
    /// By the position of the first row.
    texts: Vec<(u32, KeyTexts)>,
    /// By row.
    hashes: Vec<u64>,
    /// Open addressing: the position of a key's first row, or [`FREE`].
    table: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl KeyTexts {
    pub(super) fn skip(&mut self) {
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        self.hashes.push(SKIPPED);
    }

    /// Takes the next row's key; it has none where a required part of it is missing.
    pub(super) fn push(&mut self, key: &[(usize, bool)], values: &[Option<ReadValue<'_>>]) {
        let start = self.text.len();
        let complete = append(&mut self.text, key, values);
        let hash = self.text.get(start..).filter(|_| complete).map_or(NO_KEY, hash);
        if !complete {
            self.text.truncate(start);
        }
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        self.hashes.push(hash);
    }

    fn get(&self, at: usize) -> &str {
        let end = |at: usize| self.ends.get(at).map_or(0, |&end| end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.text.get(start..end(at)).unwrap_or_default()
    }
}

impl Keys {
    pub(super) fn new(rows: usize) -> Self {
        Self { texts: Vec::new(), hashes: vec![NO_KEY; rows], table: vec![FREE; (rows * 2).next_power_of_two()] }
    }

    /// Takes the keys of the rows from `first` on, before each of them is asked for.
    pub(super) fn take(&mut self, first: u32, texts: KeyTexts) {
        self.texts.push((first, texts));
    }

    /// The first row with the key of this one, which is the one `at` so many among those taken last. Absent where it is the first.
    pub(super) fn earlier(&mut self, position: u32, at: usize, hash: u64) -> Option<u32> {
        if let Some(place) = self.hashes.get_mut(position as usize) {
            *place = hash;
        }
        let mask = self.table.len() - 1;
        #[expect(clippy::cast_possible_truncation, reason = "only the lower bits choose the place")]
        let mut place = hash as usize & mask;
        loop {
            match self.table.get(place).copied() {
                Some(FREE) | None => break,
                Some(other) if self.hashes.get(other as usize) == Some(&hash) && self.text(other) == self.last(at) => {
                    return Some(other);
                }
                Some(_) => place = (place + 1) & mask,
            }
        }
        if let Some(free) = self.table.get_mut(place) {
            *free = position;
        }
        None
    }

    fn last(&self, at: usize) -> &str {
        self.texts.last().map_or("", |(_, texts)| texts.get(at))
    }

    fn text(&self, position: u32) -> &str {
        let of = self.texts.partition_point(|(first, _)| *first <= position).checked_sub(1);
        let of = of.and_then(|of| self.texts.get(of));
        of.map_or("", |(first, texts)| texts.get((position - first) as usize))
    }

    pub(super) fn into_hashes(self) -> Vec<u64> {
        self.hashes
    }
}

/// The key's fields, each with whether it is required; absent where the contract names one that isn't there.
pub(super) fn fields(targets: &Targets) -> Option<Vec<(usize, bool)>> {
    let field = |name: &String| {
        let target = targets.index(name)?;
        Some((target, targets.fields.get(target).is_some_and(|field| field.required)))
    };
    targets.key.iter().map(field).collect()
}

/// The hash of a row's key, as the check keeps it; [`NO_KEY`] where the row has none or is excluded.
pub(crate) fn key_hash(plan: &Plan<'_>, row: &SheetRow) -> u64 {
    let Some(key) = fields(plan.targets).filter(|_| !plan.overlay.excludes(ExcelRow::new(row.number))) else {
        return NO_KEY;
    };
    let mut values: Vec<Option<ReadValue<'_>>> = vec![None; plan.targets.fields.len()];
    for &(target, _) in &key {
        if let Some(place) = values.get_mut(target) {
            *place = plan.read(row, target).and_then(Result::ok);
        }
    }
    let mut text = String::new();
    if append(&mut text, &key, &values) { hash(&text) } else { NO_KEY }
}

/// True where the key is complete and has anything at all.
fn append(text: &mut String, key: &[(usize, bool)], values: &[Option<ReadValue<'_>>]) -> bool {
    let mut any = false;
    for &(target, required) in key {
        match values.get(target).and_then(Option::as_ref) {
            Some(ReadValue::Text(value)) => {
                text.push_str(value);
                any = true;
            }
            Some(value) => {
                text.push_str(&value.shown());
                any = true;
            }
            None if required => return false,
            None => {}
        }
        text.push(KEY_SEPARATOR);
    }
    any
}

/// Two keys of one hash are only looked at together; they are compared in full.
fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish().clamp(NO_KEY + 1, SKIPPED - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of one hash, and of one place in the table, stay apart.
    #[test]
    fn the_key_itself_decides() {
        let mut keys = Keys::new(4);
        let text = |text: &str| KeyTexts { text: text.to_owned(), ends: vec![1, 2], hashes: Vec::new() };
        keys.take(0, text("ab"));
        assert_eq!((keys.earlier(0, 0, 8), keys.earlier(1, 1, 8)), (None, None));
        keys.take(2, text("bc"));
        assert_eq!((keys.earlier(2, 0, 8), keys.earlier(3, 1, 16)), (Some(1), None));
        assert_eq!(keys.into_hashes(), [8, 8, 8, 16]);
    }
}
