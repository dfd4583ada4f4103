//! A site as something to ask: reads, writes, sign-in, rate limit.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::SignedDuration;
use reqwest::{Method, Request, header::CONTENT_TYPE};
use serde_json::Value;

use crate::{
    Answer, ClientError, Clock, Failpoints, IgnoredHeader, RateLimit, ReadQuestion, Redactor, ReportWait,
    RequestPermit, RequestPurpose, Secret, SiteAccess, Vault, VaultError, WaitReports,
    address::Addresses,
    http::WaySecrets,
    oauth::{Provider, Revocation},
    token::TokenStore,
    token_pair::NewTokens,
    transport::{Received, RequestEffect, Transport},
    waits::Waits,
};

const UNAUTHORISED: u16 = 401;
const JSON: &str = "application/json";
/// Scopes for the sign-in itself: who has been granted them often isn't told so.
const NEVER_NAMED: [&str; 6] = ["openid", "profile", "email", "address", "phone", "offline_access"];
/// Ends a scope that stands for all that were granted.
const ALL_GRANTED: &str = "/.default";
/// How long a sign-out may wait for the provider.
const REVOCATION_TIMEOUT: Duration = Duration::from_secs(10);

/// Clones share connections, tokens and rate limit.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
    waits: Waits,
    watch: Option<AnswerWatch>,
}

/// Sees the body of each answer to a read, with the read's method and path.
pub type AnswerWatch = Arc<dyn Fn(&str, &str, &[u8]) + Send + Sync>;

struct Inner {
    access: SiteAccess,
    addresses: Addresses,
    transport: Transport,
    provider: Provider,
    tokens: TokenStore,
    /// Of the way to the site.
    way: WaySecrets,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Client").field("site", &self.inner.access.name).finish_non_exhaustive()
    }
}

impl Client {
    /// Fails where an address, the proxy or the certificate file can't be used. Connects to nothing yet.
    ///
    /// # Errors
    /// Where an address, the proxy or the certificate file can't be used.
    pub fn new(access: SiteAccess, vault: Vault, clock: Clock) -> Result<Self, ClientError> {
        Self::with_failpoints(access, vault, clock, Failpoints::default())
    }

