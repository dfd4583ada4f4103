//! Finds the first row with the same business key. Candidates are found by hash, and then compared by key.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    panic::resume_unwind,
    thread,
};

use takt_core::ExcelRow;
use takt_sheet::SheetRow;

use crate::{cell_value::ReadValue, row_mapper::RowMapper, target::TargetFields};

/// The hash of a row without a key.
pub(crate) const NO_KEY: u64 = 0;
/// Replaces the hash of a row that wasn't checked.
pub(super) const SKIPPED_ROW: u64 = u64::MAX;
/// Separates the parts of a key when rows are compared. It can't be typed into a cell.
const KEY_SEPARATOR: char = '\u{1f}';

/// The keys of consecutive rows, as text.
#[derive(Debug, Default)]
pub(super) struct KeyTexts {
    text: String,
    /// By row, the end of its key.
    ends: Vec<u32>,
    /// By row, the hash of its key, [`NO_KEY`] or [`SKIPPED_ROW`].
    pub(super) hashes: Vec<u64>,
}

/// All keys so far, for finding rows with the same key.
#[derive(Debug)]
pub(super) struct RowKeyIndex {
    /// Blocks of keys, by the position of their first row.
    texts: Vec<(u32, KeyTexts)>,
    /// By row, the hash of its key. Set when the row is looked up.
    hashes: Vec<u64>,
    /// One bit per row, set if its key may be repeated. Other rows aren't looked up.
    repeated: Vec<u64>,
    /// A hash table with open addressing. A slot contains the position of a key's first row, or [`FREE_SLOT`].
    table: Vec<u32>,
}

struct RepeatedRows {
    /// One bit per row.
    bits: Vec<u64>,
    count: usize,
}

/// Hashes that occurred more than once, with a few false positives.
#[derive(Debug)]
struct SeenHashes {
    /// Two bits per slot. A slot's first hash sets the first bit, and any further hash the second.
    slots: Vec<u64>,
    /// The number of bits to shift a hash to find its slot.
    shift: u32,
}

const FREE_SLOT: u32 = u32::MAX;
const ROWS_PER_WORD: usize = 64;
const SLOTS_PER_WORD: usize = 32;
/// Number of slots per row, enough that few different hashes share a slot.
const SLOTS_PER_ROW: usize = 16;
/// Minimum number of rows per slice of the hashes. Fewer rows aren't worth a thread.
const MIN_ROWS_PER_SLICE: usize = 50_000;
const MAX_SLICES: usize = 8;

impl KeyTexts {
    pub(super) fn push_skipped(&mut self) {
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        self.hashes.push(SKIPPED_ROW);
    }

