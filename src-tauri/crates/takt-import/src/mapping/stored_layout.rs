//! Remembered mappings with their layouts, and changes of a layout since.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use strsim::normalized_damerau_levenshtein;
use takt_sheet::column_letters;

use super::{
    MappingFile,
    view::{ChangeKind, LayoutChange},
};
use crate::heading::normalize_heading;

/// Minimum share of equal headings, relative to the larger layout, to recognize a layout.
const MIN_OVERLAP: f64 = 0.6;
const MIN_EQUAL_HEADINGS: usize = 2;
/// Minimum likeness of a new heading to a missing heading that it may have replaced.
const MIN_RENAMED_LIKENESS: f64 = 0.6;

/// Decides whether an old column and a new one are the same, given the pairs found so far.
type IsSameColumn<'a> = dyn Fn(usize, usize, &[(usize, usize)]) -> bool + 'a;

/// The stored form of a mapping, with all headings in order, so that layouts can be compared.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredMapping {
    pub(crate) mapping: MappingFile,
    /// Empty in mappings that were stored without headings.
    #[serde(default)]
    pub(crate) headings: Vec<String>,
}

/// A remembered mapping, adapted to the headings of a layout.
#[derive(Debug, Clone)]
pub(crate) struct NearestMapping {
    pub(crate) mapping: MappingFile,
    pub(crate) changes: Vec<LayoutChange>,
    /// True if at most the order of the columns changed.
    pub(crate) exact: bool,
}

/// Returns a hash of the headings' normalized names in any order. Columns without a heading are ignored.
pub(crate) fn headings_fingerprint(headings: &[String]) -> String {
    let mut names: Vec<String> =
        headings.iter().filter(|heading| !heading.is_empty()).map(|heading| normalize_heading(heading)).collect();
    names.sort();
    takt_core::hex::to_hex(&Sha256::digest(names.join("\n")))
}

/// Returns the unique name of each column in a mapping.
pub(crate) fn column_names(headings: &[String]) -> Vec<String> {
    let all: HashSet<&str> = headings.iter().map(String::as_str).collect();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let named = (0_u32..).zip(headings).map(|(column, heading)| {
        if heading.is_empty() {
            return format!("[{}]", column_letters(column));
        }
        let times = seen.entry(heading).or_default();
        loop {
            *times += 1;
            let name = if *times == 1 { heading.clone() } else { format!("{heading} ({times})") };
            // Another column may have exactly the heading `Heading (2)`.
            if *times == 1 || !all.contains(name.as_str()) {
                return name;
            }
        }
    });
    named.collect()
}

impl StoredMapping {
    /// Parses the stored form, with or without headings.
    pub(crate) fn from_body(body: serde_json::Value) -> Option<Self> {
        if let Ok(stored) = serde_json::from_value(body.clone()) {
            return Some(stored);
        }
        Some(Self { mapping: serde_json::from_value(body).ok()?, headings: Vec::new() })
    }
}

/// Adapts the mapping of a layout with the same headings in any order.
pub(crate) fn adapt_stored(stored: StoredMapping, headings: &[String]) -> NearestMapping {
    if stored.headings.is_empty() {
        return NearestMapping { mapping: stored.mapping, changes: Vec::new(), exact: true };
    }
    let now: Vec<String> = headings.iter().map(|heading| normalize_heading(heading)).collect();
    adapt_mapping(stored, headings, &now)
}

/// Returns the mapping of the most similar layout, if one is similar enough. `stored` is newest first.
pub(crate) fn find_nearest_mapping(stored: Vec<StoredMapping>, headings: &[String]) -> Option<NearestMapping> {
    let now: Vec<String> = headings.iter().map(|heading| normalize_heading(heading)).collect();
    let mut best: Option<(f64, StoredMapping)> = None;
    for candidate in stored {
        let before: Vec<String> = candidate.headings.iter().map(|heading| normalize_heading(heading)).collect();
        let share = heading_overlap(&before, &now);
        if share >= MIN_OVERLAP && best.as_ref().is_none_or(|(best_share, _)| share > *best_share) {
            best = Some((share, candidate));
        }
    }
    best.map(|(_, stored)| adapt_mapping(stored, headings, &now))
}

