//! Converts states to the words that columns store, and back.

use std::str::FromStr;

use crate::JournalError;

/// A state that is stored as a word, which `strum` derives from the variant's name.
pub trait StoredWord: Copy + Into<&'static str> + FromStr<Err = strum::ParseError> {
    /// Returns the word of the state.
    #[must_use]
    fn word(self) -> &'static str {
        self.into()
    }

    /// Returns the state with this word.
    ///
    /// # Errors
    ///
    /// [`JournalError::UnknownWord`]: no state has this word.
    fn from_word(word: &str) -> Result<Self, JournalError> {
        word.parse().map_err(|_| JournalError::UnknownWord(word.to_owned()))
    }
}

impl<T: Copy + Into<&'static str> + FromStr<Err = strum::ParseError>> StoredWord for T {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RowResult, attempt::OutcomeClass, inbox::Fault};

    #[test]
    fn words_are_those_that_files_hold() {
        let words = (OutcomeClass::NotSent.word(), RowResult::Unconfirmed.word(), Fault::KeysMissing.word());
        assert_eq!(words, ("not_sent", "unconfirmed", "keys-missing"));
        assert_eq!(RowResult::from_word("skipped").unwrap(), RowResult::Skipped);
        assert!(matches!(RowResult::from_word("lost"), Err(JournalError::UnknownWord(word)) if word == "lost"));
    }
}
