//! The tokens of one site: kept, renewed in time, and renewed once however many ask at the same moment.
//!
//! A provider may forbid a refresh token's second use and then end the whole sign-in, so there is one renewal at a time, in
//! this process by a lock and across processes by a lock file; and the new pair is in the vault before it is used. A sign-in or
//! sign-out during a renewal is newer than its result: what a renewal brings is kept only where the vault still holds the pair
//! that was renewed.

mod site_lock;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use site_lock::{Busy, SiteLock};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::{
    ClientError, Clock, Failpoints, Secret, SecretKind, SiteAccess, Vault, VaultError,
    oauth::{Provider, RenewalError},
    token_pair::{CurrentTokens, NewTokens, StoredTokens},
};

/// How long to wait before a renewal is tried again; after the last of them it has failed.
const RENEWAL_PAUSES: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_millis(1_000), Duration::from_millis(3_000)];
const MAX_RETRY_DELAY: Duration = Duration::from_secs(10);
/// For another Takt's renewal to end: as long as one takes whose provider answers only the last try.
const MAX_RENEWAL_WAIT: Duration = Duration::from_secs(300);

/// Clones keep the same tokens.
#[derive(Clone)]
pub(crate) struct TokenStore {
    site: String,
    /// The origin that the tokens and the client secret belong to. No other origin gets them.
    origins: Origins,
    vault: Vault,
    provider: Provider,
    clock: Clock,
    lock: SiteLock,
    state: Arc<Mutex<State>>,
    /// Counts what was put into the vault or taken out of it from outside: what is current is then out of date.
    epoch: Arc<AtomicU64>,
    failpoints: Failpoints,
}

#[derive(Debug, Clone)]
struct Origins {
    tokens: String,
    secret: String,
}

impl std::fmt::Debug for TokenStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TokenStore").field("site", &self.site).finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct State {
    current: Option<CurrentTokens>,
    /// Which change of the vault's tokens they are of, in this process and in all.
    epoch: u64,
    mark: Option<String>,
    /// Grows with every pair, so that two who saw the same pair fail renew it once.
    pair: u64,
}

/// An access token, and which pair it belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Bearer {
    pub(crate) access: Secret,
    pair: u64,
}

impl State {
    fn bearer(&self) -> Option<Bearer> {
        self.current.as_ref().map(|current| Bearer { access: current.stored.access.clone(), pair: self.pair })
    }

    fn set_current(&mut self, current: Option<CurrentTokens>) {
        self.current = current;
        self.pair += 1;
    }
}

impl TokenStore {
    pub(crate) fn new(
        access: &SiteAccess,
        vault: Vault,
        provider: Provider,
        clock: Clock,
        failpoints: Failpoints,
    ) -> Self {
        Self {
            site: access.name.clone(),
            origins: Origins { tokens: access.token_origin(), secret: access.secret_origin() },
            vault,
            provider,
            clock,
            lock: SiteLock::new(access.lock_file.clone()),
            state: Arc::default(),
            epoch: Arc::new(AtomicU64::new(1)),
            failpoints,
        }
    }

    /// Stores a new pair for the next request.
    pub(crate) fn adopt(&self, tokens: NewTokens) {
        let stored = StoredTokens::new(tokens, None, (self.clock)());
        let _lock = self.lock.lock_change();
        self.vault.put_for(&self.site, SecretKind::Tokens, &self.origins.tokens, &stored.to_secret());
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.lock.leave_mark();
    }

    /// Forgets them. A renewal that is under way finds out and doesn't keep its pair.
    pub(crate) fn forget(&self) -> Result<(), VaultError> {
        let _lock = self.lock.lock_change();
        let removed = self.vault.remove(&self.site, SecretKind::Tokens);
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.lock.leave_mark();
        removed
    }

    /// The refresh token that is kept.
    pub(crate) async fn refresh_token(&self) -> Result<Option<Secret>, ClientError> {
        Ok(self.load().await?.and_then(|current| current.stored.refresh))
    }

    /// The scopes that were granted, where anybody says.
    pub(crate) async fn scopes(&self) -> Result<Option<Vec<String>>, ClientError> {
        Ok(self.load().await?.and_then(|current| current.stored.scopes()))
    }

    /// True also if the keychain doesn't answer. Using the tokens reports that.
    pub(crate) fn are_kept(&self) -> bool {
        !matches!(self.vault.tokens_for(&self.site, &self.origins.tokens), Ok(None))
    }

    /// An access token, renewed shortly before its end.
    pub(crate) async fn bearer(&self) -> Result<Bearer, ClientError> {
        let mut state = Arc::clone(&self.state).lock_owned().await;
        self.refill(&mut state).await?;
        let (Some(current), Some(bearer)) = (&state.current, state.bearer()) else {
            return Err(ClientError::SignInNeeded);
        };
        if !current.is_due() || current.stored.refresh.is_none() {
            return Ok(bearer);
        }
        let ended = current.has_ended();
        // A valid token is used without waiting for another Takt's renewal.
        let wait = if ended { MAX_RENEWAL_WAIT } else { Duration::ZERO };
        match self.refresh_detached(state, wait).await {
            // A provider that is down for a moment is no reason not to use a token that is still good.
            Err(ClientError::Renewal(cause)) if !ended => {
                tracing::info!(site = self.site, %cause, "the token is used until its end");
                Ok(bearer)
            }
            other => other,
        }
    }

