//! What can go wrong with the journal. The texts are technical causes for logs and details.

use std::path::PathBuf;

/// Why the journal refused, or couldn't.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    #[error("a stored value is not the JSON that was written")]
    Json(#[from] serde_json::Error),
    #[error("a stored time is not a time")]
    Time(#[from] jiff::Error),
    #[error("`{path}` can't be read or written")]
    Io { path: PathBuf, source: std::io::Error },
    /// Versions of SQLite before 3.51.3 can lose committed writes in WAL mode.
    #[error("SQLite {found} is older than 3.51.3")]
    SqliteTooOld { found: &'static str },
    #[error("the journal has schema {found}, this Takt knows up to {known}")]
    Newer { found: u32, known: u32 },
    #[error("`{path}` is an SQLite file, but not a journal of Takt")]
    NotAJournal { path: PathBuf },
    #[error("submission {0} doesn't exist")]
    UnknownSubmission(u32),
    /// Another Takt, or another part of this one, is running it.
    #[error("submission {0} is being run elsewhere")]
    RunElsewhere(u32),
    /// The old state wasn't what the change was guarded by; nothing was changed.
    #[error("submission {submission}: {what} was changed by somebody else in the meantime")]
    LostRace { submission: u32, what: &'static str },
    /// An attempt must be finished with exactly one outcome per item of its own.
    #[error("the outcomes of submission {submission}, batch {batch}, don't match its items")]
    OutcomesDiffer { submission: u32, batch: u32 },
    /// Its transaction was given up with those of others.
    #[error("the change was given up before it was written")]
    Abandoned,
    #[error("an item without rows, or a row in two items")]
    RowsDiffer,
    #[error("there is no such target")]
    NoSuchTarget,
    #[error("the stored word `{0}` is not known")]
    UnknownWord(String),
}
