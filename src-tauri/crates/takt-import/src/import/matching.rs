//! Which column is which field. Same name before synonym before similar; a tie is left to the person.

use std::collections::HashSet;

use strsim::normalized_damerau_levenshtein;
use takt_contract::Names;

use super::{
    Candidate, MatchReason,
    heading::{in_any_order, normalised, without_unit},
    target::{Target, Targets},
};

const SYNONYM: f64 = 0.95;
const WITHOUT_UNIT: f64 = 0.93;
/// What a name inside a list gives way to the same name of the item itself.
const PART: f64 = 0.02;
/// Below this two words are not alike.
const ALIKE: f64 = 0.80;
const ALIKE_HUNDREDTHS: usize = 80;
/// A similar field must lead the next one by this much.
const MARGIN: f64 = 0.08;
/// Short words are alike by accident.
const MIN_ALIKE_LENGTH: usize = 4;
const MAX_CANDIDATES: usize = 5;

/// The words by which an operation's fields are known, made ready to compare.
#[derive(Debug, Clone)]
pub(super) struct Vocabulary {
    fields: Vec<KnownField>,
    /// Every field's names and synonyms.
    words: HashSet<String>,
}

/// A heading, made ready to compare.
#[derive(Debug)]
pub(super) struct ComparableHeading {
    word: String,
    bare: Option<String>,
}

impl ComparableHeading {
    pub(super) fn of(heading: &str) -> Self {
        Self { word: normalised(heading), bare: without_unit(heading) }
    }
}

#[derive(Debug, Clone)]
struct KnownField {
    path: String,
    part: bool,
    names: Vec<String>,
    synonyms: Vec<String>,
    /// Names and synonyms of several words, without their order.
    unordered: Vec<String>,
}

/// What one column found.
#[derive(Debug, Clone, Default)]
pub(super) struct ColumnMatch {
    pub(super) matched: Option<Candidate>,
    /// Further fields that the column fills.
    pub(super) also: Vec<String>,
    pub(super) candidates: Vec<Candidate>,
}

impl ColumnMatch {
    pub(super) fn fills(&self, field: &str) -> bool {
        self.matched.as_ref().is_some_and(|matched| matched.field == field)
            || self.also.iter().any(|also| also == field)
    }

    /// True if the heading is the field's name or a synonym of it, and of no other field.
    pub(super) fn names(&self, field: &str) -> bool {
        let best = believable(&self.candidates).filter(|best| best.reason != MatchReason::Similar);
        best.is_some_and(|best| best.field == field)
    }

    /// Every field that the column fills, the matched one first.
    pub(super) fn fields(&self) -> Vec<String> {
        let matched = self.matched.iter().map(|matched| matched.field.clone());
        matched.chain(self.also.iter().cloned()).collect()
    }
}

impl Vocabulary {
    pub(super) fn of(targets: &Targets) -> Self {
        let fields: Vec<KnownField> = targets.fields.iter().map(KnownField::of).collect();
        let words = fields.iter().flat_map(|field| field.names.iter().chain(&field.synonyms).cloned()).collect();
        Self { fields, words }
    }

    /// One answer per heading, each field at most once.
    pub(super) fn match_headings(&self, headings: &[String]) -> Vec<ColumnMatch> {
        let mut matches: Vec<ColumnMatch> = headings
            .iter()
            .map(|heading| ColumnMatch { candidates: self.candidates(heading), ..ColumnMatch::default() })
            .collect();
        let mut wishes: Vec<(usize, Candidate)> = matches
            .iter()
            .enumerate()
            .filter_map(|(column, found)| Some((column, believable(&found.candidates)?)))
            .collect();
        wishes.sort_by(|(left, a), (right, b)| b.score.total_cmp(&a.score).then(left.cmp(right)));
        let mut taken: Vec<String> = Vec::new();
        for (column, wish) in wishes {
            if !taken.contains(&wish.field) {
                taken.push(wish.field.clone());
                if let Some(found) = matches.get_mut(column) {
                    found.matched = Some(wish);
                }
            }
        }
        matches
    }

    /// True where a heading is a known name or synonym.
    pub(super) fn knows(&self, heading: &ComparableHeading) -> bool {
        let ComparableHeading { word, bare } = heading;
        !word.is_empty() && (self.words.contains(word) || bare.as_ref().is_some_and(|bare| self.words.contains(bare)))
    }

