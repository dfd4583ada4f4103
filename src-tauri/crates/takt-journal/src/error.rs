//! What can go wrong with the journal. The texts are technical causes for logs and details.

use crate::database::DatabaseError;
use crate::postgres::PostgresError;
use crate::{KeyClaim, PlanId, SubmissionId};
use std::io::ErrorKind;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why the journal refused, or couldn't. Functions name the variants of their own; two groups are the same everywhere:
///
/// # Reading
///
/// [`Self::Sqlite`] where SQLite can't read the file; [`Self::Json`], [`Self::Time`] or [`Self::UnknownWord`] where a stored value
/// isn't what was written.
///
/// # Writing
///
/// As for reading; [`Self::Sqlite`] also where another process writes for too long, or where the disk is full or can't be written
/// to ([`Self::trouble`] tells them apart). [`Self::Abandoned`] where a change was given up with those of others.
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
    /// Another Takt, or another part of this one, is running it.
    #[error("submission {0} is being run elsewhere")]
    RunElsewhere(SubmissionId),
    /// Other desks of the team are sending some of its keys; nothing was changed.
    #[error("keys of the submission are being sent elsewhere")]
    KeysClaimed(Vec<KeyClaim>),
    /// A second person hasn't approved it, or has declined it; nothing was changed.
    #[error("submission {plan} isn't approved")]
    NotApproved { plan: PlanId, declined: bool },
    /// Who asked for an approval can't give it.
    #[error("submission {0} waits for a second person")]
    SecondPersonNeeded(PlanId),
    /// The old state wasn't what the change was guarded by; nothing was changed.
    #[error("submission {submission}: {what} was changed by somebody else in the meantime")]
    LostRace { submission: SubmissionId, what: &'static str },
    /// An attempt must be finished with exactly one outcome per item of its own.
    #[error("the outcomes of submission {submission}, batch {batch}, don't match its items")]
    OutcomesDiffer { submission: SubmissionId, batch: u32 },
    /// Its transaction was given up with those of others.
    #[error("the change was given up before it was written")]
    Abandoned,
    #[error("an item without rows, or a row in two items")]
    RowsDiffer,
    /// What a team shares was changed again after the change that was to be taken back; nothing was changed.
    #[error("what change {0} left was changed again since")]
    ChangedSince(u32),
    #[error("there is no change {0}")]
    NoSuchChange(u32),
    /// Another desk of the team sends on to it by now; nothing was written.
    #[error("events are sent on to target {0} by another desk")]
    SentElsewhere(i64),
    #[error("there is no such target")]
    NoSuchTarget,
    #[error("the stored word `{0}` is not known")]
    UnknownWord(String),
}

/// What is in the way of the file itself. A person reacts to each of them in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFault {
    /// Another process wrote to it for too long.
    Busy,
    /// There is no room left on the disk.
    DiskFull,
    /// The disk, the folder or the file can't be written to.
    ReadOnly,
    /// It isn't what was written.
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
    /// Nothing where it is about something else, or where SQLite doesn't say.
    #[must_use]
    pub fn trouble(&self) -> Option<FileFault> {
        match self {
            Self::Sqlite(error) => of_sqlite(error.sqlite_error_code()?),
            Self::Io { source, .. } => of_io(source.kind()),
            Self::Team(error) => of_team(error),
            Self::Unsound { .. } => Some(FileFault::Damaged),
            _ => None,
        }
    }
}

fn of_sqlite(code: ErrorCode) -> Option<FileFault> {
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some(FileFault::Busy),
        ErrorCode::DiskFull => Some(FileFault::DiskFull),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Some(FileFault::ReadOnly),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(FileFault::Damaged),
        _ => None,
    }
}

fn of_team(error: &PostgresError) -> Option<FileFault> {
    // A lock that wasn't released in time.
    (error.has_state("55P03") || error.has_state("57014")).then_some(FileFault::Busy)
}

fn of_io(kind: ErrorKind) -> Option<FileFault> {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(FileFault::DiskFull),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Some(FileFault::ReadOnly),
        _ => None,
    }
}
