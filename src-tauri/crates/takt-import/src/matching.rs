//! Matches columns with fields by equal name, then by synonym, then by similarity. The user decides ties.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use strsim::normalized_damerau_levenshtein;
use takt_contract::Names;

use crate::{
    heading::{normalize_heading, sort_words, strip_unit},
    target::{TargetField, TargetFields},
};

const SYNONYM_SCORE: f64 = 0.95;
const WITHOUT_UNIT_SCORE: f64 = 0.93;
/// Deduction for fields of a list, so that a field of the item with the same name wins.
const PART_DEDUCTION: f64 = 0.02;
/// Minimum likeness, from 0 to 1, for words to match by similarity.
const MIN_LIKENESS: f64 = 0.80;
const MIN_LIKENESS_PERCENT: usize = 80;
/// Minimum lead of a similar field over the next one.
const MIN_LEAD: f64 = 0.08;
/// Minimum length of similar words. Shorter words are alike by accident.
const MIN_WORD_LENGTH: usize = 4;
const MAX_CANDIDATES: usize = 5;

/// Why a column was matched with a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum MatchReason {
    /// A remembered mapping of an earlier file with these headings.
    Remembered,
    SameName,
    Synonym,
    Similar,
    ByHand,
}

/// A field that a column may fill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct Candidate {
    /// The field's path.
    pub field: String,
    /// 0 to 1.
    pub score: f64,
    pub reason: MatchReason,
}

/// The names and synonyms of an operation's fields, prepared for comparison.
#[derive(Debug, Clone)]
pub(crate) struct Vocabulary {
    fields: Vec<KnownField>,
    /// The names and synonyms of all fields.
    words: HashSet<String>,
}

/// A heading, prepared for comparison.
#[derive(Debug)]
pub(crate) struct ComparableHeading {
    word: String,
    without_unit: Option<String>,
}

impl ComparableHeading {
    pub(crate) fn new(heading: &str) -> Self {
        Self { word: normalize_heading(heading), without_unit: strip_unit(heading) }
    }
}

#[derive(Debug, Clone)]
struct KnownField {
    path: String,
    is_part: bool,
    names: Vec<String>,
    synonyms: Vec<String>,
    /// Names and synonyms of several words, in any order.
    unordered: Vec<String>,
}

/// The fields that one column is matched with, and further candidates.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnMatch {
    pub(crate) matched: Option<Candidate>,
    /// Further fields that the column fills.
    pub(crate) further_fields: Vec<String>,
    pub(crate) candidates: Vec<Candidate>,
}

impl ColumnMatch {
    pub(crate) fn fills(&self, field: &str) -> bool {
        self.matched.as_ref().is_some_and(|matched| matched.field == field)
            || self.further_fields.iter().any(|further| further == field)
    }

    /// Returns true if the heading is the field's name or a synonym of it, and of no other field.
    pub(crate) fn is_named_after(&self, field: &str) -> bool {
        let best = certain_candidate(&self.candidates).filter(|best| best.reason != MatchReason::Similar);
        best.is_some_and(|best| best.field == field)
    }

    /// Returns every field that the column fills, the matched one first.
    pub(crate) fn fields(&self) -> Vec<String> {
        let matched = self.matched.iter().map(|matched| matched.field.clone());
        matched.chain(self.further_fields.iter().cloned()).collect()
    }
}

impl Vocabulary {
    pub(crate) fn new(targets: &TargetFields) -> Self {
        let fields: Vec<KnownField> = targets.fields.iter().map(KnownField::new).collect();
        let words = fields.iter().flat_map(|field| field.names.iter().chain(&field.synonyms).cloned()).collect();
        Self { fields, words }
    }

    /// Returns one match per heading. Each field is matched at most once.
    pub(crate) fn match_headings(&self, headings: &[String]) -> Vec<ColumnMatch> {
        let mut matches: Vec<ColumnMatch> = headings
            .iter()
            .map(|heading| ColumnMatch { candidates: self.candidates(heading), ..ColumnMatch::default() })
            .collect();
        let mut wanted_matches: Vec<(usize, Candidate)> = matches
            .iter()
            .enumerate()
            .filter_map(|(column, column_match)| Some((column, certain_candidate(&column_match.candidates)?)))
            .collect();
        wanted_matches.sort_by(|(left, a), (right, b)| b.score.total_cmp(&a.score).then(left.cmp(right)));
        let mut taken: Vec<String> = Vec::new();
        for (column, candidate) in wanted_matches {
            if !taken.contains(&candidate.field) {
                taken.push(candidate.field.clone());
                if let Some(column_match) = matches.get_mut(column) {
                    column_match.matched = Some(candidate);
                }
            }
        }
        matches
    }

    /// Returns true if a heading is a known name or synonym.
    pub(crate) fn contains(&self, heading: &ComparableHeading) -> bool {
        let ComparableHeading { word, without_unit } = heading;
        !word.is_empty()
            && (self.words.contains(word) || without_unit.as_ref().is_some_and(|name| self.words.contains(name)))
    }

    fn candidates(&self, heading: &str) -> Vec<Candidate> {
        let word = normalize_heading(heading);
        if word.is_empty() {
            return Vec::new();
        }
        let without_unit = strip_unit(heading);
        let unordered = sort_words(heading);
        let compare = |field: &KnownField| field.compare(&word, without_unit.as_deref(), unordered.as_deref());
        let mut candidates: Vec<Candidate> = self.fields.iter().filter_map(compare).collect();
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        candidates.truncate(MAX_CANDIDATES);
        candidates
    }
}

