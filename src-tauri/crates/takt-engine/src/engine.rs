//! The engine that the window and the command line open.
//!
//! It connects the parts, and does the few things that affect several of them. Parts have handles to the parts that
//! they need, but never to the engine.

use std::{fmt, sync::Arc};

use takt_browse::{Browse, GraphQl, Pictures, References};
use takt_client::{Failpoints, Timeouts, Vault};
use takt_contract::{Contract, ServiceAccess};
use takt_core::{Clock, Home, Language, Problem, Words, policy::Policy, words::CurrentWords};
use takt_import::{ImportSites, ImportSources, Imports, RememberedMappings};
use takt_inbox::{AnswerRules, EventInbox, EventReader, ForwardTargets, events::EventStore};
use takt_journal::Settings;
use takt_sites::{Context, PRACTICE, Site, SiteSaveResult, SiteSecrets, Sites};
use takt_submit::{History, Previews, Submissions, SubmissionsConfig, Templates};

use crate::{
    contracts::Contracts,
    maintenance::Maintenance,
    order::Orders,
    shop_floor::{ServiceFloors, ShopFloor},
    team::{TeamChoice, TeamMembership},
};

/// The dependencies and settings with which an engine is opened.
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

impl fmt::Debug for EngineConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
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
///     home: Home::open(folder.path().join("home"))?,
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
/// assert_eq!(engine.sites().selected_site()?.name, "practice");
/// # Ok(())
/// # }
/// ```
pub struct Engine {
    home: Home,
    contract: Arc<Contract>,
    current_words: CurrentWords,
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

impl fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Engine").field("home", &self.home).finish_non_exhaustive()
    }
}

