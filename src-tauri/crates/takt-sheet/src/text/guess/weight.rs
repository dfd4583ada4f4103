//! Rates how well a decoded text reads: by words of the encoding's languages, and by symbols in their usual context.
//! Each different word and symbol counts once.

use std::collections::HashSet;

use super::{
    context::{FITS, Neighbors, ODD, SURE, WRONG},
    languages::{Alphabet, allows_runs, alphabets_of_encoding},
};

/// Western words don't have more characters beyond ASCII in a row.
const MAX_RUN_LENGTH: usize = 2;
/// After a number, a word of this length is a unit, and units are ASCII.
const MAX_UNIT_LENGTH: usize = 2;
const VOWELS: &str = "aeiouyAEIOUY";

/// The rating of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Weight {
    pub(super) points: i32,
    /// The number of different words and symbols.
    pub(super) contexts: usize,
    /// The number of different words.
    pub(super) words: usize,
}

/// Rates a text by the language that fits best.
pub(super) fn weigh(text: &str, encoding: &str) -> Weight {
    let characters: Vec<char> = text.chars().collect();
    let alphabets = alphabets_of_encoding(encoding);
    let runs = allows_runs(encoding);
    let mut seen: HashSet<String> = HashSet::new();
    let (mut shared, mut words) = (0, 0);
    let mut by_language = vec![0; alphabets.len().max(1)];
    let mut index = 0;
    while let Some(&letter) = characters.get(index) {
        if letter.is_ascii() {
            index += 1;
            continue;
        }
        if !is_letter(letter) {
            let neighbors = Neighbors::at(&characters, index);
            if seen.insert(format!("{letter}{neighbors:?}")) {
                shared += neighbors.fit(letter);
            }
            index += 1;
            continue;
        }
        let word = Word::at(&characters, index);
        index = word.end;
        if !seen.insert(word.key()) {
            continue;
        }
        words += usize::from(word.letters.len() > 1 && word.has_vowel(&alphabets));
        match word.fit_of_any() {
            Some(points) => shared += points,
            None => {
                for (points, alphabet) in by_language.iter_mut().zip(alphabets.iter().map(Some).chain([None])) {
                    *points += word.fit(alphabet.copied(), &alphabets, runs);
                }
            }
        }
    }
    Weight { points: shared + by_language.into_iter().max().unwrap_or_default(), contexts: seen.len(), words }
}

/// Returns whether a character is a letter. To Unicode, the signs for micro and for ordinals are letters, but here they
/// are symbols.
fn is_letter(letter: char) -> bool {
    letter.is_alphabetic() && !matches!(letter, 'µ' | 'μ' | 'º' | 'ª')
}

fn is_latin(letter: char) -> bool {
    letter < '\u{250}' || ('\u{1e00}'..'\u{1f00}').contains(&letter)
}

/// Returns whether a letter belongs to a script in which one letter may be a word.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}')
}

/// Consecutive letters, at least one of them beyond ASCII.
struct Word<'a> {
    letters: &'a [char],
    end: usize,
    first_neighbors: Neighbors,
    /// The neighbors of its last letter.
    last_neighbors: Neighbors,
}

impl<'a> Word<'a> {
    /// Returns the word around the letter at `index`, which is its first letter beyond ASCII.
    fn at(text: &'a [char], index: usize) -> Self {
        let before = text.get(..index).unwrap_or_default();
        let start = index - before.iter().rev().take_while(|letter| is_letter(**letter)).count();
        let behind = text.get(index..).unwrap_or_default();
        let end = index + behind.iter().take_while(|letter| is_letter(**letter)).count();
        Self {
            letters: text.get(start..end).unwrap_or_default(),
            end,
            first_neighbors: Neighbors::at(text, start),
            last_neighbors: Neighbors::at(text, end.saturating_sub(1)),
        }
    }

    fn key(&self) -> String {
        let word: String = self.letters.iter().collect();
        format!("{word} {} {} {}", self.touches_number(), self.follows_number(), self.last_neighbors.number_after())
    }

    fn touches_number(&self) -> bool {
        let digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
        digit(self.first_neighbors.before) || digit(self.last_neighbors.after)
    }

    fn follows_number(&self) -> bool {
        self.first_neighbors.before_space.is_some_and(|letter| letter.is_ascii_digit())
    }

    /// Returns the points of the word in any language, or `None` if they depend on the language.
    fn fit_of_any(&self) -> Option<i32> {
        let foreign = self.letters.iter().filter(|letter| !is_latin(**letter)).count();
        if foreign > 0 {
            return Some(match self.letters {
                [single] if is_ideograph(*single) => 0,
                [_] => WRONG,
                _ if foreign < self.letters.len() => WRONG,
                _ if self.has_inner_capital() => WRONG,
                letters => FITS * i32::try_from(letters.len()).unwrap_or(i32::MAX / 4),
            });
        }
        match self.letters {
            // The sign for a diameter.
            ['Ø' | 'ø'] if self.last_neighbors.number_after() => Some(SURE),
            [_] if self.touches_number() || self.last_neighbors.number_after() => Some(WRONG),
            _ if self.has_inner_capital() => Some(WRONG),
            letters if self.follows_number() && letters.len() <= MAX_UNIT_LENGTH => Some(ODD),
            _ => None,
        }
    }

    /// Returns whether an upper-case letter beyond ASCII follows a lower-case letter.
    fn has_inner_capital(&self) -> bool {
        self.letters.windows(2).any(|pair| matches!(pair, [before, letter] if before.is_lowercase() && letter.is_uppercase() && !letter.is_ascii()))
    }

    /// Returns the points of the word in one language, or without a known language.
    fn fit(&self, alphabet: Option<&Alphabet>, all: &[&Alphabet], runs: bool) -> i32 {
        let small = |letter: char| letter.to_lowercase().next().unwrap_or(letter);
        if let [single] = self.letters {
            return if alphabet.is_some_and(|alphabet| alphabet.alone.contains(small(*single))) { FITS } else { ODD };
        }
        let longest = self.letters.split(char::is_ascii).map(<[char]>::len).max().unwrap_or_default();
        if !runs && longest > MAX_RUN_LENGTH {
            return WRONG;
        }
        let beyond = || self.letters.iter().filter(|letter| !letter.is_ascii()).map(|letter| small(*letter));
        let known = |letter: char| all.is_empty() || all.iter().any(|alphabet| alphabet.letters.contains(letter));
        if !self.has_vowel(all) {
            return 0;
        }
        let fits = |letter: char| match alphabet {
            Some(alphabet) if alphabet.letters.contains(letter) => FITS,
            _ if known(letter) => 0,
            _ => ODD,
        };
        beyond().map(fits).sum()
    }

    /// Returns whether the word has a vowel. Abbreviations and units have none.
    fn has_vowel(&self, all: &[&Alphabet]) -> bool {
        let is_vowel = |letter: char| VOWELS.contains(letter) || (!letter.is_ascii() && base_is_vowel(letter));
        all.is_empty() || self.letters.iter().any(|letter| is_vowel(*letter))
    }
}

fn base_is_vowel(letter: char) -> bool {
    "äöüáâãàåæéèêëěęėēíìîïīįóòôõøőœúùûůűųūýÿąăāı".contains(letter.to_lowercase().next().unwrap_or(letter))
}
