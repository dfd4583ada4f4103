//! Rates how well a decoded text reads: by words of the encoding's languages, and by symbols in their usual context.
//! Repetitions of a word or symbol are rated once.

use std::collections::HashSet;

use super::languages::{Alphabet, allows_runs, alphabets_of_encoding};

// The points of a word or a symbol.

/// Fits better than anything else.
const SURE: i32 = 4;
const FITS: i32 = 2;
const ODD: i32 = -2;
/// Hardly occurs in any text.
const WRONG: i32 = -4;
/// Not a character of the encoding.
const IMPOSSIBLE: i32 = -8;

/// Characters after more spaces aren't neighbors.
const MAX_SPACES: usize = 4;
/// The characters that follow a micro sign in a unit.
const AFTER_MICRO: &str = "mglLFsHAVWSCNPT";
/// Accents without a letter.
const LONE_ACCENTS: &str = "`¨¸˛˝ˇ˘˙ˆ˜¯";

/// Western words don't have more characters beyond ASCII in a row.
const MAX_RUN_LENGTH: usize = 2;
/// After a number, a word of this length is a unit, and units are ASCII.
const MAX_UNIT_LENGTH: usize = 2;
const VOWELS: &str = "aeiouyAEIOUY";

/// The rating of a decoded text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TextRating {
    pub(super) points: i32,
    /// The number of different words, and of different symbols with their neighbors.
    pub(super) contexts: usize,
    /// The number of different words with several letters and a vowel.
    pub(super) words: usize,
}

/// Rates a text by the language that fits best.
pub(super) fn rate_text(text: &str, encoding: &str) -> TextRating {
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
                shared += neighbors.rate_symbol(letter);
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
        match word.rate_in_any_language() {
            Some(points) => shared += points,
            None => {
                for (points, alphabet) in by_language.iter_mut().zip(alphabets.iter().map(Some).chain([None])) {
                    *points += word.rate_in_language(alphabet.copied(), &alphabets, runs);
                }
            }
        }
    }
    TextRating { points: shared + by_language.into_iter().max().unwrap_or_default(), contexts: seen.len(), words }
}

/// Returns whether a character is a letter. In Unicode, the signs for micro and for ordinals are letters, but here they
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
    /// The neighbors of the word's last letter.
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
        format!("{word} {} {} {}", self.touches_number(), self.follows_number(), self.last_neighbors.has_number_after())
    }

    fn touches_number(&self) -> bool {
        let digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
        digit(self.first_neighbors.before) || digit(self.last_neighbors.after)
    }

    fn follows_number(&self) -> bool {
        self.first_neighbors.before_space.is_some_and(|letter| letter.is_ascii_digit())
    }

    /// Returns the points of the word in any language, or `None` if they depend on the language.
    fn rate_in_any_language(&self) -> Option<i32> {
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
            ['Ø' | 'ø'] if self.last_neighbors.has_number_after() => Some(SURE),
            [_] if self.touches_number() || self.last_neighbors.has_number_after() => Some(WRONG),
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
    fn rate_in_language(&self, alphabet: Option<&Alphabet>, all: &[&Alphabet], runs: bool) -> i32 {
        let small = |letter: char| letter.to_lowercase().next().unwrap_or(letter);
        if let [single] = self.letters {
            return if alphabet.is_some_and(|alphabet| alphabet.single_letter_words.contains(small(*single))) {
                FITS
            } else {
                ODD
            };
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
        let is_vowel = |letter: char| VOWELS.contains(letter) || (!letter.is_ascii() && is_accented_vowel(letter));
        all.is_empty() || self.letters.iter().any(|letter| is_vowel(*letter))
    }
}

fn is_accented_vowel(letter: char) -> bool {
    "äöüáâãàåæéèêëěęėēíìîïīįóòôõøőœúùûůűųūýÿąăāı".contains(letter.to_lowercase().next().unwrap_or(letter))
}

/// The characters next to a character, and the nearest ones that aren't spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Neighbors {
    before: Option<char>,
    after: Option<char>,
    before_space: Option<char>,
    after_space: Option<char>,
}

