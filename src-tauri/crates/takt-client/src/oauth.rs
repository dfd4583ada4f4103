//! The identity provider: the authorize address, and the two token requests, through the oauth2 crate.
//!
//! Owns what is asked and how the answers are told apart. Leaves to others: the browser's way back (`sign_in`), keeping and
//! renewing tokens in time (`token`).

mod answer;
mod revocation;

use std::sync::Arc;

use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet, HttpRequest,
    HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RefreshToken, RequestTokenError, Scope,
    StandardRevocableToken, TokenUrl,
    basic::{
        BasicErrorResponse, BasicErrorResponseType, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse,
    },
};
use serde_json::Value;
use url::Url;

use crate::{
    ClientError, Secret, SiteAccess,
    address::Addresses,
    discovery::{Discovered, Discovery, Endpoints},
    provider_settings::ClientAuthentication,
    token_pair::NewTokens,
    transport::{Received, Transport},
};
use answer::TokenAnswer;
pub use revocation::Revocation;

type OauthClient = oauth2::Client<
    BasicErrorResponse,
    TokenAnswer,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

/// The provider of one site.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    client_id: String,
    scope: String,
    /// The provider's own address, without a slash at its end.
    address: String,
    discovery: Arc<Discovery>,
    transport: Transport,
}

/// What the browser is sent to, and what must be known when it comes back.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) address: String,
    pub(crate) state: CsrfToken,
    pub(crate) verifier: PkceCodeVerifier,
}

/// How a renewal can fail in a way that matters.
#[derive(Debug)]
pub(crate) enum RenewalError {
    /// The refresh token is no longer taken: only a new sign-in helps.
    Ended,
    Failed(ClientError),
}

impl Provider {
    /// # Errors
    /// Where an address of the settings can't be used.
    pub(crate) fn new(access: &SiteAccess, addresses: Addresses, transport: Transport) -> Result<Self, ClientError> {
        let address = addresses.provider.clone();
        let discovery = Arc::new(Discovery::new(access, addresses, transport.clone())?);
        Ok(Self { client_id: access.client_id.clone(), scope: access.scope.clone(), address, discovery, transport })
    }

    /// Where it is asked what, and how.
    pub(crate) async fn endpoints(&self) -> Result<Endpoints, ClientError> {
        self.discovery.endpoints().await
    }

    /// The same, with where tokens are revoked.
    pub(crate) async fn endpoints_with_revocation(&self) -> Result<Endpoints, ClientError> {
        self.discovery.endpoints_with_revocation().await
    }

    /// True where the provider says of itself where what is.
    pub(crate) async fn is_described(&self) -> bool {
        self.discovery.metadata().await.is_some()
    }

    /// The authorize request: the specified parameters, and beside them `state` and PKCE.
    pub(crate) async fn question(&self, redirect_uri: &str) -> Result<Question, ClientError> {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let client = self.client(None).await?.set_redirect_uri(redirect(redirect_uri)?);
        let (url, state) = client
            .authorize_url(CsrfToken::new_random)
            .add_extra_param("grant_type", "authorization_code")
            .add_scopes(self.scope.split_whitespace().map(|scope| Scope::new(scope.to_owned())))
            .set_pkce_challenge(challenge)
            .url();
        self.transport.redactor().learn_token(&Secret::new(verifier.secret().clone()));
        Ok(Question { address: with_plain_spaces(url), state, verifier })
    }

    /// Refuses an answer from another provider. If the provider announces `iss` (RFC 9207), an answer without it is refused, too. The
    /// issuer is the provider's address, or the one in its metadata.
    pub(crate) async fn check_issuer(&self, issuer: Option<&str>) -> Result<(), ClientError> {
        let Some(issuer) = issuer else {
            let announces = |told: Discovered| told.authorization_response_iss_parameter_supported;
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
            Some(told) if same(&told.issuer) => Ok(()),
            _ => Err(ClientError::SignInRefused(format!("the browser came back from another provider: {issuer}"))),
        }
    }

    /// The token request of a sign-in.
    pub(crate) async fn tokens(
        &self,
        secret: Option<&Secret>,
        code: &str,
        redirect_uri: &str,
        verifier: PkceCodeVerifier,
    ) -> Result<NewTokens, ClientError> {
        let client = self.client(secret).await?.set_redirect_uri(redirect(redirect_uri)?);
        let found = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(verifier)
            .request_async(&|request| call(self.transport.clone(), request))
            .await;
        match found {
            Ok(answer) => usable(answer),
            Err(RequestTokenError::ServerResponse(refusal)) => Err(ClientError::SignInRefused(words(&refusal))),
            Err(error) => Err(failure(error)),
        }
    }

