//! The client of one site: reads, writes, sign-in and rate limit.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::SignedDuration;
use reqwest::{Method, Request, header::CONTENT_TYPE};
use serde_json::Value;

use crate::{
    ClientError, Clock, Failpoints, IgnoredHeader, RateLimit, ReadRequest, Redactor, ReportWait, RequestPermit,
    RequestPurpose, Secret, ServiceResponse, SiteAccess, Vault, VaultError, WaitReports,
    address::Addresses,
    http::RouteSecrets,
    oauth::{Provider, Revocation},
    token::TokenStore,
    token_pair::NewTokens,
    transport::{Received, RequestEffect, Transport},
    wait_reports::WaitReporter,
};

const UNAUTHORIZED: u16 = 401;
const JSON: &str = "application/json";
/// Scopes for signing in, which providers often omit from the granted scopes.
const SIGN_IN_SCOPES: [&str; 6] = ["openid", "profile", "email", "address", "phone", "offline_access"];
/// The suffix of a scope that requests every scope granted to the client.
const ALL_GRANTED_SUFFIX: &str = "/.default";
/// The maximum wait for the provider during sign-out.
const REVOCATION_TIMEOUT: Duration = Duration::from_secs(10);

/// The client of one site. Clones share connections, tokens and rate limit.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
    wait_reporter: WaitReporter,
    response_callback: Option<ResponseCallback>,
}

/// A callback that receives method, path and body of each response to a read.
pub type ResponseCallback = Arc<dyn Fn(&str, &str, &[u8]) + Send + Sync>;

struct Inner {
    access: SiteAccess,
    addresses: Addresses,
    transport: Transport,
    provider: Provider,
    tokens: TokenStore,
    route_secrets: RouteSecrets,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Client").field("site", &self.inner.access.name).finish_non_exhaustive()
    }
}

impl Client {
    /// Creates a client without connecting.
    ///
    /// # Errors
    /// Fails if an address, the proxy or a certificate file can't be used.
    pub fn new(access: SiteAccess, vault: Vault, clock: Clock) -> Result<Self, ClientError> {
        Self::with_failpoints(access, vault, clock, Failpoints::default())
    }

    /// Like [`Self::new`], but calls `failpoints` at each failpoint.
    ///
    /// # Errors
    /// Fails as [`Self::new`] does.
    pub fn with_failpoints(
        access: SiteAccess,
        vault: Vault,
        clock: Clock,
        failpoints: Failpoints,
    ) -> Result<Self, ClientError> {
        let addresses = Addresses::new(&access.base_url, &access.auth_url)?;
        let secrets = RouteSecrets::load(&access, &vault);
        let redactor = vault.redactor().clone();
        let transport = Transport::new(&access, Arc::clone(&clock), failpoints.clone(), redactor, &secrets)?;
        let provider = Provider::new(&access, addresses.clone(), transport.clone())?;
        let tokens = TokenStore::new(&access, vault, provider.clone(), clock, failpoints);
        let inner = Arc::new(Inner { access, addresses, transport, provider, tokens, route_secrets: secrets });
        Ok(Self { inner, wait_reporter: WaitReporter::default(), response_callback: None })
    }

    #[must_use]
    pub fn access(&self) -> &SiteAccess {
        &self.inner.access
    }

    /// Sends a read by `GET`. `path` is percent-encoded and relative to the base URL.
    ///
    /// # Errors
    /// Fails if no user is signed in, or if the service can't be reached, times out or refuses.
    pub async fn get(&self, path: &str, query: &[(String, String)]) -> Result<ServiceResponse, ClientError> {
        self.read_once(self.inner.transport.budget().count_request(), &ReadRequest::get(path, query)).await
    }

    /// Sends a read without retries, except once after a 401 with a refreshed token.
    ///
    /// # Errors
    /// Fails as [`Self::get`] does.
    pub async fn read_without_retry(&self, read_request: &ReadRequest) -> Result<ServiceResponse, ClientError> {
        self.read_once(self.inner.transport.budget().count_request(), read_request).await
    }

