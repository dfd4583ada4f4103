//! The errors of a team's database. The messages are technical causes for logs and details, and never contain a
//! password.

use std::error::Error;

use tokio_postgres::error::SqlState;

/// Prefixes of the SQLSTATE of a session that has ended or can't begin. The server starts, stops or ends the session
/// (57P), or the connection failed (08). A transaction lasted or idled too long (25P03, 25P04), or resources are
/// exhausted (53).
const UNAVAILABLE_SQLSTATES: [&str; 5] = ["57P", "25P03", "25P04", "08", "53"];

/// The reason why a call to a team's database failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PostgresError {
    /// The server can't be reached, the connection broke, or the server didn't respond in time. A pending change may or
    /// may not have been made.
    #[error("the team's database can't be reached: {0}")]
    Unavailable(String),
    /// The server refuses this login or access to this database, or the database doesn't exist.
    #[error("the team's database refused the sign-in: {0}")]
    SignInRefused(String),
    /// The database has no team, because `takt team init` was never run for it.
    #[error("the database isn't set up for a team")]
    NotSetUp,
    /// A newer Takt set up or updated the schema.
    #[error("the team's database has schema {found}, this Takt knows up to {known}")]
    Newer { found: u32, known: u32 },
    /// An older Takt set up the schema, and it wasn't updated since.
    #[error("the team's database has schema {found}, this Takt needs {needed}")]
    Older { found: u32, needed: u32 },
    /// A statement failed. `state` is its five-character SQLSTATE.
    #[error("the team's database refused a statement ({state}): {message}")]
    Refused { state: String, message: String },
    /// A value has an unexpected type.
    #[error("the team's database holds a value of an unknown kind: {0}")]
    Value(String),
}

impl PostgresError {
    pub(crate) fn from_driver(error: &tokio_postgres::Error) -> Self {
        match error.as_db_error() {
            Some(refused) => Self::from_server(refused.code(), refused.message()),
            None => Self::Unavailable(with_causes(error)),
        }
    }

    fn from_server(code: &SqlState, message: &str) -> Self {
        let is_away = UNAVAILABLE_SQLSTATES.iter().any(|beginning| code.code().starts_with(beginning));
        let is_refused = code.code().starts_with("28") || *code == SqlState::INVALID_CATALOG_NAME;
        match code {
            _ if is_away => Self::Unavailable(message.to_owned()),
            _ if is_refused => Self::SignInRefused(message.to_owned()),
            _ => Self::Refused { state: code.code().to_owned(), message: message.to_owned() },
        }
    }

    /// Returns whether the SQLSTATE begins with this prefix.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_the_server_ended_is_away() {
        let read = |state: &str| PostgresError::from_server(&SqlState::from_code(state), "ended");
        for state in ["57P01", "57P05", "25P03", "25P04", "08006", "53300"] {
            assert_eq!(read(state), PostgresError::Unavailable("ended".to_owned()), "{state}");
        }
        assert_eq!(read("28P01"), PostgresError::SignInRefused("ended".to_owned()));
        for state in ["25P02", "23505"] {
            assert_eq!(read(state), PostgresError::Refused { state: state.to_owned(), message: "ended".to_owned() });
        }
    }
}
