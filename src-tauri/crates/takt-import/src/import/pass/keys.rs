//! The rows' business keys: which row had the same key before. A hash finds it, and the key itself decides.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    panic::resume_unwind,
    thread,
};
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
    /// A bit for each row whose key may be there twice: no other has to be found again.
    repeated: Vec<u64>,
    /// Open addressing: the position of a key's first row, or [`FREE`].
    table: Vec<u32>,
}

/// Rows whose key may be there twice.
struct RepeatedRows {
    /// A bit for each row.
    words: Vec<u64>,
    count: usize,
}

/// Which hashes were there more than once, and perhaps a few that weren't.
#[derive(Debug)]
struct SeenHashes {
    /// Two bits for each place: whether a hash was there, and whether there was a second one.
    places: Vec<u64>,
    /// What a hash is shifted by to find its place.
    shift: u32,
}

const FREE: u32 = u32::MAX;
const ROWS_PER_WORD: usize = 64;
const PLACES_PER_WORD: usize = 32;
/// With so many, few hashes come to the place of another one by chance.
const PLACES_PER_ROW: usize = 16;
/// With fewer rows for each slice of the hashes, another one isn't worth its thread.
const MIN_ROWS: usize = 50_000;
const MAX_SLICES: usize = 8;

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

    /// The key of one of the rows.
    pub(super) fn get(&self, at: usize) -> &str {
        let end = |at: usize| self.ends.get(at).map_or(0, |&end| end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.text.get(start..end(at)).unwrap_or_default()
    }
}

impl Keys {
    /// Of so many rows with these keys, each with the position of its first row.
    pub(super) fn new<'k>(rows: usize, keys: impl Iterator<Item = (u32, &'k KeyTexts)> + Clone + Send) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let slices = cores.min(rows / MIN_ROWS).clamp(1, MAX_SLICES);
        Self::of_slices(rows, keys, slices)
    }

    /// The same, with as many slices of the hashes looked at on a thread each.
    fn of_slices<'k>(
        rows: usize,
        keys: impl Iterator<Item = (u32, &'k KeyTexts)> + Clone + Send,
        slices: usize,
    ) -> Self {
        let hashes = keys.flat_map(|(first, keys)| (first as usize..).zip(keys.hashes.iter().copied()));
        let of_slice = |slice: usize| {
            let is_in = move |hash: u64| hash != NO_KEY && hash != SKIPPED && hash % slices as u64 == slice as u64;
            let hashes = hashes.clone().filter(move |&(_, hash)| is_in(hash));
            move || RepeatedRows::of((rows, rows.div_ceil(slices)), hashes)
        };
        let RepeatedRows { words: repeated, count } = thread::scope(|scope| {
            let others: Vec<_> = (1..slices).map(|slice| scope.spawn(of_slice(slice))).collect();
            let own = of_slice(0)();
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(|cause| resume_unwind(cause)));
            others.fold(own, RepeatedRows::with)
        });
        let table = vec![FREE; (count * 2).next_power_of_two()];
        Self { texts: Vec::new(), hashes: vec![NO_KEY; rows], repeated, table }
    }

    fn is_repeated(&self, position: u32) -> bool {
        let position = position as usize;
        self.repeated.get(position / ROWS_PER_WORD).is_some_and(|word| word >> (position % ROWS_PER_WORD) & 1 == 1)
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
        if !self.is_repeated(position) {
            return None;
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

impl RepeatedRows {
    /// Of so many rows, about so many of which have one of these hashes, each with its row's position.
    fn of((rows, hashed): (usize, usize), hashes: impl Iterator<Item = (usize, u64)> + Clone) -> Self {
        let mut seen = SeenHashes::new(hashed);
        hashes.clone().for_each(|(_, hash)| seen.see(hash));
        let (mut words, mut count) = (vec![0; rows.div_ceil(ROWS_PER_WORD)], 0);
        hashes.for_each(|(position, hash)| {
            let is_repeated = seen.may_be_repeated(hash);
            if let Some(word) = words.get_mut(position / ROWS_PER_WORD) {
                *word |= u64::from(is_repeated) << (position % ROWS_PER_WORD);
            }
            count += usize::from(is_repeated);
        });
        Self { words, count }
    }

    /// Together with other rows.
    fn with(mut self, other: Self) -> Self {
        self.words.iter_mut().zip(other.words).for_each(|(word, other)| *word |= other);
        Self { count: self.count + other.count, ..self }
    }
}

impl SeenHashes {
    fn new(rows: usize) -> Self {
        let bits = (rows * PLACES_PER_ROW).next_power_of_two().max(PLACES_PER_WORD).trailing_zeros();
        Self { places: vec![0; (1 << bits) / PLACES_PER_WORD], shift: u64::BITS - bits }
    }

    fn see(&mut self, hash: u64) {
        let (word, bit) = self.place(hash);
        if let Some(seen) = self.places.get_mut(word) {
            *seen |= bit | (*seen & bit) << 1;
        }
    }

    fn may_be_repeated(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.places.get(word).is_some_and(|seen| seen & bit << 1 != 0)
    }

    /// The word of a hash's place, and the first of its bits there.
    #[expect(clippy::cast_possible_truncation, reason = "only the upper bits choose the place")]
    fn place(&self, hash: u64) -> (usize, u64) {
        let place = (hash >> self.shift) as usize;
        (place / PLACES_PER_WORD, 1 << (place % PLACES_PER_WORD * 2))
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
        let text =
            |text: &str, hashes: [u64; 2]| KeyTexts { text: text.to_owned(), ends: vec![1, 2], hashes: hashes.into() };
        let both = || [text("ab", [8, 8]), text("bc", [8, 16])];
        let mut keys = Keys::new(4, (0..).step_by(2).zip(&both()));
        let [first, second] = both();
        keys.take(0, first);
        assert_eq!((keys.earlier(0, 0, 8), keys.earlier(1, 1, 8)), (None, None));
        keys.take(2, second);
        assert_eq!((keys.earlier(2, 0, 8), keys.earlier(3, 1, 16)), (Some(1), None));
        assert_eq!(keys.into_hashes(), [8, 8, 8, 16]);
    }

    /// Against a map of all keys, with few and many rows of one key, with rows that have none or are skipped.
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
                    0 => texts.skip(),
                    1 => texts.push(&[], &[]),
                    _ => {
                        let key = ReadValue::Text(next(different).to_string().into());
                        texts.push(&[(0, true)], &[Some(key)]);
                    }
                }
            }
            let hashes = texts.hashes.clone();
            let keyed: Vec<Option<String>> = (0..)
                .zip(&hashes)
                .map(|(at, hash)| (![NO_KEY, SKIPPED].contains(hash)).then(|| texts.get(at).to_owned()))
                .collect();
            let mut keys = Keys::of_slices(hashes.len(), std::iter::once((0, &texts)), slices);
            keys.take(0, texts);
            let mut firsts = std::collections::HashMap::new();
            for ((at, hash), key) in (0_u32..).zip(hashes).zip(keyed) {
                let Some(key) = key else { continue };
                let first = *firsts.entry(key).or_insert(at);
                assert_eq!(
                    keys.earlier(at, at as usize, hash),
                    (first != at).then_some(first),
                    "{rows} rows, row {at}"
                );
            }
        }
    }
}
