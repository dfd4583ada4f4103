//! The tokens as received, as stored in the vault, and as used.

use std::time::{Duration, Instant};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Secret;

/// The maximum time before expiry at which a token is refreshed. For short lifetimes, it is a tenth of the lifetime.
const MAX_REFRESH_MARGIN: Duration = Duration::from_secs(60);
/// Longer lifetimes are shortened, so that sums of times can't overflow.
const MAX_LIFETIME: Duration = Duration::from_secs(365 * 24 * 3600);

/// The tokens in a provider's response.
#[derive(Debug, Clone)]
pub struct NewTokens {
    pub access: Secret,
    pub refresh: Option<Secret>,
    pub expires_in: Option<Duration>,
    /// The granted scopes. None if the provider states none, so the requested ones were granted.
    pub scopes: Option<Vec<String>>,
}

/// The tokens in the form in which they are stored in the vault.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredTokens {
    pub(crate) access: Secret,
    pub(crate) refresh: Option<Secret>,
    received: Timestamp,
    life: Option<Duration>,
    #[serde(default)]
    scopes: Option<Vec<String>>,
}

impl StoredTokens {
    /// Creates an entry for new tokens. Without a new refresh token, the one in `before` stays valid.
    pub(crate) fn new(tokens: NewTokens, before: Option<Secret>, now: Timestamp) -> Self {
        Self {
            access: tokens.access,
            refresh: tokens.refresh.or(before),
            received: now,
            life: tokens.expires_in.map(|life| life.min(MAX_LIFETIME)),
            scopes: tokens.scopes,
        }
    }

    /// Creates an entry for refreshed tokens. Scopes that aren't stated are unchanged.
    pub(crate) fn after_refresh(tokens: NewTokens, before: &Self, now: Timestamp) -> Self {
        let scopes = tokens.scopes.clone().or_else(|| before.scopes.clone());
        Self { scopes, ..Self::new(tokens, before.refresh.clone(), now) }
    }

    /// Returns the granted scopes as stated by the provider, else those in the access token. None if there are neither.
    pub(crate) fn scopes(&self) -> Option<Vec<String>> {
        self.scopes.clone().or_else(|| scopes_in_token(self.access.reveal()))
    }

    pub(crate) fn to_secret(&self) -> Secret {
        Secret::new(serde_json::to_string(self).unwrap_or_default())
    }

    /// Returns None if another version wrote an incompatible entry.
    pub(crate) fn from_secret(secret: &Secret) -> Option<Self> {
        serde_json::from_str(secret.reveal()).ok()
    }

    /// Returns the remaining lifetime by the calendar, for entries loaded from the vault. If the clock was set back,
    /// the whole lifetime remains.
    fn remaining_lifetime(&self, now: Timestamp) -> Option<Duration> {
        let life = self.life?;
        let age = Duration::try_from(now.duration_since(self.received)).unwrap_or_default();
        Some(life.saturating_sub(age))
    }
}

/// The tokens in use. Their age is measured with a monotonic clock.
#[derive(Debug)]
pub(crate) struct CurrentTokens {
    pub(crate) stored: StoredTokens,
    expires_at: Option<Instant>,
    refresh_at: Option<Instant>,
}

impl CurrentTokens {
    pub(crate) fn new(stored: StoredTokens, now: Timestamp) -> Self {
        let instant = Instant::now();
        let end = stored.remaining_lifetime(now).map(|left| instant + left);
        let margin = stored.life.unwrap_or_default().div_f64(10.0).min(MAX_REFRESH_MARGIN);
        let due = end.map(|end| end.checked_sub(margin).unwrap_or(instant));
        Self { stored, expires_at: end, refresh_at: due }
    }

    /// Returns whether the token should be refreshed. Without a lifetime, it is used until the service refuses it.
    pub(crate) fn is_due(&self) -> bool {
        self.refresh_at.is_some_and(|due| Instant::now() >= due)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.expires_at.is_some_and(|end| Instant::now() >= end)
    }
}

/// Returns the scopes in an access token that is a JWT. Its signature isn't checked.
fn scopes_in_token(token: &str) -> Option<Vec<String>> {
    let claims = token.split('.').nth(1)?.trim_end_matches('=');
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    ["scp", "scope", "scopes"].iter().find_map(|name| parse_scopes(claims.get(*name)?))
}

/// Parses scopes as space-separated text or as a list.
pub(crate) fn parse_scopes(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(text.split_whitespace().map(str::to_owned).collect()),
        Value::Array(parts) => parts.iter().map(|part| part.as_str().map(str::to_owned)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// Returns the access token and the refresh token of a stored entry.
pub(crate) fn tokens_in_entry(stored: &Secret) -> Vec<Secret> {
    let stored = StoredTokens::from_secret(stored);
    stored.into_iter().flat_map(|stored| [Some(stored.access), stored.refresh]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(life: u64) -> StoredTokens {
        let tokens = NewTokens {
            access: Secret::new("a"),
            refresh: None,
            expires_in: Some(Duration::from_secs(life)),
            scopes: None,
        };
        StoredTokens::new(tokens, Some(Secret::new("r")), Timestamp::UNIX_EPOCH)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap_or_default()
    }

    #[test]
    fn age_by_the_calendar_stays_within_its_life() {
        assert_eq!(stored(100).remaining_lifetime(at(30)), Some(Duration::from_secs(70)));
        assert_eq!(stored(100).remaining_lifetime(at(300)), Some(Duration::ZERO));
        assert_eq!(stored(100).remaining_lifetime(at(-300)), Some(Duration::from_secs(100)));
    }

    #[test]
    fn scopes_are_the_providers_word_or_the_tokens_own() {
        let claims = URL_SAFE_NO_PAD.encode(r#"{"scp":["orders","stock"]}"#);
        let tokens = |access: &str, scopes: Option<&str>| NewTokens {
            access: Secret::new(access),
            refresh: None,
            expires_in: None,
            scopes: scopes.map(|scope| vec![scope.to_owned()]),
        };
        let said = StoredTokens::new(tokens("a", Some("orders")), None, at(0));
        assert_eq!(said.scopes(), Some(vec!["orders".to_owned()]));
        assert_eq!(StoredTokens::after_refresh(tokens("b", None), &said, at(1)).scopes(), said.scopes());
        let own = StoredTokens::new(tokens(&format!("e30.{claims}.x"), None), None, at(0));
        assert_eq!(own.scopes(), Some(vec!["orders".to_owned(), "stock".to_owned()]));
        assert_eq!(StoredTokens::new(tokens("opaque", None), None, at(0)).scopes(), None);
    }

    #[test]
    fn due_a_tenth_before_its_end() {
        assert!(!CurrentTokens::new(stored(100), at(80)).is_due());
        assert!(CurrentTokens::new(stored(100), at(91)).is_due());
        assert!(!CurrentTokens::new(stored(100), at(91)).has_ended());
        assert!(CurrentTokens::new(stored(0), at(0)).has_ended());
    }

    #[test]
    fn the_vault_gives_back_what_was_kept() {
        let back = StoredTokens::from_secret(&stored(100).to_secret());
        assert_eq!(back.and_then(|stored| stored.refresh), Some(Secret::new("r")));
        assert!(StoredTokens::from_secret(&Secret::new("{}")).is_none());
    }
}