    /// Another token than the one that the service just refused.
    pub(crate) async fn bearer_after_401(&self, refused: &Bearer) -> Result<Bearer, ClientError> {
        let mut state = Arc::clone(&self.state).lock_owned().await;
        self.refill(&mut state).await?;
        match (&state.current, state.bearer()) {
            (None, _) | (_, None) => Err(ClientError::SignInNeeded),
            (Some(_), Some(bearer)) if bearer.pair != refused.pair => Ok(bearer),
            (Some(_), Some(_)) => self.refresh_detached(state, MAX_RENEWAL_WAIT).await,
        }
    }

    /// Takes what the vault holds where nothing is current yet, or something was put there since.
    async fn refill(&self, state: &mut State) -> Result<(), ClientError> {
        let epoch = self.epoch.load(Ordering::SeqCst);
        let lock = self.lock.clone();
        let mark = self.with_vault(move |_, _| lock.mark()).await?;
        if state.current.is_some() && state.epoch == epoch && state.mark == mark {
            return Ok(());
        }
        self.reload(state).await?;
        (state.epoch, state.mark) = (epoch, mark);
        Ok(())
    }

    async fn reload(&self, state: &mut State) -> Result<(), ClientError> {
        let current = self.load().await?;
        state.set_current(current);
        Ok(())
    }

    async fn load(&self) -> Result<Option<CurrentTokens>, ClientError> {
        let origin = self.origins.tokens.clone();
        let secret = self.with_vault(move |vault, site| vault.tokens_for(site, &origin)).await??;
        Ok(secret
            .and_then(|secret| StoredTokens::from_secret(&secret))
            .map(|stored| CurrentTokens::new(stored, (self.clock)())))
    }

    /// Renews in a task of its own: whoever waits may be cancelled, and a pair that the provider has already given out must
    /// still be kept.
    async fn refresh_detached(&self, state: OwnedMutexGuard<State>, wait: Duration) -> Result<Bearer, ClientError> {
        let keeper = self.clone();
        match tokio::spawn(async move { keeper.renew(state, wait).await }).await {
            Ok(result) => result,
            Err(error) => Err(ClientError::Renewal(Box::new(ClientError::Lost(error.to_string())))),
        }
    }

    async fn renew(&self, mut state: OwnedMutexGuard<State>, wait: Duration) -> Result<Bearer, ClientError> {
        let lock = self.lock.lock_renewal(wait).await;
        let _lock =
            lock.map_err(|Busy| ClientError::Renewal(Box::new(ClientError::TimedOut(OTHER_RENEWS.to_owned()))))?;
        let before = state.current.as_ref().map(|current| current.stored.access.clone());
        let current = self.load().await?;
        // Another process has renewed them in the meantime.
        let newer = current
            .as_ref()
            .is_some_and(|current| Some(&current.stored.access) != before.as_ref() && !current.is_due());
        let stored = current.as_ref().map(|current| current.stored.clone());
        state.set_current(current);
        if newer {
            return state.bearer().ok_or(ClientError::SignInNeeded);
        }
        let Some(stored) = stored else { return Err(ClientError::SignInNeeded) };
        let Some(refresh) = stored.refresh.clone() else { return self.end(&mut state, &stored).await };
        self.failpoints.pass("renewal-asked");
        match self.ask_provider(&refresh).await {
            Ok(tokens) => {
                self.failpoints.pass("renewal-answered");
                self.store_renewed(&mut state, tokens, &stored).await
            }
            Err(RenewalError::Ended) => self.end(&mut state, &stored).await,
            Err(RenewalError::Failed(cause)) => Err(ClientError::Renewal(Box::new(cause))),
        }
    }

    /// What passes by itself is tried again: a lost line, a provider in trouble. It may not have seen the question.
    async fn ask_provider(&self, refresh: &Secret) -> Result<NewTokens, RenewalError> {
        let secret = self.client_secret().await.map_err(RenewalError::Failed)?;
        let mut pauses = RENEWAL_PAUSES.iter();
        loop {
            match self.provider.renew(secret.as_ref(), refresh).await {
                Err(RenewalError::Failed(cause)) if passes(&cause) => {
                    let Some(pause) = pauses.next() else { return Err(RenewalError::Failed(cause)) };
                    tracing::info!(site = self.site, %cause, "a renewal is tried again");
                    tokio::time::sleep(cause.retry_after().unwrap_or(*pause).min(MAX_RETRY_DELAY)).await;
                }
                Err(RenewalError::Failed(cause)) => {
                    return Err(RenewalError::Failed(self.refused(secret.as_ref(), cause)));
                }
                other => return other,
            }
        }
    }

