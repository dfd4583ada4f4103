//! Items by what names them: a few bytes for each, since there may be a million.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, Hasher, RandomState},
    mem,
};

use serde_json::Value;

use super::{ReadBack, ReadBackItems, text};

/// Which items a row can mean, and which of them one question asks for.
#[derive(Debug)]
pub(super) struct ItemIndex {
    state: RandomState,
    /// By the hash of the whole key, ascending. Different keys may share one: whoever finds an item looks at it.
    by_key: Vec<(u64, u32)>,
    /// Items that mean every row, by the first part of their key.
    several: HashMap<String, Vec<u32>>,
    groups: Groups,
    /// What is there to ask for each item with, by its place.
    named: Vec<bool>,
}

impl ItemIndex {
    /// `is_asked`: an item has to have what its question asks with, too, to be named.
    pub(super) fn new(back: &ReadBack, items: &dyn ReadBackItems, is_asked: bool) -> Self {
        let (key, asks) = (&back.declaration.key, &back.declaration.asks);
        let state = RandomState::new();
        let mut index = Self {
            state,
            by_key: Vec::new(),
            several: HashMap::new(),
            groups: Groups::default(),
            named: vec![false; items.count()],
        };
        let mut asked: Vec<(u64, u32)> = Vec::new();
        for (place, number) in (0..items.count()).zip(0_u32..) {
            items.with(place, &mut |body| {
                let first = key.first().map(|tie| own(body, &tie.own)).unwrap_or_default();
                let asks: Vec<String> = asks.iter().map(|asks| own(body, &asks.own)).collect();
                let has_all = !asks.iter().any(String::is_empty);
                if let Some(named) = index.named.get_mut(place) {
                    *named = !first.is_empty() && (has_all || !is_asked);
                }
                if has_all && !asks.is_empty() {
                    asked.push((index.state.hash_one(&asks), number));
                }
                if back.is_about_every(body) {
                    index.several.entry(first).or_default().push(number);
                } else if !key.is_empty() {
                    let hash = index.hash(key.iter().map(|tie| own(body, &tie.own)));
                    index.by_key.push((hash, number));
                }
            });
        }
        index.by_key.sort_unstable();
        index.groups = Groups::of(asked);
        index
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
        self.several.get(&first).into_iter().flatten().map(|&place| place as usize).collect()
    }

    /// The items that mean every row.
    pub(super) fn every(&self) -> impl Iterator<Item = usize> + '_ {
        self.several.values().flatten().map(|&place| place as usize)
    }

    pub(super) fn take_groups(&mut self) -> Groups {
        mem::take(&mut self.groups)
    }

    pub(super) fn is_named(&self, place: usize) -> bool {
        self.named.get(place) == Some(&true)
    }

    fn hash(&self, parts: impl Iterator<Item = String>) -> u64 {
        let mut hasher = self.state.build_hasher();
        parts.for_each(|part| part.hash(&mut hasher));
        hasher.finish()
    }
}

/// Items that are asked for together, in the order of the first of each; those of a group ascend.
#[derive(Debug, Default)]
pub(super) struct Groups {
    places: Vec<u32>,
    /// Where each group begins.
    starts: Vec<usize>,
}

impl Groups {
    fn of(mut asked: Vec<(u64, u32)>) -> Self {
        asked.sort_unstable();
        let mut runs: Vec<&[(u64, u32)]> = asked.chunk_by(|(one, _), (other, _)| one == other).collect();
        runs.sort_unstable_by_key(|run| run.first().map(|(_, place)| *place));
        let mut groups = Self::default();
        groups.places.reserve_exact(asked.len());
        for run in runs {
            groups.starts.push(groups.places.len());
            groups.places.extend(run.iter().map(|(_, place)| *place));
        }
        groups
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let ends = self.starts.iter().skip(1).copied().chain([self.places.len()]);
        self.starts.iter().zip(ends).filter_map(|(&from, to)| self.places.get(from..to))
    }
}

pub(super) fn own(body: &Value, name: &str) -> String {
    body.get(name).map(text).unwrap_or_default()
}
