//! Manages sites: settings, selection, tests, sign-in, and one client per site. The practice plant always exists and is
//! never stored.
//!
//! Tokens and requests belong to takt-client, the database to takt-journal. Secrets are stored in the vault, and never
//! returned.

mod access;
mod answers;
mod check;
mod clock;
mod connection;
mod contract_cache;
mod contracts;
mod drift;
mod managed;
mod pending_sign_in;
mod proxy;
mod seen_paths;
mod seen_store;
mod sign_in;
mod site_list;
mod site_secrets;
mod vault;

pub use crate::site::PRACTICE;
pub use answers::clean_answers;
pub use contracts::{ContractVersion, flush_drift};
pub use drift::DriftEntry;
pub use managed::ManagedSites;
pub use pending_sign_in::{PendingSignIn, RedirectSender, SIGN_IN_HINT_DELAY};
pub use proxy::{is_unclean, move_passwords};
pub use seen_paths::SeenPaths;
pub use site_list::{OnSiteWait, Sites, SitesConfig};
pub use vault::SecretStore;
