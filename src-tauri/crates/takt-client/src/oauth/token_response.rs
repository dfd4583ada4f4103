//! Responses to token requests. Only `access_token` is required by the specification, so other members are parsed
//! leniently.

use std::time::Duration;

use oauth2::{AccessToken, RefreshToken, Scope, TokenResponse, basic::BasicTokenType};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    Secret,
    token_pair::{NewTokens, parse_scopes},
};

/// In characters, for token types in errors.
const MAX_TYPE_LENGTH: usize = 40;

/// A token response. Unknown members are ignored and never logged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TokenResponseBody {
    access_token: AccessToken,
    #[serde(skip, default = "bearer_type")]
    token_type: BasicTokenType,
    /// Null if it is missing.
    #[serde(default, rename = "token_type", skip_serializing)]
    stated_type: Value,
    #[serde(default, deserialize_with = "deserialize_seconds", skip_serializing)]
    expires_in: Option<Duration>,
    #[serde(default)]
    refresh_token: Option<RefreshToken>,
    /// A text or a list. Null if it is missing.
    #[serde(default, skip_serializing)]
    scope: Value,
}

fn bearer_type() -> BasicTokenType {
    BasicTokenType::Bearer
}

impl TokenResponseBody {
    /// Returns the token type if it is stated and isn't `Bearer` (RFC 6749, 7.1).
    pub(super) fn unsupported_token_type(&self) -> Option<String> {
        match &self.stated_type {
            Value::Null => None,
            Value::String(name) if name.eq_ignore_ascii_case("bearer") => None,
            Value::String(name) => Some(name.chars().take(MAX_TYPE_LENGTH).collect()),
            other => Some(other.to_string().chars().take(MAX_TYPE_LENGTH).collect()),
        }
    }
}

/// Parses a positive number, or one as text. Other values are treated as missing, since the service reports when a
/// token has expired.
fn deserialize_seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let life = number.filter(|number| *number > 0.0);
    Ok(life.and_then(|number| Duration::try_from_secs_f64(number).ok()))
}

impl TokenResponse for TokenResponseBody {
    type TokenType = BasicTokenType;

    fn access_token(&self) -> &AccessToken {
        &self.access_token
    }

    fn token_type(&self) -> &BasicTokenType {
        &self.token_type
    }

    fn expires_in(&self) -> Option<Duration> {
        self.expires_in
    }

    fn refresh_token(&self) -> Option<&RefreshToken> {
        self.refresh_token.as_ref()
    }

    fn scopes(&self) -> Option<&Vec<Scope>> {
        None
    }
}

impl From<TokenResponseBody> for NewTokens {
    fn from(response: TokenResponseBody) -> Self {
        let refresh = response.refresh_token.map(|token| Secret::new(token.secret().clone()));
        Self {
            access: Secret::new(response.access_token.secret().clone()),
            refresh: refresh.filter(|token| !token.is_empty()),
            expires_in: response.expires_in,
            scopes: parse_scopes(&response.scope).filter(|scopes| !scopes.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<NewTokens> {
        serde_json::from_str::<TokenResponseBody>(json).ok().map(NewTokens::from)
    }

    #[test]
    fn only_the_access_token_is_needed() {
        let tokens = read(r#"{"access_token":"a"}"#);
        assert_eq!(tokens.map(|tokens| (tokens.refresh, tokens.expires_in)), Some((None, None)));
        assert!(read(r#"{"refresh_token":"r"}"#).is_none());
    }

    #[test]
    fn only_bearer_tokens_can_be_sent() {
        let of = |json: &str| serde_json::from_str::<TokenResponseBody>(json).unwrap().unsupported_token_type();
        for good in [r#"{"access_token":"a"}"#, r#"{"access_token":"a","token_type":"bearer"}"#] {
            assert_eq!(of(good), None);
        }
        assert_eq!(of(r#"{"access_token":"a","token_type":null}"#), None);
        assert_eq!(of(r#"{"access_token":"a","token_type":"DPoP"}"#).as_deref(), Some("DPoP"));
        assert_eq!(of(r#"{"access_token":"a","token_type":7}"#).as_deref(), Some("7"));
    }

    #[test]
    fn lifetimes_have_many_spellings() {
        let life =
            |json: &str| read(&format!(r#"{{"access_token":"a","x":[1],"expires_in":{json}}}"#)).map(|t| t.expires_in);
        assert_eq!(life("3600"), Some(Some(Duration::from_secs(3600))));
        assert_eq!(life("\"60\""), Some(Some(Duration::from_secs(60))));
        assert_eq!(life("1.5"), Some(Some(Duration::from_millis(1500))));
        assert_eq!(life("-5"), Some(None));
        assert_eq!(life("0"), Some(None));
        assert_eq!(life("null"), Some(None));
        assert_eq!(life("1e300"), Some(None));
    }

    #[test]
    fn debug_shows_no_token() {
        let response =
            serde_json::from_str::<TokenResponseBody>(r#"{"access_token":"geheim1","refresh_token":"geheim2"}"#);
        assert!(!format!("{response:?}").contains("geheim"));
    }
}
