//! The items to read back, indexed by their keys in a few bytes per item, because there may be a million.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::mem;

use serde_json::Value;

use crate::read_back::definition::ReadBack;
use crate::read_back::scalar::member_text;

/// Yields to other tasks after this many items.
const ITEMS_PER_YIELD: usize = 2_000;

/// An item to read back.
#[derive(Debug, Clone, Copy)]
pub struct ReadBackItem<'a> {
    /// The body as it was or would be sent.
    pub body: &'a Value,
}

/// Items to read back, by index. They needn't all be in memory.
pub trait ReadBackItems: Sync {
    fn count(&self) -> usize;

    /// Calls `on_body` with the body of the item at `position`, if there is one. Mostly called in ascending order.
    fn with_body(&self, position: usize, on_body: &mut dyn FnMut(&Value));
}

impl ReadBackItems for &[ReadBackItem<'_>] {
    fn count(&self) -> usize {
        self.len()
    }

    fn with_body(&self, position: usize, on_body: &mut dyn FnMut(&Value)) {
        if let Some(item) = self.get(position) {
            on_body(item.body);
        }
    }
}

/// An index of the items that a row can be, and of the items that share a read.
#[derive(Debug)]
pub struct ItemIndex {
    state: RandomState,
    /// Pairs of a short key hash and the item's position, sorted by hash. Different keys can have the same hash, so
    /// callers must compare the keys.
    by_key: Vec<(u32, u32)>,
    /// Items that match every row with the first part of their key.
    multi_row_items: HashMap<String, Vec<u32>>,
    groups: Groups,
    /// True if the item has the values that its read needs, by the item's position.
    has_key: Vec<bool>,
    /// The names of all members of the items.
    member_names: HashSet<String>,
}

/// Builds an index from items that are added in order.
#[derive(Debug)]
pub struct ItemIndexBuilder<'a> {
    read_back: &'a ReadBack,
    index: ItemIndex,
    /// Positions by a hash of the values that narrow the item's read.
    reads: Vec<(u64, u32)>,
}

impl<'a> ItemIndexBuilder<'a> {
    pub(super) fn new(read_back: &'a ReadBack, items: usize) -> Self {
        let index = ItemIndex {
            state: RandomState::new(),
            by_key: Vec::with_capacity(items),
            multi_row_items: HashMap::new(),
            groups: Groups::default(),
            has_key: Vec::with_capacity(items),
            member_names: HashSet::new(),
        };
        let reads = Vec::with_capacity(if read_back.declaration.asks.is_empty() { 0 } else { items });
        Self { read_back, index, reads }
    }

    /// Adds the next item, as it would be sent.
    pub fn add(&mut self, body: &Value) {
        let Self { read_back, index, reads } = self;
        let (key, asks) = (&read_back.declaration.key, &read_back.declaration.asks);
        let position = u32::try_from(index.has_key.len()).unwrap_or(u32::MAX);
        index.add_member_names(body);
        let has_first = key.first().is_some_and(|pair| !member_text(body, &pair.own).is_empty());
        let asks: Vec<Cow<'_, str>> = asks.iter().map(|asks| member_text(body, &asks.own)).collect();
        let has_all = !asks.iter().any(|value| value.is_empty());
        // If the whole list can't be read, the item also needs the values that narrow its read.
        index.has_key.push(has_first && (has_all || !read_back.requires_parameters()));
        if has_all && !asks.is_empty() {
            reads.push((index.state.hash_one(&asks), position));
        }
        if read_back.matches_every_row(body) {
            let first = key.first().map(|pair| member_text(body, &pair.own)).unwrap_or_default();
            index.multi_row_items.entry(first.into_owned()).or_default().push(position);
        } else if !key.is_empty() {
            let hash = index.hash_key(key.iter().map(|pair| member_text(body, &pair.own)));
            index.by_key.push((hash, position));
        }
    }

    #[must_use]
    pub fn finish(self) -> ItemIndex {
        let Self { mut index, reads, .. } = self;
        index.by_key.sort_unstable();
        index.groups = Groups::from_reads(reads);
        index
    }
}

