//! Requests to the identity provider: authorization, tokens (with the oauth2 crate), and revocation of refresh tokens
//! (RFC 7009).
//!
//! This module builds requests and classifies responses. `sign_in` handles the browser's redirect, `token` stores and
//! refreshes tokens.

mod token_response;

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_STANDARD};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, Scope,
    StandardRevocableToken, TokenUrl,
    basic::{
        BasicErrorResponse, BasicErrorResponseType, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse,
    },
};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::Value;
use url::{
    Url,
    form_urlencoded::{Serializer, byte_serialize},
};

use crate::{
    ClientError, Secret, SiteAccess,
    access::ClientAuthentication,
    address::Addresses,
    discovery::{Discovery, Endpoints, ProviderMetadata},
    token_pair::NewTokens,
    transport::{Received, Transport},
};
use token_response::TokenResponseBody;

type OauthClient = oauth2::Client<
    BasicErrorResponse,
    TokenResponseBody,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

#[derive(Debug, Clone)]
pub(crate) struct Provider {
    client_id: String,
    scope: String,
    /// Without a trailing slash.
    address: String,
    discovery: Arc<Discovery>,
    transport: Transport,
}

/// The address to open in the browser, and the values for checking the redirect.
#[derive(Debug)]
pub(crate) struct AuthorizationRequest {
    pub(crate) address: String,
    pub(crate) state: CsrfToken,
    pub(crate) verifier: PkceCodeVerifier,
}

