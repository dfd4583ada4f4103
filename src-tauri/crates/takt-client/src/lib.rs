//! Talking to a service: sign-in, tokens, requests, pages, rate limit, errors.
//!
//! Owns the wire (HTTP, OAuth, the vault for secrets). Leaves to others: what is sent and why, and what an answer means
//! for a row. The one promise that the rest stands on is [`Delivery`]: after every failure it says whether the service can
//! have seen the request.
//!
//! | part | what it does |
//! |---|---|
//! | [`Client`] | reads and writes of one site, with its tokens and rate limit |
//! | [`ReadQuestion`] | what a read asks |
//! | [`Pages`], [`ListForm`], [`Rows`] | lists, page by page |
//! | [`RetryPolicy`], [`RequestPermit`] | how often a read is tried, and the right to one request |
//! | [`sign_in`] | a sign-in that waits for the browser, and what a provider is asked |
//! | [`Vault`], [`Redactor`] | where secrets lie, and what takes them out of texts |
//! | [`post`] | bytes to an address of a person's choosing |
//! | [`update_channel`] | which Takt is the newest, as a file at an address says |
//! | [`ConnectionStep`] | whether a site can be reached, step by step |
//! | [`ClientError`], [`Delivery`] | what failed, and whether the service can have seen it |

mod access;
mod address;
mod answer;
mod blocking;
mod budget;
mod canceller;
mod client;
mod client_certificate;
mod connection;
mod discovery;
mod document;
mod error;
mod failpoint;
mod http;
mod limit;
mod oauth;
mod odd_header;
mod pages;
pub mod post;
mod provider_settings;
mod proxy;
mod read_question;
mod redact;
mod refusal;
mod retry;
mod rows;
mod secret;
pub mod sign_in;
mod tls;
mod token;
mod token_pair;
mod transcript;
mod transport;
pub mod update_channel;
mod vault;
mod vault_error;
mod waits;

pub use access::{ClientCertificate, SiteAccess, Timeouts};
pub use address::{is_unencrypted, normal_address, same_address};
pub use answer::{Answer, Pagination};
pub use blocking::{run_blocking_here, run_blocking_if_large};
pub use budget::{RequestPermit, RequestPurpose};
pub use canceller::Canceller;
pub use client::{AnswerWatch, Client};
pub use connection::{ConnectionPart, ConnectionStep, StepOutcome};
pub use document::{FetchedDocument, MAX_DOCUMENT_BYTES};
pub use error::{ClientError, Delivery};
pub use failpoint::{FAILPOINTS, Failpoints};
pub use limit::RateLimit;
pub use odd_header::IgnoredHeader;
pub use pages::{ListFault, ListForm, Page, Pages, WalkProgress};
pub use proxy::{encoded_proxy_password, split_proxy};
pub use read_question::ReadQuestion;
pub use redact::{REMOVED, Redactor};
pub use refusal::Refusal;
pub use retry::RetryPolicy;
pub use rows::{Rows, value_of};
pub use secret::Secret;
pub use tls::system_tls;
pub use tokio_rustls::rustls::ClientConfig as TlsConfig;
pub use vault::{SecretKind, SecretStorage, TEAM, Vault};
pub use vault_error::VaultError;
pub use waits::{ReportWait, WaitReports};

use std::sync::Arc;

/// The time now. Passed in, so that tests run beside each other.
pub type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

/// True where a browser can come back to this address: to this computer, where Takt listens, or to a page elsewhere, whose
/// address is then pasted.
#[must_use]
pub fn is_redirect_uri(uri: &str) -> bool {
    url::Url::parse(uri).is_ok_and(|url| match url.scheme() {
        "http" => address::is_loopback(&url),
        "https" => true,
        _ => false,
    })
}
