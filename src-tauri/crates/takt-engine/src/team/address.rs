//! The address of a team's database, with and without its password.

use takt_client::system_tls;
use takt_core::{Code, Problem};
use takt_journal::{TeamAddress, TeamAddressError};
use url::{Url, form_urlencoded};

pub(super) fn read_address(text: &str) -> Result<TeamAddress, Problem> {
    text.parse().map_err(|error: TeamAddressError| invalid_address().details(error))
}

/// The text isn't quoted, because it may contain a password.
fn invalid_address() -> Problem {
    Problem::new(Code::TeamFailed).parameter("case", "address")
}

pub(super) fn with_password(address: TeamAddress, password: Option<&str>) -> TeamAddress {
    match password {
        Some(password) if !address.has_password() => address.with_password(password),
        _ => address,
    }
}

/// PostgreSQL accepts a password before the host and as a parameter.
pub(super) fn without_password(address: &str) -> Result<String, Problem> {
    let mut url = Url::parse(address.trim()).map_err(|_| invalid_address())?;
    url.set_password(None).map_err(|()| invalid_address())?;
    let is_password = |part: &&str| form_urlencoded::parse(part.as_bytes()).any(|(name, _)| name == "password");
    let parameters: Vec<String> =
        url.query().unwrap_or_default().split('&').filter(|part| !is_password(part)).map(str::to_owned).collect();
    let parameters = parameters.join("&");
    url.set_query(Some(parameters.as_str()).filter(|parameters| !parameters.is_empty()));
    Ok(url.to_string())
}

pub(super) fn tls_for(address: &TeamAddress) -> Result<takt_client::TlsConfig, Problem> {
    system_tls(address.authorities().map(std::path::PathBuf::as_path)).map_err(Problem::from)
}

/// Returns the origin for which the password is stored: a user at a database.
pub(super) fn origin(address: &TeamAddress) -> String {
    format!("postgres://{}@{}", address.user(), address.shown())
}

#[cfg(test)]
mod tests {
    use super::without_password;

    #[test]
    fn no_password_is_kept_wherever_the_address_has_it() {
        let stripped = |address: &str| without_password(address).unwrap();
        assert_eq!(stripped(" postgres://anna:s3cret@db.example:5433/takt"), "postgres://anna@db.example:5433/takt");
        let parameters = "postgres://anna@db.example/takt?sslrootcert=/etc/ca.pem&pass%77ord=s3cret&password=s3cret";
        assert_eq!(stripped(parameters), "postgres://anna@db.example/takt?sslrootcert=/etc/ca.pem");
        assert_eq!(stripped("postgres://anna@db.example/takt?password=s3cret"), "postgres://anna@db.example/takt");
    }
}
