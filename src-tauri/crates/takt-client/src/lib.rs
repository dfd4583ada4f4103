//! The client of a service: sign-in, tokens, requests, pages, rate limit and errors.
//!
//! After a failure, [`Delivery`] shows whether the service may have received the request. The rest of Takt relies on
//! it. This crate doesn't choose the rows to send and doesn't derive their results.
//!
//! | part | purpose |
//! |---|---|
//! | [`Client`], [`SiteAccess`] | reads and writes of one site, with tokens and rate limit, and its settings |
//! | [`ReadRequest`] | the request of a read |
//! | [`Pages`], [`ListForm`], [`Rows`] | lists, page by page |
//! | [`RetryPolicy`], [`RequestPermit`] | retries of reads, and permits for requests |
//! | [`sign_in`] | sign-in with the browser |
//! | [`Vault`], [`Redactor`] | storage of secrets, and their removal from texts |
//! | [`post`] | requests to an address that the user chooses |
//! | [`update_channel`] | the newest version of Takt, from a file at an address |
//! | [`ConnectionStep`] | checks of the connection to a site, step by step |
//! | [`ClientError`], [`Delivery`] | failures, and whether the service may have received the request |
//!
//! This example reads a list of the practice plant. `settings` has the other settings of the site, such as its proxy.
//!
//! ```
//! # use takt_client::{Timeouts, sign_in::ProviderSettings};
//! use std::sync::Arc;
//! use takt_client::{Canceller, Client, ListForm, ReadRequest, Secret, SiteAccess, Vault, sign_in::NewTokens};
//! use takt_contract::Contract;
//! use takt_plant::{Plant, PlantConfig};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let settings = SiteAccess {
//! #     name: "works".to_owned(),
//! #     base_url: String::new(),
//! #     auth_url: String::new(),
//! #     client_id: String::new(),
//! #     scope: String::new(),
//! #     redirect_uris: Vec::new(),
//! #     provider: ProviderSettings::default(),
//! #     proxy: None,
//! #     no_proxy: false,
//! #     ca_file: None,
//! #     client_certificate: None,
//! #     lock_file: None,
//! #     timeouts: Timeouts::default(),
//! #     errors: Contract::builtin()?.error_form().clone(),
//! # };
//! let plant = Plant::start(PlantConfig::default(), ([127, 0, 0, 1], 0).into()).await?;
//! let (base_url, auth_url) = (plant.base_url.clone(), plant.auth_url.clone());
//! let access = SiteAccess { base_url, auth_url, client_id: plant.client_id.clone(), ..settings };
//! let client = Client::new(access, Vault::memory(), Arc::new(jiff::Timestamp::now))?;
//! // Instead of a sign-in with the browser.
//! let access = Secret::new(plant.issue_tokens("planner")?.access_token);
//! client.store_tokens(NewTokens { access, refresh: None, expires_in: None, scopes: None });
//!
//! let contract = Contract::builtin()?;
//! let list = contract.operation("materials.list").ok_or("the contract has no such operation")?;
//! let shape = Arc::new(list.answer.clone().ok_or("the operation returns no rows")?);
//! let request = ReadRequest::new(&list.method, &list.path);
//! let mut pages = client.pages(request, ListForm { paging: list.paging.clone(), shape });
//! while pages.next(&Canceller::new()).await?.is_some() {}
//! assert_eq!(pages.progress().total, Some(pages.progress().rows));
//! # Ok(())
//! # }
//! ```

mod access;
mod address;
mod blocking;
mod budget;
mod canceller;
mod client;
mod connection;
mod discovery;
mod document;
mod error;
mod failpoint;
mod http;
mod ignored_header;
mod oauth;
mod pages;
pub mod post;
mod proxy;
mod rate_limit;
mod read_request;
mod redact;
mod refusal;
mod response;
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
mod wait_reports;

pub use access::{ClientCertificate, SiteAccess, Timeouts};
pub use address::{is_redirect_uri, is_same_address, is_unencrypted, normalize_address};
pub use blocking::{run_blocking_here, run_blocking_if_large};
pub use budget::{RequestPermit, RequestPurpose};
pub use canceller::Canceller;
pub use client::{Client, ResponseCallback};
pub use connection::{ConnectionPart, ConnectionStep, StepOutcome};
pub use document::{FetchedDocument, MAX_DOCUMENT_BYTES};
pub use error::{ClientError, Delivery};
pub use failpoint::{FAILPOINTS, Failpoints};
pub use ignored_header::IgnoredHeader;
pub use pages::{ListFault, ListForm, ListProgress, Page, Pages};
pub use proxy::{encode_proxy_password, split_proxy};
pub use rate_limit::RateLimit;
pub use read_request::ReadRequest;
pub use redact::{Redactor, SECRET_PLACEHOLDER};
pub use refusal::Refusal;
pub use response::{Pagination, ServiceResponse};
pub use retry::RetryPolicy;
pub use rows::{Rows, parse_row};
pub use secret::Secret;
pub use tls::system_tls;
pub use tokio_rustls::rustls::ClientConfig as TlsConfig;
pub use transport::Clock;
pub use vault::{SecretKind, SecretStorage, TEAM, Vault};
pub use vault_error::VaultError;
pub use wait_reports::{ReportWait, WaitReports};
