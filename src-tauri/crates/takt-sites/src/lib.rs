//! The sites that Takt talks to: their settings, secrets, sign-in and tests. Nothing else makes a client for a site.
//!
//! | module | owns |
//! |---|---|
//! | [`connection`] | what a look at the way to a site found |
//! | [`context`] | [`Context`], the handles that every part of the work is made from |
//! | [`site`] | a site as a person sees and edits it |
//! | [`sites`] | [`Sites`]: the list, the chosen one, signing in and out, testing, the client of each |
//!
//! Leaves to others: what is read from a site and sent to it.

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
