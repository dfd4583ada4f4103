//! The context of a symbol, and how well the symbol fits into it.

/// A character's neighbors: those next to it, and the next ones that aren't spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Neighbors {
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
    pub(super) before_space: Option<char>,
    pub(super) after_space: Option<char>,
}

/// Fits better than anything else.
pub(super) const SURE: i32 = 4;
pub(super) const FITS: i32 = 2;
pub(super) const ODD: i32 = -2;
/// Hardly anyone writes this.
pub(super) const WRONG: i32 = -4;
/// Not a character of the encoding.
pub(super) const IMPOSSIBLE: i32 = -8;

/// Characters behind more spaces aren't neighbors.
const MAX_SPACES: usize = 4;
/// The characters that follow a micro sign in a unit.
const AFTER_MICRO: &str = "mglLFsHAVWSCNPT";
/// Accents without a letter.
const LONE_ACCENTS: &str = "`¨¸˛˝ˇ˘˙ˆ˜¯";

impl Neighbors {
    pub(super) fn at(text: &[char], index: usize) -> Self {
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

    fn letter_before(&self) -> bool {
        self.before.is_some_and(char::is_alphabetic)
    }

    fn letter_after(&self) -> bool {
        self.after.is_some_and(char::is_alphabetic)
    }

    /// Returns whether a digit precedes it, with or without spaces.
    fn number_before(&self) -> bool {
        self.before_space.is_some_and(|letter| letter.is_ascii_digit())
    }

    pub(super) fn number_after(&self) -> bool {
        self.after_space.is_some_and(|letter| letter.is_ascii_digit())
    }

    fn beside_number(&self) -> bool {
        self.number_before() || self.number_after()
    }

    fn within_word(&self) -> bool {
        self.letter_before() && self.letter_after()
    }

    /// Returns whether no letter touches it.
    fn is_free(&self) -> bool {
        !self.letter_before() && !self.letter_after()
    }

    /// Returns how well a symbol fits here.
    pub(super) fn fit(&self, symbol: char) -> i32 {
        match symbol {
            'µ' | 'μ' => match self.after {
                Some(unit) if !self.letter_before() && AFTER_MICRO.contains(unit) => SURE,
                _ if self.is_free() => FITS,
                _ => ODD,
            },
            '±' | '×' | '÷' | '≤' | '≥' | '≈' => match () {
                () if self.within_word() => WRONG,
                () if self.number_after() => SURE,
                () if self.is_free() || self.number_before() => FITS,
                () => 0,
            },
            '²' | '³' | '¹' => match self.before {
                _ if self.letter_after() => WRONG,
                Some('m') => SURE,
                Some(before) if before.is_alphanumeric() || before == ')' => FITS,
                _ => ODD,
            },
            '½' | '¼' | '¾' => {
                if self.letter_before() {
                    WRONG
                } else {
                    FITS
                }
            }
            '°' => {
                if self.number_before() || matches!(self.after, Some('C' | 'F')) {
                    SURE
                } else {
                    self.outside_words()
                }
            }
            '€' | '£' | '¥' | '¢' | '§' | '‰' => match () {
                () if self.is_free() && self.beside_number() => SURE,
                () if self.is_free() => FITS,
                () => WRONG,
            },
            '©' | '®' | '™' => {
                if self.letter_after() {
                    WRONG
                } else {
                    FITS
                }
            }
            'º' | 'ª' => match self.before {
                _ if self.letter_after() => WRONG,
                Some('n' | 'N' | '.' | 'o' | 'a') => SURE,
                Some(before) if before.is_ascii_digit() => SURE,
                _ => 0,
            },
            '¿' | '¡' => match () {
                () if self.letter_before() => WRONG,
                () if self.letter_after() => SURE,
                () => ODD,
            },
            '’' | '‘' | '“' | '”' | '„' | '‚' | '«' | '»' | '‹' | '›' => match symbol {
                '’' if self.within_word() => FITS,
                _ if self.within_word() => WRONG,
                _ => FITS,
            },
            '–' | '—' | '…' | '•' | '·' | '´' | '\u{a0}' | '\u{ad}' | '−' => 0,
            _ if LONE_ACCENTS.contains(symbol) => {
                if self.is_free() {
                    ODD
                } else {
                    WRONG
                }
            }
            '\u{2500}'..='\u{25ff}' => {
                if self.is_free() {
                    ODD
                } else {
                    WRONG
                }
            }
            '\u{80}'..='\u{9f}' | '\u{fffd}' | '\u{e000}'..='\u{f8ff}' => IMPOSSIBLE,
            _ => self.outside_words(),
        }
    }

    fn outside_words(&self) -> i32 {
        if self.within_word() { WRONG } else { 0 }
    }
}
