//! Sends bytes without a token to an address that the user chooses, for example forwarded events.
//!
//! It never follows redirects and never retries. Callers choose the content and the frequency, and interpret responses.

use std::time::Duration;

use reqwest::{
    Client, Url,
    header::{HeaderName, HeaderValue},
    redirect,
};

use crate::{
    ClientError, Clock, Redactor, Timeouts, address::is_loopback, proxy::is_direct, rate_limit, refusal::excerpt,
};

/// In bytes. The rest of a response isn't read.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;
const SETTING: &str = "address";

/// Sends requests to one address. Clones share connections.
#[derive(Debug, Clone)]
pub struct PostClient {
    http: Client,
    url: Url,
    timeout: Duration,
    redactor: Redactor,
}

/// A response with any status and a shortened body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostResponse {
    pub status: u16,
    /// The start of the body, with secrets removed. It isn't trusted.
    pub body: String,
    /// The wait that the server requests, from `Retry-After`.
    pub retry_after: Option<Duration>,
}

/// Whether others can read the data in transit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportSecurity {
    /// The data stays on this computer or is encrypted.
    Protected,
    /// The data leaves this computer unencrypted.
    Unprotected,
}

impl PostClient {
    /// Creates a client for an http or https address. Errors never contain its path, which may be a secret.
    ///
    /// # Errors
    /// Fails if the address can't be used.
    pub fn new(address: &str, timeouts: Timeouts) -> Result<Self, ClientError> {
        let url = parse_post_url(address)?;
        let unusable = |reason: String| ClientError::Settings { setting: SETTING, reason };
        let mut builder = Client::builder()
            .user_agent(concat!("Takt/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(timeouts.connect);
        if is_direct(&url) {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|cause| unusable(cause.without_url().to_string()))?;
        Ok(Self { http, url, timeout: timeouts.request, redactor: Redactor::default() })
    }

    /// Returns a client that redacts secrets in responses and errors.
    #[must_use]
    pub fn with_redactor(self, redactor: &Redactor) -> Self {
        Self { redactor: redactor.clone(), ..self }
    }

    /// Returns scheme, host and port of an address, which secrets for the address are bound to.
    #[must_use]
    pub fn origin(address: &str) -> String {
        crate::address::origin(address)
    }

    /// Returns whether data for this address is protected in transit.
    #[must_use]
    pub fn transport_security(&self) -> TransportSecurity {
        transport_security(&self.url)
    }

    /// Returns whether data for an address is protected in transit. Invalid addresses are treated as protected, since
    /// no data is sent to them.
    #[must_use]
    pub fn transport_security_of(address: &str) -> TransportSecurity {
        parse_post_url(address).map_or(TransportSecurity::Protected, |url| transport_security(&url))
    }

    /// Sends once. If no complete response is received, [`ClientError::delivery`] classifies the request. `clock` is
    /// read when the response arrives, because `Retry-After` may be a date.
    ///
    /// # Errors
    /// Fails if no response is received, or if a header can't be sent.
    pub async fn post(
        &self,
        headers: &[(String, String)],
        body: Vec<u8>,
        clock: &Clock,
    ) -> Result<PostResponse, ClientError> {
        let mut request = self.http.post(self.url.clone()).body(body);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let timed_out = || ClientError::TimedOut(format!("nothing came for {:?}", self.timeout));
        let response =
            tokio::time::timeout(self.timeout, send_and_read(request, clock)).await.map_err(|_| timed_out())?;
        let (status, body, retry_after) =
            response.map_err(|cause| ClientError::from_transport(&cause.without_url()).redacted(&self.redactor))?;
        // Redacted before shortening, since a secret that is cut off isn't recognized.
        Ok(PostResponse { status, body: excerpt(&self.redactor.redact_bytes(body)), retry_after })
    }
}

/// Returns whether name and value are valid for a header.
#[must_use]
pub fn is_header(name: &str, value: &str) -> bool {
    HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok()
}

fn transport_security(url: &Url) -> TransportSecurity {
    if url.scheme() == "https" || is_loopback(url) {
        TransportSecurity::Protected
    } else {
        TransportSecurity::Unprotected
    }
}

fn parse_post_url(address: &str) -> Result<Url, ClientError> {
    let unusable = |reason: String| Err(ClientError::Settings { setting: SETTING, reason });
    let url = match Url::parse(address.trim()) {
        Ok(url) => url,
        Err(cause) => return unusable(cause.to_string()),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return unusable("it begins neither with https:// nor with http://".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return unusable("it holds a name or password; a header can take them".to_owned());
    }
    Ok(url)
}

/// Sends a request and returns the status, the start of the body, and the requested wait.
async fn send_and_read(
    request: reqwest::RequestBuilder,
    clock: &Clock,
) -> Result<(u16, Vec<u8>, Option<Duration>), reqwest::Error> {
    let mut response = request.send().await?;
    let status = response.status().as_u16();
    let retry_after = rate_limit::parse_retry_after(response.headers(), clock());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        // The rest of the body isn't needed.
        if body.len() > MAX_RESPONSE_BYTES {
            break;
        }
    }
    Ok((status, body, retry_after))
}
