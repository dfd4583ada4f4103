//! Stores and refreshes the tokens of one site. Concurrent requests refresh them once.
//!
//! A provider may end the sign-in if a refresh token is used twice, so only one refresh runs at a time. It is guarded
//! by a lock in this process and by a lock file across processes. New tokens are stored in the vault before they are
//! used. They are dropped if the user signed in or out during the refresh.

mod site_lock;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use site_lock::{RefreshInProgress, SiteLock};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::{
    ClientError, Clock, Failpoints, Secret, SecretKind, SiteAccess, Vault, VaultError,
    oauth::{Provider, RefreshError},
    token_pair::{CurrentTokens, NewTokens, StoredTokens},
};

/// The delays before retries of a refresh. The last retry's failure is final.
const REFRESH_RETRY_DELAYS: [Duration; 3] =
    [Duration::from_millis(250), Duration::from_millis(1_000), Duration::from_millis(3_000)];
const MAX_RETRY_DELAY: Duration = Duration::from_secs(10);
/// The maximum wait for another process's refresh. The slowest successful one takes this long.
const MAX_REFRESH_WAIT: Duration = Duration::from_secs(300);

/// Caches and refreshes the tokens of one site. Clones share the cache.
#[derive(Clone)]
pub(crate) struct TokenStore {
    site: String,
    /// The origins that the tokens and the client secret are bound to.
    origins: Origins,
    vault: Vault,
    provider: Provider,
    clock: Clock,
    lock: SiteLock,
    state: Arc<Mutex<State>>,
    /// The number of sign-ins and sign-outs in this process. Each makes the cached tokens outdated.
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
    /// The version of the cached tokens in this process. `mark` is the version across processes.
    epoch: u64,
    mark: Option<String>,
    /// Incremented for each pair, so that concurrent requests refused with the same pair refresh it once.
    generation: u64,
}

/// An access token with the generation of its pair.
#[derive(Debug, Clone)]
pub(crate) struct Bearer {
    pub(crate) access: Secret,
    generation: u64,
}

impl State {
    fn bearer(&self) -> Option<Bearer> {
        self.current
            .as_ref()
            .map(|current| Bearer { access: current.stored.access.clone(), generation: self.generation })
    }

