//! Items by what names them: a few bytes for each, since there may be a million.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    hash::{BuildHasher, Hash, Hasher, RandomState},
    mem,
};

use serde_json::Value;

use super::{ReadBack, ReadBackItems, text};

/// After so many items others have a turn.
const MAX_AT_ONCE: usize = 2_000;

/// Which items a row can mean, and which of them one question asks for.
#[derive(Debug)]
pub struct ItemIndex {
    state: RandomState,
    /// By a short hash of the whole key, ascending. Different keys may share one: whoever finds an item looks at it.
    by_key: Vec<(u32, u32)>,
    /// Items that mean every row, by the first part of their key.
    several: HashMap<String, Vec<u32>>,
    groups: Groups,
    /// What is there to ask for each item with, by its place.
    named: Vec<bool>,
    /// The members that items have, each once.
    sent: HashSet<String>,
}

/// An index of items that are shown one after the other, in their order.
#[derive(Debug)]
pub struct ItemIndexBuilder<'a> {
    back: &'a ReadBack,
    index: ItemIndex,
    /// By a hash of what each item is asked with.
    asked: Vec<(u64, u32)>,
}

impl<'a> ItemIndexBuilder<'a> {
    pub(super) fn new(back: &'a ReadBack, items: usize) -> Self {
        let index = ItemIndex {
            state: RandomState::new(),
            by_key: Vec::with_capacity(items),
            several: HashMap::new(),
            groups: Groups::default(),
            named: Vec::with_capacity(items),
            sent: HashSet::new(),
        };
        let asked = Vec::with_capacity(if back.declaration.asks.is_empty() { 0 } else { items });
        Self { back, index, asked }
    }

    /// The next item, as it would be sent.
    pub fn add(&mut self, body: &Value) {
        let Self { back, index, asked } = self;
        let (key, asks) = (&back.declaration.key, &back.declaration.asks);
        let place = u32::try_from(index.named.len()).unwrap_or(u32::MAX);
        index.note_members(body);
        let has_first = key.first().is_some_and(|tie| !own(body, &tie.own).is_empty());
        let asks: Vec<Cow<'_, str>> = asks.iter().map(|asks| own(body, &asks.own)).collect();
        let has_all = !asks.iter().any(|value| value.is_empty());
        // An item has to have what its question asks with, too, where there is no whole list.
        index.named.push(has_first && (has_all || !back.always_asks()));
        if has_all && !asks.is_empty() {
            asked.push((index.state.hash_one(&asks), place));
        }
        if back.is_about_every(body) {
            let first = key.first().map(|tie| own(body, &tie.own)).unwrap_or_default();
            index.several.entry(first.into_owned()).or_default().push(place);
        } else if !key.is_empty() {
            let hash = index.hash(key.iter().map(|tie| own(body, &tie.own)));
            index.by_key.push((hash, place));
        }
    }

    #[must_use]
    pub fn finish(self) -> ItemIndex {
        let Self { mut index, asked, .. } = self;
        index.by_key.sort_unstable();
        index.groups = Groups::of(asked);
        index
    }
}

impl ItemIndex {
    pub(super) async fn of(back: &ReadBack, items: &dyn ReadBackItems) -> Self {
        let mut index = ItemIndexBuilder::new(back, items.count());
        for place in 0..items.count() {
            if place % MAX_AT_ONCE == 0 {
                tokio::task::yield_now().await;
            }
            let mut is_shown = false;
            items.with(place, &mut |body| {
                index.add(body);
                is_shown = true;
            });
            // One that isn't there any more keeps its place.
            if !is_shown {
                index.index.named.push(false);
            }
        }
        index.finish()
    }

    /// The items whose key the row seems to have.
    pub(super) fn of_key(&self, back: &ReadBack, row: &Value) -> impl Iterator<Item = usize> + '_ {
        let hash = self.hash(back.declaration.key.iter().map(|tie| own(row, &tie.theirs)));
        let from = self.by_key.partition_point(|(known, _)| *known < hash);
        let same = self.by_key.get(from..).unwrap_or_default().iter().take_while(move |(known, _)| *known == hash);
        same.map(|(_, place)| *place as usize)
    }

    /// Items that mean every row with the first part of its key.
    pub(super) fn of_every(&self, back: &ReadBack, row: &Value) -> Vec<usize> {
        if self.several.is_empty() {
            return Vec::new();
        }
        let first = back.declaration.key.first().map(|tie| own(row, &tie.theirs)).unwrap_or_default();
        self.several.get(first.as_ref()).into_iter().flatten().map(|&place| place as usize).collect()
    }

    /// The items that mean every row.
    pub(super) fn every(&self) -> impl Iterator<Item = usize> + '_ {
        self.several.values().flatten().map(|&place| place as usize)
    }

    fn note_members(&mut self, body: &Value) {
        for name in body.as_object().into_iter().flatten().map(|(name, _)| name) {
            if !self.sent.contains(name) {
                self.sent.insert(name.clone());
            }
        }
    }

    /// True for a member that at least one item has.
    pub(super) fn has_member(&self, name: &str) -> bool {
        self.sent.contains(name)
    }

    /// The most items that one row can tell of, those that mean every row aside.
    pub(super) fn most_of_a_row(&self) -> usize {
        self.by_key.chunk_by(|(one, _), (other, _)| one == other).map(<[_]>::len).max().unwrap_or_default()
    }

    pub(super) fn take_groups(&mut self) -> Groups {
        mem::take(&mut self.groups)
    }

    pub(super) fn is_named(&self, place: usize) -> bool {
        self.named.get(place) == Some(&true)
    }

    fn hash<'a>(&self, parts: impl Iterator<Item = Cow<'a, str>>) -> u32 {
        let mut hasher = self.state.build_hasher();
        parts.for_each(|part| part.hash(&mut hasher));
        (hasher.finish() >> u32::BITS) as u32
    }
}

/// Items that are asked for together, in the order of the first of each; those of a group ascend.
#[derive(Debug, Default)]
pub(super) struct Groups {
    places: Vec<u32>,
    /// Where each group begins.
    starts: Vec<u32>,
}

impl Groups {
    fn of(mut asked: Vec<(u64, u32)>) -> Self {
        asked.sort_unstable();
        // In the place of its hash each group gets its first item's place.
        for group in asked.chunk_by_mut(|(one, _), (other, _)| one == other) {
            let first = group.first().map_or(0, |(_, place)| u64::from(*place));
            group.iter_mut().for_each(|(order, _)| *order = first);
        }
        asked.sort_unstable();
        let places = asked.iter().map(|(_, place)| *place).collect();
        let begins = |(order, place): &(u64, u32)| *order == u64::from(*place);
        let starts = (0..).zip(&asked).filter(|(_, item)| begins(item)).map(|(start, _)| start).collect();
        Self { places, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let ends = self.starts.iter().skip(1).map(|&end| end as usize).chain([self.places.len()]);
        self.starts.iter().zip(ends).filter_map(|(&from, to)| self.places.get(from as usize..to))
    }
}

pub(super) fn own<'a>(body: &'a Value, name: &str) -> Cow<'a, str> {
    match body.get(name) {
        Some(Value::String(text)) => Cow::Borrowed(text),
        other => Cow::Owned(other.map(text).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stand_in_the_order_of_their_first_items() {
        let groups = Groups::of(vec![(7, 0), (9, 1), (7, 2), (1, 3), (9, 4), (7, 5)]);
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[0, 2, 5][..], &[1, 4], &[3]]);
        assert_eq!((groups.len(), groups.is_empty()), (3, false));
        assert!(Groups::of(Vec::new()).iter().next().is_none());
    }
}