    /// Adds the next row's key, or [`NO_KEY`] if the key is empty or lacks a required part.
    pub(super) fn push_key(&mut self, key: &[(usize, bool)], values: &[Option<ReadValue<'_>>]) {
        let start = self.text.len();
        let complete = append_key(&mut self.text, key, values);
        let hash = self.text.get(start..).filter(|_| complete).map_or(NO_KEY, hash_key);
        if !complete {
            self.text.truncate(start);
        }
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        self.hashes.push(hash);
    }

    /// Returns the key of a row by index.
    pub(super) fn get(&self, at: usize) -> &str {
        let end = |at: usize| self.ends.get(at).map_or(0, |&end| end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.text.get(start..end(at)).unwrap_or_default()
    }
}

impl RowKeyIndex {
    /// Creates the index. `keys` are blocks with the position of their first row.
    pub(super) fn new<'k>(rows: usize, keys: impl Iterator<Item = (u32, &'k KeyTexts)> + Clone + Send) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let slices = cores.min(rows / MIN_ROWS_PER_SLICE).clamp(1, MAX_SLICES);
        Self::with_slices(rows, keys, slices)
    }

    /// Like [`Self::new`], with a given number of slices of the hashes. A thread checks one slice.
    fn with_slices<'k>(
        rows: usize,
        keys: impl Iterator<Item = (u32, &'k KeyTexts)> + Clone + Send,
        slices: usize,
    ) -> Self {
        let hashes = keys.flat_map(|(first, keys)| (first as usize..).zip(keys.hashes.iter().copied()));
        let find_in_slice = |slice: usize| {
            let is_in = move |hash: u64| hash != NO_KEY && hash != SKIPPED_ROW && hash % slices as u64 == slice as u64;
            let hashes = hashes.clone().filter(move |&(_, hash)| is_in(hash));
            move || RepeatedRows::find(rows, rows.div_ceil(slices), hashes)
        };
        let RepeatedRows { bits: repeated, count } = thread::scope(|scope| {
            let others: Vec<_> = (1..slices).map(|slice| scope.spawn(find_in_slice(slice))).collect();
            let own = find_in_slice(0)();
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(|cause| resume_unwind(cause)));
            others.fold(own, RepeatedRows::merge)
        });
        let table = vec![FREE_SLOT; (count * 2).next_power_of_two()];
        Self { texts: Vec::new(), hashes: vec![NO_KEY; rows], repeated, table }
    }

    fn is_repeated(&self, position: u32) -> bool {
        let position = position as usize;
        self.repeated.get(position / ROWS_PER_WORD).is_some_and(|word| word >> (position % ROWS_PER_WORD) & 1 == 1)
    }

    /// Adds the keys of the rows from `first` on. Must be called before these rows are looked up.
    pub(super) fn add_block(&mut self, first: u32, texts: KeyTexts) {
        self.texts.push((first, texts));
    }

    /// Returns the first row with the same key, or `None` if this row is the first. `at` is the row's index in the
    /// block that was added last.
    pub(super) fn find_first(&mut self, position: u32, at: usize, hash: u64) -> Option<u32> {
        if let Some(slot) = self.hashes.get_mut(position as usize) {
            *slot = hash;
        }
        if !self.is_repeated(position) {
            return None;
        }
        let mask = self.table.len() - 1;
        #[expect(clippy::cast_possible_truncation, reason = "only the lower bits choose the place")]
        let mut slot = hash as usize & mask;
        loop {
            match self.table.get(slot).copied() {
                Some(FREE_SLOT) | None => break,
                Some(other)
                    if self.hashes.get(other as usize) == Some(&hash)
                        && self.key_text(other) == self.last_block_key(at) =>
                {
                    return Some(other);
                }
                Some(_) => slot = (slot + 1) & mask,
            }
        }
        if let Some(free) = self.table.get_mut(slot) {
            *free = position;
        }
        None
    }

    fn last_block_key(&self, at: usize) -> &str {
        self.texts.last().map_or("", |(_, texts)| texts.get(at))
    }

    fn key_text(&self, position: u32) -> &str {
        let block = self.texts.partition_point(|(first, _)| *first <= position).checked_sub(1);
        let block = block.and_then(|block| self.texts.get(block));
        block.map_or("", |(first, texts)| texts.get((position - first) as usize))
    }

    pub(super) fn into_hashes(self) -> Vec<u64> {
        self.hashes
    }
}

impl RepeatedRows {
    /// Finds the rows whose hash may be repeated. `hash_count` is the approximate number of `hashes`. Each hash has its
    /// row's position.
    fn find(rows: usize, hash_count: usize, hashes: impl Iterator<Item = (usize, u64)> + Clone) -> Self {
        let mut seen = SeenHashes::new(hash_count);
        hashes.clone().for_each(|(_, hash)| seen.insert(hash));
        let (mut bits, mut count) = (vec![0; rows.div_ceil(ROWS_PER_WORD)], 0);
        hashes.for_each(|(position, hash)| {
            let is_repeated = seen.may_be_repeated(hash);
            if let Some(word) = bits.get_mut(position / ROWS_PER_WORD) {
                *word |= u64::from(is_repeated) << (position % ROWS_PER_WORD);
            }
            count += usize::from(is_repeated);
        });
        Self { bits, count }
    }

    /// Merges the result of another slice.
    fn merge(mut self, other: Self) -> Self {
        self.bits.iter_mut().zip(other.bits).for_each(|(word, other)| *word |= other);
        Self { count: self.count + other.count, ..self }
    }
}

impl SeenHashes {
    fn new(rows: usize) -> Self {
        let bits = (rows * SLOTS_PER_ROW).next_power_of_two().max(SLOTS_PER_WORD).trailing_zeros();
        Self { slots: vec![0; (1 << bits) / SLOTS_PER_WORD], shift: u64::BITS - bits }
    }

    fn insert(&mut self, hash: u64) {
        let (word, bit) = self.slot(hash);
        if let Some(seen) = self.slots.get_mut(word) {
            *seen |= bit | (*seen & bit) << 1;
        }
    }

    fn may_be_repeated(&self, hash: u64) -> bool {
        let (word, bit) = self.slot(hash);
        self.slots.get(word).is_some_and(|seen| seen & bit << 1 != 0)
    }

    /// Returns the word of a hash's slot, and its first bit there.
    #[expect(clippy::cast_possible_truncation, reason = "only the upper bits choose the place")]
    fn slot(&self, hash: u64) -> (usize, u64) {
        let slot = (hash >> self.shift) as usize;
        (slot / SLOTS_PER_WORD, 1 << (slot % SLOTS_PER_WORD * 2))
    }
}

