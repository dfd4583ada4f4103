//! Bytes to an address of a person's own choosing, without a token: an event that is sent on, or once more.
//!
//! Owns that nothing follows a redirect and nothing is sent twice by itself. Leaves to others what is sent, how often, and
//! what the answer means.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::{
    Client, Url,
    header::{HeaderName, HeaderValue},
    redirect,
};

use crate::{ClientError, Redactor, Timeouts, address::is_loopback, limit, proxy::is_direct, refusal::excerpt};

/// The most that is read of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
const SETTING: &str = "address";

/// Sends to one address. Clones share their connections.
#[derive(Debug, Clone)]
pub struct PostClient {
    http: Client,
    url: Url,
    whole: Duration,
    redactor: Redactor,
}

/// What the other side answered, whatever it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostResponse {
    pub status: u16,
    /// The beginning of its body. Not trusted.
    pub answer: String,
    /// How long it asks to be left alone.
    pub retry_after: Option<Duration>,
}

/// How far what is sent can be read by others on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportSecurity {
    /// It doesn't leave this computer, or is encrypted.
    Protected,
    /// It leaves the computer, and isn't encrypted.
    Unprotected,
}

impl PostClient {
    /// An http or https address; it may hold a path that is a secret, and so is never told in an error.
    ///
    /// # Errors
    /// Where the address can't be used.
    pub fn new(address: &str, timeouts: Timeouts) -> Result<Self, ClientError> {
        let url = usable(address)?;
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
        Ok(Self { http, url, whole: timeouts.whole, redactor: Redactor::default() })
    }

    /// The same, and what is known to be secret is removed from answers and errors.
    #[must_use]
    pub fn redacting(self, redactor: &Redactor) -> Self {
        Self { redactor: redactor.clone(), ..self }
    }

    /// Scheme, host and port of an address: to whom what is secret about it belongs.
    #[must_use]
    pub fn origin(address: &str) -> String {
        crate::address::origin(address)
    }

    /// Whether others can read on the way what is sent there.
    #[must_use]
    pub fn transport_security(&self) -> TransportSecurity {
        transport_security(&self.url)
    }

    /// Whether others can read on the way what is sent to an address; nothing is sent to one that can't be used.
    #[must_use]
    pub fn transport_security_of(address: &str) -> TransportSecurity {
        usable(address).map_or(TransportSecurity::Protected, |url| transport_security(&url))
    }

    /// Sends once. `Err`: no complete answer came, and [`ClientError::delivery`] says what that means.
    ///
    /// # Errors
    /// Where no answer comes, or a header can't be sent.
    pub async fn post(&self, headers: &[(String, String)], body: Vec<u8>) -> Result<PostResponse, ClientError> {
        let mut request = self.http.post(self.url.clone()).body(body);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let late = || ClientError::TimedOut(format!("nothing came for {:?}", self.whole));
        let asked = tokio::time::timeout(self.whole, answered(request)).await.map_err(|_| late())?;
        let (status, body, retry_after) =
            asked.map_err(|cause| ClientError::from_transport(&cause.without_url()).redacted(&self.redactor))?;
        // Removed before it is cut: half a secret is none that is known.
        Ok(PostResponse { status, answer: excerpt(&self.redactor.words(body)), retry_after })
    }
}

/// True where that can be a header that a person chooses.
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

fn usable(address: &str) -> Result<Url, ClientError> {
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

/// Status, the beginning of the body, and how long to wait.
async fn answered(request: reqwest::RequestBuilder) -> Result<(u16, Vec<u8>, Option<Duration>), reqwest::Error> {
    let mut response = request.send().await?;
    let status = response.status().as_u16();
    let retry_after = limit::from_header(response.headers(), Timestamp::now());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        // The rest isn't needed.
        if body.len() > MAX_ANSWER_BYTES {
            break;
        }
    }
    Ok((status, body, retry_after))
}
