//! Stores values that are longer than an entry. Windows allows 2,560 bytes, and a pair of signed tokens is longer.
//!
//! A long value is split into numbered parts under one of two names. The head entry contains the name and the number
//! of parts. It is written last, so that readers never see a mixture of the old and the new value.

use super::store::Store;
use crate::{Secret, VaultError};

/// In bytes of UTF-8. Windows stores UTF-16, which needs at most twice as many.
const MAX_ENTRY_BYTES: usize = 1_000;
const MAX_PARTS: usize = 64;
/// The maximum number of attempts to read a value while other processes replace it.
const MAX_READS: usize = 10;

const WHOLE_VALUE_PREFIX: char = '=';
const SPLIT_VALUE_PREFIX: char = '+';

/// The name and the number of the parts of a long value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PartLayout {
    is_second: bool,
    parts: usize,
}

impl PartLayout {
    fn head(self) -> String {
        format!("{SPLIT_VALUE_PREFIX}{}{}", if self.is_second { 'b' } else { 'a' }, self.parts)
    }

    fn parse(head: &str) -> Option<Self> {
        let rest = head.strip_prefix(SPLIT_VALUE_PREFIX)?;
        let (is_second, number) = match (rest.strip_prefix('a'), rest.strip_prefix('b')) {
            (Some(number), _) => (false, number),
            (_, Some(number)) => (true, number),
            (None, None) => return None,
        };
        let parts = number.parse().ok().filter(|parts| (1..=MAX_PARTS).contains(parts))?;
        Some(Self { is_second, parts })
    }

    fn entries(self, entry: &str) -> impl Iterator<Item = String> {
        let side = if self.is_second { 'b' } else { 'a' };
        (1..=self.parts).map(move |number| format!("{entry}/{side}{number}"))
    }
}

/// Returns None if the entry is missing, or if a part of its value is missing.
pub(super) fn get(store: &Store, entry: &str) -> Result<Option<Secret>, VaultError> {
    let mut head = store.get(entry)?;
    for _ in 0..MAX_READS {
        let Some(found) = &head else { return Ok(None) };
        if let Some(value) = found.reveal().strip_prefix(WHOLE_VALUE_PREFIX) {
            return Ok(Some(Secret::new(value)));
        }
        let Some(layout) = PartLayout::parse(found.reveal()) else { return Ok(None) };
        if let Some(value) = get_parts(store, entry, layout)? {
            return Ok(Some(value));
        }
        // Retry if another process replaced the value after its head was read.
        let now = store.get(entry)?;
        if now == head {
            return Ok(None);
        }
        head = now;
    }
    Err(VaultError::TimedOut)
}

fn get_parts(store: &Store, entry: &str, layout: PartLayout) -> Result<Option<Secret>, VaultError> {
    let mut text = String::new();
    for part in layout.entries(entry) {
        let Some(part) = store.get(&part)? else { return Ok(None) };
        text.push_str(part.reveal());
    }
    Ok(Some(Secret::new(text)))
}

pub(super) fn put(store: &Store, entry: &str, secret: &Secret) -> Result<(), VaultError> {
    let before = store.get(entry)?.and_then(|head| PartLayout::parse(head.reveal()));
    let text = secret.reveal();
    if text.len() < MAX_ENTRY_BYTES {
        store.put(entry, &Secret::new(format!("{WHOLE_VALUE_PREFIX}{text}")))?;
    } else {
        let parts = split_parts(text);
        if parts.len() > MAX_PARTS {
            return Err(VaultError::Store("the value is too long".to_owned()));
        }
        let layout = PartLayout { is_second: before.is_some_and(|before| !before.is_second), parts: parts.len() };
        for (name, part) in layout.entries(entry).zip(parts) {
            store.put(&name, &Secret::new(part))?;
        }
        store.put(entry, &Secret::new(layout.head()))?;
    }
    before.map_or(Ok(()), |before| remove_parts(store, entry, before))
}

pub(super) fn remove(store: &Store, entry: &str) -> Result<(), VaultError> {
    let layout = store.get(entry)?.and_then(|head| PartLayout::parse(head.reveal()));
    store.remove(entry)?;
    layout.map_or(Ok(()), |layout| remove_parts(store, entry, layout))
}

fn remove_parts(store: &Store, entry: &str, layout: PartLayout) -> Result<(), VaultError> {
    layout.entries(entry).try_for_each(|name| store.remove(&name))
}

fn split_parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = rest.split_at(rest.floor_char_boundary(MAX_ENTRY_BYTES));
        parts.push(part);
        rest = after;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        let text = "aä€😀".repeat(700);
        let parts = split_parts(&text);
        assert!(parts.len() > 5);
        assert!(parts.iter().all(|part| part.len() <= MAX_ENTRY_BYTES && !part.is_empty()));
        assert_eq!(parts.concat(), text);
    }

    #[test]
    fn heads_are_read_back() {
        let layout = PartLayout { is_second: true, parts: 3 };
        assert_eq!(PartLayout::parse(&layout.head()), Some(layout));
        for wrong in ["", "+", "+c3", "+a0", "+a65", "+a-1", "=value"] {
            assert_eq!(PartLayout::parse(wrong), None, "{wrong}");
        }
    }
}