    fn set_current(&mut self, current: Option<CurrentTokens>) {
        self.current = current;
        self.generation += 1;
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

    /// Stores new tokens, which the next request uses.
    pub(crate) fn store_tokens(&self, tokens: NewTokens) {
        let stored = StoredTokens::new(tokens, None, (self.clock)());
        let _lock = self.lock.lock_change();
        self.vault.put_for(&self.site, SecretKind::Tokens, &self.origins.tokens, &stored.to_secret());
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.lock.write_mark();
    }

    /// Deletes the tokens. A refresh in progress detects the deletion and drops its result.
    pub(crate) fn delete_tokens(&self) -> Result<(), VaultError> {
        let _lock = self.lock.lock_change();
        let removed = self.vault.remove(&self.site, SecretKind::Tokens);
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.lock.write_mark();
        removed
    }

    pub(crate) async fn refresh_token(&self) -> Result<Option<Secret>, ClientError> {
        Ok(self.load_tokens().await?.and_then(|current| current.stored.refresh))
    }

    /// Returns the granted scopes, if the provider or the token states them.
    pub(crate) async fn scopes(&self) -> Result<Option<Vec<String>>, ClientError> {
        Ok(self.load_tokens().await?.and_then(|current| current.stored.scopes()))
    }

    /// Returns whether tokens are stored. Also true if the keychain doesn't respond, which an attempt to use the tokens
    /// reports.
    pub(crate) fn are_stored(&self) -> bool {
        !matches!(self.vault.tokens_for(&self.site, &self.origins.tokens), Ok(None))
    }

    /// Returns an access token, and refreshes it first if it expires soon.
    pub(crate) async fn bearer(&self) -> Result<Bearer, ClientError> {
        let mut state = Arc::clone(&self.state).lock_owned().await;
        self.reload_if_changed(&mut state).await?;
        let (Some(current), Some(bearer)) = (&state.current, state.bearer()) else {
            return Err(ClientError::SignInNeeded);
        };
        if !current.is_due() || current.stored.refresh.is_none() {
            return Ok(bearer);
        }
        let ended = current.has_ended();
        // A valid token is used without waiting for another process's refresh.
        let wait = if ended { MAX_REFRESH_WAIT } else { Duration::ZERO };
        match self.refresh_detached(state, wait).await {
            // If the provider is temporarily down, a token is used until it expires.
            Err(ClientError::Renewal(cause)) if !ended => {
                tracing::info!(site = self.site, %cause, "the token is used until its end");
                Ok(bearer)
            }
            other => other,
        }
    }

    /// Returns a token that differs from the one that the service refused with a 401.
    pub(crate) async fn bearer_after_401(&self, refused: &Bearer) -> Result<Bearer, ClientError> {
        let mut state = Arc::clone(&self.state).lock_owned().await;
        self.reload_if_changed(&mut state).await?;
        match (&state.current, state.bearer()) {
            (None, _) | (_, None) => Err(ClientError::SignInNeeded),
            (Some(_), Some(bearer)) if bearer.generation != refused.generation => Ok(bearer),
            (Some(_), Some(_)) => self.refresh_detached(state, MAX_REFRESH_WAIT).await,
        }
    }

    /// Loads the tokens from the vault if none are cached, or if they changed there.
    async fn reload_if_changed(&self, state: &mut State) -> Result<(), ClientError> {
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
        let current = self.load_tokens().await?;
        state.set_current(current);
        Ok(())
    }

    async fn load_tokens(&self) -> Result<Option<CurrentTokens>, ClientError> {
        let origin = self.origins.tokens.clone();
        let secret = self.with_vault(move |vault, site| vault.tokens_for(site, &origin)).await??;
        Ok(secret
            .and_then(|secret| StoredTokens::from_secret(&secret))
            .map(|stored| CurrentTokens::new(stored, (self.clock)())))
    }

    /// Refreshes in a separate task. Even if the caller is canceled, tokens from the provider must be stored.
    async fn refresh_detached(&self, state: OwnedMutexGuard<State>, wait: Duration) -> Result<Bearer, ClientError> {
        let store = self.clone();
        match tokio::spawn(async move { store.refresh(state, wait).await }).await {
            Ok(result) => result,
            Err(error) => Err(ClientError::Renewal(Box::new(ClientError::Lost(error.to_string())))),
        }
    }

    async fn refresh(&self, mut state: OwnedMutexGuard<State>, wait: Duration) -> Result<Bearer, ClientError> {
        let lock = self.lock.lock_refresh(wait).await;
        let _lock = lock.map_err(|RefreshInProgress| {
            ClientError::Renewal(Box::new(ClientError::TimedOut(OTHER_PROCESS_REFRESHES.to_owned())))
        })?;
        let before = state.current.as_ref().map(|current| current.stored.access.clone());
        let current = self.load_tokens().await?;
        // Another process may have refreshed the tokens in the meantime.
        let newer = current
            .as_ref()
            .is_some_and(|current| Some(&current.stored.access) != before.as_ref() && !current.is_due());
        let stored = current.as_ref().map(|current| current.stored.clone());
        state.set_current(current);
        if newer {
            return state.bearer().ok_or(ClientError::SignInNeeded);
        }
        let Some(stored) = stored else { return Err(ClientError::SignInNeeded) };
        let Some(refresh) = stored.refresh.clone() else { return self.end_sign_in(&mut state, &stored).await };
        self.failpoints.pass("renewal-asked");
        match self.request_refresh(&refresh).await {
            Ok(tokens) => {
                self.failpoints.pass("renewal-answered");
                self.store_refreshed(&mut state, tokens, &stored).await
            }
            Err(RefreshError::Ended) => self.end_sign_in(&mut state, &stored).await,
            Err(RefreshError::Failed(cause)) => Err(ClientError::Renewal(Box::new(cause))),
        }
    }

    /// Requests new tokens and retries temporary failures such as a lost connection, since the provider may not have
    /// received the request.
    async fn request_refresh(&self, refresh: &Secret) -> Result<NewTokens, RefreshError> {
        let secret = self.client_secret().await.map_err(RefreshError::Failed)?;
        let mut pauses = REFRESH_RETRY_DELAYS.iter();
        loop {
            match self.provider.refresh_tokens(secret.as_ref(), refresh).await {
                Err(RefreshError::Failed(cause)) if is_temporary(&cause) => {
                    let Some(pause) = pauses.next() else { return Err(RefreshError::Failed(cause)) };
                    tracing::info!(site = self.site, %cause, "a renewal is tried again");
                    tokio::time::sleep(cause.retry_after().unwrap_or(*pause).min(MAX_RETRY_DELAY)).await;
                }
                Err(RefreshError::Failed(cause)) => {
                    return Err(RefreshError::Failed(self.explain_refusal(secret.as_ref(), cause)));
                }
                other => return other,
            }
        }
    }

    async fn store_refreshed(
        &self,
        state: &mut State,
        tokens: NewTokens,
        before: &StoredTokens,
    ) -> Result<Bearer, ClientError> {
        let stored = StoredTokens::after_refresh(tokens, before, (self.clock)());
        let (secret, origin) = (stored.to_secret(), self.origins.tokens.clone());
        let changed = self
            .change_if_current(before, state.mark.clone(), move |vault, site| {
                vault.put_for(site, SecretKind::Tokens, &origin, &secret)
            })
            .await?;
        if changed.is_none() {
            return self.use_stored_tokens(state).await;
        }
        self.failpoints.pass("renewal-kept");
        state.set_current(Some(CurrentTokens::new(stored, (self.clock)())));
        tracing::debug!(site = self.site, "the tokens were renewed");
        state.bearer().ok_or(ClientError::SignInNeeded)
    }

    /// Removes an expired sign-in, unless the user has signed in again meanwhile.
    async fn end_sign_in(&self, state: &mut State, ended: &StoredTokens) -> Result<Bearer, ClientError> {
        match self
            .change_if_current(ended, state.mark.clone(), |vault, site| vault.remove(site, SecretKind::Tokens))
            .await?
        {
            None => return self.use_stored_tokens(state).await,
            Some(Ok(())) => {}
            Some(Err(error)) => {
                tracing::warn!(site = self.site, %error, "tokens that have ended couldn't be removed");
            }
        }
        state.set_current(None);
        Err(ClientError::SignInNeeded)
    }

    /// Uses the vault's tokens, which the user changed during the refresh by signing in or out.
    async fn use_stored_tokens(&self, state: &mut State) -> Result<Bearer, ClientError> {
        self.reload(state).await?;
        state.bearer().ok_or(ClientError::SignInNeeded)
    }

    /// Changes the vault's tokens under the cross-process lock, if they are still `expected`. Returns None if they
    /// changed. `mark` is the mark at the time when they were read.
    async fn change_if_current<T, F>(
        &self,
        expected: &StoredTokens,
        mark: Option<String>,
        change: F,
    ) -> Result<Option<T>, ClientError>
    where
        T: Send + 'static,
        F: FnOnce(&Vault, &str) -> T + Send + 'static,
    {
        let (lock, origin, expected) = (self.lock.clone(), self.origins.tokens.clone(), expected.access.clone());
        self.with_vault(move |vault, site| {
            let _lock = lock.lock_change();
            match vault.tokens_for(site, &origin) {
                Ok(found) => {
                    let found = found.as_ref().and_then(StoredTokens::from_secret);
                    if found.is_none_or(|found| found.access != expected) {
                        return Ok(None);
                    }
                }
                // The unchanged mark proves that no other process changed the tokens. Continue, so that the provider's
                // new tokens aren't lost.
                Err(_) if lock.mark() == mark => {}
                Err(error) => return Err(error.into()),
            }
            let changed = change(vault, site);
            lock.write_mark();
            Ok(Some(changed))
        })
        .await?
    }

    pub(crate) async fn client_secret(&self) -> Result<Option<Secret>, ClientError> {
        let origin = self.origins.secret.clone();
        Ok(self.with_vault(move |vault, site| vault.read_for(site, SecretKind::ClientSecret, &origin)).await??)
    }

    /// Converts the refusal of a client to the keychain's error if the client secret is missing because the keychain
    /// didn't respond. The provider's message would point to the settings.
    pub(crate) fn explain_refusal(&self, secret: Option<&Secret>, cause: ClientError) -> ClientError {
        match cause {
            ClientError::SignInRefused(words)
                if secret.is_none()
                    && self.vault.is_keychain_unresponsive()
                    && CLIENT_REFUSED_CODES.iter().any(|code| words.starts_with(code)) =>
            {
                tracing::warn!(site = self.site, words, "the provider refused a sign-in without the client's secret");
                VaultError::TimedOut.into()
            }
            other => other,
        }
    }

    /// Runs work on the vault in a blocking task, since keychains block.
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

/// The error text if another process's refresh takes too long.
const OTHER_PROCESS_REFRESHES: &str = "another Takt renews this sign-in and hasn't finished";

/// The codes for an unknown client, which a provider also returns if the client secret is missing (RFC 6749, 5.2).
const CLIENT_REFUSED_CODES: [&str; 2] = ["invalid_client", "unauthorized_client"];

/// Returns whether a failure may be temporary, so that the tokens may still be valid.
fn is_temporary(cause: &ClientError) -> bool {
    match cause {
        ClientError::Lost(_) | ClientError::TimedOut(_) | ClientError::Unreachable(_) => true,
        ClientError::Provider(cause) => cause.status().is_some_and(|status| status == 429 || status >= 500),
        _ => false,
    }
}