    pub(crate) async fn read_once(
        &self,
        permit: RequestPermit,
        read_request: &ReadRequest,
    ) -> Result<ServiceResponse, ClientError> {
        let url = self.inner.addresses.path_url(&read_request.path, &read_request.query)?;
        let mut request = self.inner.transport.http().request(parse_method(&read_request.method)?, url);
        if let Some(body) = read_request.body_text() {
            request = request.header(CONTENT_TYPE, JSON).body(body);
        }
        let request = request.build().map_err(|cause| ClientError::from_transport(&cause))?;
        self.send_authorized(permit, request, RequestEffect::Reads, || async { true }).await
    }

    /// Sends a JSON body. After a failure, [`ClientError::delivery`] classifies the request.
    ///
    /// The request is sent a second time only after a 401, with a refreshed token. The service rejected the first
    /// one, so it had no effect.
    ///
    /// # Errors
    /// Fails if no user is signed in, or if the service can't be reached, times out or refuses.
    pub async fn send(&self, method: &str, path: &str, body: &Value) -> Result<ServiceResponse, ClientError> {
        self.send_text(self.inner.transport.budget().count_request(), method, path, body.to_string()).await
    }

    /// Like [`Client::send`], with a body that is JSON text and an existing permit.
    ///
    /// # Errors
    /// Fails if no user is signed in, or if the service can't be reached, times out or refuses.
    pub async fn send_text(
        &self,
        permit: RequestPermit,
        method: &str,
        path: &str,
        body: String,
    ) -> Result<ServiceResponse, ClientError> {
        self.send_text_while(permit, method, path, body, || async { true }).await
    }

    /// Like [`Client::send_text`], but calls `may_send` directly before sending. A token refresh or a sleeping
    /// computer may have delayed the request.
    ///
    /// # Errors
    /// Fails as [`Client::send_text`] does, and with [`ClientError::Cancelled`] if `may_send` returns false.
    pub async fn send_text_while<F: Future<Output = bool>>(
        &self,
        permit: RequestPermit,
        method: &str,
        path: &str,
        body: String,
        may_send: impl Fn() -> F,
    ) -> Result<ServiceResponse, ClientError> {
        let url = self.inner.addresses.path_url(path, &[])?;
        let request = self.inner.transport.http().request(parse_method(method)?, url).header(CONTENT_TYPE, JSON);
        let request = request.body(body).build().map_err(|cause| ClientError::from_transport(&cause))?;
        self.send_authorized(permit, request, RequestEffect::Writes, may_send).await
    }

    /// Returns a client whose reads report when each wait for the rate limit will end, and `None` after the wait.
    #[must_use]
    pub fn with_wait_reports(&self) -> (Self, WaitReports) {
        let (wait_reporter, reports) = WaitReporter::with_reports(self.inner.transport.clock());
        (
            Self { inner: Arc::clone(&self.inner), wait_reporter, response_callback: self.response_callback.clone() },
            reports,
        )
    }

    /// Returns this client with a callback for waits of several seconds for the rate limit.
    #[must_use]
    pub fn with_wait_callback(self, report: ReportWait) -> Self {
        let wait_reporter = WaitReporter::with_callback(report, self.inner.transport.clock());
        Self { wait_reporter, ..self }
    }

    /// Returns this client with a callback for responses to reads with retries.
    #[must_use]
    pub fn with_response_callback(self, response_callback: ResponseCallback) -> Self {
        Self { response_callback: Some(response_callback), ..self }
    }

    pub(crate) fn report_response(&self, method: &str, path: &str, response: &ServiceResponse) {
        if let Some(response_callback) = &self.response_callback {
            response_callback(method, path, &response.body);
        }
    }

    pub(crate) fn wait_reporter(&self) -> &WaitReporter {
        &self.wait_reporter
    }

    /// Returns the service's clock minus the local clock, to about a second. None before the first response with a
    /// date.
    #[must_use]
    pub fn clock_skew(&self) -> Option<SignedDuration> {
        self.inner.transport.clock_skew()
    }

    /// Returns the rate limit that the service stated last.
    #[must_use]
    pub fn rate_limit(&self) -> Option<RateLimit> {
        self.inner.transport.budget().stated_limit()
    }

