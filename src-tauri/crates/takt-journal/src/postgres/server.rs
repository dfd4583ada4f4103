//! The server of a team's database: how it is signed in to, and whether it answers.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_rustls::rustls::ClientConfig;

use super::liveness::{Availability, Liveness};
use super::{PostgresError, TeamAddress};

/// Gives the password of the team's database where the address has none; asked with each sign-in.
pub type PasswordSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// What the sessions of a store share.
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
    pub(crate) fn new((address, password): (TeamAddress, PasswordSource), tls: ClientConfig) -> Self {
        let liveness = Liveness::new(address.patience());
        Self { address, password, tls, liveness }
    }

    /// The address with the password of this moment.
    pub(super) fn sign_in(&self) -> TeamAddress {
        let address = self.address.clone();
        match (self.password)().filter(|_| !address.has_password()) {
            Some(password) => address.with_password(&password),
            None => address,
        }
    }

    /// Whether it can be asked, as long as the receiver lives.
    pub(crate) fn availability(&self) -> watch::Receiver<Availability> {
        self.liveness.subscribe()
    }

    /// What became of a sign-in is known to all.
    pub(super) fn note<T>(&self, signed_in: Result<T, PostgresError>) -> Result<T, PostgresError> {
        match &signed_in {
            Err(PostgresError::Away(_)) => self.liveness.set(Availability::Unreachable),
            _ => self.liveness.set(Availability::Available),
        }
        signed_in
    }
}
