//! Signing in to a site, and finding out whether a site works.

use std::time::Duration;

use takt_client::{
    Canceller, ClientError, ReadQuestion, Secret,
    sign_in::{NewTokens, Revocation},
};
use takt_contract::Operation;
use tokio::sync::watch;

use super::Sites;
use takt_core::{Code, Problem};

use crate::{IgnoredHeader, SiteTest};

/// How long a person may take in the browser.
const SIGN_IN_TIMEOUT: Duration = Duration::from_secs(600);
/// A sign-in without a redirect after this time shows a hint with the usual causes. What the provider's page says isn't known
/// here.
pub const SIGN_IN_HINT_DELAY: Duration = Duration::from_secs(30);
/// How long a canceled sign-in may keep its port.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);

/// A sign-in that waits for the browser.
#[derive(Debug)]
pub struct PendingSignIn {
    site: String,
    pending: takt_client::sign_in::PendingSignIn,
    /// Goes after the port: whoever wants to sign in next may need it.
    _ended: watch::Sender<()>,
}

/// The sign-in that waits at this moment; a second one ends it.
#[derive(Debug)]
pub(super) struct Waiting {
    canceller: Canceller,
    ended: watch::Receiver<()>,
}

impl PendingSignIn {
    /// What to open in the browser.
    #[must_use]
    pub fn address(&self) -> &str {
        self.pending.address()
    }

    /// Where the browser is to come back to; the provider must know this address.
    #[must_use]
    pub fn redirect_uri(&self) -> &str {
        self.pending.redirect_uri()
    }

    /// False where only a pasted address ends it.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.pending.is_heard()
    }

    /// How long it waits.
    #[must_use]
    pub fn limit(&self) -> Duration {
        self.pending.limit()
    }

    /// For a browser whose way back doesn't lead here.
    #[must_use]
    pub fn redirect_sender(&self) -> RedirectSender {
        RedirectSender { site: self.site.clone(), redirect_sender: self.pending.redirect_sender() }
    }

    /// Ends the wait from elsewhere.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.pending.canceller()
    }

    /// Until the person has signed in, cancelled, or taken too long.
    ///
    /// # Errors
    ///
    /// - [`Code::SignInCancelled`]: the person declined or took too long, or another sign-in began.
    /// - [`Code::SignInRefused`]: the provider refused the client, or what it asked for.
    /// - A [read code](takt_core::problem#read-codes): the provider didn't answer as it should.
    pub async fn wait(self) -> Result<(), Problem> {
        self.pending.wait().await.map_err(|error| Problem::of_client(&self.site, error))
    }
}

/// Hands a sign-in the address on which the browser ended.
#[derive(Debug, Clone)]
pub struct RedirectSender {
    site: String,
    redirect_sender: takt_client::sign_in::RedirectSender,
}

impl RedirectSender {
    /// Refuses what isn't the way back of this sign-in, which goes on waiting then.
    ///
    /// # Errors
    ///
    /// - [`Code::Precondition`]: the address isn't the way back of this sign-in (`pasted-otherwise`).
    /// - [`Code::SignInCancelled`]: the sign-in has ended.
    pub fn paste(&self, address: &str) -> Result<(), Problem> {
        self.redirect_sender.paste(address).map_err(|error| Problem::of_client(&self.site, error))
    }
}

impl Sites {
    /// Opens a port for the browser's way back and makes the address to open.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::RedirectPortTaken`]: none of the site's redirect addresses has a free port.
    /// - A [read code](takt_core::problem#read-codes): the provider's addresses can't be found out.
    pub async fn begin_sign_in(&self, site: &str) -> Result<PendingSignIn, Problem> {
        let client = self.client(site)?;
        self.end_waiting().await;
        let pending = client.begin_sign_in(SIGN_IN_TIMEOUT).await;
        self.now_waits(site, pending)
    }

    /// The same where a person can paste the address on which the browser ended: it begins also where no port is free.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::RedirectPortTaken`]: no port is free, and the first redirect address leaves the port open, so that nothing
    ///   could be pasted.
    /// - A [read code](takt_core::problem#read-codes): the provider's addresses can't be found out.
    pub async fn begin_sign_in_to_paste(&self, site: &str) -> Result<PendingSignIn, Problem> {
        let client = self.client(site)?;
        self.end_waiting().await;
        let pending = client.begin_sign_in_to_paste(SIGN_IN_TIMEOUT).await;
        self.now_waits(site, pending)
    }

