//! Finds the known code that is most similar to a text.

use std::cmp::Reverse;
use std::collections::HashMap;

use parking_lot::Mutex;
use strsim::normalized_damerau_levenshtein;

/// The similarity from which a code is suggested, between 0 and 1.
const MIN_SIMILARITY: f64 = 0.6;
/// The maximum number of comparisons per check. Further findings suggest no code.
const MAX_COMPARED: usize = 400_000;
/// The maximum number of texts whose similar codes are cached. Further texts get no suggestion.
pub const MAX_CACHED_TEXTS: usize = 10_000;

/// Caches the most similar code of each text.
#[derive(Debug, Default)]
pub struct SimilarityCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    compared: usize,
    /// By kind of code and text.
    known: HashMap<(String, String), Option<String>>,
}

impl SimilarityCache {
    /// Returns the code most similar to the text. Returns `None` if no code is similar enough, or a limit was reached.
    pub fn find_similar_code<'a>(
        &self,
        kind: &str,
        text: &str,
        codes: impl Iterator<Item = &'a str>,
    ) -> Option<String> {
        let mut state = self.0.lock();
        let key = (kind.to_owned(), text.to_owned());
        if let Some(known) = state.known.get(&key) {
            return known.clone();
        }
        if state.compared >= MAX_COMPARED || state.known.len() >= MAX_CACHED_TEXTS {
            return None;
        }
        let mut compared = 0;
        let found = find_similar_codes(text, codes.inspect(|_| compared += 1), 1).pop();
        state.compared += compared;
        state.known.insert(key, found.clone());
        found
    }
}

/// Returns the most similar codes, the best first. Letter case and separators are ignored. A code with another number
/// isn't a typo: `WS-09` isn't suggested for `WS-99`.
pub fn find_similar_codes<'a>(text: &str, codes: impl Iterator<Item = &'a str>, limit: usize) -> Vec<String> {
    let wanted = fold_code(text);
    let tolerance = wanted.len() / 4 + 2;
    let mut scored: Vec<(f64, Reverse<&str>)> = codes
        .filter(|code| code.len().abs_diff(text.len()) <= tolerance + 2 && *code != text)
        .map(|code| (fold_code(code), code))
        .filter(|(code, _)| !is_another_number(&wanted, code))
        .map(|(folded_code, code)| (normalized_damerau_levenshtein(&wanted, &folded_code), Reverse(code)))
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
    scored.into_iter().take(limit).map(|(_, Reverse(code))| code.to_owned()).collect()
}

/// Returns true if two folded codes of the same length differ only in digits. Two swapped neighbors are treated as a
/// typo.
pub fn is_another_number(one: &str, other: &str) -> bool {
    if one.chars().count() != other.chars().count() {
        return false;
    }
    let differing: Vec<(usize, (char, char))> =
        one.chars().zip(other.chars()).enumerate().filter(|(_, (a, b))| a != b).collect();
    let digits = differing.iter().all(|(_, (a, b))| a.is_ascii_digit() && b.is_ascii_digit());
    let swapped = matches!(differing[..], [(at, (a, b)), (next, (c, d))] if next == at + 1 && a == d && b == c);
    !differing.is_empty() && digits && !swapped
}

/// Returns the text's letters and digits in lowercase.
pub fn fold_code(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: [&str; 5] = ["MAT-1001", "MAT-1010", "MAT-2001", "SHAFT-7", "WS-01"];

    #[test]
    fn a_slip_of_the_fingers_finds_its_code() {
        let found = |text: &str| find_similar_codes(text, CODES.into_iter(), 1);
        assert_eq!(found("mat1001"), ["MAT-1001"]);
        assert_eq!(found("MAT-101"), ["MAT-1001"]);
        assert_eq!(found("MAT-1100"), ["MAT-1010"]);
        assert_eq!(found("SHFAT-7"), ["SHAFT-7"]);
        assert_eq!(found("WS-O1"), ["WS-01"], "a letter in place of a digit");
        assert_eq!(found("Schraube"), [""; 0]);
    }

    #[test]
    fn another_number_is_another_thing() {
        for text in ["WS-99", "WS-02", "SHAFT-8", "ws02", "MAT-1011", "MAT-3001"] {
            assert_eq!(find_similar_codes(text, CODES.into_iter(), 5), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_is_looked_for_is_remembered_and_bounded() {
        let near = SimilarityCache::default();
        assert_eq!(near.find_similar_code("material", "MAT-101", CODES.into_iter()).as_deref(), Some("MAT-1001"));
        assert_eq!(near.find_similar_code("material", "MAT-101", std::iter::empty()).as_deref(), Some("MAT-1001"));
        let many = std::iter::repeat_n("MAT-1001", MAX_COMPARED);
        assert!(near.find_similar_code("material", "WS-02", many).is_none());
        assert_eq!(near.find_similar_code("station", "WS-02", CODES.into_iter()), None, "no comparison is left");
    }
}