fn heading_overlap(before: &[String], now: &[String]) -> f64 {
    let filled =
        |headings: &[String]| headings.iter().filter(|heading| !heading.is_empty()).cloned().collect::<HashSet<_>>();
    let (before, now) = (filled(before), filled(now));
    let equal = before.intersection(&now).count();
    if equal < MIN_EQUAL_HEADINGS && before != now {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of columns")]
    let share = equal as f64 / before.len().max(now.len()).max(1) as f64;
    share
}

/// Adapts a mapping to the new headings, and lists the differences between the layouts.
fn adapt_mapping(stored: StoredMapping, headings: &[String], now: &[String]) -> NearestMapping {
    let old_names = column_names(&stored.headings);
    let new_names = column_names(headings);
    let pairs = pair_columns(&stored.headings, headings, now);
    // `heading` is the heading in the file. `name` also has a number if the heading is repeated.
    let change = |kind, new: usize, was| {
        let at = |texts: &[String]| texts.get(new).cloned().unwrap_or_default();
        LayoutChange { kind, heading: at(headings), name: at(&new_names), was }
    };
    let mut renamed: HashMap<&str, &str> = HashMap::new();
    let mut changes = Vec::new();
    for &(old, new) in &pairs {
        let (Some(was), Some(is)) = (old_names.get(old), new_names.get(new)) else { continue };
        renamed.insert(was, is);
        let same = stored.headings.get(old).map(|heading| normalize_heading(heading)) == now.get(new).cloned();
        if !same {
            let was = stored.headings.get(old).cloned();
            changes.push(change(ChangeKind::Renamed, new, was));
        }
    }
    for (old, new) in moved_pairs(&pairs) {
        let was = column_letters(u32::try_from(old).unwrap_or(u32::MAX));
        changes.push(change(ChangeKind::Moved, new, Some(was)));
    }
    let unpaired = |count: &[String], taken: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..count.len()).filter(|&at| count.get(at).is_some_and(|heading| !heading.is_empty()) && !taken(at)).collect()
    };
    for new in unpaired(headings, &|at| pairs.iter().any(|&(_, new)| new == at)) {
        changes.push(change(ChangeKind::New, new, None));
    }
    for old in unpaired(&stored.headings, &|at| pairs.iter().any(|&(old, _)| old == at)) {
        let at = |texts: &[String]| texts.get(old).cloned().unwrap_or_default();
        let (heading, name) = (at(&stored.headings), at(&old_names));
        changes.push(LayoutChange { kind: ChangeKind::Gone, heading, name, was: None });
    }
    let exact = changes.iter().all(|change| change.kind == ChangeKind::Moved);
    NearestMapping { mapping: rename_headings(stored.mapping, &renamed), changes, exact }
}

/// Pairs old columns with new ones, by equal heading, then by similar heading, then by the same neighbors.
fn pair_columns(before: &[String], headings: &[String], now: &[String]) -> Vec<(usize, usize)> {
    let old: Vec<String> = before.iter().map(|heading| normalize_heading(heading)).collect();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut join = |alike: &IsSameColumn<'_>| {
        for from in 0..old.len() {
            if before.get(from).is_none_or(String::is_empty) || pairs.iter().any(|&(taken, _)| taken == from) {
                continue;
            }
            let found = (0..now.len()).find(|&to| {
                headings.get(to).is_some_and(|heading| !heading.is_empty())
                    && !pairs.iter().any(|&(_, taken)| taken == to)
                    && alike(from, to, &pairs)
            });
            if let Some(to) = found {
                pairs.push((from, to));
            }
        }
    };
    join(&|from, to, _| before.get(from) == headings.get(to));
    join(&|from, to, _| old.get(from) == now.get(to) && old.get(from).is_some_and(|word| !word.is_empty()));
    join(&|from, to, _| match (old.get(from), now.get(to)) {
        (Some(old), Some(new)) => normalized_damerau_levenshtein(old, new) >= MIN_RENAMED_LIKENESS,
        _ => false,
    });
    join(&|from, to, pairs| {
        let neighbors_match = |step: isize| match (from.checked_add_signed(step), to.checked_add_signed(step)) {
            (Some(old), Some(new)) if old < before.len() && new < headings.len() => pairs.contains(&(old, new)),
            (None, None) => true,
            (Some(old), Some(new)) => old == before.len() && new == headings.len(),
            _ => false,
        };
        neighbors_match(-1) && neighbors_match(1)
    });
    pairs.sort_unstable_by_key(|&(_, new)| new);
    pairs
}

/// Returns the moved pairs. They're the pairs outside the longest subsequence with unchanged order.
fn moved_pairs(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut longest: Vec<(usize, Option<usize>)> = Vec::with_capacity(pairs.len());
    for (at, &(old, _)) in pairs.iter().enumerate() {
        let before = (0..at).filter(|&other| pairs.get(other).is_some_and(|&(earlier, _)| earlier < old));
        let best = before.max_by_key(|&other| longest.get(other).map_or(0, |&(length, _)| length));
        let length = best.and_then(|best| longest.get(best)).map_or(0, |&(length, _)| length);
        longest.push((length + 1, best));
    }
    let mut in_order = HashSet::new();
    let mut at = (0..longest.len()).max_by_key(|&at| longest.get(at).map_or(0, |&(length, _)| length));
    while let Some(position) = at {
        in_order.insert(position);
        at = longest.get(position).and_then(|&(_, before)| before);
    }
    pairs.iter().enumerate().filter(|(position, _)| !in_order.contains(position)).map(|(_, &pair)| pair).collect()
}

/// Renames the headings in a mapping. Rules about missing headings are dropped.
fn rename_headings(mut mapping: MappingFile, renamed: &HashMap<&str, &str>) -> MappingFile {
    let new = |name: &String| renamed.get(name.as_str()).map(|&name| name.to_owned());
    mapping.columns = mapping.columns.into_iter().filter_map(|(name, fields)| Some((new(&name)?, fields))).collect();
    mapping.formats = mapping.formats.into_iter().filter_map(|(name, choice)| Some((new(&name)?, choice))).collect();
    mapping.replacements.retain_mut(|replacement| match new(&replacement.heading) {
        Some(heading) => {
            replacement.heading = heading;
            true
        }
        None => false,
    });
    mapping.joined.retain(|_, joined| {
        let headings: Option<Vec<String>> = joined.headings.iter().map(new).collect();
        headings.is_some_and(|headings| {
            joined.headings = headings;
            true
        })
    });
    mapping
}
