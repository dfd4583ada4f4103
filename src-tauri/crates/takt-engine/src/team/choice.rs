//! The team's database that a process uses: the joined one, or one that environment variables set.

use serde::{Deserialize, Serialize};
use takt_contract::text_without_byte_order_mark;
use takt_core::{Code, Home, Problem};

/// The environment variables that set a team's database for one process.
const URL_VARIABLE: &str = "TAKT_TEAM_URL";
const PASSWORD_VARIABLE: &str = "TAKT_TEAM_PASSWORD_FILE";
/// The most bytes to read of a password file.
const MAX_PASSWORD_LENGTH: u64 = 4096;

/// The team's database that a process uses.
#[derive(Clone, Default)]
pub enum TeamChoice {
    /// The joined team's database, if any.
    #[default]
    Joined,
    /// A database for this process only.
    Given { address: String, password: Option<String> },
}

takt_core::opaque_debug!(TeamChoice);

impl TeamChoice {
    /// Reads `TAKT_TEAM_URL` and `TAKT_TEAM_PASSWORD_FILE`.
    ///
    /// # Errors
    ///
    /// [`Code::FileUnreadable`]: the password file can't be read.
    pub fn from_environment() -> Result<Self, Problem> {
        let set = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        match set(URL_VARIABLE) {
            Some(address) => Ok(Self::Given { address, password: password_file()? }),
            None => Ok(Self::Joined),
        }
    }

    /// Returns true if a team was joined, so that its password is in the vault.
    #[must_use]
    pub fn needs_keychain(&self, home: &Home) -> bool {
        matches!(self, Self::Joined) && home.team().exists()
    }
}

/// Returns the first line of the file that `TAKT_TEAM_PASSWORD_FILE` names, or `None` if it isn't set.
///
/// # Errors
///
/// [`Code::FileUnreadable`]: it can't be read.
pub fn password_file() -> Result<Option<String>, Problem> {
    use std::io::Read;
    let Some(path) = std::env::var_os(PASSWORD_VARIABLE).filter(|path| !path.is_empty()) else { return Ok(None) };
    let mut text = String::new();
    let read = std::fs::File::open(&path).and_then(|file| file.take(MAX_PASSWORD_LENGTH).read_to_string(&mut text));
    read.map_err(|error| Problem::new(Code::FileUnreadable).parameter("file", path.to_string_lossy()).details(error))?;
    let first = text_without_byte_order_mark(&text).lines().next().map(str::to_owned);
    Ok(first.filter(|line| !line.is_empty()))
}

/// The content of the team's file in the home folder.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredTeam {
    /// Without a password.
    pub(super) address: String,
}

/// Returns the address of the team that a process uses.
pub(super) fn address_of(home: &Home, choice: &TeamChoice) -> Result<Option<String>, Problem> {
    if let TeamChoice::Given { address, .. } = choice {
        return Ok(Some(address.clone()));
    }
    let path = home.team();
    let unreadable = |error: &dyn std::fmt::Display| {
        Problem::new(Code::FileUnreadable).parameter("file", path.display().to_string()).details(error)
    };
    match std::fs::read(&path) {
        Ok(bytes) => {
            let stored: StoredTeam = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
            Ok(Some(stored.address))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error)),
    }
}