    /// The token request of a renewal.
    pub(crate) async fn renew(&self, secret: Option<&Secret>, refresh: &Secret) -> Result<NewTokens, RenewalError> {
        let refresh = RefreshToken::new(refresh.reveal().to_owned());
        let client = self.client(secret).await.map_err(RenewalError::Failed)?;
        let found = client
            .exchange_refresh_token(&refresh)
            .request_async(&|request| call(self.transport.clone(), request))
            .await;
        match found {
            Ok(answer) => usable(answer).map_err(RenewalError::Failed),
            Err(RequestTokenError::ServerResponse(refusal))
                if *refusal.error() == BasicErrorResponseType::InvalidGrant =>
            {
                Err(RenewalError::Ended)
            }
            Err(RequestTokenError::ServerResponse(refusal)) => {
                Err(RenewalError::Failed(ClientError::SignInRefused(words(&refusal))))
            }
            Err(error) => Err(RenewalError::Failed(failure(error))),
        }
    }

    async fn client(&self, secret: Option<&Secret>) -> Result<OauthClient, ClientError> {
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
}

/// A token that is sent otherwise than as a bearer's would be refused at every request, and one that no header can hold can't be
/// sent at all.
fn usable(answer: TokenAnswer) -> Result<NewTokens, ClientError> {
    if let Some(name) = answer.foreign_type() {
        return Err(ClientError::SignInRefused(format!("token_type: {name} (Bearer is needed)")));
    }
    let tokens = NewTokens::from(answer);
    let access = tokens.access.reveal();
    if access.is_empty() || !access.bytes().all(|byte| byte.is_ascii_graphic()) {
        let what = if access.is_empty() { "is empty" } else { "holds characters that no token has" };
        let reason = format!("the token answer's `access_token` {what}");
        let odd = ClientError::NotUnderstood { status: 200, reason, body: String::new() };
        return Err(ClientError::Provider(Box::new(odd)));
    }
    Ok(tokens)
}

fn redirect(uri: &str) -> Result<RedirectUrl, ClientError> {
    RedirectUrl::new(uri.to_owned())
        .map_err(|cause| ClientError::Settings { setting: "redirect address", reason: cause.to_string() })
}

/// A space as `%20`: everybody reads that, while `+` is one in forms only. A literal plus is encoded already.
fn with_plain_spaces(mut url: Url) -> String {
    let query = url.query().map(|query| query.replace('+', "%20"));
    url.set_query(query.as_deref());
    url.into()
}

/// Sends what the oauth2 crate made. Only answers that it can judge go back to it.
async fn call(transport: Transport, request: HttpRequest) -> Result<HttpResponse, ClientError> {
    let request = reqwest::Request::try_from(request).map_err(|cause| ClientError::from_transport(&cause))?;
    if let Some(basic) = request.headers().get(reqwest::header::AUTHORIZATION).and_then(|value| value.to_str().ok()) {
        transport.redactor().learn_header(&Secret::new(basic));
    }
    let received = transport.exchange(request).await?;
    if matches!(received.status, 201..=299) {
        // Such a response may contain tokens, so nothing of it is quoted.
        let reason = "a token answer has status 200".to_owned();
        let odd = ClientError::NotUnderstood { status: received.status, reason, body: String::new() };
        return Err(ClientError::Provider(Box::new(odd)));
    }
    if !judged_by_protocol(&received) {
        let refusal = ClientError::Refused(Box::new(transport.refusal(&received)));
        return Err(ClientError::Provider(Box::new(refusal)));
    }
    // Some providers refuse with a 200.
    let status = if received.status == 200 && refuses(&received.body) { 400 } else { received.status };
    let mut response = HttpResponse::new(received.body);
    *response.headers_mut() = received.headers;
    *response.status_mut() = oauth2::http::StatusCode::from_u16(status).unwrap_or_default();
    Ok(response)
}

/// A 200, or a refusal in the protocol's own form. 429 and 5xx say nothing about the tokens, whatever their body holds.
fn judged_by_protocol(received: &Received) -> bool {
    match received.status {
        200 => true,
        400..=428 | 430..=499 => serde_json::from_slice::<BasicErrorResponse>(&received.body).is_ok(),
        _ => false,
    }
}

/// Whether a body is a refusal in the protocol's form, without a token beside it.
fn refuses(body: &[u8]) -> bool {
    let has_token = serde_json::from_slice::<Value>(body).is_ok_and(|body| match body.get("access_token") {
        None | Some(Value::Null) => false,
        Some(Value::String(token)) => !token.is_empty(),
        Some(_) => true,
    });
    !has_token && serde_json::from_slice::<BasicErrorResponse>(body).is_ok()
}

fn words(refusal: &BasicErrorResponse) -> String {
    let error = refusal.error().as_ref();
    match refusal.error_description() {
        Some(description) => format!("{error}: {description}"),
        None => error.to_owned(),
    }
}

/// What is left when the provider didn't refuse. The body isn't quoted: it may hold tokens.
fn failure(error: RequestTokenError<ClientError, BasicErrorResponse>) -> ClientError {
    let reason = match error {
        RequestTokenError::Request(cause) => return cause,
        RequestTokenError::ServerResponse(refusal) => return ClientError::SignInRefused(words(&refusal)),
        RequestTokenError::Parse(cause, _) => format!("the token answer's `{}` can't be read", cause.path()),
        RequestTokenError::Other(reason) => reason,
    };
    ClientError::Provider(Box::new(ClientError::NotUnderstood { status: 200, reason, body: String::new() }))
}
