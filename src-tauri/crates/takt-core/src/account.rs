//! The names of the user's account and computer, for the history.

/// Returns the account's name, or an empty text if it is unknown.
#[must_use]
pub fn account_name() -> String {
    whoami::username().unwrap_or_default()
}

/// Returns the computer's name, or an empty text if it is unknown.
#[must_use]
pub fn computer_name() -> String {
    whoami::hostname().unwrap_or_default()
}
