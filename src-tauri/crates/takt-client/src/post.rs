//! Bytes to an address of a person's own choosing, without a token: an event that is sent once more.
//!
//! Owns that nothing follows a redirect and nothing is sent twice by itself. Leaves to others what is sent, how often, and
//! what the answer means.

use std::time::Duration;

use reqwest::{Client, Url, redirect};

use crate::{ClientError, Timeouts, address::is_loopback, refusal::excerpt};

/// The most that is read of an answer, in bytes.
const LARGEST_ANSWER: usize = 64 * 1024;
const SETTING: &str = "address";

/// Sends to one address. Clones share their connections.
#[derive(Debug, Clone)]
pub struct Poster {
    http: Client,
    url: Url,
    whole: Duration,
}

/// What the other side answered, whatever it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    pub status: u16,
    /// The beginning of its body. Not trusted.
    pub answer: String,
}

impl Poster {
    /// An http or https address; it may hold a path that is a secret, and so is never told in an error.
    pub fn new(address: &str, timeouts: Timeouts) -> Result<Self, ClientError> {
        let unusable = |reason: String| ClientError::Settings { setting: SETTING, reason };
        let url = Url::parse(address.trim()).map_err(|cause| unusable(cause.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(unusable("it begins neither with https:// nor with http://".to_owned()));
        }
        let mut builder = Client::builder()
            .user_agent(concat!("Takt/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(timeouts.connect);
        if is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|cause| unusable(cause.without_url().to_string()))?;
        Ok(Self { http, url, whole: timeouts.whole })
    }

    /// Sends once. `Err`: no complete answer came, and [`ClientError::delivery`] says what that means.
    pub async fn post(&self, headers: &[(String, String)], body: Vec<u8>) -> Result<Posted, ClientError> {
        let mut request = self.http.post(self.url.clone()).body(body);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let late = || ClientError::TimedOut(format!("nothing came for {:?}", self.whole));
        let asked = tokio::time::timeout(self.whole, answered(request)).await.map_err(|_| late())?;
        asked.map_err(|cause| ClientError::from_transport(&cause.without_url()))
    }
}

async fn answered(request: reqwest::RequestBuilder) -> Result<Posted, reqwest::Error> {
    let mut response = request.send().await?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        // Nobody reads more of it.
        if body.len() > LARGEST_ANSWER {
            break;
        }
    }
    Ok(Posted { status, answer: excerpt(&body) })
}
