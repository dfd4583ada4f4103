//! The keys of requests in flight, so that two items with the same key never overtake each other.
//!
//! Only hashes are stored. Two keys with the same hash wait for each other needlessly, but that is harmless.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
};

use takt_journal::item::StoredItem;

/// The hashes of a request's keys.
pub(super) struct KeyHashes(Vec<u64>);

#[derive(Debug, Default)]
pub(super) struct KeysInFlight {
    hasher: RandomState,
    hashes: HashSet<u64>,
}

impl KeysInFlight {
    /// Hashes the keys of items. Items without a key never wait.
    pub(super) fn hash_keys(&self, items: &[StoredItem]) -> KeyHashes {
        let keys = items.iter().map(|item| item.key.as_str()).filter(|key| !key.is_empty());
        KeyHashes(keys.map(|key| self.hasher.hash_one(key)).collect())
    }

    pub(super) fn contains_any(&self, hashes: &KeyHashes) -> bool {
        hashes.0.iter().any(|hash| self.hashes.contains(hash))
    }

    /// Adds the keys of a request that is sent. None of them may be in flight already.
    pub(super) fn add(&mut self, hashes: &KeyHashes) {
        self.hashes.extend(&hashes.0);
    }

    /// Removes the keys of a finished request.
    pub(super) fn remove(&mut self, hashes: &KeyHashes) {
        for hash in &hashes.0 {
            self.hashes.remove(hash);
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
        let first = keys.hash_keys(&items(&["A", "B", "A", ""]));
        assert!(!keys.contains_any(&first));
        keys.add(&first);
        assert!(keys.contains_any(&keys.hash_keys(&items(&["C", "B"]))));
        assert!(!keys.contains_any(&keys.hash_keys(&items(&["C", "", "a"]))));
        keys.remove(&first);
        assert!(!keys.contains_any(&keys.hash_keys(&items(&["A", "B"]))));
    }
}