impl ItemIndex {
    pub(super) async fn build(read_back: &ReadBack, items: &dyn ReadBackItems) -> Self {
        let mut index = ItemIndexBuilder::new(read_back, items.count());
        for position in 0..items.count() {
            if position % ITEMS_PER_YIELD == 0 {
                tokio::task::yield_now().await;
            }
            let mut is_available = false;
            items.with_body(position, &mut |body| {
                index.add(body);
                is_available = true;
            });
            // An item that is no longer available keeps its position.
            if !is_available {
                index.index.has_key.push(false);
            }
        }
        index.finish()
    }

    /// Returns the items whose key has the same hash as the row's.
    pub(super) fn items_of_row(&self, read_back: &ReadBack, row: &Value) -> impl Iterator<Item = usize> + '_ {
        let hash = self.hash_key(read_back.declaration.key.iter().map(|pair| member_text(row, &pair.theirs)));
        let from = self.by_key.partition_point(|(known, _)| *known < hash);
        let same = self.by_key.get(from..).unwrap_or_default().iter().take_while(move |(known, _)| *known == hash);
        same.map(|(_, position)| *position as usize)
    }

    /// Returns the items that match every row with the first part of this row's key.
    pub(super) fn multi_row_items_of_row(&self, read_back: &ReadBack, row: &Value) -> Vec<usize> {
        if self.multi_row_items.is_empty() {
            return Vec::new();
        }
        let first = read_back.declaration.key.first().map(|pair| member_text(row, &pair.theirs)).unwrap_or_default();
        self.multi_row_items.get(first.as_ref()).into_iter().flatten().map(|&position| position as usize).collect()
    }

    /// Returns the items that match several rows.
    pub(super) fn all_multi_row_items(&self) -> impl Iterator<Item = usize> + '_ {
        self.multi_row_items.values().flatten().map(|&position| position as usize)
    }

    fn add_member_names(&mut self, body: &Value) {
        for name in body.as_object().into_iter().flatten().map(|(name, _)| name) {
            if !self.member_names.contains(name) {
                self.member_names.insert(name.clone());
            }
        }
    }

    /// Returns true if at least one item has the member.
    pub(super) fn has_member(&self, name: &str) -> bool {
        self.member_names.contains(name)
    }

    /// Returns the most items that one row can be, without items that match several rows.
    pub(super) fn max_items_per_row(&self) -> usize {
        self.by_key.chunk_by(|(one, _), (other, _)| one == other).map(<[_]>::len).max().unwrap_or_default()
    }

    pub(super) fn take_groups(&mut self) -> Groups {
        mem::take(&mut self.groups)
    }

    pub(super) fn has_key(&self, position: usize) -> bool {
        self.has_key.get(position) == Some(&true)
    }

    fn hash_key<'a>(&self, parts: impl Iterator<Item = Cow<'a, str>>) -> u32 {
        let mut hasher = self.state.build_hasher();
        parts.for_each(|part| part.hash(&mut hasher));
        (hasher.finish() >> u32::BITS) as u32
    }
}

/// Items that share a read, ordered by their first items. Positions in a group ascend.
#[derive(Debug, Default)]
pub(super) struct Groups {
    positions: Vec<u32>,
    /// The start of each group in `positions`.
    starts: Vec<u32>,
}

impl Groups {
    fn from_reads(mut reads: Vec<(u64, u32)>) -> Self {
        reads.sort_unstable();
        // Replace the hash by the position of the group's first item.
        for group in reads.chunk_by_mut(|(one, _), (other, _)| one == other) {
            let first = group.first().map_or(0, |(_, position)| u64::from(*position));
            group.iter_mut().for_each(|(order, _)| *order = first);
        }
        reads.sort_unstable();
        let positions = reads.iter().map(|(_, position)| *position).collect();
        let begins = |(order, position): &(u64, u32)| *order == u64::from(*position);
        let starts = (0..).zip(&reads).filter(|(_, item)| begins(item)).map(|(start, _)| start).collect();
        Self { positions, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let ends = self.starts.iter().skip(1).map(|&end| end as usize).chain([self.positions.len()]);
        self.starts.iter().zip(ends).filter_map(|(&from, to)| self.positions.get(from as usize..to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stand_in_the_order_of_their_first_items() {
        let groups = Groups::from_reads(vec![(7, 0), (9, 1), (7, 2), (1, 3), (9, 4), (7, 5)]);
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[0, 2, 5][..], &[1, 4], &[3]]);
        assert_eq!((groups.len(), groups.is_empty()), (3, false));
        assert!(Groups::from_reads(Vec::new()).iter().next().is_none());
    }
}