impl Engine {
    pub(crate) fn settings(&self) -> Settings<'_> {
        self.maintenance.journal.settings()
    }

    /// Returns the folder with the journal, the events, the logs and the locks.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Returns the texts of reasons, questions and reports in the current language.
    #[must_use]
    pub fn words(&self) -> Arc<Words> {
        self.current_words.words()
    }

    /// Sets the language of reasons and reports.
    pub fn set_language(&self, language: Language) {
        self.current_words.set_language(language, &self.contract);
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

    /// Returns the part that draws rows as charts.
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

    /// Returns the part that assigns sites to imports.
    #[must_use]
    pub fn import_sites(&self) -> &ImportSites {
        &self.import_sites
    }

    /// Returns the provider of blank workbooks, and of imports that aren't opened from a user's file.
    #[must_use]
    pub fn import_sources(&self) -> &ImportSources {
        &self.import_sources
    }

    /// Returns the previews of the changes that imports would make.
    #[must_use]
    pub fn previews(&self) -> &Previews {
        &self.previews
    }

    /// Returns the submissions and their results.
    #[must_use]
    pub fn submissions(&self) -> &Submissions {
        &self.submissions
    }

    /// Returns the part that reads templates and deletes their links.
    #[must_use]
    pub fn templates(&self) -> &Templates {
        &self.templates
    }

    /// Returns the part that searches and exports earlier submissions.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the part that collects the rows of an order and the submissions about it.
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

    /// Returns the part that makes backups, purges old data, and measures storage.
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
    /// Sets the address of the embedded plant. Discards tokens and reference data of an earlier plant.
    pub fn set_practice(&self, access: ServiceAccess) {
        self.sites.set_practice_access(access);
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
    /// - A [journal code](takt_core::problem#journal-codes): some data of the site can't be removed. The data that
    ///   would be removed afterwards also remains.
    pub fn remove_site(&self, name: &str) -> Result<(), Problem> {
        self.sites.remove(name)?;
        self.references.forget(name);
        self.graphql.forget(name)?;
        self.browse.forget(name)?;
        self.orders.forget_site(name)?;
        self.templates.remove_site_settings(name)?;
        self.sites.forget_client(name);
        self.inbox.targets().remove_all_targets(name)?;
        self.answers.forget(name)?;
        self.sites.forget_secrets(name)
    }
}

/// The parts that read the service.
struct ReadingParts {
    references: Arc<References>,
    browse: Browse,
    pictures: Pictures,
    graphql: GraphQl,
}

/// The parts that handle workbooks before sending.
struct ImportParts {
    imports: Arc<Imports>,
    sites: ImportSites,
    sources: ImportSources,
    previews: Arc<Previews>,
}

/// The parts that receive events.
struct InboxParts {
    events: Arc<EventStore>,
    reader: Arc<EventReader>,
    answers: AnswerRules,
    inbox: EventInbox,
}

/// Connects the parts.
impl Engine {
    pub(crate) fn compose(
        context: Context,
        policy: Arc<Policy>,
        team: TeamMembership,
        failpoints: Failpoints,
        person: String,
    ) -> Result<Self, Problem> {
        let reading_parts = create_reading_parts(&context);
        let import_parts = create_import_parts(&context, &reading_parts.references);
        let submissions = open_submissions(&context, &import_parts.previews, failpoints, person.clone())?;
        let inbox_parts = create_inbox_parts(&context);
        let history = History::new(&context, Arc::clone(&import_parts.imports), Arc::clone(&submissions));
        let orders = create_orders(&context, &reading_parts.browse, &history, &submissions);
        let templates = create_templates(&context, &import_parts, &submissions);
        let floor = create_floor(&context, &inbox_parts, &orders, &submissions);
        let maintenance = Maintenance {
            home: context.home.clone(),
            journal: Arc::clone(&context.journal),
            events: inbox_parts.events,
            clock: Arc::clone(&context.clock),
            policy,
            team,
        };
        let mappings = RememberedMappings::new(&context);
        let contracts = Contracts::new(Arc::clone(&context.sites), mappings.clone(), person);
        Ok(Self {
            home: context.home,
            contract: context.contract,
            current_words: context.current_words,
            sites: context.sites,
            references: reading_parts.references,
            browse: reading_parts.browse,
            pictures: reading_parts.pictures,
            graphql: reading_parts.graphql,
            imports: import_parts.imports,
            import_sites: import_parts.sites,
            import_sources: import_parts.sources,
            previews: import_parts.previews,
            submissions,
            templates,
            history,
            orders,
            answers: inbox_parts.answers,
            inbox: inbox_parts.inbox,
            floor,
            maintenance,
            contracts,
            mappings,
        })
    }
}

fn create_reading_parts(context: &Context) -> ReadingParts {
    let references = Arc::new(References::new(context));
    let browse = Browse::new(context, Arc::clone(&references));
    let pictures = Pictures::new(context, browse.clone());
    let graphql = GraphQl::new(context);
    ReadingParts { references, browse, pictures, graphql }
}

fn create_import_parts(context: &Context, references: &Arc<References>) -> ImportParts {
    let imports = Arc::new(Imports::new(
        Arc::clone(&context.contract),
        Some(Arc::clone(&context.sites)),
        Arc::clone(&context.journal),
        Arc::clone(&context.clock),
        Some(context.home.copies()),
    ));
    let sites = ImportSites::new(context, Arc::clone(&imports), Arc::clone(references));
    let sources = ImportSources::new(context, Arc::clone(&imports));
    let previews =
        Previews::new(Arc::clone(&context.sites), Arc::clone(&imports), sites.clone(), context.current_words.clone());
    ImportParts { imports, sites, sources, previews: Arc::new(previews) }
}

fn open_submissions(
    context: &Context,
    previews: &Arc<Previews>,
    failpoints: Failpoints,
    person: String,
) -> Result<Arc<Submissions>, Problem> {
    let submissions = Submissions::open(SubmissionsConfig {
        journal: Arc::clone(&context.journal),
        sites: Arc::clone(&context.sites),
        previews: Arc::clone(previews),
        clock: Arc::clone(&context.clock),
        current_words: context.current_words.clone(),
        person,
        failpoints,
        deleted: context.home.deleted_rows(),
    });
    Ok(Arc::new(submissions?))
}

fn create_orders(context: &Context, browse: &Browse, history: &History, submissions: &Arc<Submissions>) -> Orders {
    Orders {
        contract: Arc::clone(&context.contract),
        journal: Arc::clone(&context.journal),
        sites: Arc::clone(&context.sites),
        clock: Arc::clone(&context.clock),
        browse: browse.clone(),
        history: history.clone(),
        submissions: Arc::clone(submissions),
    }
}

fn create_templates(context: &Context, import_parts: &ImportParts, submissions: &Arc<Submissions>) -> Templates {
    let (imports, sites) = (Arc::clone(&import_parts.imports), import_parts.sites.clone());
    Templates::new(context, imports, sites, Arc::clone(&import_parts.previews), Arc::clone(submissions))
}

fn create_floor(
    context: &Context,
    inbox_parts: &InboxParts,
    orders: &Orders,
    submissions: &Arc<Submissions>,
) -> ShopFloor {
    ShopFloor {
        contract: Arc::clone(&context.contract),
        journal: Arc::clone(&context.journal),
        sites: Arc::clone(&context.sites),
        clock: Arc::clone(&context.clock),
        reader: Arc::clone(&inbox_parts.reader),
        answers: inbox_parts.answers.clone(),
        browse: orders.browse.clone(),
        orders: orders.clone(),
        submissions: Arc::clone(submissions),
        service_floors: ServiceFloors::default(),
    }
}

fn create_inbox_parts(context: &Context) -> InboxParts {
    let events =
        Arc::new(EventStore::new(context.home.clone(), Arc::clone(&context.journal), Arc::clone(&context.clock)));
    let reader = Arc::new(EventReader::new(context, Arc::clone(&events)));
    let answers = AnswerRules::new(context, Arc::clone(&events));
    let targets = ForwardTargets::new(context, Arc::clone(&events));
    let inbox = EventInbox::new(context, Arc::clone(&reader), answers.clone(), targets);
    InboxParts { events, reader, answers, inbox }
}
