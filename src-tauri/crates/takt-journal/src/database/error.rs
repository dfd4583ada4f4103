//! The error of a file or of a team's database.

use crate::postgres::PostgresError;

/// The error of a store.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("SQLite failed")]
    Sqlite(#[from] rusqlite::Error),
    #[error("the team's database failed")]
    Postgres(#[from] PostgresError),
}

impl DatabaseError {
    /// Returns whether a row with the same primary or unique key already exists.
    pub(crate) fn is_duplicate(&self) -> bool {
        const KEYS: [i32; 2] = [rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY, rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE];
        match self {
            Self::Sqlite(error) => error.sqlite_error().is_some_and(|error| KEYS.contains(&error.extended_code)),
            Self::Postgres(error) => error.has_state("23505"),
        }
    }
}
