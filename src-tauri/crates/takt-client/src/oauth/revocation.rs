//! Revokes refresh tokens (RFC 7009) if the provider offers that.

use base64::{Engine, prelude::BASE64_STANDARD as STANDARD};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use url::form_urlencoded::{Serializer, byte_serialize};

use super::Provider;
use crate::{ClientError, Secret, discovery::Endpoints, provider_settings::ClientAuthentication};

/// The result of revoking a refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revocation {
    /// The token was revoked.
    Revoked,
    /// There was no token, or the provider offers no revocation. The token stays valid until the provider ends it.
    NotOffered,
    /// The revocation request failed.
    Failed,
}

impl Provider {
    /// Revokes a refresh token. Returns false if neither a setting nor the provider has a revocation endpoint.
    pub(crate) async fn revoke(&self, client_secret: Option<&Secret>, refresh: &Secret) -> Result<bool, ClientError> {
        let Endpoints { revocation, authentication, .. } = self.endpoints_with_revocation().await?;
        let Some(endpoint) = revocation else { return Ok(false) };
        let (form, header) = self.request(authentication, client_secret, refresh);
        let mut request =
            self.transport.http().post(endpoint).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(header) = header {
            request = request.header(AUTHORIZATION, header);
        }
        let request = request.body(form).build().map_err(|cause| ClientError::from_transport(&cause))?;
        let received = self.transport.exchange(request).await?;
        if (200..300).contains(&received.status) {
            return Ok(true);
        }
        Err(ClientError::Refused(Box::new(self.transport.refusal(&received))))
    }

    /// Returns the form, and the authorization header unless the form authenticates the client.
    fn request(
        &self,
        authentication: ClientAuthentication,
        client_secret: Option<&Secret>,
        refresh: &Secret,
    ) -> (String, Option<String>) {
        let mut form = Serializer::new(String::new());
        form.append_pair("token", refresh.reveal()).append_pair("token_type_hint", "refresh_token");
        if let (ClientAuthentication::Basic, Some(secret)) = (authentication, client_secret) {
            return (form.finish(), Some(self.basic(secret)));
        }
        form.append_pair("client_id", &self.client_id);
        if let Some(secret) = client_secret {
            form.append_pair("client_secret", secret.reveal());
        }
        (form.finish(), None)
    }

    /// Form-encodes ID and secret before joining them (RFC 6749, section 2.3.1).
    fn basic(&self, secret: &Secret) -> String {
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&self.client_id), encoded(secret.reveal()));
        let header = format!("Basic {}", STANDARD.encode(pair));
        self.transport.redactor().learn_header(&Secret::new(header.clone()));
        header
    }
}
