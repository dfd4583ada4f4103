//! Values longer than a store's entry. Windows takes 2,560 bytes; a pair of signed tokens is longer.
//!
//! A long value lies in numbered parts under one of two names, and the head entry says which and how many. The head is
//! written last: whoever reads sees the old value or the new one, never half of each.

use super::{VaultError, store::Store};
use crate::Secret;

/// Bytes per entry: in UTF-16, as Windows keeps it, at most twice as many.
const MAX_ENTRY_BYTES: usize = 1_000;
const MAX_PARTS: usize = 64;
/// Attempts to read a value while other processes replace it.
const MAX_READS: usize = 10;

const WHOLE: char = '=';
const SPLIT: char = '+';

/// Where a long value's parts lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    second: bool,
    parts: usize,
}

impl Layout {
    fn head(self) -> String {
        format!("{SPLIT}{}{}", if self.second { 'b' } else { 'a' }, self.parts)
    }

    fn parse(head: &str) -> Option<Self> {
        let rest = head.strip_prefix(SPLIT)?;
        let (second, number) = match (rest.strip_prefix('a'), rest.strip_prefix('b')) {
            (Some(number), _) => (false, number),
            (_, Some(number)) => (true, number),
            (None, None) => return None,
        };
        let parts = number.parse().ok().filter(|parts| (1..=MAX_PARTS).contains(parts))?;
        Some(Self { second, parts })
    }

    fn entries(self, entry: &str) -> impl Iterator<Item = String> {
        let side = if self.second { 'b' } else { 'a' };
        (1..=self.parts).map(move |number| format!("{entry}/{side}{number}"))
    }
}

/// Returns `None` if the entry is absent or a part of its value is lost.
pub(super) fn get(store: &Store, entry: &str) -> Result<Option<Secret>, VaultError> {
    let mut head = store.get(entry)?;
    for _ in 0..MAX_READS {
        let Some(found) = &head else { return Ok(None) };
        if let Some(whole) = found.reveal().strip_prefix(WHOLE) {
            return Ok(Some(Secret::new(whole)));
        }
        let Some(layout) = Layout::parse(found.reveal()) else { return Ok(None) };
        if let Some(whole) = get_parts(store, entry, layout)? {
            return Ok(Some(whole));
        }
        // Another process may have replaced the value since its head was read.
        let now = store.get(entry)?;
        if now == head {
            return Ok(None);
        }
        head = now;
    }
    Err(VaultError::TimedOut)
}

fn get_parts(store: &Store, entry: &str, layout: Layout) -> Result<Option<Secret>, VaultError> {
    let mut text = String::new();
    for part in layout.entries(entry) {
        let Some(part) = store.get(&part)? else { return Ok(None) };
        text.push_str(part.reveal());
    }
    Ok(Some(Secret::new(text)))
}

pub(super) fn put(store: &Store, entry: &str, secret: &Secret) -> Result<(), VaultError> {
    let before = store.get(entry)?.and_then(|head| Layout::parse(head.reveal()));
    let text = secret.reveal();
    if text.len() < MAX_ENTRY_BYTES {
        store.put(entry, &Secret::new(format!("{WHOLE}{text}")))?;
    } else {
        let parts = parts(text);
        if parts.len() > MAX_PARTS {
            return Err(VaultError::Store("the value is too long".to_owned()));
        }
        let layout = Layout { second: before.is_some_and(|before| !before.second), parts: parts.len() };
        for (name, part) in layout.entries(entry).zip(parts) {
            store.put(&name, &Secret::new(part))?;
        }
        store.put(entry, &Secret::new(layout.head()))?;
    }
    before.map_or(Ok(()), |before| remove_parts(store, entry, before))
}

pub(super) fn remove(store: &Store, entry: &str) -> Result<(), VaultError> {
    let layout = store.get(entry)?.and_then(|head| Layout::parse(head.reveal()));
    store.remove(entry)?;
    layout.map_or(Ok(()), |layout| remove_parts(store, entry, layout))
}

fn remove_parts(store: &Store, entry: &str, layout: Layout) -> Result<(), VaultError> {
    layout.entries(entry).try_for_each(|name| store.remove(&name))
}

fn parts(text: &str) -> Vec<&str> {
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
        let parts = parts(&text);
        assert!(parts.len() > 5);
        assert!(parts.iter().all(|part| part.len() <= MAX_ENTRY_BYTES && !part.is_empty()));
        assert_eq!(parts.concat(), text);
    }

    #[test]
    fn heads_are_read_back() {
        let layout = Layout { second: true, parts: 3 };
        assert_eq!(Layout::parse(&layout.head()), Some(layout));
        for wrong in ["", "+", "+c3", "+a0", "+a65", "+a-1", "=value"] {
            assert_eq!(Layout::parse(wrong), None, "{wrong}");
        }
    }
}