    /// Cancels the sign-in that waits, and lets it give its port back.
    async fn end_waiting(&self) {
        let before = self.waiting.lock().take();
        let Some(mut before) = before else { return };
        before.canceller.cancel();
        // Changes never come: it is closed, or nobody drives the one before.
        drop(tokio::time::timeout(CANCEL_TIMEOUT, before.ended.changed()).await);
    }

    fn now_waits(
        &self,
        site: &str,
        pending: Result<takt_client::sign_in::PendingSignIn, ClientError>,
    ) -> Result<PendingSignIn, Problem> {
        let pending = pending.map_err(|error| Problem::of_client(site, error))?;
        let (end, ended) = watch::channel(());
        let waiting = Waiting { canceller: pending.canceller(), ended };
        *self.waiting.lock() = Some(waiting);
        Ok(PendingSignIn { site: site.to_owned(), pending, _ended: end })
    }

    /// Forgets the tokens; the client secret stays.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::WriteFailed`]: the vault can't remove the tokens.
    pub fn sign_out(&self, site: &str) -> Result<(), Problem> {
        let done = self.client(site)?.sign_out();
        done.map_err(|error| Problem::new(Code::WriteFailed).parameter("file", site).details(error))
    }

    /// The same, and has the provider revoke the refresh token where it offers that.
    ///
    /// # Errors
    ///
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site.
    /// - [`Code::WriteFailed`]: the vault can't remove the tokens. That the provider didn't revoke them is no error, see
    ///   [`Revocation`].
    pub async fn sign_out_for_good(&self, site: &str) -> Result<Revocation, Problem> {
        let done = self.client(site)?.sign_out_for_good().await;
        done.map_err(|error| Problem::new(Code::WriteFailed).parameter("file", site).details(error))
    }

    /// Keeps tokens that were obtained elsewhere: the embedded plant gives its own out. `expires_in` is in seconds.
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
        self.client(site)?.adopt(NewTokens {
            access: Secret::new(access),
            refresh: refresh.map(Secret::new),
            expires_in: expires_in.map(Duration::from_secs),
            scopes: None,
        });
        Ok(())
    }

    /// Reaches for the service and the identity provider, and reads a little with the kept token.
    ///
    /// # Errors
    ///
    /// A [client code](takt_core::problem#client-codes): there is no client for the site. What was found wrong with the
    /// site itself is no error, it stands in [`SiteTest::problem`].
    pub async fn test(&self, site: &str) -> Result<SiteTest, Problem> {
        let client = self.client(site)?;
        let (service, provider) = tokio::join!(client.reach_service(), client.reach_provider());
        let mut test = SiteTest {
            service_reached: service.is_ok(),
            provider_reached: provider.is_ok(),
            token_accepted: None,
            clock_ahead_seconds: None,
            odd_headers: Vec::new(),
            problem: None,
        };
        let unreached = service.err().or(provider.err());
        test.problem = unreached.map(|error| Problem::of_client(site, error));
        test.clock_ahead_seconds = client.skew().and_then(|ahead| i32::try_from(-ahead.as_secs()).ok());
        if !test.service_reached || !client.signed_in() {
            return Ok(test);
        }
        let Some(read) = self.harmless_reads(site)?.into_iter().next() else { return Ok(test) };
        match client.ask(&ReadQuestion::first_row(&read)).await {
            Ok(_) => test.token_accepted = Some(true),
            Err(error) => {
                let unauthorised = error.status() == Some(401) || matches!(error, ClientError::SignInNeeded);
                // Any other answer came after the token was looked at.
                test.token_accepted = if unauthorised { Some(false) } else { error.status().map(|_| true) };
                test.problem = Some(Problem::of_client(site, error));
            }
        }
        test.odd_headers = self.odd_headers(site)?;
        Ok(test)
    }

    /// Headers of the service whose values can't be, each once, as it came first. They were ignored.
    ///
    /// # Errors
    ///
    /// A [client code](takt_core::problem#client-codes): there is no client for the site.
    pub fn odd_headers(&self, site: &str) -> Result<Vec<IgnoredHeader>, Problem> {
        let headers = self.client(site)?.odd_headers();
        Ok(headers.into_iter().map(|header| IgnoredHeader { name: header.name, value: header.value }).collect())
    }

    /// The first paged read of each area that needs nothing.
    pub(super) fn harmless_reads(&self, site: &str) -> Result<Vec<Operation>, Problem> {
        let contract = self.contract(site)?;
        let mut reads: Vec<Operation> = Vec::new();
        for operation in contract.operations().iter().filter(|one| one.paged && one.reads_without_input()) {
            if reads.iter().all(|known| known.area != operation.area) {
                reads.push(operation.clone());
            }
        }
        Ok(reads)
    }
}
