//! How well a text that was decoded with some encoding reads: words of the languages that are written in it, and symbols
//! where people write them. Each different word and symbol counts once, however often it stands.

use std::collections::HashSet;

use super::{
    context::{FITS, Neighbours, ODD, SURE, WRONG},
    languages::{Alphabet, may_run, written_in},
};

/// More characters beyond ASCII in a row are no word of a western language.
const MAX_RUN_LENGTH: usize = 2;
/// After a number so short a word is a unit, and units are ASCII.
const MAX_UNIT_LENGTH: usize = 2;
const VOWELS: &str = "aeiouyAEIOUY";

/// What a text is worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Weight {
    pub(super) points: i32,
    /// Different words and symbols.
    pub(super) contexts: usize,
    /// Different words among them.
    pub(super) words: usize,
}

/// Points of the language that fits best.
pub(super) fn of_text(text: &str, encoding: &str) -> Weight {
    let characters: Vec<char> = text.chars().collect();
    let alphabets = written_in(encoding);
    let runs = may_run(encoding);
    let mut seen: HashSet<String> = HashSet::new();
    let (mut shared, mut words) = (0, 0);
    let mut by_language = vec![0; alphabets.len().max(1)];
    let mut place = 0;
    while let Some(&letter) = characters.get(place) {
        if letter.is_ascii() {
            place += 1;
            continue;
        }
        if !is_letter(letter) {
            let around = Neighbours::at(&characters, place);
            if seen.insert(format!("{letter}{around:?}")) {
                shared += around.fit(letter);
            }
            place += 1;
            continue;
        }
        let word = Word::around(&characters, place);
        place = word.end;
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

/// The signs for micro and for ordinals are letters to Unicode, and symbols to people.
fn is_letter(letter: char) -> bool {
    letter.is_alphabetic() && !matches!(letter, 'µ' | 'μ' | 'º' | 'ª')
}

fn is_latin(letter: char) -> bool {
    letter < '\u{250}' || ('\u{1e00}'..'\u{1f00}').contains(&letter)
}

/// Of scripts in which one letter may be a word.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}')
}

/// Letters in a row, at least one of them beyond ASCII.
struct Word<'a> {
    letters: &'a [char],
    end: usize,
    around: Neighbours,
    /// What stands behind it.
    after: Neighbours,
}

impl<'a> Word<'a> {
    /// The word that has a letter at this place, which is the first beyond ASCII in it.
    fn around(text: &'a [char], place: usize) -> Self {
        let before = text.get(..place).unwrap_or_default();
        let start = place - before.iter().rev().take_while(|letter| is_letter(**letter)).count();
        let behind = text.get(place..).unwrap_or_default();
        let end = place + behind.iter().take_while(|letter| is_letter(**letter)).count();
        Self {
            letters: text.get(start..end).unwrap_or_default(),
            end,
            around: Neighbours::at(text, start),
            after: Neighbours::at(text, end.saturating_sub(1)),
        }
    }

    fn key(&self) -> String {
        let word: String = self.letters.iter().collect();
        format!("{word} {} {} {}", self.touches_number(), self.follows_number(), self.after.number_after())
    }

    fn touches_number(&self) -> bool {
        let digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
        digit(self.around.before) || digit(self.after.after)
    }

    fn follows_number(&self) -> bool {
        self.around.before_space.is_some_and(|letter| letter.is_ascii_digit())
    }

    /// What the word is worth whatever the language; absent where that depends on it.
    fn fit_of_any(&self) -> Option<i32> {
        let foreign = self.letters.iter().filter(|letter| !is_latin(**letter)).count();
        if foreign > 0 {
            return Some(match self.letters {
                [single] if is_ideograph(*single) => 0,
                [_] => WRONG,
                _ if foreign < self.letters.len() => WRONG,
                _ if self.turns_large() => WRONG,
                letters => FITS * i32::try_from(letters.len()).unwrap_or(i32::MAX / 4),
            });
        }
        match self.letters {
            // The sign for a diameter.
            ['Ø' | 'ø'] if self.after.number_after() => Some(SURE),
            [_] if self.touches_number() || self.after.number_after() => Some(WRONG),
            _ if self.turns_large() => Some(WRONG),
            letters if self.follows_number() && letters.len() <= MAX_UNIT_LENGTH => Some(ODD),
            _ => None,
        }
    }

    /// A large letter beyond ASCII after a small one.
    fn turns_large(&self) -> bool {
        self.letters.windows(2).any(|pair| matches!(pair, [before, letter] if before.is_lowercase() && letter.is_uppercase() && !letter.is_ascii()))
    }

    /// In one language; without one, in any.
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

    /// Abbreviations and units have none.
    fn has_vowel(&self, all: &[&Alphabet]) -> bool {
        let is_vowel = |letter: char| VOWELS.contains(letter) || (!letter.is_ascii() && base_is_vowel(letter));
        all.is_empty() || self.letters.iter().any(|letter| is_vowel(*letter))
    }
}

fn base_is_vowel(letter: char) -> bool {
    "äöüáâãàåæéèêëěęėēíìîïīįóòôõøőœúùûůűųūýÿąăāı".contains(letter.to_lowercase().next().unwrap_or(letter))
}
