//! Who sits at this computer, as the history names them.

/// The name of the computer's account; empty where the system doesn't say.
#[must_use]
pub fn account_name() -> String {
    whoami::username().unwrap_or_default()
}