impl Neighbors {
    fn at(text: &[char], index: usize) -> Self {
        let before = text.get(..index).unwrap_or_default();
        let after = text.get(index + 1..).unwrap_or_default();
        let is_space = |letter: &&char| matches!(letter, ' ' | '\u{a0}');
        Self {
            before: before.last().copied(),
            after: after.first().copied(),
            before_space: before.iter().rev().take(MAX_SPACES).find(|letter| !is_space(letter)).copied(),
            after_space: after.iter().take(MAX_SPACES).find(|letter| !is_space(letter)).copied(),
        }
    }

    fn has_letter_before(&self) -> bool {
        self.before.is_some_and(char::is_alphabetic)
    }

    fn has_letter_after(&self) -> bool {
        self.after.is_some_and(char::is_alphabetic)
    }

    /// Returns whether a digit precedes the character, with or without spaces.
    fn has_number_before(&self) -> bool {
        self.before_space.is_some_and(|letter| letter.is_ascii_digit())
    }

    fn has_number_after(&self) -> bool {
        self.after_space.is_some_and(|letter| letter.is_ascii_digit())
    }

    fn is_beside_number(&self) -> bool {
        self.has_number_before() || self.has_number_after()
    }

    fn is_within_word(&self) -> bool {
        self.has_letter_before() && self.has_letter_after()
    }

    /// Returns whether no letter is next to the character.
    fn has_no_letter_beside(&self) -> bool {
        !self.has_letter_before() && !self.has_letter_after()
    }

    /// Returns the points of a symbol with these neighbors.
    fn rate_symbol(&self, symbol: char) -> i32 {
        match symbol {
            'µ' | 'μ' => match self.after {
                Some(unit) if !self.has_letter_before() && AFTER_MICRO.contains(unit) => SURE,
                _ if self.has_no_letter_beside() => FITS,
                _ => ODD,
            },
            '±' | '×' | '÷' | '≤' | '≥' | '≈' => match () {
                () if self.is_within_word() => WRONG,
                () if self.has_number_after() => SURE,
                () if self.has_no_letter_beside() || self.has_number_before() => FITS,
                () => 0,
            },
            '²' | '³' | '¹' => match self.before {
                _ if self.has_letter_after() => WRONG,
                Some('m') => SURE,
                Some(before) if before.is_alphanumeric() || before == ')' => FITS,
                _ => ODD,
            },
            '½' | '¼' | '¾' => {
                if self.has_letter_before() {
                    WRONG
                } else {
                    FITS
                }
            }
            '°' => {
                if self.has_number_before() || matches!(self.after, Some('C' | 'F')) {
                    SURE
                } else {
                    self.rate_outside_words()
                }
            }
            '€' | '£' | '¥' | '¢' | '§' | '‰' => match () {
                () if self.has_no_letter_beside() && self.is_beside_number() => SURE,
                () if self.has_no_letter_beside() => FITS,
                () => WRONG,
            },
            '©' | '®' | '™' => {
                if self.has_letter_after() {
                    WRONG
                } else {
                    FITS
                }
            }
            'º' | 'ª' => match self.before {
                _ if self.has_letter_after() => WRONG,
                Some('n' | 'N' | '.' | 'o' | 'a') => SURE,
                Some(before) if before.is_ascii_digit() => SURE,
                _ => 0,
            },
            '¿' | '¡' => match () {
                () if self.has_letter_before() => WRONG,
                () if self.has_letter_after() => SURE,
                () => ODD,
            },
            '’' | '‘' | '“' | '”' | '„' | '‚' | '«' | '»' | '‹' | '›' => match symbol {
                '’' if self.is_within_word() => FITS,
                _ if self.is_within_word() => WRONG,
                _ => FITS,
            },
            '–' | '—' | '…' | '•' | '·' | '´' | '\u{a0}' | '\u{ad}' | '−' => 0,
            _ if LONE_ACCENTS.contains(symbol) => {
                if self.has_no_letter_beside() {
                    ODD
                } else {
                    WRONG
                }
            }
            '\u{2500}'..='\u{25ff}' => {
                if self.has_no_letter_beside() {
                    ODD
                } else {
                    WRONG
                }
            }
            '\u{80}'..='\u{9f}' | '\u{fffd}' | '\u{e000}'..='\u{f8ff}' => IMPOSSIBLE,
            _ => self.rate_outside_words(),
        }
    }

    fn rate_outside_words(&self) -> i32 {
        if self.is_within_word() { WRONG } else { 0 }
    }
}