    async fn store_renewed(
        &self,
        state: &mut State,
        tokens: NewTokens,
        before: &StoredTokens,
    ) -> Result<Bearer, ClientError> {
        let stored = StoredTokens::renewed(tokens, before, (self.clock)());
        let (secret, origin) = (stored.to_secret(), self.origins.tokens.clone());
        let kept = self
            .change_held((before, state.mark.clone()), move |vault, site| {
                vault.put_for(site, SecretKind::Tokens, &origin, &secret)
            })
            .await?;
        if kept.is_none() {
            return self.take_newer(state).await;
        }
        self.failpoints.pass("renewal-kept");
        state.set_current(Some(CurrentTokens::new(stored, (self.clock)())));
        tracing::debug!(site = self.site, "the tokens were renewed");
        state.bearer().ok_or(ClientError::SignInNeeded)
    }

    /// Only a new sign-in helps, unless somebody has signed in meanwhile.
    async fn end(&self, state: &mut State, ended: &StoredTokens) -> Result<Bearer, ClientError> {
        match self
            .change_held((ended, state.mark.clone()), |vault, site| vault.remove(site, SecretKind::Tokens))
            .await?
        {
            None => return self.take_newer(state).await,
            Some(Ok(())) => {}
            Some(Err(error)) => {
                tracing::warn!(site = self.site, %error, "tokens that have ended couldn't be removed");
            }
        }
        state.set_current(None);
        Err(ClientError::SignInNeeded)
    }

    /// What the vault holds since somebody signed in or out while the provider was asked: their word is newer.
    async fn take_newer(&self, state: &mut State) -> Result<Bearer, ClientError> {
        self.reload(state).await?;
        state.bearer().ok_or(ClientError::SignInNeeded)
    }

    /// Changes the vault's tokens, under the lock of all Takts, if they are still these. None where they aren't. `mark` is that of
    /// the last change when they were read.
    async fn change_held<T, F>(
        &self,
        (held, mark): (&StoredTokens, Option<String>),
        change: F,
    ) -> Result<Option<T>, ClientError>
    where
        T: Send + 'static,
        F: FnOnce(&Vault, &str) -> T + Send + 'static,
    {
        let (lock, origin, held) = (self.lock.clone(), self.origins.tokens.clone(), held.access.clone());
        self.with_vault(move |vault, site| {
            let _lock = lock.lock_change();
            match vault.tokens_for(site, &origin) {
                Ok(found) => {
                    let found = found.as_ref().and_then(StoredTokens::from_secret);
                    if found.is_none_or(|found| found.access != held) {
                        return Ok(None);
                    }
                }
                // Nobody changed them since: a pair that the provider has given out isn't lost.
                Err(_) if lock.mark() == mark => {}
                Err(error) => return Err(error.into()),
            }
            let changed = change(vault, site);
            lock.leave_mark();
            Ok(Some(changed))
        })
        .await?
    }

    pub(crate) async fn client_secret(&self) -> Result<Option<Secret>, ClientError> {
        let origin = self.origins.secret.clone();
        Ok(self.with_vault(move |vault, site| vault.read_for(site, SecretKind::ClientSecret, &origin)).await??)
    }

    /// Why the provider refused this client. One without a secret, where the keychain that may hold it didn't answer, is told
    /// of the keychain: the provider's words would have a person look for a mistake in the settings.
    pub(crate) fn refused(&self, secret: Option<&Secret>, cause: ClientError) -> ClientError {
        match cause {
            ClientError::SignInRefused(words)
                if secret.is_none()
                    && self.vault.is_unanswered()
                    && CLIENT_REFUSED.iter().any(|code| words.starts_with(code)) =>
            {
                tracing::warn!(site = self.site, words, "the provider refused a sign-in without the client's secret");
                VaultError::TimedOut.into()
            }
            other => other,
        }
    }

    /// Keychains block.
    async fn with_vault<T, F>(&self, work: F) -> Result<T, ClientError>
    where
        T: Send + 'static,
        F: FnOnce(&Vault, &str) -> T + Send + 'static,
    {
        let (vault, site) = (self.vault.clone(), self.site.clone());
        let done = tokio::task::spawn_blocking(move || work(&vault, &site)).await;
        done.map_err(|error| ClientError::Renewal(Box::new(ClientError::Lost(error.to_string()))))
    }
}

/// Why no token is renewed while another Takt does.
const OTHER_RENEWS: &str = "another Takt renews this sign-in and hasn't finished";

/// How a provider says that it didn't recognise the client, which is what it says without the client's secret (RFC 6749, 5.2).
const CLIENT_REFUSED: [&str; 2] = ["invalid_client", "unauthorized_client"];

/// What may pass by itself: no word about the tokens.
fn passes(cause: &ClientError) -> bool {
    match cause {
        ClientError::Lost(_) | ClientError::TimedOut(_) | ClientError::Unreachable(_) => true,
        ClientError::Provider(cause) => cause.status().is_some_and(|status| status == 429 || status >= 500),
        _ => false,
    }
}