    /// As [`Self::new`], and tells of each failpoint that is passed.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_failpoints(
        access: SiteAccess,
        vault: Vault,
        clock: Clock,
        failpoints: Failpoints,
    ) -> Result<Self, ClientError> {
        let addresses = Addresses::new(&access.base_url, &access.auth_url)?;
        let secrets = WaySecrets::of(&access, &vault);
        let redactor = vault.redactor().clone();
        let transport = Transport::new(&access, Arc::clone(&clock), failpoints.clone(), redactor, &secrets)?;
        let provider = Provider::new(&access, addresses.clone(), transport.clone())?;
        let tokens = TokenStore::new(&access, vault, provider.clone(), clock, failpoints);
        let inner = Arc::new(Inner { access, addresses, transport, provider, tokens, way: secrets });
        Ok(Self { inner, waits: Waits::default(), watch: None })
    }

    #[must_use]
    pub fn access(&self) -> &SiteAccess {
        &self.inner.access
    }

    /// Reads. `path` is percent-encoded and relative to the base URL.
    ///
    /// # Errors
    /// If no person is signed in, or the service can't be reached, times out, or refuses.
    pub async fn get(&self, path: &str, query: &[(String, String)]) -> Result<Answer, ClientError> {
        self.read_once(self.inner.transport.budget().count(), &ReadQuestion::get(path, query)).await
    }

    /// Asks what changes nothing, once.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn ask(&self, question: &ReadQuestion) -> Result<Answer, ClientError> {
        self.read_once(self.inner.transport.budget().count(), question).await
    }

    pub(crate) async fn read_once(
        &self,
        permit: RequestPermit,
        question: &ReadQuestion,
    ) -> Result<Answer, ClientError> {
        let url = self.inner.addresses.of_path(&question.path, &question.query)?;
        let mut request = self.inner.transport.http().request(method(&question.method)?, url);
        if let Some(body) = question.body_text() {
            request = request.header(CONTENT_TYPE, JSON).body(body);
        }
        let request = request.build().map_err(|cause| ClientError::from_transport(&cause))?;
        self.authorised(permit, request, RequestEffect::Reads, || async { true }).await
    }

    /// Sends a JSON body. What became of it when this fails is in [`ClientError::delivery`].
    ///
    /// It is sent a second time in one case only: after a 401, with a renewed token. A 401 is the service's word that it
    /// didn't let the request in, so nothing was done by the first.
    ///
    /// # Errors
    /// If no person is signed in, or the service can't be reached, times out, or refuses.
    pub async fn send(&self, method: &str, path: &str, body: &Value) -> Result<Answer, ClientError> {
        self.send_text(self.inner.transport.budget().count(), method, path, body.to_string()).await
    }

    /// As [`Client::send`], with a body that is JSON already and a right that was had beforehand.
    ///
    /// # Errors
    /// If no person is signed in, or the service can't be reached, times out, or refuses.
    pub async fn send_text(
        &self,
        permit: RequestPermit,
        method: &str,
        path: &str,
        body: String,
    ) -> Result<Answer, ClientError> {
        self.send_text_while(permit, method, path, body, || async { true }).await
    }

    /// The same, of which nothing leaves unless `may_leave` says so directly before: a token may have to be renewed first, or the
    /// computer sleeps.
    ///
    /// # Errors
    /// As [`Client::send_text`]; [`ClientError::Cancelled`] where it may not leave.
    pub async fn send_text_while<F: Future<Output = bool>>(
        &self,
        permit: RequestPermit,
        method: &str,
        path: &str,
        body: String,
        may_leave: impl Fn() -> F,
    ) -> Result<Answer, ClientError> {
        let url = self.inner.addresses.of_path(path, &[])?;
        let request = self.inner.transport.http().request(self::method(method)?, url).header(CONTENT_TYPE, JSON);
        let request = request.body(body).build().map_err(|cause| ClientError::from_transport(&cause))?;
        self.authorised(permit, request, RequestEffect::Writes, may_leave).await
    }

    /// The same client, whose reads tell until when they wait for the rate limit, and by `None` that they wait no longer.
    #[must_use]
    pub fn with_wait_reports(&self) -> (Self, WaitReports) {
        let (waits, heard) = Waits::with_reports(self.inner.transport.clock());
        (Self { inner: Arc::clone(&self.inner), waits, watch: self.watch.clone() }, heard)
    }

    /// The same client, whose reads say until when they wait for the rate limit, where that is some seconds.
    #[must_use]
    pub fn reporting_waits_to(self, say: ReportWait) -> Self {
        let waits = Waits::said(say, self.inner.transport.clock());
        Self { waits, ..self }
    }

    /// The same client, whose reads show their answers.
    #[must_use]
    pub fn showing_answers_to(self, watch: AnswerWatch) -> Self {
        Self { watch: Some(watch), ..self }
    }

    pub(crate) fn show_answer(&self, method: &str, path: &str, answer: &Answer) {
        if let Some(watch) = &self.watch {
            watch(method, path, &answer.body);
        }
    }

    pub(crate) fn waits(&self) -> &Waits {
        &self.waits
    }

    /// By how much the service's clock is ahead of this computer's, as its last answer said; absent before the first. A
    /// second more or less is nothing.
    #[must_use]
    pub fn skew(&self) -> Option<SignedDuration> {
        self.inner.transport.skew()
    }

    /// The rate limit as the last answer stated it.
    #[must_use]
    pub fn limit(&self) -> Option<RateLimit> {
        self.inner.transport.budget().stated()
    }

    /// Headers of the service whose values can't be, each once, as it came first. They were ignored.
    #[must_use]
    pub fn odd_headers(&self) -> Vec<IgnoredHeader> {
        let mut headers = self.inner.transport.odd_headers().ignored();
        headers.iter_mut().for_each(|header| header.value = self.redactor().text(&header.value).into_owned());
        headers
    }

    /// The right to one request within the rate limit, or when to ask again at the latest. Shared by all clones.
    ///
    /// # Errors
    /// Where the limit leaves no request now.
    pub fn admit(&self, purpose: RequestPurpose) -> Result<RequestPermit, Instant> {
        self.inner.transport.budget().admit(purpose)
    }

    /// Requests per second that the rate limit allows, as far as it is known.
    #[must_use]
    pub fn allowed_per_second(&self) -> Option<f64> {
        self.inner.transport.budget().per_second()
    }

    /// True where tokens are kept; the service may refuse them nonetheless.
    #[must_use]
    pub fn signed_in(&self) -> bool {
        self.inner.tokens.are_kept()
    }

    /// Keeps tokens that were obtained elsewhere.
    pub fn adopt(&self, tokens: NewTokens) {
        self.inner.tokens.adopt(tokens);
    }

    /// Forgets the tokens; the client secret stays.
    ///
    /// # Errors
    /// Where the keychain fails, or doesn't answer in time.
    pub fn sign_out(&self) -> Result<(), VaultError> {
        self.inner.tokens.forget()
    }

    /// The same, and tells the provider that the refresh token is no longer used, where it offers that. Whatever comes of it,
    /// the tokens are forgotten.
    ///
    /// # Errors
    /// Where the keychain fails, or doesn't answer in time.
    pub async fn sign_out_for_good(&self) -> Result<Revocation, VaultError> {
        let told = match tokio::time::timeout(REVOCATION_TIMEOUT, self.revoke()).await {
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
        tokio::task::spawn_blocking(move || tokens.forget()).await.unwrap_or(Err(VaultError::TimedOut))?;
        Ok(told)
    }

    async fn revoke(&self) -> Result<bool, ClientError> {
        let Some(refresh) = self.inner.tokens.refresh_token().await? else { return Ok(false) };
        let secret = self.client_secret().await?;
        self.inner.provider.revoke(secret.as_ref(), &refresh).await
    }

    /// Asks the base URL without a token. Any answer, whatever its status, means that somebody is there.
    ///
    /// # Errors
    /// If the provider doesn't answer.
    pub async fn reach_service(&self) -> Result<u16, ClientError> {
        let url = self.inner.addresses.base()?;
        Ok(self.inner.transport.exchange(Request::new(Method::GET, url)).await?.status)
    }

    /// Asks the identity provider's authorize address, without parameters.
    ///
    /// # Errors
    /// If the provider doesn't answer, or its addresses can't be used.
    pub async fn reach_provider(&self) -> Result<u16, ClientError> {
        let url = self.inner.provider.endpoints().await?.authorize;
        Ok(self.inner.transport.exchange(Request::new(Method::GET, url)).await?.status)
    }

    /// Removes every secret that this client knows.
    #[must_use]
    pub fn redactor(&self) -> &Redactor {
        self.inner.transport.redactor()
    }

    /// From here on what is said between Takt and the identity provider is noted, without secrets.
    pub fn begin_transcript(&self) {
        self.inner.transport.transcript().begin();
    }

    /// What was noted since.
    #[must_use]
    pub fn transcript(&self) -> String {
        self.inner.transport.transcript().text()
    }

    /// Renews the tokens, whether they are due or not. False without a refresh token.
    pub(crate) async fn renew_tokens(&self) -> Result<bool, ClientError> {
        if self.inner.tokens.refresh_token().await?.is_none() {
            return Ok(false);
        }
        let bearer = self.inner.tokens.bearer().await?;
        self.inner.tokens.bearer_after_401(&bearer).await.map(|_| true)
    }

    /// The scopes that were asked for and not granted, as far as the provider or the token says.
    pub(crate) async fn missing_scopes(&self) -> Result<Vec<String>, ClientError> {
        let Some(granted) = self.inner.tokens.scopes().await? else { return Ok(Vec::new()) };
        // A token may name a scope without the address of what it is for.
        let is_granted =
            |asked: &str| granted.iter().any(|other| asked == other || asked.ends_with(&format!("/{other}")));
        let is_named = |scope: &&str| !NEVER_NAMED.contains(scope) && !scope.ends_with(ALL_GRANTED);
        let asked = self.access().scope.split_whitespace().filter(is_named);
        Ok(asked.filter(|scope| !is_granted(scope)).map(str::to_owned).collect())
    }

    pub(crate) fn base(&self) -> Result<reqwest::Url, ClientError> {
        self.inner.addresses.base()
    }

    /// An answer with any status to a request with a token.
    pub(crate) async fn fetch_with_token(&self, request: Request, limit: usize) -> Result<Received, ClientError> {
        let bearer = self.inner.tokens.bearer().await?;
        self.inner.transport.fetch(with_token(request, &bearer.access)?, limit).await
    }

    pub(crate) fn transport(&self) -> &Transport {
        &self.inner.transport
    }

    pub(crate) fn way_secrets(&self) -> &WaySecrets {
        &self.inner.way
    }

    pub(crate) fn provider(&self) -> &Provider {
        &self.inner.provider
    }

    pub(crate) async fn client_secret(&self) -> Result<Option<Secret>, ClientError> {
        self.inner.tokens.client_secret().await
    }

    /// Why the provider refused it, as [`TokenStore::refused`] tells.
    pub(crate) fn refused(&self, secret: Option<&Secret>, cause: ClientError) -> ClientError {
        self.inner.tokens.refused(secret, cause)
    }

    async fn authorised<F: Future<Output = bool>>(
        &self,
        permit: RequestPermit,
        request: Request,
        effect: RequestEffect,
        may_leave: impl Fn() -> F,
    ) -> Result<Answer, ClientError> {
        let answer = self.authorised_once_more(permit, request, effect, may_leave).await;
        answer.map_err(|error| error.redacted(self.redactor()))
    }

    /// With a token; after a 401 once more with another one. What the answer says of the limit is known before the permit
    /// is given back.
    async fn authorised_once_more<F: Future<Output = bool>>(
        &self,
        _ticket: RequestPermit,
        request: Request,
        effect: RequestEffect,
        may_leave: impl Fn() -> F,
    ) -> Result<Answer, ClientError> {
        let bearer = self.inner.tokens.bearer().await?;
        let again = request.try_clone();
        if !may_leave().await {
            return Err(ClientError::Cancelled);
        }
        match self.inner.transport.ask(with_token(request, &bearer.access)?, effect).await {
            Err(ClientError::Refused(refusal)) if refusal.status == UNAUTHORISED => {
                let Some(again) = again else { return Err(ClientError::Refused(refusal)) };
                let bearer = self.inner.tokens.bearer_after_401(&bearer).await?;
                if !may_leave().await {
                    return Err(ClientError::Cancelled);
                }
                self.inner.transport.ask(with_token(again, &bearer.access)?, effect).await
            }
            other => other,
        }
    }
}

fn method(name: &str) -> Result<Method, ClientError> {
    Method::from_bytes(name.as_bytes())
        .map_err(|cause| ClientError::Settings { setting: "method", reason: cause.to_string() })
}

fn with_token(mut request: Request, access: &Secret) -> Result<Request, ClientError> {
    let mut value = reqwest::header::HeaderValue::from_str(&format!("Bearer {}", access.reveal()))
        .map_err(|_| ClientError::SignInNeeded)?;
    // Keeps it out of what the libraries below write to their logs.
    value.set_sensitive(true);
    request.headers_mut().insert(reqwest::header::AUTHORIZATION, value);
    Ok(request)
}
