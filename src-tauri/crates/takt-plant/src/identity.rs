//! The identity provider with its users, client, codes and tokens.
//!
//! Grants are stored in `grants`. The endpoints are in `sign_in`, and `api` checks the permissions of a token.

pub(crate) mod redirect;

use std::{fmt, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::{
    PlantConfig, PlantError, TokenPair,
    grants::{AccessGrant, CodeGrant, ExpireSelection, ExpiredCounts, Grants, TokenRefusal},
    persistence::Persistence,
    secret,
    user::User,
};

pub(crate) use redirect::check_redirect_uri;

/// The ID of the practice plant's only client.
pub(crate) const CLIENT_ID: &str = "takt-practice";
/// The supported scopes, as in the specification.
pub(crate) const SCOPES: [&str; 3] = ["service-portal-api", "service-api", "offline_access"];
/// The scope that every operation requires.
pub(crate) const API_SCOPE: &str = "service-api";
/// The scope that adds a refresh token.
const OFFLINE_SCOPE: &str = "offline_access";
pub(crate) const CODE_LIFETIME: SignedDuration = SignedDuration::from_secs(60);

/// The identity provider, with its grants and settings.
pub(crate) struct Identity {
    client_secret: String,
    redirect_uris: Vec<String>,
    token_lifetime: SignedDuration,
    grants: Mutex<Grants>,
    persistence: Option<Arc<Persistence>>,
}

impl Identity {
    /// Creates the provider. With `persistence`, its grants are saved.
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

    /// Returns whether a redirect address is registered. Unless `exact` is set, the port of a loopback address may
    /// differ.
    pub(crate) fn is_registered(&self, redirect_uri: &str, exact: bool) -> bool {
        let fits =
            |known: &String| known == redirect_uri || (!exact && redirect::differ_only_by_port(known, redirect_uri));
        self.redirect_uris.iter().any(fits)
    }

    pub(crate) fn is_client(&self, id: &str, client_secret: &str) -> bool {
        id == CLIENT_ID && secret::are_equal(client_secret, &self.client_secret)
    }

    /// Issues an authorization code.
    pub(crate) fn issue_code(&self, code: CodeGrant, now: Timestamp) -> Result<String, PlantError> {
        let text = secret::generate()?;
        self.update_grants(|grants| grants.store_code(&text, code, now));
        Ok(text)
    }

    /// Issues tokens for `user` with all scopes, without a sign-in.
    pub(crate) fn issue_pair(&self, user: User, now: Timestamp) -> Result<TokenPair, PlantError> {
        self.start_family(user, &SCOPES.join(" "), now)
    }

    fn start_family(&self, user: User, scope: &str, now: Timestamp) -> Result<TokenPair, PlantError> {
        let pair = self.new_pair(scope)?;
        self.update_grants(|grants| grants.start_family(user, &pair, now, self.access_expiry(now)));
        Ok(pair)
    }

    pub(crate) fn new_pair(&self, scope: &str) -> Result<TokenPair, PlantError> {
        let offline = scope.split(' ').any(|name| name == OFFLINE_SCOPE);
        Ok(TokenPair {
            access_token: secret::generate()?,
            token_type: "Bearer",
            expires_in: u64::try_from(self.token_lifetime.as_secs()).unwrap_or_default(),
            refresh_token: if offline { Some(secret::generate()?) } else { None },
            scope: scope.to_owned(),
        })
    }

    pub(crate) fn access_expiry(&self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.token_lifetime).unwrap_or(Timestamp::MAX)
    }

    /// Returns the grant of a valid access token.
    pub(crate) fn check_access_token(&self, access_token: &str, now: Timestamp) -> Result<AccessGrant, TokenRefusal> {
        self.grants.lock().check_access_token(access_token, now)
    }

    /// Expires an access token. Its refresh token stays valid.
    pub(crate) fn expire_access_token(&self, access_token: &str) {
        self.update_grants(|grants| grants.expire_access_token(access_token));
    }

    /// Expires the selected codes and tokens at once.
    pub(crate) fn expire_all(&self, which: ExpireSelection, now: Timestamp) -> ExpiredCounts {
        self.update_grants(|grants| grants.expire_all(which, now))
    }

    /// Revokes the refresh tokens of an access token's family. The access token stays valid.
    pub(crate) fn revoke_refresh_tokens(&self, access_token: &str) {
        self.update_grants(|grants| grants.revoke_refresh_tokens(access_token));
    }

    /// Runs `work` on the grants and saves the changes. If saving fails, the changes are saved with the next ones. A
    /// restart before that loses them.
    pub(crate) fn update_grants<T>(&self, work: impl FnOnce(&mut Grants) -> T) -> T {
        let mut grants = self.grants.lock();
        let outcome = work(&mut grants);
        let changed = grants.take_changed();
        if let Some(persistence) = self.persistence.as_ref().filter(|_| !changed.is_empty())
            && let Err(error) = persistence.save_grants(&grants, &changed)
        {
            tracing::error!(%error, "who is signed in can't be kept");
            grants.mark_changed(changed);
        }
        outcome
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Identity").field("redirect_uris", &self.redirect_uris).finish_non_exhaustive()
    }
}
