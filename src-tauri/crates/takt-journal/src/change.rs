//! What a change preview said of an item, and how one submission follows from another: words as they are kept.

use crate::{JournalError, SubmissionId};

/// What sending an item would do, as far as the service could be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Change {
    New,
    Changed,
    Same,
    /// The service holds something else than what the workbook was made from, or what may not be changed.
    Conflict,
    /// The service can't be asked, or wasn't.
    Unknown,
}

impl Change {
    const ALL: [Self; 5] = [Self::New, Self::Changed, Self::Same, Self::Conflict, Self::Unknown];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Same => "same",
            Self::Conflict => "conflict",
            Self::Unknown => "unknown",
        }
    }

    pub(crate) fn from_word(word: &str) -> Result<Self, JournalError> {
        let found = Self::ALL.into_iter().find(|change| change.word() == word);
        found.ok_or_else(|| JournalError::UnknownWord(word.to_owned()))
    }
}

/// Why a submission follows another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Sends what the other had rejected.
    Retry,
    /// Does the same with another file.
    Again,
    /// Takes back what the other changed.
    Undo,
}

impl Relation {
    const ALL: [Self; 3] = [Self::Retry, Self::Again, Self::Undo];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Again => "again",
            Self::Undo => "undo",
        }
    }

    pub(crate) fn from_word(word: &str) -> Result<Self, JournalError> {
        let found = Self::ALL.into_iter().find(|relation| relation.word() == word);
        found.ok_or_else(|| JournalError::UnknownWord(word.to_owned()))
    }
}

/// The submission that another one follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Follows {
    pub submission: SubmissionId,
    pub relation: Relation,
}
