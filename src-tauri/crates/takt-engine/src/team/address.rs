//! The address of the team's database that a process uses, with and without its password.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read},
    path::PathBuf,
};

use serde::{Deserialize, Serialize};
use takt_client::{TlsConfig, system_tls};
use takt_contract::text_without_byte_order_mark;
use takt_core::{Code, Home, Problem};
use takt_journal::{TeamAddress, TeamAddressError};
use url::{Url, form_urlencoded};

/// The environment variables that set a team's database for one process.
const URL_VARIABLE: &str = "TAKT_TEAM_URL";
const PASSWORD_VARIABLE: &str = "TAKT_TEAM_PASSWORD_FILE";
/// The maximum number of bytes that are read from a password file.
const MAX_PASSWORD_FILE_BYTES: u64 = 4096;

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
            Some(address) => Ok(Self::Given { address, password: read_password_file()? }),
            None => Ok(Self::Joined),
        }
    }

    /// Returns true if a team was joined, so that its password is in the vault.
    #[must_use]
    pub fn needs_keychain(&self, home: &Home) -> bool {
        matches!(self, Self::Joined) && home.team_file().exists()
    }
}

/// Reads the password from the first line of the file that `TAKT_TEAM_PASSWORD_FILE` names. Returns `None` if the
/// variable isn't set or the line is empty.
///
/// # Errors
///
/// [`Code::FileUnreadable`]: the file can't be read.
pub fn read_password_file() -> Result<Option<String>, Problem> {
    let Some(path) = std::env::var_os(PASSWORD_VARIABLE).filter(|path| !path.is_empty()) else { return Ok(None) };
    let mut text = String::new();
    let read = File::open(&path).and_then(|file| file.take(MAX_PASSWORD_FILE_BYTES).read_to_string(&mut text));
    read.map_err(|error| Problem::new(Code::FileUnreadable).parameter("file", path.to_string_lossy()).details(error))?;
    let first = text_without_byte_order_mark(&text).lines().next().map(str::to_owned);
    Ok(first.filter(|line| !line.is_empty()))
}

/// The content of the home folder's file with the team's address.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredTeam {
    /// Without a password.
    pub(super) address: String,
}

/// Returns the address of the team that a process uses.
pub(super) fn load_address(home: &Home, choice: &TeamChoice) -> Result<Option<String>, Problem> {
    if let TeamChoice::Given { address, .. } = choice {
        return Ok(Some(address.clone()));
    }
    let path = home.team_file();
    let unreadable = |error: &dyn std::fmt::Display| {
        Problem::new(Code::FileUnreadable).parameter("file", path.display().to_string()).details(error)
    };
    match fs::read(&path) {
        Ok(bytes) => {
            let stored: StoredTeam = serde_json::from_slice(&bytes).map_err(|error| unreadable(&error))?;
            Ok(Some(stored.address))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(&error)),
    }
}

pub(super) fn parse_address(text: &str) -> Result<TeamAddress, Problem> {
    text.parse().map_err(|error: TeamAddressError| invalid_address_problem().details(error))
}

/// Returns the problem of an invalid address. The text isn't quoted, because it may contain a password.
fn invalid_address_problem() -> Problem {
    Problem::new(Code::TeamFailed).parameter("case", "address")
}

pub(super) fn with_password(address: TeamAddress, password: Option<&str>) -> TeamAddress {
    match password {
        Some(password) if !address.has_password() => address.with_password(password),
        _ => address,
    }
}

/// Removes the password. PostgreSQL accepts it before the host and as a parameter.
pub(super) fn without_password(address: &str) -> Result<String, Problem> {
    let mut url = Url::parse(address.trim()).map_err(|_| invalid_address_problem())?;
    url.set_password(None).map_err(|()| invalid_address_problem())?;
    let is_password = |part: &&str| form_urlencoded::parse(part.as_bytes()).any(|(name, _)| name == "password");
    let parameters: Vec<String> =
        url.query().unwrap_or_default().split('&').filter(|part| !is_password(part)).map(str::to_owned).collect();
    let parameters = parameters.join("&");
    url.set_query(Some(parameters.as_str()).filter(|parameters| !parameters.is_empty()));
    Ok(url.to_string())
}

pub(super) fn team_tls(address: &TeamAddress) -> Result<TlsConfig, Problem> {
    system_tls(address.authorities().map(PathBuf::as_path)).map_err(Problem::from)
}

/// Returns the origin for which the password is stored: a user at a database.
pub(super) fn password_origin(address: &TeamAddress) -> String {
    format!("postgres://{}@{}", address.user(), address.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_kept_wherever_the_address_has_it() {
        let stripped = |address: &str| without_password(address).unwrap();
        assert_eq!(stripped(" postgres://anna:s3cret@db.example:5433/takt"), "postgres://anna@db.example:5433/takt");
        let parameters = "postgres://anna@db.example/takt?sslrootcert=/etc/ca.pem&pass%77ord=s3cret&password=s3cret";
        assert_eq!(stripped(parameters), "postgres://anna@db.example/takt?sslrootcert=/etc/ca.pem");
        assert_eq!(stripped("postgres://anna@db.example/takt?password=s3cret"), "postgres://anna@db.example/takt");
    }
}
