//! Finds a provider's endpoints and its client authentication. The site's settings take precedence over the provider's
//! metadata, and the metadata over the specification.

use std::time::Duration;

use reqwest::{Method, Request};
use serde::Deserialize;
use tokio::sync::OnceCell;
use url::Url;

use crate::{
    ClientError, SiteAccess,
    access::{ClientAuthentication, ProviderSettings},
    address::Addresses,
    transport::Transport,
};

const POST_METHOD: &str = "client_secret_post";
const BASIC_METHOD: &str = "client_secret_basic";

/// The delay before the only retry after an error response or a lost connection.
const RETRY_DELAY: Duration = Duration::from_millis(300);
/// The time limit for metadata. After it, the specification's addresses are used.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(10);

/// The endpoints of a provider and its client authentication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoints {
    pub(crate) authorize: Url,
    pub(crate) token: Url,
    /// None if neither the settings nor the metadata have one.
    pub(crate) revocation: Option<Url>,
    pub(crate) authentication: ClientAuthentication,
}

/// The members that Takt reads from a provider's metadata (OpenID Connect Discovery, RFC 8414).
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct ProviderMetadata {
    pub(crate) issuer: String,
    #[serde(default)]
    authorization_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint: Option<String>,
    #[serde(default)]
    revocation_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Whether the provider sends `iss` to the redirect address (RFC 9207).
    #[serde(default)]
    pub(crate) authorization_response_iss_parameter_supported: bool,
}

/// Requests a provider's metadata once and chooses the endpoints.
#[derive(Debug)]
pub(crate) struct Discovery {
    settings: ProviderSettings,
    addresses: Addresses,
    transport: Transport,
    /// The metadata, or None if the provider has none. Unset until the request succeeds.
    metadata: OnceCell<Option<ProviderMetadata>>,
}

impl Discovery {
    /// # Errors
    /// Fails if an address of the settings can't be used.
    pub(crate) fn new(access: &SiteAccess, addresses: Addresses, transport: Transport) -> Result<Self, ClientError> {
        let found = Self { settings: access.provider.clone(), addresses, transport, metadata: OnceCell::new() };
        found.choose_endpoints(&ProviderMetadata::default())?;
        Ok(found)
    }

    pub(crate) async fn endpoints(&self) -> Result<Endpoints, ClientError> {
        let needed = self.settings.client_authentication.is_none()
            || self.settings.authorize.is_none()
            || self.settings.token.is_none();
        let metadata = if needed { self.metadata().await } else { None };
        let endpoints = self.choose_endpoints(&metadata.unwrap_or_default())?;
        let Endpoints { authorize, token, revocation, authentication } = &endpoints;
        tracing::debug!(%authorize, %token, revocation = revocation.is_some(), ?authentication, "where the provider is asked");
        Ok(endpoints)
    }

    /// Like [`Self::endpoints`], but waits for the metadata if no setting has the revocation endpoint.
    ///
    /// # Errors
    /// Fails if the provider can't be reached, since its revocation endpoint is unknown then.
    pub(crate) async fn endpoints_with_revocation(&self) -> Result<Endpoints, ClientError> {
        if self.settings.revocation.is_some() {
            return self.endpoints().await;
        }
        self.choose_endpoints(&self.fetch_metadata().await?.unwrap_or_default())
    }

    /// Returns the metadata. None if the provider has none or can't be reached now.
    pub(crate) async fn metadata(&self) -> Option<ProviderMetadata> {
        match tokio::time::timeout(DISCOVERY_TIMEOUT, self.fetch_metadata()).await {
            Ok(Ok(metadata)) => metadata,
            Ok(Err(cause)) => {
                tracing::info!(%cause, "what the provider says of itself couldn't be asked");
                None
            }
            Err(_) => None,
        }
    }

    /// Requests the metadata and caches the result. Returns None if the provider has none.
    async fn fetch_metadata(&self) -> Result<Option<ProviderMetadata>, ClientError> {
        let metadata = self.metadata.get_or_try_init(|| async {
            let metadata = self.request_metadata().await;
            let is_temporary = matches!(&metadata, Err(ClientError::Refused(_) | ClientError::Lost(_)));
            if !is_temporary {
                return metadata;
            }
            tokio::time::sleep(RETRY_DELAY).await;
            self.request_metadata().await
        });
        metadata.await.cloned()
    }

    async fn request_metadata(&self) -> Result<Option<ProviderMetadata>, ClientError> {
        for address in &self.addresses.discovery {
            let received = self.transport.exchange(Request::new(Method::GET, address.clone())).await?;
            match received.status {
                200 => {}
                // The problem is temporary, so it doesn't mean that there is no metadata.
                429 | 500..=599 => return Err(ClientError::Refused(Box::new(self.transport.read_refusal(&received)))),
                _ => continue,
            }
            if let Ok(metadata) = serde_json::from_slice::<ProviderMetadata>(&received.body) {
                return Ok(Some(metadata));
            }
        }
        Ok(None)
    }

