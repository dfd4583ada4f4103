//! The errors of the journal. The texts are technical causes for logs and details.

use crate::database::DatabaseError;
use crate::postgres::PostgresError;
use crate::{KeyClaim, PlanId, SubmissionId};
use std::io::ErrorKind;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why a call to the journal failed. Functions list their own variants. Two groups are the same everywhere:
///
/// # Reading
///
/// [`Self::Sqlite`] if SQLite can't read the file. [`Self::Json`], [`Self::Time`] or [`Self::UnknownWord`] if a stored
/// value isn't valid.
///
/// # Writing
///
/// The errors of reading. [`Self::Sqlite`] also if another process blocks the file for too long, or if the disk is full
/// or read-only ([`Self::trouble`] distinguishes them). [`Self::Abandoned`] if the change was rolled back with changes
/// of others.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the team's database failed")]
    Team(#[from] PostgresError),
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
    #[error("`{path}` isn't whole: {finding}")]
    Unsound { path: PathBuf, finding: String },
    #[error("submission {0} doesn't exist")]
    UnknownSubmission(SubmissionId),
    /// Another process, or another part of this one, runs it.
    #[error("submission {0} is being run elsewhere")]
    RunElsewhere(SubmissionId),
    /// Other desks of the team are sending some of its keys. Nothing was changed.
    #[error("keys of the submission are being sent elsewhere")]
    KeysClaimed(Vec<KeyClaim>),
    /// A second person hasn't approved it, or has declined it. Nothing was changed.
    #[error("submission {plan} isn't approved")]
    NotApproved { plan: PlanId, declined: bool },
    /// The person who asked for an approval can't give it.
    #[error("submission {0} waits for a second person")]
    SecondPersonNeeded(PlanId),
    /// The old state wasn't the one that the change expects. Nothing was changed.
    #[error("submission {submission}: {what} was changed by somebody else in the meantime")]
    LostRace { submission: SubmissionId, what: &'static str },
    /// The outcomes aren't exactly one for each item of the attempt.
    #[error("the outcomes of submission {submission}, batch {batch}, don't match its items")]
    OutcomesDiffer { submission: SubmissionId, batch: u32 },
    /// Its transaction was rolled back with the changes of others.
    #[error("the change was given up before it was written")]
    Abandoned,
    #[error("an item without rows, or a row in two items")]
    RowsDiffer,
    /// The shared data was changed again after the change that was to be undone. Nothing was changed.
    #[error("what change {0} left was changed again since")]
    ChangedSince(u32),
    #[error("there is no change {0}")]
    NoSuchChange(u32),
    /// Another desk of the team forwards events to the target now. Nothing was written.
    #[error("events are sent on to target {0} by another desk")]
    SentElsewhere(i64),
    #[error("there is no such target")]
    NoSuchTarget,
    #[error("the stored word `{0}` is not known")]
    UnknownWord(String),
}

/// A fault of the file itself. A person reacts to each of them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFault {
    /// Another process blocked it for too long.
    Busy,
    /// The disk is full.
    DiskFull,
    /// The disk, the folder or the file can't be written to.
    ReadOnly,
    /// The content isn't valid.
    Damaged,
}

impl From<DatabaseError> for JournalError {
    fn from(error: DatabaseError) -> Self {
        match error {
            DatabaseError::Sqlite(error) => Self::Sqlite(error),
            DatabaseError::Postgres(error) => Self::Team(error),
        }
    }
}

impl JournalError {
    /// Returns the fault of the file, or none if the error is about something else or SQLite doesn't tell.
    #[must_use]
    pub fn file_fault(&self) -> Option<FileFault> {
        match self {
            Self::Sqlite(error) => sqlite_fault(error.sqlite_error_code()?),
            Self::Io { source, .. } => io_fault(source.kind()),
            Self::Team(error) => team_fault(error),
            Self::Unsound { .. } => Some(FileFault::Damaged),
            _ => None,
        }
    }
}

fn sqlite_fault(code: ErrorCode) -> Option<FileFault> {
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(FileFault::Busy),
        ErrorCode::DiskFull => Some(FileFault::DiskFull),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Some(FileFault::ReadOnly),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(FileFault::Damaged),
        _ => None,
    }
}

fn team_fault(error: &PostgresError) -> Option<FileFault> {
    // The time limit for a lock or a statement passed.
    (error.has_state("55P03") || error.has_state("57014")).then_some(FileFault::Busy)
}

fn io_fault(kind: ErrorKind) -> Option<FileFault> {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(FileFault::DiskFull),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Some(FileFault::ReadOnly),
        _ => None,
    }
}