/// The failures that callers of a refresh distinguish.
#[derive(Debug)]
pub(crate) enum RefreshError {
    /// The refresh token is no longer valid, so the user must sign in again.
    Ended,
    Failed(ClientError),
}

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
    /// # Errors
    /// Fails if an address of the settings can't be used.
    pub(crate) fn new(access: &SiteAccess, addresses: Addresses, transport: Transport) -> Result<Self, ClientError> {
        let address = addresses.provider.clone();
        let discovery = Arc::new(Discovery::new(access, addresses, transport.clone())?);
        Ok(Self { client_id: access.client_id.clone(), scope: access.scope.clone(), address, discovery, transport })
    }

    /// Returns the endpoints. The revocation endpoint may be missing, since the provider's metadata isn't required.
    pub(crate) async fn endpoints(&self) -> Result<Endpoints, ClientError> {
        self.discovery.endpoints().await
    }

    /// Returns the endpoints, and requests the provider's metadata if the revocation endpoint isn't set.
    pub(crate) async fn endpoints_with_revocation(&self) -> Result<Endpoints, ClientError> {
        self.discovery.endpoints_with_revocation().await
    }

    /// Returns whether the provider publishes metadata.
    pub(crate) async fn has_metadata(&self) -> bool {
        self.discovery.metadata().await.is_some()
    }

    /// Builds the authorize request with the specified parameters, `state` and PKCE.
    pub(crate) async fn authorization_request(&self, redirect_uri: &str) -> Result<AuthorizationRequest, ClientError> {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = self.oauth_client(None).await?.set_redirect_uri(parse_redirect_uri(redirect_uri)?);
        let (url, state) = client
            .authorize_url(CsrfToken::new_random)
            .add_extra_param("grant_type", "authorization_code")
            .add_scopes(self.scope.split_whitespace().map(|scope| Scope::new(scope.to_owned())))
            .set_pkce_challenge(challenge)
            .url();
        self.transport.redactor().register_token(&Secret::new(verifier.secret().clone()));
        Ok(AuthorizationRequest { address: with_plain_spaces(url), state, verifier })
    }

    /// Refuses a redirect from another provider. The issuer must be the provider's address or the one in its metadata.
    /// A missing issuer is refused only if the metadata announces `iss` (RFC 9207).
    pub(crate) async fn check_issuer(&self, issuer: Option<&str>) -> Result<(), ClientError> {
        let Some(issuer) = issuer else {
            let announces = |metadata: ProviderMetadata| metadata.authorization_response_iss_parameter_supported;
            return if self.discovery.metadata().await.is_some_and(announces) {
                let words = "the browser came back without `iss`, which this provider announces".to_owned();
                Err(ClientError::SignInRefused(words))
            } else {
                Ok(())
            };
        };
        let same = |name: &str| name.trim_end_matches('/') == issuer.trim_end_matches('/');
        if same(&self.address) {
            return Ok(());
        }
        match self.discovery.metadata().await {
            Some(metadata) if same(&metadata.issuer) => Ok(()),
            _ => Err(ClientError::SignInRefused(format!("the browser came back from another provider: {issuer}"))),
        }
    }

    /// Exchanges the authorization code of a sign-in for tokens.
    pub(crate) async fn request_tokens(
        &self,
        secret: Option<&Secret>,
        code: &str,
        redirect_uri: &str,
        verifier: PkceCodeVerifier,
    ) -> Result<NewTokens, ClientError> {
        let client = self.oauth_client(secret).await?.set_redirect_uri(parse_redirect_uri(redirect_uri)?);
        let found = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(verifier)
            .request_async(&|request| send_oauth_request(self.transport.clone(), request))
            .await;
        match found {
            Ok(response) => validate_tokens(response),
            Err(RequestTokenError::ServerResponse(refusal)) => Err(ClientError::SignInRefused(refusal_text(&refusal))),
            Err(error) => Err(convert_error(error)),
        }
    }

    /// Exchanges a refresh token for new tokens.
    pub(crate) async fn refresh_tokens(
        &self,
        secret: Option<&Secret>,
        refresh: &Secret,
    ) -> Result<NewTokens, RefreshError> {
        let refresh = RefreshToken::new(refresh.reveal().to_owned());
        let client = self.oauth_client(secret).await.map_err(RefreshError::Failed)?;
        let found = client
            .exchange_refresh_token(&refresh)
            .request_async(&|request| send_oauth_request(self.transport.clone(), request))
            .await;
        match found {
            Ok(response) => validate_tokens(response).map_err(RefreshError::Failed),
            Err(RequestTokenError::ServerResponse(refusal))
                if *refusal.error() == BasicErrorResponseType::InvalidGrant =>
            {
                Err(RefreshError::Ended)
            }
            Err(RequestTokenError::ServerResponse(refusal)) => {
                Err(RefreshError::Failed(ClientError::SignInRefused(refusal_text(&refusal))))
            }
            Err(error) => Err(RefreshError::Failed(convert_error(error))),
        }
    }

    async fn oauth_client(&self, secret: Option<&Secret>) -> Result<OauthClient, ClientError> {
        let endpoints = self.endpoints().await?;
        let client = oauth2::Client::new(ClientId::new(self.client_id.clone()))
            .set_auth_uri(AuthUrl::from_url(endpoints.authorize))
            .set_token_uri(TokenUrl::from_url(endpoints.token))
            .set_auth_type(match endpoints.authentication {
                ClientAuthentication::Post => AuthType::RequestBody,
                ClientAuthentication::Basic => AuthType::BasicAuth,
            });
        Ok(match secret {
            Some(secret) => client.set_client_secret(ClientSecret::new(secret.reveal().to_owned())),
            None => client,
        })
    }

    /// Revokes a refresh token. Returns false if neither a setting nor the provider has a revocation endpoint.
    pub(crate) async fn revoke(&self, client_secret: Option<&Secret>, refresh: &Secret) -> Result<bool, ClientError> {
        let Endpoints { revocation, authentication, .. } = self.endpoints_with_revocation().await?;
        let Some(endpoint) = revocation else { return Ok(false) };
        let (form, header) = self.revocation_form(authentication, client_secret, refresh);
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
        Err(ClientError::Refused(Box::new(self.transport.read_refusal(&received))))
    }

    /// Returns the form, and the authorization header if the client authenticates with it.
    fn revocation_form(
        &self,
        authentication: ClientAuthentication,
        client_secret: Option<&Secret>,
        refresh: &Secret,
    ) -> (String, Option<String>) {
        let mut form = Serializer::new(String::new());
        form.append_pair("token", refresh.reveal()).append_pair("token_type_hint", "refresh_token");
        if let (ClientAuthentication::Basic, Some(secret)) = (authentication, client_secret) {
            return (form.finish(), Some(self.basic_authorization(secret)));
        }
        form.append_pair("client_id", &self.client_id);
        if let Some(secret) = client_secret {
            form.append_pair("client_secret", secret.reveal());
        }
        (form.finish(), None)
    }

    /// Form-encodes ID and secret before joining them (RFC 6749, section 2.3.1).
    fn basic_authorization(&self, secret: &Secret) -> String {
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&self.client_id), encoded(secret.reveal()));
        let header = format!("Basic {}", BASE64_STANDARD.encode(pair));
        self.transport.redactor().register_header(&Secret::new(header.clone()));
        header
    }
}

