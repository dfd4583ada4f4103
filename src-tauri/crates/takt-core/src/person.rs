//! Who sits at this computer, as the history names them.

/// The name of the computer's account; empty where the system doesn't say.
#[must_use]
pub fn account_name() -> String {
    whoami::username().unwrap_or_default()
}

/// The computer's name; empty where the system doesn't say.
#[must_use]
pub fn computer_name() -> String {
    whoami::hostname().unwrap_or_default()
}