    /// Returns the headers that were ignored because their values are invalid. Secrets are redacted.
    #[must_use]
    pub fn ignored_headers(&self) -> Vec<IgnoredHeader> {
        let mut headers = self.inner.transport.ignored_headers().to_list();
        headers.iter_mut().for_each(|header| header.value = self.redactor().redact_text(&header.value).into_owned());
        headers
    }

    /// Returns a permit for one request. All clones share the rate limit.
    ///
    /// # Errors
    /// Returns the latest time for the next attempt if the rate limit allows no request now.
    pub fn admit(&self, purpose: RequestPurpose) -> Result<RequestPermit, Instant> {
        self.inner.transport.budget().admit(purpose)
    }

    /// Returns the requests per second that the rate limit allows, if known.
    #[must_use]
    pub fn allowed_per_second(&self) -> Option<f64> {
        self.inner.transport.budget().per_second()
    }

    /// Returns whether tokens are stored. The service may still refuse them.
    #[must_use]
    pub fn is_signed_in(&self) -> bool {
        self.inner.tokens.are_stored()
    }

    /// Stores tokens that were obtained elsewhere.
    pub fn store_tokens(&self, tokens: NewTokens) {
        self.inner.tokens.store_tokens(tokens);
    }

    /// Deletes the tokens. The client secret stays.
    ///
    /// # Errors
    /// Fails if the keychain fails or doesn't respond in time.
    pub fn sign_out(&self) -> Result<(), VaultError> {
        self.inner.tokens.delete_tokens()
    }

    /// Revokes the refresh token if the provider supports it, then deletes the tokens, even if revocation fails.
    ///
    /// # Errors
    /// Fails if the keychain fails or doesn't respond in time.
    pub async fn sign_out_and_revoke(&self) -> Result<Revocation, VaultError> {
        let revocation = match tokio::time::timeout(REVOCATION_TIMEOUT, self.revoke()).await {
            Ok(Ok(true)) => Revocation::Revoked,
            Ok(Ok(false)) => Revocation::NotOffered,
            Ok(Err(error)) => {
                tracing::warn!(site = self.inner.access.name, %error, "the refresh token couldn't be revoked");
                Revocation::Failed
            }
            Err(_) => Revocation::Failed,
        };
        // Keychains block.
        let tokens = self.inner.tokens.clone();
        tokio::task::spawn_blocking(move || tokens.delete_tokens()).await.unwrap_or(Err(VaultError::TimedOut))?;
        Ok(revocation)
    }

    async fn revoke(&self) -> Result<bool, ClientError> {
        let Some(refresh) = self.inner.tokens.refresh_token().await? else { return Ok(false) };
        let secret = self.client_secret().await?;
        self.inner.provider.revoke(secret.as_ref(), &refresh).await
    }

    /// Sends a request without a token to the base URL. Any status shows that the service is reachable.
    ///
    /// # Errors
    /// Fails if the service doesn't respond.
    pub async fn reach_service(&self) -> Result<u16, ClientError> {
        let url = self.inner.addresses.base_url()?;
        Ok(self.inner.transport.exchange(Request::new(Method::GET, url)).await?.status)
    }

    /// Sends a request without parameters to the identity provider's authorize endpoint.
    ///
    /// # Errors
    /// Fails if the provider doesn't respond, or if its addresses can't be used.
    pub async fn reach_provider(&self) -> Result<u16, ClientError> {
        let url = self.inner.provider.endpoints().await?.authorize;
        Ok(self.inner.transport.exchange(Request::new(Method::GET, url)).await?.status)
    }

