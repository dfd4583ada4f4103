//! A site as something to ask: reads, writes, sign-in, rate limit.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::SignedDuration;
use reqwest::{Method, Request, header::CONTENT_TYPE};
use serde_json::Value;

use crate::{
    Answer, ClientError, Clock, Errand, NewTokens, Pages, PendingSignIn, RateLimit, Secret, SiteAccess, Ticket, Vault,
    VaultError, Waypoints, address::Addresses, oauth::Provider, sign_in, token::TokenKeeper, transport::Transport,
};

const UNAUTHORISED: u16 = 401;

/// Clones share connections, tokens and rate limit.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    access: SiteAccess,
    addresses: Addresses,
    transport: Transport,
    provider: Provider,
    tokens: TokenKeeper,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Client").field("site", &self.0.access.name).finish_non_exhaustive()
    }
}

impl Client {
    /// Fails where an address, the proxy or the certificate file can't be used. Connects to nothing yet.
    pub fn new(access: SiteAccess, vault: Vault, clock: Clock) -> Result<Self, ClientError> {
        Self::with_waypoints(access, vault, clock, Waypoints::default())
    }

    /// As [`Self::new`], and tells of each waypoint that is passed.
    pub fn with_waypoints(
        access: SiteAccess,
        vault: Vault,
        clock: Clock,
        waypoints: Waypoints,
    ) -> Result<Self, ClientError> {
        let addresses = Addresses::of(&access)?;
        let transport = Transport::new(&access, Arc::clone(&clock), waypoints.clone())?;
        let provider = Provider::new(&access, addresses.clone(), transport.clone());
        let tokens = TokenKeeper::new(&access, vault, provider.clone(), clock, waypoints);
        Ok(Self(Arc::new(Inner { access, addresses, transport, provider, tokens })))
    }

    #[must_use]
    pub fn access(&self) -> &SiteAccess {
        &self.0.access
    }

    /// Reads. `path` is percent-encoded and relative to the base URL.
    pub async fn get(&self, path: &str, query: &[(String, String)]) -> Result<Answer, ClientError> {
        self.get_with(self.0.transport.budget().count(), path, query).await
    }

    pub(crate) async fn get_with(
        &self,
        ticket: Ticket,
        path: &str,
        query: &[(String, String)],
    ) -> Result<Answer, ClientError> {
        let url = self.0.addresses.of_path(path, query)?;
        self.authorised(ticket, Request::new(Method::GET, url)).await
    }

    /// Sends a JSON body. What became of it when this fails is in [`ClientError::delivery`].
    ///
    /// It is sent a second time in one case only: after a 401, with a renewed token. A 401 is the service's word that it
    /// didn't let the request in, so nothing was done by the first.
    pub async fn send(&self, method: &str, path: &str, body: &Value) -> Result<Answer, ClientError> {
        self.send_text(self.0.transport.budget().count(), method, path, body.to_string()).await
    }

    /// As [`Client::send`], with a body that is JSON already and a right that was had beforehand.
    pub async fn send_text(
        &self,
        ticket: Ticket,
        method: &str,
        path: &str,
        body: String,
    ) -> Result<Answer, ClientError> {
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|cause| ClientError::Settings { setting: "method", reason: cause.to_string() })?;
        let url = self.0.addresses.of_path(path, &[])?;
        let request = self.0.transport.http().request(method, url).header(CONTENT_TYPE, "application/json").body(body);
        self.authorised(ticket, request.build().map_err(|cause| ClientError::from_transport(&cause))?).await
    }

    /// Reads page after page; `member` carries the rows.
    #[must_use]
    pub fn pages(&self, path: &str, query: &[(String, String)], member: &str) -> Pages {
        Pages::new(self.clone(), path, query, member)
    }

    /// By how much the service's clock is ahead of this computer's, as its last answer said; absent before the first. A
    /// second more or less is nothing.
    #[must_use]
    pub fn skew(&self) -> Option<SignedDuration> {
        self.0.transport.skew()
    }

    /// The rate limit as the last answer stated it.
    #[must_use]
    pub fn limit(&self) -> Option<RateLimit> {
        self.0.transport.budget().stated()
    }

    /// The right to one request within the rate limit, or when to ask again at the latest. Shared by all clones.
    pub fn admit(&self, errand: Errand) -> Result<Ticket, Instant> {
        self.0.transport.budget().admit(errand)
    }

    /// Requests per second that the rate limit allows, as far as it is known.
    #[must_use]
    pub fn allowed_per_second(&self) -> Option<f64> {
        self.0.transport.budget().per_second()
    }

    /// Listens for the browser's way back and makes the address to open. Ends by itself after `limit`.
    pub async fn begin_sign_in(&self, limit: Duration) -> Result<PendingSignIn, ClientError> {
        sign_in::begin(self.clone(), limit, false).await
    }

    /// The same where a person can paste the address on which the browser ended: it begins also where nobody can listen.
    pub async fn begin_sign_in_to_paste(&self, limit: Duration) -> Result<PendingSignIn, ClientError> {
        sign_in::begin(self.clone(), limit, true).await
    }

    /// True where tokens are kept; the service may refuse them nonetheless.
    #[must_use]
    pub fn signed_in(&self) -> bool {
        self.0.tokens.are_kept()
    }

    /// Keeps tokens that were obtained elsewhere.
    pub fn adopt(&self, tokens: NewTokens) {
        self.0.tokens.adopt(tokens);
    }

    /// Forgets the tokens; the client secret stays.
    pub fn sign_out(&self) -> Result<(), VaultError> {
        self.0.tokens.forget()
    }

    /// Asks the base URL without a token. Any answer, whatever its status, means that somebody is there.
    pub async fn reach_service(&self) -> Result<u16, ClientError> {
        let url = self.0.addresses.base()?;
        Ok(self.0.transport.exchange(Request::new(Method::GET, url)).await?.status)
    }

    /// Asks the identity provider's authorize address, without parameters.
    pub async fn reach_provider(&self) -> Result<u16, ClientError> {
        let url = self.0.addresses.authorize.clone();
        Ok(self.0.transport.exchange(Request::new(Method::GET, url)).await?.status)
    }

    pub(crate) fn provider(&self) -> &Provider {
        &self.0.provider
    }

    pub(crate) async fn client_secret(&self) -> Result<Option<Secret>, ClientError> {
        self.0.tokens.client_secret().await
    }

    /// With a token; after a 401 once more with another one. What the answer says of the limit is known before the ticket
    /// is given back.
    async fn authorised(&self, _ticket: Ticket, request: Request) -> Result<Answer, ClientError> {
        let bearer = self.0.tokens.bearer().await?;
        let again = request.try_clone();
        match self.0.transport.ask(with_token(request, &bearer.access)?).await {
            Err(ClientError::Refused(refusal)) if refusal.status == UNAUTHORISED => {
                let Some(again) = again else { return Err(ClientError::Refused(refusal)) };
                let bearer = self.0.tokens.instead_of(&bearer).await?;
                self.0.transport.ask(with_token(again, &bearer.access)?).await
            }
            other => other,
        }
    }
}

fn with_token(mut request: Request, access: &Secret) -> Result<Request, ClientError> {
    let mut value = reqwest::header::HeaderValue::from_str(&format!("Bearer {}", access.reveal()))
        .map_err(|_| ClientError::SignInNeeded)?;
    // Keeps it out of what the libraries below write to their logs.
    value.set_sensitive(true);
    request.headers_mut().insert(reqwest::header::AUTHORIZATION, value);
    Ok(request)
}
