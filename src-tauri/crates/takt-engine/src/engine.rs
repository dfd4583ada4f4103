//! The engine that the window and the command line open.
//!
//! It connects the parts, and does the few things that concern several of them. The parts do the work. They have the
//! handles that they need, and none to the engine.

mod compose;

use std::sync::Arc;

use takt_browse::{Browse, GraphQl, Pictures, References};
use takt_client::{Failpoints, Timeouts, Vault};
use takt_contract::{Contract, ServiceAccess};
use takt_core::{Clock, Home, Language, Problem, Words, words::CurrentWords};
use takt_import::{ImportSites, ImportSources, Imports, RememberedMappings};
use takt_inbox::{AnswerRules, EventInbox};
use takt_journal::Settings;
use takt_sites::{PRACTICE, Site, SiteSaveResult, SiteSecrets, Sites};
use takt_submit::{History, Previews, Submissions, Templates};

use crate::{contracts::Contracts, maintenance::Maintenance, order::Orders, shop_floor::ShopFloor, team::TeamChoice};

/// The configuration of an engine.
pub struct EngineConfig {
    pub home: Home,
    pub clock: Clock,
    pub vault: Vault,
    /// Used for every site without its own timeouts.
    pub timeouts: Timeouts,
    /// Called at each failpoint. By default, nothing happens.
    pub failpoints: Failpoints,
    /// The sender's name for the history: [`crate::system::account_name`], or a test's name.
    pub person: String,
    /// Whether the history is stored in a team's database.
    pub team: TeamChoice,
}

impl std::fmt::Debug for EngineConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("EngineConfig").field("home", &self.home).finish_non_exhaustive()
    }
}

/// All functions of Takt without a user interface.
///
/// ```
/// use std::sync::Arc;
/// use takt_engine::{
///     Engine, EngineConfig, Home,
///     client::{Timeouts, Vault, Failpoints},
///     team::TeamChoice,
/// };
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let engine = Engine::open(EngineConfig {
///     home: Home::at(folder.path().join("home"))?,
///     clock: Arc::new(jiff::Timestamp::now),
///     vault: Vault::memory(),
///     timeouts: Timeouts::default(),
///     failpoints: Failpoints::default(),
///     person: "anna".to_owned(),
///     team: TeamChoice::default(),
/// })?;
///
/// let file = folder.path().join("materials.csv");
/// std::fs::write(&file, "Code;Description\nM-1;Steel\nM-2;Brass\n")?;
/// let import = engine.imports().open(&file)?;
/// assert_eq!(import.columns.len(), 2);
/// assert_eq!(engine.sites().chosen()?.name, "practice");
/// # Ok(())
/// # }
/// ```
pub struct Engine {
    home: Home,
    contract: Arc<Contract>,
    spoken: CurrentWords,
    sites: Arc<Sites>,
    references: Arc<References>,
    browse: Browse,
    pictures: Pictures,
    graphql: GraphQl,
    imports: Arc<Imports>,
    import_sites: ImportSites,
    import_sources: ImportSources,
    previews: Arc<Previews>,
    submissions: Arc<Submissions>,
    templates: Templates,
    history: History,
    orders: Orders,
    answers: AnswerRules,
    inbox: EventInbox,
    floor: ShopFloor,
    maintenance: Maintenance,
    contracts: Contracts,
    pub(crate) mappings: RememberedMappings,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").field("home", &self.home).finish_non_exhaustive()
    }
}
impl Engine {
    pub(crate) fn settings(&self) -> Settings<'_> {
        self.maintenance.journal.settings()
    }

    /// Returns the home folder.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Returns the texts of reasons, questions and reports in the current language.
    #[must_use]
    pub fn words(&self) -> Arc<Words> {
        self.spoken.words()
    }

    /// Sets the language of reasons and reports.
    pub fn set_language(&self, language: Language) {
        self.spoken.set_language(language, &self.contract);
        self.answers.set_language(language);
    }
}

