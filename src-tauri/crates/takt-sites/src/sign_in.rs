//! Signs in to a site, and tests whether a site works.

use std::{sync::Arc, time::Duration};

use takt_client::{
    Client, ClientError, ReadRequest, Secret,
    sign_in::{NewTokens, Revocation},
};
use takt_contract::{Contract, Operation};
use takt_core::{Code, Problem};
use tokio::sync::watch;

use crate::{
    IgnoredHeader, SiteTest,
    pending_sign_in::{ActiveSignIn, PendingSignIn},
    site_connection::SiteConnection,
    site_list::Sites,
};

/// Maximum time for the user to complete the sign-in in the browser.
const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(600);
/// Maximum wait until a canceled sign-in releases its port.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

impl Sites {
    /// Begins a sign-in: opens a port for the redirect, and creates the address to open in the browser. Cancels the
    /// active sign-in.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::RedirectPortTaken`]: none of the site's redirect addresses has a free port.
    /// - A [read code](takt_core::problem#read-codes): the provider's addresses can't be discovered.
    pub async fn begin_sign_in(self: &Arc<Self>, site: &str) -> Result<PendingSignIn, Problem> {
        let client = SiteConnection::connect(self, site).await?.client;
        self.cancel_active_sign_in().await;
        let pending = client.begin_sign_in(SIGN_IN_TIMEOUT).await;
        self.register_sign_in(site, pending)
    }

    /// Like [`Self::begin_sign_in`], but the user can paste the redirect address. The sign-in begins even if no port is
    /// free.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::RedirectPortTaken`]: no port is free, and the first redirect address has no fixed port, so that no
    ///   address can be pasted.
    /// - A [read code](takt_core::problem#read-codes): the provider's addresses can't be discovered.
    pub async fn begin_sign_in_to_paste(self: &Arc<Self>, site: &str) -> Result<PendingSignIn, Problem> {
        let client = SiteConnection::connect(self, site).await?.client;
        self.cancel_active_sign_in().await;
        let pending = client.begin_sign_in_to_paste(SIGN_IN_TIMEOUT).await;
        self.register_sign_in(site, pending)
    }

    /// Cancels the active sign-in, and waits until it releases its port.
    async fn cancel_active_sign_in(&self) {
        let previous = self.active_sign_in.lock().take();
        let Some(mut previous) = previous else { return };
        previous.canceller.cancel();
        // `changed` returns when the channel closes. The timeout applies if nothing polls the previous sign-in.
        drop(tokio::time::timeout(CANCEL_TIMEOUT, previous.ended.changed()).await);
    }

    fn register_sign_in(
        &self,
        site: &str,
        pending: Result<takt_client::sign_in::PendingSignIn, ClientError>,
    ) -> Result<PendingSignIn, Problem> {
        let pending = pending.map_err(|error| Problem::from_client_error(site, error))?;
        let (end_signal, ended) = watch::channel(());
        let active = ActiveSignIn { canceller: pending.canceller(), ended };
        *self.active_sign_in.lock() = Some(active);
        Ok(PendingSignIn { site: site.to_owned(), pending, _end_signal: end_signal })
    }

    /// Forgets the tokens. The client secret stays stored.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::WriteFailed`]: the vault can't remove the tokens.
    pub fn sign_out(&self, site: &str) -> Result<(), Problem> {
        let result = self.client(site)?.sign_out();
        result.map_err(|error| Problem::new(Code::WriteFailed).parameter("file", site).details(error))
    }

    /// Like [`Self::sign_out`], but also asks the provider to revoke the refresh token if it supports that.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::WriteFailed`]: the vault can't remove the tokens. A failed revocation isn't an error, see
    ///   [`Revocation`].
    pub async fn sign_out_and_revoke(self: &Arc<Self>, site: &str) -> Result<Revocation, Problem> {
        let result = SiteConnection::connect(self, site).await?.client.sign_out_and_revoke().await;
        result.map_err(|error| Problem::new(Code::WriteFailed).parameter("file", site).details(error))
    }

    /// Stores tokens that were obtained elsewhere, for example from the embedded plant. `expires_in` is in seconds.
    ///
    /// # Errors
    ///
    /// A [client code](takt_core::problem#client-codes): there is no client for the site.
    pub fn adopt_tokens(
        &self,
        site: &str,
        access: &str,
        refresh: Option<&str>,
        expires_in: Option<u64>,
    ) -> Result<(), Problem> {
        self.client(site)?.store_tokens(NewTokens {
            access: Secret::new(access),
            refresh: refresh.map(Secret::new),
            expires_in: expires_in.map(Duration::from_secs),
            scopes: None,
        });
        Ok(())
    }

    /// Tests the site: contacts the service and the identity provider, and reads one row with the stored token.
    ///
    /// # Errors
    ///
    /// A [client code](takt_core::problem#client-codes): there is no client for the site. Other failures aren't errors:
    /// see [`SiteTest::problem`].
    pub async fn test(self: &Arc<Self>, site: &str) -> Result<SiteTest, Problem> {
        let SiteConnection { client, contract, .. } = SiteConnection::connect(self, site).await?;
        let (service, provider) = tokio::join!(client.reach_service(), client.reach_provider());
        let mut test = SiteTest {
            service_reached: service.is_ok(),
            provider_reached: provider.is_ok(),
            token_accepted: None,
            clock_ahead_seconds: None,
            odd_headers: Vec::new(),
            problem: None,
        };
        let unreached_error = service.err().or(provider.err());
        test.problem = unreached_error.map(|error| Problem::from_client_error(site, error));
        test.clock_ahead_seconds = client.clock_skew().and_then(|ahead| i32::try_from(-ahead.as_secs()).ok());
        if !test.service_reached || !client.is_signed_in() {
            return Ok(test);
        }
        let Some(read) = probe_reads(&contract).into_iter().next() else { return Ok(test) };
        match client.read_without_retry(&ReadRequest::first_row(read)).await {
            Ok(_) => test.token_accepted = Some(true),
            Err(error) => {
                let unauthorized = error.status() == Some(401) || matches!(error, ClientError::SignInNeeded);
                // Any other status means that the token was accepted.
                test.token_accepted = if unauthorized { Some(false) } else { error.status().map(|_| true) };
                test.problem = Some(Problem::from_client_error(site, error));
            }
        }
        test.odd_headers = ignored_headers(&client);
        Ok(test)
    }

    /// Returns the response headers that were ignored because of invalid values, without duplicates.
    ///
    /// # Errors
    ///
    /// A [client code](takt_core::problem#client-codes): there is no client for the site.
    pub fn ignored_headers(&self, site: &str) -> Result<Vec<IgnoredHeader>, Problem> {
        Ok(ignored_headers(&self.client(site)?))
    }
}

/// Returns the response headers that were ignored because of invalid values, without duplicates.
#[must_use]
pub fn ignored_headers(client: &Client) -> Vec<IgnoredHeader> {
    let headers = client.ignored_headers().into_iter();
    headers.map(|header| IgnoredHeader { name: header.name, value: header.value }).collect()
}

/// Returns one read per area: the first paged one that needs no input.
pub(crate) fn probe_reads(contract: &Contract) -> Vec<&Operation> {
    let mut reads: Vec<&Operation> = Vec::new();
    for operation in contract.operations().iter().filter(|one| one.paged && one.reads_without_input()) {
        if reads.iter().all(|known| known.area != operation.area) {
            reads.push(operation);
        }
    }
    reads
}
