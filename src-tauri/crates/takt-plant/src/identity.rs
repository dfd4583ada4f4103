//! The identity provider: who may sign in, with which client, and what became of each code and token.
//!
//! Leaves to `grants` what each stands for, to `sign_in` the addresses, and to `api` what a token may be used for.

pub(crate) mod redirect;

use std::{fmt, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::{
    PlantConfig, PlantError, TokenPair,
    grants::{Access, Code, Expire, Expired, Grants, Refusal},
    persistence::Persistence,
    secret,
    user::User,
};

pub(crate) use redirect::usable;

/// The client that the practice plant issues to its integrator.
pub(crate) const CLIENT_ID: &str = "takt-practice";
/// The scopes that exist, in the specification's words.
pub(crate) const SCOPES: [&str; 3] = ["service-portal-api", "service-api", "offline_access"];
/// The scope that every operation asks for.
pub(crate) const API_SCOPE: &str = "service-api";
/// The scope that gives a refresh token.
const OFFLINE_SCOPE: &str = "offline_access";
/// How long an authorization code lives.
pub(crate) const CODE_LIFETIME: SignedDuration = SignedDuration::from_secs(60);

/// The identity provider's memory.
pub(crate) struct Identity {
    client_secret: String,
    redirect_uris: Vec<String>,
    token_lifetime: SignedDuration,
    grants: Mutex<Grants>,
    persistence: Option<Arc<Persistence>>,
}

impl Identity {
    /// `persistence` is where the grants are kept, if anywhere.
    pub(crate) fn new(
        config: &PlantConfig,
        client_secret: String,
        grants: Grants,
        persistence: Option<Arc<Persistence>>,
    ) -> Self {
        Self {
            client_secret,
            redirect_uris: config.redirect_uris.clone(),
            token_lifetime: SignedDuration::try_from(config.token_lifetime).unwrap_or(SignedDuration::MAX),
            grants: Mutex::new(grants),
            persistence,
        }
    }

    pub(crate) fn client_secret(&self) -> &str {
        &self.client_secret
    }

    pub(crate) fn redirect_uris(&self) -> &[String] {
        &self.redirect_uris
    }

    /// Whether a browser may be sent back to that address: it was registered, byte by byte but for the port of a loopback
    /// address, unless that must be the same, too (`exact`).
    pub(crate) fn registered(&self, redirect_uri: &str, exact: bool) -> bool {
        let fits = |known: &String| known == redirect_uri || (!exact && redirect::differ_by_port(known, redirect_uri));
        self.redirect_uris.iter().any(fits)
    }

    pub(crate) fn client_matches(&self, id: &str, client_secret: &str) -> bool {
        id == CLIENT_ID && secret::same(client_secret, &self.client_secret)
    }

    /// A code for what was just granted on the sign-in page.
    pub(crate) fn issue_code(&self, code: Code, now: Timestamp) -> Result<String, PlantError> {
        let text = secret::random()?;
        self.changed(|grants| grants.store_code(&text, code, now));
        Ok(text)
    }

    /// A new pair for `user`, as if the person had signed in with every scope.
    pub(crate) fn issue(&self, user: User, now: Timestamp) -> Result<TokenPair, PlantError> {
        self.start_family(user, &SCOPES.join(" "), now)
    }

    fn start_family(&self, user: User, scope: &str, now: Timestamp) -> Result<TokenPair, PlantError> {
        let pair = self.new_pair(scope)?;
        self.changed(|grants| grants.start(user, &pair, now, self.expiry(now)));
        Ok(pair)
    }

    pub(crate) fn new_pair(&self, scope: &str) -> Result<TokenPair, PlantError> {
        let offline = scope.split(' ').any(|name| name == OFFLINE_SCOPE);
        Ok(TokenPair {
            access_token: secret::random()?,
            token_type: "Bearer",
            expires_in: u64::try_from(self.token_lifetime.as_secs()).unwrap_or_default(),
            refresh_token: if offline { Some(secret::random()?) } else { None },
            scope: scope.to_owned(),
        })
    }

    pub(crate) fn expiry(&self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.token_lifetime).unwrap_or(Timestamp::MAX)
    }

    /// What the token stands for, if it still stands for anything.
    pub(crate) fn check(&self, access_token: &str, now: Timestamp) -> Result<Access, Refusal> {
        self.grants.lock().check(access_token, now)
    }

    /// Ends one access token; its refresh token stays good.
    pub(crate) fn expire(&self, access_token: &str) {
        self.changed(|grants| grants.expire(access_token));
    }

    /// Lets codes and tokens expire now.
    pub(crate) fn expire_all(&self, which: Expire, now: Timestamp) -> Expired {
        self.changed(|grants| grants.expire_all(which, now))
    }

    /// Makes the refresh token behind an access token worthless; the access token stays good.
    pub(crate) fn revoke_refresh(&self, access_token: &str) {
        self.changed(|grants| grants.revoke_refresh(access_token));
    }

    /// Lets `work` change the grants, and keeps what it touched. What can't be kept is tried again with the next change; until
    /// then a restart would bring back the grants as they were.
    pub(crate) fn changed<T>(&self, work: impl FnOnce(&mut Grants) -> T) -> T {
        let mut grants = self.grants.lock();
        let outcome = work(&mut grants);
        let touched = grants.take_touched();
        if let Some(persistence) = self.persistence.as_ref().filter(|_| !touched.is_empty())
            && let Err(error) = persistence.grants(&grants, &touched)
        {
            tracing::error!(%error, "who is signed in can't be kept");
            grants.touch_again(touched);
        }
        outcome
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Identity").field("redirect_uris", &self.redirect_uris).finish_non_exhaustive()
    }
}
