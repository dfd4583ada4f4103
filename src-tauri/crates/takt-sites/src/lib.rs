//! Manages the sites that Takt talks to: settings, secrets, sign-in and tests. Only this crate creates clients for
//! sites.
//!
//! | module | owns |
//! |---|---|
//! | [`connection`] | the results of a connection check |
//! | [`context`] | [`Context`], the handles that the parts are created with |
//! | [`site`] | a site as the user sees and edits it |
//! | [`sites`] | [`Sites`]: the list, the selected site, signing in and out, tests, clients |
//!
//! Never reads rows from a site or sends them: that belongs to other crates.

pub mod connection;
pub mod context;
pub mod site;
pub mod sites;

pub use connection::{ConnectionCheck, ConnectionPart, ConnectionStep, StepOutcome};
pub use context::Context;
pub use site::{
    ClientAuthentication, IgnoredHeader, LimitView, NetworkSettings, SignInSettings, Site, SiteKind, SiteSaveResult,
    SiteSecrets, SiteTest, SiteView, VaultPlace,
};
pub use sites::{OnSiteWait, PendingSignIn, RedirectSender, SIGN_IN_HINT_DELAY, SecretStore, Sites, SitesConfig};