    /// Returns the redactor with every secret of this client.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        self.inner.transport.redactor()
    }

    /// Starts recording the communication with the identity provider, without secrets.
    pub fn begin_transcript(&self) {
        self.inner.transport.transcript().begin();
    }

    /// Returns the recorded communication. Empty if [`Self::begin_transcript`] wasn't called.
    #[must_use]
    pub fn transcript(&self) -> String {
        self.inner.transport.transcript().text()
    }

    /// Refreshes the tokens, even if they aren't due. Returns false if there is no refresh token.
    pub(crate) async fn refresh_tokens(&self) -> Result<bool, ClientError> {
        if self.inner.tokens.refresh_token().await?.is_none() {
            return Ok(false);
        }
        let bearer = self.inner.tokens.bearer().await?;
        self.inner.tokens.bearer_after_401(&bearer).await.map(|_| true)
    }

    /// Returns the requested scopes that weren't granted. Empty if neither provider nor token states the granted ones.
    pub(crate) async fn missing_scopes(&self) -> Result<Vec<String>, ClientError> {
        let Some(granted) = self.inner.tokens.scopes().await? else { return Ok(Vec::new()) };
        // A token may name a scope without the address of its resource.
        let is_granted =
            |asked: &str| granted.iter().any(|other| asked == other || asked.ends_with(&format!("/{other}")));
        let is_named = |scope: &&str| !SIGN_IN_SCOPES.contains(scope) && !scope.ends_with(ALL_GRANTED_SUFFIX);
        let asked = self.access().scope.split_whitespace().filter(is_named);
        Ok(asked.filter(|scope| !is_granted(scope)).map(str::to_owned).collect())
    }

    pub(crate) fn base_url(&self) -> Result<reqwest::Url, ClientError> {
        self.inner.addresses.base_url()
    }

    /// Sends a request with a token and returns the response with any status.
    pub(crate) async fn fetch_with_token(&self, request: Request, limit: usize) -> Result<Received, ClientError> {
        let bearer = self.inner.tokens.bearer().await?;
        self.inner.transport.fetch(with_token(request, &bearer.access)?, limit).await
    }

    pub(crate) fn transport(&self) -> &Transport {
        &self.inner.transport
    }

    pub(crate) fn route_secrets(&self) -> &RouteSecrets {
        &self.inner.route_secrets
    }

    pub(crate) fn provider(&self) -> &Provider {
        &self.inner.provider
    }

    pub(crate) async fn client_secret(&self) -> Result<Option<Secret>, ClientError> {
        self.inner.tokens.client_secret().await
    }

    /// Returns the reason of a refusal, as [`TokenStore::explain_refusal`] does.
    pub(crate) fn explain_refusal(&self, secret: Option<&Secret>, cause: ClientError) -> ClientError {
        self.inner.tokens.explain_refusal(secret, cause)
    }

    async fn send_authorized<F: Future<Output = bool>>(
        &self,
        permit: RequestPermit,
        request: Request,
        effect: RequestEffect,
        may_send: impl Fn() -> F,
    ) -> Result<ServiceResponse, ClientError> {
        let response = self.send_with_refresh(permit, request, effect, may_send).await;
        response.map_err(|error| error.redacted(self.redactor()))
    }

    /// Sends a request with a token, and once more with another token after a 401. The permit is held until the
    /// response's rate limit is recorded.
    async fn send_with_refresh<F: Future<Output = bool>>(
        &self,
        _permit: RequestPermit,
        request: Request,
        effect: RequestEffect,
        may_send: impl Fn() -> F,
    ) -> Result<ServiceResponse, ClientError> {
        let bearer = self.inner.tokens.bearer().await?;
        let repeated = request.try_clone();
        if !may_send().await {
            return Err(ClientError::Cancelled);
        }
        match self.inner.transport.send_to_service(with_token(request, &bearer.access)?, effect).await {
            Err(ClientError::Refused(refusal)) if refusal.status == UNAUTHORIZED => {
                let Some(repeated) = repeated else { return Err(ClientError::Refused(refusal)) };
                let bearer = self.inner.tokens.bearer_after_401(&bearer).await?;
                if !may_send().await {
                    return Err(ClientError::Cancelled);
                }
                self.inner.transport.send_to_service(with_token(repeated, &bearer.access)?, effect).await
            }
            other => other,
        }
    }
}

fn parse_method(name: &str) -> Result<Method, ClientError> {
    Method::from_bytes(name.as_bytes())
        .map_err(|cause| ClientError::Settings { setting: "method", reason: cause.to_string() })
}

fn with_token(mut request: Request, access: &Secret) -> Result<Request, ClientError> {
    let mut value = reqwest::header::HeaderValue::from_str(&format!("Bearer {}", access.reveal()))
        .map_err(|_| ClientError::SignInNeeded)?;
    // Hides the value from the logs of the HTTP libraries.
    value.set_sensitive(true);
    request.headers_mut().insert(reqwest::header::AUTHORIZATION, value);
    Ok(request)
}