    fn candidates(&self, heading: &str) -> Vec<Candidate> {
        let word = normalised(heading);
        if word.is_empty() {
            return Vec::new();
        }
        let bare = without_unit(heading);
        let unordered = in_any_order(heading);
        let compare = |field: &KnownField| field.compare(&word, bare.as_deref(), unordered.as_deref());
        let mut candidates: Vec<Candidate> = self.fields.iter().filter_map(compare).collect();
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        candidates.truncate(MAX_CANDIDATES);
        candidates
    }
}

/// The best candidate, where it is certain enough to be taken without asking.
fn believable(candidates: &[Candidate]) -> Option<Candidate> {
    let best = candidates.first()?;
    let next = candidates.get(1).map_or(0.0, |next| next.score);
    let needed = if best.reason == MatchReason::Similar { MARGIN } else { f64::EPSILON };
    (best.score - next >= needed).then(|| best.clone())
}

impl KnownField {
    fn of(target: &Target) -> Self {
        let own = [&target.names.en, &target.names.de, &target.names.es, &target.names.pt];
        let mut names: Vec<String> = vec![normalised(&target.path)];
        match (&target.list_names, &target.part_of) {
            (Some(list), Some((member, name))) => {
                names.push(normalised(&format!("{}{name}", singular(member))));
                names.extend(both(list, &target.names));
                names.extend(own.into_iter().map(|name| normalised(name)));
            }
            _ => names.extend(own.into_iter().map(|name| normalised(name))),
        }
        names.retain(|name| !name.is_empty());
        names.dedup();
        let words = own.into_iter().chain(&target.synonyms);
        let unordered = words.filter_map(|name| in_any_order(name)).collect();
        let synonyms = target.synonyms.iter().map(|synonym| normalised(synonym)).filter(|word| !word.is_empty());
        Self {
            path: target.path.clone(),
            part: target.part_of.is_some(),
            names,
            synonyms: synonyms.collect(),
            unordered,
        }
    }

    fn compare(&self, word: &str, bare: Option<&str>, unordered: Option<&str>) -> Option<Candidate> {
        let less = if self.part { PART } else { 0.0 };
        let exact = |word: &str| {
            if self.names.iter().any(|name| name == word) {
                Some((1.0, MatchReason::SameName))
            } else if self.synonyms.iter().any(|synonym| synonym == word) {
                Some((SYNONYM, MatchReason::Synonym))
            } else {
                None
            }
        };
        if let Some((score, reason)) = exact(word) {
            return Some(self.candidate(score - less, reason));
        }
        if let Some((_, reason)) = bare.and_then(exact) {
            return Some(self.candidate(WITHOUT_UNIT - less, reason));
        }
        if word.len() < MIN_ALIKE_LENGTH {
            return None;
        }
        let alike = self
            .names
            .iter()
            .chain(&self.synonyms)
            .filter(|known| known.len() >= MIN_ALIKE_LENGTH)
            .map(|known| likeness(word, known))
            // `Beginn geplant` is nobody's name, but it is like `Geplanter Beginn`.
            .chain(self.unordered.iter().filter_map(|known| Some(likeness(unordered?, known))))
            .fold(0.0, f64::max);
        (alike >= ALIKE).then(|| self.candidate(alike * 0.9 - less, MatchReason::Similar))
    }

    fn candidate(&self, score: f64, reason: MatchReason) -> Candidate {
        Candidate { field: self.path.clone(), score, reason }
    }
}

/// 0 where lengths and letters alone say that two words aren't alike: comparing place by place is dear, and there may be
/// thousands of columns.
fn likeness(word: &str, known: &str) -> f64 {
    let longer = word.len().max(known.len());
    let may_differ = |least: usize| (longer - least) * 100 >= longer * ALIKE_HUNDREDTHS;
    // Both are ASCII: each letter more is one to put in.
    let lengths = word.len().abs_diff(known.len());
    if !may_differ(lengths) || !may_differ(different_letters(word, known)) {
        return 0.0;
    }
    normalized_damerau_levenshtein(word, known)
}

/// Letters that one word has and the other hasn't, wherever they stand: no fewer have to be changed.
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

/// `Raw material` and `Code` make `rawmaterialcode`, in each language.
fn both(list: &Names, part: &Names) -> [String; 4] {
    let join = |list: &str, part: &str| format!("{}{}", normalised(list), normalised(part));
    [join(&list.en, &part.en), join(&list.de, &part.de), join(&list.es, &part.es), join(&list.pt, &part.pt)]
}

/// The English member names of lists are regular plurals, but for `properties`.
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
                assert!(alike < ALIKE || (likeness(one, other) - alike).abs() < f64::EPSILON, "{one}, {other}");
            }
        }
        assert!(different_letters("c00001", "quantity") > 5);
    }
}
