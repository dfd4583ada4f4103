//! The errors of the journal. Their messages are technical causes, for logs and the details of an error.

use crate::database::DatabaseError;
use crate::postgres::PostgresError;
use crate::{KeyClaim, PlanId, SubmissionId};
use std::io::ErrorKind;
use std::path::PathBuf;

use rusqlite::ErrorCode;

/// The reason why a call to the journal failed. Each function lists its own variants, and refers to these groups.
///
/// # Reading
///
/// [`Self::Sqlite`] or [`Self::Team`] if the database can't be read. [`Self::Json`], [`Self::Time`] or
/// [`Self::UnknownWord`] if a stored value isn't valid.
///
/// # Writing
///
/// All read errors. [`Self::Sqlite`] also if another process blocks the file for too long, or if the disk is full or
/// read-only ([`Self::file_fault`] distinguishes them). [`Self::Abandoned`] if a transaction that the change shared
/// with other changes was rolled back.
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
    /// Another process, another desk or another part of this process runs it.
    #[error("submission {0} is being run elsewhere")]
    RunElsewhere(SubmissionId),
    /// Other desks of the team are sending some of the submission's keys. Nothing was changed.
    #[error("keys of the submission are being sent elsewhere")]
    KeysClaimed(Vec<KeyClaim>),
    /// Another plan is sending the same content by the same operation to the same address. Nothing was changed.
    #[error("`{file}` is being sent to {site}")]
    FileBeingSent { file: String, site: String },
    /// A second person hasn't approved the plan, or has declined it. Nothing was changed.
    #[error("submission {plan} isn't approved")]
    NotApproved { plan: PlanId, declined: bool },
    /// The person who asked for an approval can't give it.
    #[error("submission {0} waits for a second person")]
    SecondPersonNeeded(PlanId),
    /// The old state differs from the state that the change expects. Nothing was changed.
    #[error("submission {submission}: {what} was changed by somebody else in the meantime")]
    LostRace { submission: SubmissionId, what: &'static str },
    /// There isn't exactly one outcome for each item of the attempt, or an outcome is `sending` or `skipped`.
    #[error("the outcomes of submission {submission}, batch {batch}, don't match its items")]
    OutcomesDiffer { submission: SubmissionId, batch: u32 },
    /// The transaction that the change shared with other changes was rolled back. Also returned for a plan without
    /// steps.
    #[error("the change was given up before it was written")]
    Abandoned,
    #[error("an item without rows, or a row in two items")]
    RowsDiffer,
    /// The shared data was changed again after the change to be undone. Nothing was changed.
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

/// A fault of the database, its file or its disk. Each requires a different reaction by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFault {
    /// Another process or desk blocked the database for too long.
    Busy,
    /// The disk is full, or a quota is reached.
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
    /// Returns the fault, or none if the error has another cause or its cause is unknown.
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
    // The time limit for a lock or for a statement has passed.
    (error.has_state("55P03") || error.has_state("57014")).then_some(FileFault::Busy)
}

fn io_fault(kind: ErrorKind) -> Option<FileFault> {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(FileFault::DiskFull),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => Some(FileFault::ReadOnly),
        _ => None,
    }
}
