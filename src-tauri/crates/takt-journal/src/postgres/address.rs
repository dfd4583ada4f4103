//! The address of a team's database.
//!
//! The text has PostgreSQL's own form: `postgres://name:password@host:port/database?parameters`. TLS is required for
//! every host but this computer, unless `sslmode=disable` is set. `sslrootcert=FILE` adds certificate authorities to
//! the system's. `connect_timeout` is the time in seconds after which a silent database is treated as unavailable.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The time after which a silent database is treated as unavailable, unless the address sets another.
pub const DEFAULT_SILENCE_TIMEOUT: Duration = Duration::from_secs(2);

/// The reason why a text isn't a valid address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TeamAddressError {
    /// It isn't a PostgreSQL address.
    #[error("the address can't be read")]
    Unreadable,
    /// A host, a name or a database is missing.
    #[error("the address names no {0}")]
    Missing(&'static str),
}

/// The address of a team's database. It contains a password, which is never shown.
#[derive(Clone)]
pub struct TeamAddress {
    config: Config,
    authorities: Option<PathBuf>,
}

impl std::fmt::Debug for TeamAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("TeamAddress").field(&self.display()).finish()
    }
}

impl FromStr for TeamAddress {
    type Err = TeamAddressError;

    fn from_str(text: &str) -> Result<Self, TeamAddressError> {
        let (text, authorities) = split_authorities(text.trim());
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err(TeamAddressError::Unreadable);
        }
        // The driver's error may quote the text with the password.
        let mut config: Config = text.parse().map_err(|_| TeamAddressError::Unreadable)?;
        for (part, is_there) in [
            // With several hosts, only the first would be shown and get the stored password.
            ("host", config.get_hosts().len() == 1),
            ("name", config.get_user().is_some()),
            ("database", config.get_dbname().is_some()),
        ] {
            if !is_there {
                return Err(TeamAddressError::Missing(part));
            }
        }
        if config.get_ssl_mode() == SslMode::Prefer {
            config.ssl_mode(if is_local(config.get_hosts()) { SslMode::Disable } else { SslMode::Require });
        }
        config.application_name("takt");
        Ok(Self { config, authorities })
    }
}

impl TeamAddress {
    /// Sets the password, which replaces the password in the address.
    #[must_use]
    pub fn with_password(mut self, password: &str) -> Self {
        self.config.password(password);
        self
    }

    #[must_use]
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// Returns the password in the address, so that the caller can store it elsewhere.
    #[must_use]
    pub fn password(&self) -> Option<String> {
        self.config.get_password().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Returns the file of additional certificate authorities.
    #[must_use]
    pub fn authorities(&self) -> Option<&PathBuf> {
        self.authorities.as_ref()
    }

    /// Returns host and database for display: `host:port/database`.
    #[must_use]
    pub fn display(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => String::new(),
        };
        let port = self.config.get_ports().first().copied().unwrap_or(5432);
        format!("{host}:{port}/{}", self.config.get_dbname().unwrap_or_default())
    }

    /// Returns the login name.
    #[must_use]
    pub fn user(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    /// Returns the time after which a silent database is treated as unavailable.
    pub(crate) fn silence_timeout(&self) -> Duration {
        self.config.get_connect_timeout().copied().unwrap_or(DEFAULT_SILENCE_TIMEOUT)
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }
}

/// Extracts `sslrootcert`, which the driver doesn't know. Also replaces the verifying modes, because every encrypted
/// connection is verified.
fn split_authorities(text: &str) -> (String, Option<PathBuf>) {
    let text = text.replace("sslmode=verify-full", "sslmode=require").replace("sslmode=verify-ca", "sslmode=require");
    let Some((address, parameters)) = text.split_once('?') else { return (text, None) };
    let mut authorities = None;
    let others: Vec<&str> = parameters
        .split('&')
        .filter(|parameter| match parameter.strip_prefix("sslrootcert=") {
            Some(path) => {
                authorities = Some(PathBuf::from(path.replace("%20", " ").replace("%3A", ":").replace("%5C", "\\")));
                false
            }
            None => !parameter.is_empty(),
        })
        .collect();
    (format!("{address}?{}", others.join("&")), authorities)
}

fn is_local(hosts: &[Host]) -> bool {
    hosts.iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<TeamAddress, TeamAddressError> {
        text.parse()
    }

    #[test]
    fn elsewhere_is_encrypted_and_a_password_is_never_shown() {
        let there = read("postgres://anna:s3cret@db.works.example/takt?sslrootcert=C:\\ca.pem").unwrap();
        assert_eq!(there.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(there.authorities(), Some(&PathBuf::from("C:\\ca.pem")));
        assert_eq!((there.display().as_str(), there.user()), ("db.works.example:5432/takt", "anna"));
        assert!(!format!("{there:?}").contains("s3cret"));
        let modes = ["?sslmode=disable", "?sslmode=verify-full", ""]
            .map(|mode| read(&format!("postgres://anna@db.works.example/takt{mode}")).unwrap().config.get_ssl_mode());
        assert_eq!(modes, [SslMode::Disable, SslMode::Require, SslMode::Require]);
        let here = read("postgresql://anna@127.0.0.1:5433/takt").unwrap();
        assert_eq!((here.config.get_ssl_mode(), here.has_password()), (SslMode::Disable, false));
    }

    #[test]
    fn a_slow_server_may_be_given_more_time() {
        let silence_timeout =
            |text: &str| read(&format!("postgres://anna@db.works.example/takt{text}")).unwrap().silence_timeout();
        assert_eq!(silence_timeout(""), Duration::from_secs(2));
        assert_eq!(silence_timeout("?connect_timeout=20"), Duration::from_secs(20));
        assert_eq!(silence_timeout("?connect_timeout=0"), Duration::from_secs(2));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(read("mysql://x/y").unwrap_err(), TeamAddressError::Unreadable);
        assert_eq!(read("postgres://host/takt").unwrap_err(), TeamAddressError::Missing("name"));
        assert_eq!(read("postgres://anna@host").unwrap_err(), TeamAddressError::Missing("database"));
        assert_eq!(read("postgres://anna@host/takt?nonsense=1").unwrap_err(), TeamAddressError::Unreadable);
    }
}