impl Engine {
    /// Returns the sites: their settings, signing in, and their local time.
    #[must_use]
    pub fn sites(&self) -> &Arc<Sites> {
        &self.sites
    }

    /// Returns the sites' reference data.
    #[must_use]
    pub fn reference(&self) -> &References {
        &self.references
    }

    /// Returns the reader of sites' lists.
    #[must_use]
    pub fn browse(&self) -> &Browse {
        &self.browse
    }

    /// Returns the charts of rows.
    #[must_use]
    pub fn pictures(&self) -> &Pictures {
        &self.pictures
    }

    /// Returns the GraphQL client.
    #[must_use]
    pub fn graphql(&self) -> &GraphQl {
        &self.graphql
    }

    /// Returns the open workbooks.
    #[must_use]
    pub fn imports(&self) -> &Imports {
        &self.imports
    }

    /// Returns the sites of imports.
    #[must_use]
    pub fn import_sites(&self) -> &ImportSites {
        &self.import_sites
    }

    /// Returns the sources of imports without a user's file, and blank workbooks.
    #[must_use]
    pub fn import_sources(&self) -> &ImportSources {
        &self.import_sources
    }

    /// Returns the previews of imports.
    #[must_use]
    pub fn previews(&self) -> &Previews {
        &self.previews
    }

    /// Returns the submissions and their results.
    #[must_use]
    pub fn submissions(&self) -> &Submissions {
        &self.submissions
    }

    /// Returns templates and their links.
    #[must_use]
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// Returns earlier submissions.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the orders with everything that is known about them.
    #[must_use]
    pub fn orders(&self) -> &Orders {
        &self.orders
    }

    /// Returns the rules that answer events.
    #[must_use]
    pub fn answers(&self) -> &AnswerRules {
        &self.answers
    }

    /// Returns the received events.
    #[must_use]
    pub fn inbox(&self) -> &EventInbox {
        &self.inbox
    }

    /// Returns the state of the shop floor.
    #[must_use]
    pub fn floor(&self) -> &ShopFloor {
        &self.floor
    }

    /// Returns backups, purges, and storage sizes.
    #[must_use]
    pub fn maintenance(&self) -> &Maintenance {
        &self.maintenance
    }

    /// Returns the sites' contracts.
    #[must_use]
    pub fn contracts(&self) -> &Contracts {
        &self.contracts
    }
}

impl Engine {
    /// Sets the address of the embedded plant. Tokens and reference data of an earlier plant are forgotten.
    pub fn set_practice(&self, access: ServiceAccess) {
        self.sites.set_practice(access);
        self.references.forget(PRACTICE);
    }

    /// Adds or changes a site. If its address changes, the user is signed out and its reference data is forgotten. A
    /// secret that is `None` stays unchanged, an empty one is removed.
    ///
    /// # Errors
    ///
    /// As for [`Sites::save`].
    pub fn save_site(&self, site: Site, secrets: impl Into<SiteSecrets>) -> Result<SiteSaveResult, Problem> {
        self.sites.save(site, secrets.into(), |name| self.references.forget(name))
    }

    /// Removes a site with its secrets. Its submissions stay in the history.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`](takt_core::Code::Unknown): no site has this name, or it is the practice plant.
    /// - [`Code::WriteFailed`](takt_core::Code::WriteFailed): a secret can't be removed from the vault.
    /// - A [journal code](takt_core::problem#journal-codes): some data of the site can't be removed. Data after it also
    ///   remains.
    pub fn remove_site(&self, name: &str) -> Result<(), Problem> {
        self.sites.remove(name)?;
        self.references.forget(name);
        self.graphql.forget(name)?;
        self.browse.forget(name)?;
        self.orders.forget(name)?;
        self.templates.forget_lists(name)?;
        self.sites.forget_client(name);
        self.inbox.targets().remove_all_of(name)?;
        self.answers.forget(name)?;
        self.sites.forget_secrets(name)
    }
}
