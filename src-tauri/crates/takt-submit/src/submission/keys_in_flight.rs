//! The keys of what is in flight: two items of one key never overtake each other.
//!
//! Only hashes are kept: no text is copied for it, and two keys of one hash merely wait for each other.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
};

use takt_journal::item::StoredItem;

/// The hashes of the keys of one request.
pub(super) struct KeyHashes(Vec<u64>);

#[derive(Debug, Default)]
pub(super) struct KeysInFlight {
    hashing: RandomState,
    held: HashSet<u64>,
}

impl KeysInFlight {
    /// What has no key waits for nothing.
    pub(super) fn hashes_of(&self, items: &[StoredItem]) -> KeyHashes {
        let keys = items.iter().map(|item| item.key.as_str()).filter(|key| !key.is_empty());
        KeyHashes(keys.map(|key| self.hashing.hash_one(key)).collect())
    }

    pub(super) fn hold_any(&self, hashes: &KeyHashes) -> bool {
        hashes.0.iter().any(|hash| self.held.contains(hash))
    }

    /// Of a request that goes out, which holds none that is on its way.
    pub(super) fn add(&mut self, hashes: &KeyHashes) {
        self.held.extend(&hashes.0);
    }

    /// Of a request that is back.
    pub(super) fn remove(&mut self, hashes: &KeyHashes) {
        for hash in &hashes.0 {
            self.held.remove(hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_held_until_its_request_is_back_and_no_key_never() {
        let items = |keys: &[&str]| -> Vec<StoredItem> {
            let item =
                |key: &&str| StoredItem { number: 1, key: (*key).to_owned(), body: String::new(), unknown_attempts: 0 };
            keys.iter().map(item).collect()
        };
        let mut keys = KeysInFlight::default();
        let first = keys.hashes_of(&items(&["A", "B", "A", ""]));
        assert!(!keys.hold_any(&first));
        keys.add(&first);
        assert!(keys.hold_any(&keys.hashes_of(&items(&["C", "B"]))));
        assert!(!keys.hold_any(&keys.hashes_of(&items(&["C", "", "a"]))));
        keys.remove(&first);
        assert!(!keys.hold_any(&keys.hashes_of(&items(&["A", "B"]))));
    }
}
