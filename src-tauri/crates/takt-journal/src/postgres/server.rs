//! The server of a team's database: its login and its availability.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_rustls::rustls::ClientConfig;

use super::availability::{Availability, Liveness};
use super::{PostgresError, TeamAddress};

/// Returns the password of the team's database if the address has none. Called for each sign-in.
pub type PasswordSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// The address, the password source and the availability that all sessions of a store share.
pub(crate) struct Server {
    address: TeamAddress,
    password: PasswordSource,
    pub(super) tls: ClientConfig,
    pub(super) liveness: Liveness,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Server").field(&self.address).finish()
    }
}

impl Server {
    pub(crate) fn new(address: TeamAddress, password: PasswordSource, tls: ClientConfig) -> Self {
        let liveness = Liveness::new(address.silence_timeout());
        Self { address, password, tls, liveness }
    }

    /// Returns the address with the current password.
    pub(super) fn address_with_password(&self) -> TeamAddress {
        let address = self.address.clone();
        match (self.password)().filter(|_| !address.has_password()) {
            Some(password) => address.with_password(&password),
            None => address,
        }
    }

    /// Returns the availability of the database, which is probed as long as a receiver exists.
    pub(crate) fn availability(&self) -> watch::Receiver<Availability> {
        self.liveness.subscribe()
    }

    /// Updates the availability with the result of a sign-in. A server that refuses the login is available.
    pub(super) fn record_sign_in<T>(&self, signed_in: Result<T, PostgresError>) -> Result<T, PostgresError> {
        match &signed_in {
            Err(PostgresError::Unavailable(_)) => self.liveness.set(Availability::Unreachable),
            _ => self.liveness.set(Availability::Available),
        }
        signed_in
    }
}
