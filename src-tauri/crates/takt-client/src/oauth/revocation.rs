//! Telling the provider that a refresh token is no longer used (RFC 7009), where it offers that.

use serde::Deserialize;
use url::{Url, form_urlencoded::Serializer};

use super::Provider;
use crate::{ClientError, Secret};

/// What became of a refresh token at its provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revocation {
    /// It is worth nothing any more.
    Revoked,
    /// There was none, or the provider offers no way: it lasts as long as the provider lets it.
    NotOffered,
    /// The provider couldn't be told.
    Failed,
}

/// Of what a provider says of itself, the one member that is needed.
#[derive(Debug, Deserialize)]
struct Discovery {
    revocation_endpoint: Option<String>,
}

impl Provider {
    /// False where the provider offers no way. What it offers elsewhere than on its own origin isn't told anything.
    pub(crate) async fn revoke(&self, client_secret: Option<&Secret>, refresh: &Secret) -> Result<bool, ClientError> {
        let Some(endpoint) = self.revocation_endpoint().await? else { return Ok(false) };
        let mut form = Serializer::new(String::new());
        form.append_pair("token", refresh.reveal()).append_pair("token_type_hint", "refresh_token");
        form.append_pair("client_id", &self.client_id);
        if let Some(secret) = client_secret {
            form.append_pair("client_secret", secret.reveal());
        }
        let request = self
            .transport
            .http()
            .post(endpoint)
            .header(reqwest::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.finish());
        let request = request.build().map_err(|cause| ClientError::from_transport(&cause))?;
        let received = self.transport.exchange(request).await?;
        if (200..300).contains(&received.status) {
            return Ok(true);
        }
        Err(ClientError::Refused(Box::new(self.transport.refusal(&received))))
    }

    async fn revocation_endpoint(&self) -> Result<Option<Url>, ClientError> {
        let request = reqwest::Request::new(reqwest::Method::GET, self.addresses.discovery.clone());
        let received = self.transport.exchange(request).await?;
        if received.status != 200 {
            return Ok(None);
        }
        let told = serde_json::from_slice::<Discovery>(&received.body).ok().and_then(|told| told.revocation_endpoint);
        let endpoint = told.and_then(|endpoint| Url::parse(&endpoint).ok());
        Ok(endpoint.filter(|endpoint| endpoint.origin() == self.addresses.token.origin()))
    }
}