/// Returns the tokens, or an error if they aren't bearer tokens or can't be sent in a header.
fn validate_tokens(response: TokenResponseBody) -> Result<NewTokens, ClientError> {
    if let Some(name) = response.unsupported_token_type() {
        return Err(ClientError::SignInRefused(format!("token_type: {name} (Bearer is needed)")));
    }
    let tokens = NewTokens::from(response);
    let access = tokens.access.reveal();
    if access.is_empty() || !access.bytes().all(|byte| byte.is_ascii_graphic()) {
        let fault = if access.is_empty() { "is empty" } else { "holds characters that no token has" };
        let reason = format!("the token answer's `access_token` {fault}");
        let error = ClientError::NotUnderstood { status: 200, reason, body: String::new() };
        return Err(ClientError::Provider(Box::new(error)));
    }
    Ok(tokens)
}

fn parse_redirect_uri(uri: &str) -> Result<RedirectUrl, ClientError> {
    RedirectUrl::new(uri.to_owned())
        .map_err(|cause| ClientError::Settings { setting: "redirect address", reason: cause.to_string() })
}

/// Encodes spaces as `%20`, since `+` means a space only in forms. A literal plus is already encoded as `%2B`.
fn with_plain_spaces(mut url: Url) -> String {
    let query = url.query().map(|query| query.replace('+', "%20"));
    url.set_query(query.as_deref());
    url.into()
}

/// Sends a request of the oauth2 crate. Returns an error for responses that the crate can't classify.
async fn send_oauth_request(transport: Transport, request: HttpRequest) -> Result<HttpResponse, ClientError> {
    let request = reqwest::Request::try_from(request).map_err(|cause| ClientError::from_transport(&cause))?;
    if let Some(basic) = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok()) {
        transport.redactor().register_header(&Secret::new(basic));
    }
    let received = transport.exchange(request).await?;
    if matches!(received.status, 201..=299) {
        // The response may contain tokens, so none of it is quoted.
        let reason = "a token answer has status 200".to_owned();
        let error = ClientError::NotUnderstood { status: received.status, reason, body: String::new() };
        return Err(ClientError::Provider(Box::new(error)));
    }
    if !is_protocol_response(&received) {
        let refusal = ClientError::Refused(Box::new(transport.read_refusal(&received)));
        return Err(ClientError::Provider(Box::new(refusal)));
    }
    // Some providers send a refusal with status 200.
    let status = if received.status == 200 && is_refusal_body(&received.body) { 400 } else { received.status };
    let mut response = HttpResponse::new(received.body);
    *response.headers_mut() = received.headers;
    *response.status_mut() = oauth2::http::StatusCode::from_u16(status).unwrap_or_default();
    Ok(response)
}

/// Returns whether the response is a 200, or a refusal in the protocol's form. A 429 or 5xx isn't a statement about the
/// tokens.
fn is_protocol_response(received: &Received) -> bool {
    match received.status {
        200 => true,
        400..=428 | 430..=499 => serde_json::from_slice::<BasicErrorResponse>(&received.body).is_ok(),
        _ => false,
    }
}

/// Returns whether a body is a refusal in the protocol's form and has no token.
fn is_refusal_body(body: &[u8]) -> bool {
    let has_token = serde_json::from_slice::<Value>(body).is_ok_and(|body| match body.get("access_token") {
        None | Some(Value::Null) => false,
        Some(Value::String(token)) => !token.is_empty(),
        Some(_) => true,
    });
    !has_token && serde_json::from_slice::<BasicErrorResponse>(body).is_ok()
}

fn refusal_text(refusal: &BasicErrorResponse) -> String {
    let error = refusal.error().as_ref();
    match refusal.error_description() {
        Some(description) => format!("{error}: {description}"),
        None => error.to_owned(),
    }
}

/// Converts errors other than refusals. The body isn't quoted, since it may contain tokens.
fn convert_error(error: RequestTokenError<ClientError, BasicErrorResponse>) -> ClientError {
    let reason = match error {
        RequestTokenError::Request(cause) => return cause,
        RequestTokenError::ServerResponse(refusal) => return ClientError::SignInRefused(refusal_text(&refusal)),
        RequestTokenError::Parse(cause, _) => format!("the token answer's `{}` can't be read", cause.path()),
        RequestTokenError::Other(reason) => reason,
    };
    ClientError::Provider(Box::new(ClientError::NotUnderstood { status: 200, reason, body: String::new() }))
}
