//! Which of the known codes a person may have meant.

use std::{cmp::Reverse, collections::HashMap};

use parking_lot::Mutex;
use strsim::normalized_damerau_levenshtein;

const LIKE: f64 = 0.6;
/// So many comparisons are made for naming the nearest in findings; where a sheet is wrong all over, the rest names none.
const MAX_COMPARED: usize = 400_000;
/// So many different texts are remembered.
pub const MAX_REMEMBERED: usize = 10_000;

/// What was found to be nearest, so that it is looked for once.
#[derive(Debug, Default)]
pub struct SimilarityCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    compared: usize,
    /// By what the code is of, and the text.
    known: HashMap<(String, String), Option<String>>,
}

impl SimilarityCache {
    /// The code that is most like the text; none where no code is like it, or too many texts were looked at already.
    pub fn nearest<'a>(&self, of: &str, text: &str, codes: impl Iterator<Item = &'a str>) -> Option<String> {
        let mut state = self.0.lock();
        let key = (of.to_owned(), text.to_owned());
        if let Some(known) = state.known.get(&key) {
            return known.clone();
        }
        if state.compared >= MAX_COMPARED || state.known.len() >= MAX_REMEMBERED {
            return None;
        }
        let mut compared = 0;
        let found = nearest(text, codes.inspect(|_| compared += 1), 1).pop();
        state.compared += compared;
        state.known.insert(key, found.clone());
        found
    }
}

/// The codes that are like the text, the nearest first. Letter case and separators count little. A code with another number is
/// another thing and no slip: `WS-09` is not what `WS-99` meant.
pub fn nearest<'a>(text: &str, codes: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let wanted = folded(text);
    let room = wanted.len() / 4 + 2;
    let mut scored: Vec<(f64, Reverse<&str>)> = codes
        .filter(|code| code.len().abs_diff(text.len()) <= room + 2 && *code != text)
        .map(|code| (folded(code), code))
        .filter(|(code, _)| !is_another_number(&wanted, code))
        .map(|(like, code)| (normalized_damerau_levenshtein(&wanted, &like), Reverse(code)))
        .filter(|(score, _)| *score >= LIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| b.1.cmp(&a.1)));
    scored.into_iter().take(most).map(|(_, Reverse(code))| code.to_owned()).collect()
}

/// Whether two folded codes of the same length differ in digits alone. Two neighbours that changed places are a slip.
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

/// Letters and digits alone, without letter case.
pub fn folded(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODES: [&str; 5] = ["MAT-1001", "MAT-1010", "MAT-2001", "SHAFT-7", "WS-01"];

    #[test]
    fn a_slip_of_the_fingers_finds_its_code() {
        let found = |text: &str| nearest(text, CODES.into_iter(), 1);
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
            assert_eq!(nearest(text, CODES.into_iter(), 5), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_is_looked_for_is_remembered_and_bounded() {
        let near = SimilarityCache::default();
        assert_eq!(near.nearest("material", "MAT-101", CODES.into_iter()).as_deref(), Some("MAT-1001"));
        assert_eq!(near.nearest("material", "MAT-101", std::iter::empty()).as_deref(), Some("MAT-1001"));
        let many = std::iter::repeat_n("MAT-1001", MAX_COMPARED);
        assert!(near.nearest("material", "WS-02", many).is_none());
        assert_eq!(near.nearest("station", "WS-02", CODES.into_iter()), None, "no comparison is left");
    }
}