    fn choose_endpoints(&self, metadata: &ProviderMetadata) -> Result<Endpoints, ClientError> {
        let settings = &self.settings;
        let specified = &self.addresses;
        let authorize = self.configured_endpoint("authorize address", settings.authorize.as_deref())?;
        let token = self.configured_endpoint("token address", settings.token.as_deref())?;
        let revocation = self.configured_endpoint("revocation address", settings.revocation.as_deref())?;
        let methods = metadata.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
        let supports = |method: &str| methods.iter().any(|supported| supported == method);
        let metadata_method = if supports(BASIC_METHOD) && !supports(POST_METHOD) {
            ClientAuthentication::Basic
        } else {
            ClientAuthentication::Post
        };
        Ok(Endpoints {
            authorize: authorize
                .or_else(|| self.own_endpoint(metadata.authorization_endpoint.as_deref()))
                .unwrap_or_else(|| specified.authorize.clone()),
            token: token
                .or_else(|| self.own_endpoint(metadata.token_endpoint.as_deref()))
                .unwrap_or_else(|| specified.token.clone()),
            revocation: revocation.or_else(|| self.own_endpoint(metadata.revocation_endpoint.as_deref())),
            authentication: settings.client_authentication.unwrap_or(metadata_method),
        })
    }

    fn configured_endpoint(&self, setting: &'static str, text: Option<&str>) -> Result<Option<Url>, ClientError> {
        text.map(|text| self.addresses.provider_url(setting, text)).transpose()
    }

    /// Accepts only an endpoint with the provider's own origin. Secrets are bound to the origin that the user entered,
    /// so another origin requires a setting.
    fn own_endpoint(&self, endpoint: Option<&str>) -> Option<Url> {
        let url = Url::parse(endpoint?).ok()?;
        let own = url.origin() == self.addresses.authorize.origin();
        if !own {
            tracing::warn!(%url, "the provider names an address of another origin, which isn't taken without a setting");
        }
        own.then_some(url)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Failpoints, Timeouts};

    fn discovery(provider: ProviderSettings) -> Result<Discovery, ClientError> {
        let access = SiteAccess {
            name: "test".to_owned(),
            base_url: "https://erp.example".to_owned(),
            auth_url: "https://auth.example/idp".to_owned(),
            client_id: "takt".to_owned(),
            scope: String::new(),
            redirect_uris: Vec::new(),
            provider,
            proxy: None,
            no_proxy: false,
            ca_file: None,
            client_certificate: None,
            lock_file: None,
            timeouts: Timeouts::default(),
            errors: Default::default(),
        };
        let redactor = crate::Redactor::default();
        let transport = Transport::new(
            &access,
            Arc::new(jiff::Timestamp::now),
            Failpoints::default(),
            redactor,
            &crate::http::RouteSecrets::default(),
        )?;
        Discovery::new(&access, Addresses::new(&access.base_url, &access.auth_url)?, transport)
    }

    fn metadata(json: &str) -> ProviderMetadata {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn the_specification_unless_told_otherwise() {
        let found = discovery(ProviderSettings::default()).unwrap();
        let specified = found.choose_endpoints(&ProviderMetadata::default()).unwrap();
        assert_eq!(specified.token.as_str(), "https://auth.example/idp/connect/token");
        assert_eq!((specified.authentication, specified.revocation), (ClientAuthentication::Post, None));
        let other = found
            .choose_endpoints(&metadata(
                r#"{"issuer":"x","token_endpoint":"https://auth.example/t","authorization_endpoint":"https://evil.example/a",
                "revocation_endpoint":"https://auth.example/r","token_endpoint_auth_methods_supported":["client_secret_basic"]}"#,
            ))
            .unwrap();
        assert_eq!(other.token.as_str(), "https://auth.example/t");
        assert_eq!(
            other.authorize.as_str(),
            "https://auth.example/idp/connect/authorize",
            "another origin isn't taken"
        );
        assert_eq!(other.revocation.map(String::from).as_deref(), Some("https://auth.example/r"));
        assert_eq!(other.authentication, ClientAuthentication::Basic);
        let both = metadata(
            r#"{"issuer":"x","token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"]}"#,
        );
        assert_eq!(found.choose_endpoints(&both).unwrap().authentication, ClientAuthentication::Post);
    }

    #[test]
    fn settings_win() {
        let settings = ProviderSettings {
            client_authentication: Some(ClientAuthentication::Basic),
            authorize: Some("https://login.example/authorize".to_owned()),
            token: Some("/oauth/token".to_owned()),
            revocation: None,
        };
        let found = discovery(settings).unwrap();
        let endpoints =
            found.choose_endpoints(&metadata(r#"{"issuer":"x","token_endpoint":"https://auth.example/t"}"#)).unwrap();
        assert_eq!(endpoints.authorize.as_str(), "https://login.example/authorize");
        assert_eq!(endpoints.token.as_str(), "https://auth.example/idp/oauth/token");
        assert_eq!(endpoints.authentication, ClientAuthentication::Basic);
        let odd = ProviderSettings { token: Some("ftp://x/y".to_owned()), ..ProviderSettings::default() };
        assert!(matches!(discovery(odd), Err(ClientError::Settings { setting: "token address", .. })));
    }
}
