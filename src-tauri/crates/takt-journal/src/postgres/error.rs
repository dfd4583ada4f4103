//! What can go wrong with a team's database. The texts are technical causes for logs and details; none holds a password.

use std::error::Error;

use tokio_postgres::error::SqlState;

/// Why a team's database refused, or couldn't be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostgresError {
    /// It can't be reached, the connection broke, or no answer came in time. What was being written may be there or not.
    #[error("the team's database can't be reached: {0}")]
    Away(String),
    /// It lets nobody in by this name and password, or not into this database.
    #[error("the team's database refused the sign-in: {0}")]
    SignInRefused(String),
    /// The database isn't a team's, or `takt team init` was never run for it.
    #[error("the database isn't set up for a team")]
    NotSetUp,
    /// A later Takt set it up.
    #[error("the team's database has schema {found}, this Takt knows up to {known}")]
    Newer { found: u32, known: u32 },
    /// An earlier Takt set it up, and its schema wasn't brought up to date since.
    #[error("the team's database has schema {found}, this Takt needs {needed}")]
    Older { found: u32, needed: u32 },
    /// A statement failed; `state` is the five characters of its SQLSTATE.
    #[error("the team's database refused a statement ({state}): {message}")]
    Refused { state: String, message: String },
    /// A value isn't of a kind that is stored.
    #[error("the team's database holds a value of an unknown kind: {0}")]
    Value(String),
}

impl PostgresError {
    pub(crate) fn of(error: &tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(refused) => Self::of_server(refused.code(), refused.message()),
            None => Self::Away(with_causes(error)),
        }
    }

    fn of_server(code: &SqlState, message: &str) -> Self {
        // 57P01 to 57P05: the server ends the session, starts, stops, or was idle with it for too long. Classes 08 and 53: the connection, and resources.
        let is_away = code.code().starts_with("57P") || code.code().starts_with("08") || code.code().starts_with("53");
        let is_refused = code.code().starts_with("28") || *code == SqlState::INVALID_CATALOG_NAME;
        match code {
            _ if is_away => Self::Away(message.to_owned()),
            _ if is_refused => Self::SignInRefused(message.to_owned()),
            _ => Self::Refused { state: code.code().to_owned(), message: message.to_owned() },
        }
    }

    /// Whether the SQLSTATE begins like this.
    pub(crate) fn has_state(&self, beginning: &str) -> bool {
        matches!(self, Self::Refused { state, .. } if state.starts_with(beginning))
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(found) = cause {
        text = format!("{text}: {found}");
        cause = found.source();
    }
    text
}