/// Returns the best candidate if it's certain enough to be chosen without asking.
fn certain_candidate(candidates: &[Candidate]) -> Option<Candidate> {
    let best = candidates.first()?;
    let next = candidates.get(1).map_or(0.0, |next| next.score);
    let needed = if best.reason == MatchReason::Similar { MIN_LEAD } else { f64::EPSILON };
    (best.score - next >= needed).then(|| best.clone())
}

impl KnownField {
    fn new(target: &TargetField) -> Self {
        let own = [&target.names.en, &target.names.de, &target.names.es, &target.names.pt];
        let mut names: Vec<String> = vec![normalize_heading(&target.path)];
        match (&target.list_names, &target.part_of) {
            (Some(list), Some((member, name))) => {
                names.push(normalize_heading(&format!("{}{name}", singular(member))));
                names.extend(joined_names(list, &target.names));
                names.extend(own.into_iter().map(|name| normalize_heading(name)));
            }
            _ => names.extend(own.into_iter().map(|name| normalize_heading(name))),
        }
        names.retain(|name| !name.is_empty());
        names.dedup();
        let words = own.into_iter().chain(&target.synonyms);
        let unordered = words.filter_map(|name| sort_words(name)).collect();
        let synonyms = target.synonyms.iter().map(|synonym| normalize_heading(synonym)).filter(|word| !word.is_empty());
        Self {
            path: target.path.clone(),
            is_part: target.part_of.is_some(),
            names,
            synonyms: synonyms.collect(),
            unordered,
        }
    }

    fn compare(&self, word: &str, without_unit: Option<&str>, unordered: Option<&str>) -> Option<Candidate> {
        let less = if self.is_part { PART_DEDUCTION } else { 0.0 };
        let exact = |word: &str| {
            if self.names.iter().any(|name| name == word) {
                Some((1.0, MatchReason::SameName))
            } else if self.synonyms.iter().any(|synonym| synonym == word) {
                Some((SYNONYM_SCORE, MatchReason::Synonym))
            } else {
                None
            }
        };
        if let Some((score, reason)) = exact(word) {
            return Some(self.candidate(score - less, reason));
        }
        if let Some((_, reason)) = without_unit.and_then(exact) {
            return Some(self.candidate(WITHOUT_UNIT_SCORE - less, reason));
        }
        if word.len() < MIN_WORD_LENGTH {
            return None;
        }
        let alike = self
            .names
            .iter()
            .chain(&self.synonyms)
            .filter(|known| known.len() >= MIN_WORD_LENGTH)
            .map(|known| likeness(word, known))
            // `Beginn geplant` isn't a known name, but it's like `Geplanter Beginn`.
            .chain(self.unordered.iter().filter_map(|known| Some(likeness(unordered?, known))))
            .fold(0.0, f64::max);
        (alike >= MIN_LIKENESS).then(|| self.candidate(alike * 0.9 - less, MatchReason::Similar))
    }

    fn candidate(&self, score: f64, reason: MatchReason) -> Candidate {
        Candidate { field: self.path.clone(), score, reason }
    }
}

/// Returns the likeness of two words from 0 to 1. It's 0 if lengths and letters rule out similarity, since a full
/// comparison is expensive and there may be thousands of columns.
fn likeness(word: &str, known: &str) -> f64 {
    let longer = word.len().max(known.len());
    let may_differ = |least: usize| (longer - least) * 100 >= longer * MIN_LIKENESS_PERCENT;
    // Both are ASCII, so each extra letter is an insertion.
    let lengths = word.len().abs_diff(known.len());
    if !may_differ(lengths) || !may_differ(different_letters(word, known)) {
        return 0.0;
    }
    normalized_damerau_levenshtein(word, known)
}

/// Returns the larger number of letters that one word has and the other lacks, regardless of their positions. At least
/// as many edits change one word into the other.
fn different_letters(word: &str, known: &str) -> usize {
    let mut counts = [0_i32; 128];
    for (text, step) in [(word, 1), (known, -1)] {
        for byte in text.bytes() {
            if let Some(count) = counts.get_mut(usize::from(byte)) {
                *count += step;
            }
        }
    }
    let sum = |sign: i32| counts.iter().map(|count| (count * sign).max(0)).sum::<i32>();
    usize::try_from(sum(1).max(sum(-1))).unwrap_or_default()
}

/// Joins two names in each language. `Raw material` and `Code` become `rawmaterialcode`.
fn joined_names(list: &Names, part: &Names) -> [String; 4] {
    let join = |list: &str, part: &str| format!("{}{}", normalize_heading(list), normalize_heading(part));
    [join(&list.en, &part.en), join(&list.de, &part.de), join(&list.es, &part.es), join(&list.pt, &part.pt)]
}

/// Returns the singular of a list's English member name. These are regular plurals, except `properties`.
fn singular(member: &str) -> String {
    match member.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => member.strip_suffix('s').unwrap_or(member).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_passed_over_are_never_alike() {
        let words = [
            "quantity",
            "quantities",
            "quanitty",
            "qty",
            "ordercode",
            "codeorder",
            "workordercode",
            "materialcode",
            "materialkode",
            "c00001",
            "beginplanned",
            "plannedbegin",
            "beginplaned",
            "note",
            "notes",
            "eton",
            "menge",
            "mengen",
        ];
        for one in words {
            for other in words {
                let alike = normalized_damerau_levenshtein(one, other);
                assert!(alike < MIN_LIKENESS || (likeness(one, other) - alike).abs() < f64::EPSILON, "{one}, {other}");
            }
        }
        assert!(different_letters("c00001", "quantity") > 5);
    }
}