/// Returns the key's fields, each with whether it's required. Returns `None` if the contract names a missing field.
pub(super) fn key_fields(targets: &TargetFields) -> Option<Vec<(usize, bool)>> {
    let field = |name: &String| {
        let target = targets.index(name)?;
        Some((target, targets.fields.get(target).is_some_and(|field| field.required)))
    };
    targets.key.iter().map(field).collect()
}

/// Returns the hash of a row's key, or [`NO_KEY`] if the row has none or is excluded.
pub(crate) fn key_hash(mapper: &RowMapper<'_>, row: &SheetRow) -> u64 {
    let Some(key) = key_fields(mapper.targets).filter(|_| !mapper.overlay.excludes(ExcelRow::new(row.number))) else {
        return NO_KEY;
    };
    let mut values: Vec<Option<ReadValue<'_>>> = vec![None; mapper.targets.fields.len()];
    for &(target, _) in &key {
        if let Some(slot) = values.get_mut(target) {
            *slot = mapper.read(row, target).and_then(Result::ok);
        }
    }
    let mut text = String::new();
    if append_key(&mut text, &key, &values) { hash_key(&text) } else { NO_KEY }
}

/// Appends a key. Returns true if it's complete and not empty.
fn append_key(text: &mut String, key: &[(usize, bool)], values: &[Option<ReadValue<'_>>]) -> bool {
    let mut any = false;
    for &(target, required) in key {
        match values.get(target).and_then(Option::as_ref) {
            Some(ReadValue::Text(value)) => {
                text.push_str(value);
                any = true;
            }
            Some(value) => {
                text.push_str(&value.display_text());
                any = true;
            }
            None if required => return false,
            None => {}
        }
        text.push(KEY_SEPARATOR);
    }
    any
}

/// Hashes a key. Keys with equal hashes are compared in full.
fn hash_key(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish().clamp(NO_KEY + 1, SKIPPED_ROW - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Different keys with the same hash, or the same slot in the table, aren't mixed up.
    #[test]
    fn the_key_itself_decides() {
        let text =
            |text: &str, hashes: [u64; 2]| KeyTexts { text: text.to_owned(), ends: vec![1, 2], hashes: hashes.into() };
        let both = || [text("ab", [8, 8]), text("bc", [8, 16])];
        let mut keys = RowKeyIndex::new(4, (0..).step_by(2).zip(&both()));
        let [first, second] = both();
        keys.add_block(0, first);
        assert_eq!((keys.find_first(0, 0, 8), keys.find_first(1, 1, 8)), (None, None));
        keys.add_block(2, second);
        assert_eq!((keys.find_first(2, 0, 8), keys.find_first(3, 1, 16)), (Some(1), None));
        assert_eq!(keys.into_hashes(), [8, 8, 8, 16]);
    }

    /// Compares with a map of all keys, for few and many rows per key, and for rows without a key.
    #[test]
    fn the_first_row_of_each_key_is_found() {
        let mut state = 5_u64;
        println!("seed {state}");
        let mut next = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let sizes = [(1, 1), (100, 3), (5_000, 4_000), (5_000, 1_000_000), (3_000, 300)];
        for ((rows, different), slices) in sizes.into_iter().flat_map(|size| [1, 2, 5].map(|slices| (size, slices))) {
            let mut texts = KeyTexts::default();
            for _ in 0..rows {
                match next(20) {
                    0 => texts.push_skipped(),
                    1 => texts.push_key(&[], &[]),
                    _ => {
                        let key = ReadValue::Text(next(different).to_string().into());
                        texts.push_key(&[(0, true)], &[Some(key)]);
                    }
                }
            }
            let hashes = texts.hashes.clone();
            let keyed: Vec<Option<String>> = (0..)
                .zip(&hashes)
                .map(|(at, hash)| (![NO_KEY, SKIPPED_ROW].contains(hash)).then(|| texts.get(at).to_owned()))
                .collect();
            let mut keys = RowKeyIndex::with_slices(hashes.len(), std::iter::once((0, &texts)), slices);
            keys.add_block(0, texts);
            let mut firsts = std::collections::HashMap::new();
            for ((at, hash), key) in (0_u32..).zip(hashes).zip(keyed) {
                let Some(key) = key else { continue };
                let first = *firsts.entry(key).or_insert(at);
                assert_eq!(
                    keys.find_first(at, at as usize, hash),
                    (first != at).then_some(first),
                    "{rows} rows, row {at}"
                );
            }
        }
    }
}
