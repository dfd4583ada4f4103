//! The work: import, mapping, checks, submission, recovery, browse, cleanup.
//!
//! [`Engine::open`] is the way in for both faces, the window and the command line. What crosses to them lives in the `view`
//! modules; every error that leaves is a [`Problem`].

#[macro_use]
mod opaque;

mod answers;
mod browse;
mod browser;
mod cleanup;
mod clock;
mod engine;
mod events;
mod finding;
mod graphql;
mod hex;
mod history;
mod home;
mod import;
mod inbox;
mod item;
mod link;
mod logging;
mod maintenance;
mod order;
mod person;
mod picture;
mod preview;
mod problem;
mod read_back;
mod reference;
mod request;
mod salvage;
mod site;
mod sites;
mod submission;
mod words;
mod written;

pub use answers::*;
pub use browse::*;
pub use browser::open_in_browser;
pub use cleanup::*;
pub use clock::Clock;
pub use engine::{Engine, EngineConfig};
pub use events::{
    AnsweredBy, EventAnswer, EventDetail, EventGap, EventLine, EventList, EventQuery, EventState, FaultCode,
    RuleFailure, RuleFault, RulePart, Signed, Spoke,
};
pub use finding::{FindingCode, Severity};
pub use graphql::*;
pub use history::*;
pub use home::Home;
pub use import::*;
pub use inbox::*;
pub use item::{Change, Fate, Item, ItemError, Looked, RowId};
pub use link::{CleanupLink, Link};
pub use logging::{Program, log_on_screen, start_logging};
pub use maintenance::*;
pub use order::*;
pub use person::account_name;
pub use picture::*;
pub use preview::*;
pub use problem::{Code, Problem};
pub use reference::References;
pub use salvage::{KeptFile, SalvageView};
pub use site::{
    ClientAuthentication, LimitView, OddHeader, PracticeAccess, SignInSettings, Site, SiteKind, SiteSaved, SiteTest,
    SiteView, VaultPlace,
};
pub use sites::{Paster, PendingSignIn, SIGN_IN_HINT_AFTER, SaySiteWait, Sites};
pub use submission::*;
pub use takt_client::{Canceller, REMOVED, Redactor, Revocation, Timeouts, Vault, WAYPOINTS, Waypoints};
pub use takt_contract::{Field, FieldKind, Operation, ProvenanceLevel, Statement};
pub use takt_journal::{Follows, Relation, create_private_folder, open_private_file};
pub use takt_sheet::{Apart, read_if_called};
pub use words::{Language, Words};
pub use written::write_file;
