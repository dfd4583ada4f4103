//! Manages the sites that Takt connects to: settings, secrets, sign-in and tests. Only this crate creates clients for
//! sites.
//!
//! | types | what they do |
//! |---|---|
//! | [`Sites`] | the list, the selected site, signing in and out, tests, clients |
//! | [`Site`], [`SiteView`] | a site as the user edits and sees it |
//! | [`SiteSecrets`], [`SecretStore`] | secrets, which are stored in the vault and never returned |
//! | [`SiteConnection`] | a site with its contract and client, looked up once for each use case |
//! | [`ConnectionCheck`] | the results of a connection check |
//! | [`SeenPaths`] | the containers that a site has shown |
//! | [`Context`] | the shared handles that other crates' types are created with |
//!
//! The practice plant always exists and is never stored. Tokens and requests belong to takt-client, the database to
//! takt-journal.
//!
//! `config` is a [`SitesConfig`] with the contract, a journal and a vault in memory.
//!
//! ```
//! # use std::sync::Arc;
//! # use takt_client::{Failpoints, Timeouts, Vault};
//! # use takt_contract::Contract;
//! # use takt_journal::Journal;
//! # use takt_sites::SitesConfig;
//! use takt_sites::{PRACTICE, Site, SiteConnection, SiteKind, SiteSecrets, Sites};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let config = SitesConfig {
//! #     contract: Arc::new(Contract::builtin()?),
//! #     journal: Arc::new(Journal::open(&folder.path().join("journal.sqlite"))?),
//! #     vault: Vault::memory(),
//! #     locks: folder.path().to_owned(),
//! #     clock: Arc::new(jiff::Timestamp::now),
//! #     timeouts: Timeouts::default(),
//! #     failpoints: Failpoints::default(),
//! # };
//! let sites = Sites::new(config);
//! let works = Site {
//!     name: "Works".to_owned(),
//!     kind: SiteKind::Test,
//!     base_url: "https://works.example".to_owned(),
//!     auth_url: "https://login.example".to_owned(),
//!     client_id: "takt".to_owned(),
//!     ..sites.find(PRACTICE)?
//! };
//! sites.save(works, SiteSecrets::from(Some("the client secret".to_owned())), |_| ())?;
//! sites.select_site("Works")?;
//! assert_eq!(sites.selected_site()?.name, "Works");
//!
//! let connection = SiteConnection::open(&sites, "Works")?;
//! assert!(!connection.client.is_signed_in());
//! # Ok(())
//! # }
//! ```
//!
//! Never reads rows from a site or sends them: that belongs to other crates.

mod access;
mod clock;
mod connection_check;
mod context;
mod contract_cache;
mod contracts;
mod drift;
mod journal_cleanup;
mod managed;
mod pending_sign_in;
mod practice_plant;
mod proxy;
mod seen_paths;
mod seen_store;
mod settings_check;
mod sign_in;
mod site;
mod site_connection;
mod site_list;
mod vault;

pub use connection_check::{ConnectionCheck, ConnectionPart, ConnectionStep, StepOutcome};
pub use context::Context;
pub use contracts::{ContractVersion, flush_drift};
pub use drift::DriftEntry;
pub use journal_cleanup::{has_unscrubbed_secrets, move_passwords, redact_stored_responses};
pub use managed::ManagedSites;
pub use pending_sign_in::{PendingSignIn, RedirectSender, SIGN_IN_HINT_DELAY};
pub use practice_plant::{PracticePlant, StateIdSource};
pub use seen_paths::SeenPaths;
pub use sign_in::ignored_headers;
pub use site::{
    ClientAuthentication, IgnoredHeader, LimitView, NetworkSettings, PRACTICE, SignInSettings, Site, SiteKind,
    SiteSaveResult, SiteSecrets, SiteTest, SiteView, VaultStorage,
};
pub use site_connection::SiteConnection;
pub use site_list::{OnSiteWait, Sites, SitesConfig};
pub use vault::SecretStore;
