//! The engine as one thing: what the window and the command line open.
//!
//! Owns the parts and how they hang together; the work is in the parts: `sites`, `import`, `reference`, `submission`, `browse`,
//! `cleanup`.

mod decisions;
mod submissions;

use std::{path::Path, sync::Arc};

use jiff::{Timestamp, tz::TimeZone};
use takt_client::{Client, Vault, Waypoints};
use takt_contract::Contract;
use takt_journal::Journal;

use crate::{
    Code, Home, Imports, KeptFile, Language, Problem, answers,
    import::blank,
    inbox, maintenance,
    preview::Previews,
    reference::Held,
    sites::{Sites, clean_answers, move_passwords},
    submission::Submissions,
};

/// The time now. Passed in, so that tests run beside each other.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What an engine is made of.
pub struct EngineConfig {
    pub home: Home,
    pub clock: Clock,
    pub vault: Vault,
    /// Told of what is passed; by default nobody is.
    pub waypoints: Waypoints,
    /// Who sends, for the history: [`crate::account_name`], or whoever a test plays.
    pub person: String,
}

impl std::fmt::Debug for EngineConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("EngineConfig").field("home", &self.home).finish_non_exhaustive()
    }
}

/// Everything that Takt does, without a window.
pub struct Engine {
    home: Home,
    clock: Clock,
    contract: Arc<Contract>,
    journal: Arc<Journal>,
    sites: Arc<Sites>,
    imports: Imports,
    held: Held,
    previews: Previews,
    submissions: Submissions,
    inbox: inbox::Desk,
    shelves: answers::Shelves,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").field("home", &self.home).finish_non_exhaustive()
    }
}

impl Engine {
    /// Opens the journal; a damaged one is replaced by what can be read of it. What was being sent when an earlier Takt died is in doubt from here on.
    pub fn open(config: EngineConfig) -> Result<Arc<Self>, Problem> {
        let EngineConfig { home, clock, vault, waypoints, person } = config;
        let contract = Arc::new(Contract::builtin()?);
        let (journal, salvaged) = Journal::open_or_salvage(&home.journal(), clock())?;
        if let Some(salvaged) = salvaged {
            maintenance::keep_salvage(&journal, KeptFile::Journal, &salvaged)?;
            journal.distrust_answers()?;
        }
        let journal = Arc::new(journal);
        match clean_answers(&journal, &vault, &home).and_then(|()| move_passwords(&journal, &vault, &home)) {
            // Nothing can be written down: it can be looked at all the same, and the next start tries again.
            Err(problem) if problem.code.is_of_journal() => tracing::warn!(?problem, "secrets stay where they are"),
            moved => moved?,
        }
        let sites =
            Arc::new(Sites::new(&contract, Arc::clone(&journal), vault, &home, Arc::clone(&clock), waypoints.clone()));
        let (known, zones) = (Arc::clone(&sites), Arc::clone(&sites));
        let submissions = Submissions::open(
            Arc::clone(&contract),
            Arc::clone(&journal),
            (Arc::clone(&clock), person),
            (Arc::new(move |site: &str| known.client(site)), Arc::new(move |site: &str| zones.zone(site))),
            (waypoints, home.deleted()),
        )?;
        let imports = Imports::new(Arc::clone(&contract), Arc::clone(&journal), Arc::clone(&clock));
        imports.copy_into(home.copies());
        let held = Held::new(Arc::clone(&contract), Arc::clone(&journal));
        let previews = Previews::default();
        Ok(Arc::new(Self {
            home,
            clock,
            contract,
            journal,
            sites,
            imports,
            held,
            previews,
            submissions,
            inbox: inbox::Desk::default(),
            shelves: answers::Shelves::default(),
        }))
    }

    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    #[must_use]
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Writes a blank workbook to fill in for an operation that takes items.
    pub fn write_blank(&self, operation: &str, language: Language, path: &Path) -> Result<(), Problem> {
        let unknown = || Problem::new(Code::Unknown).parameter("what", operation);
        let found = self.contract.operation(operation).ok_or_else(unknown)?;
        let today = self.now().to_zoned(TimeZone::UTC).date();
        let blank = blank::blank(found, language, today).ok_or_else(unknown)?;
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        takt_sheet::write_blank(path, &blank).map_err(|error| Problem::of_sheet(&file, error))
    }

    /// Workbooks that were opened to be sent.
    #[must_use]
    pub fn imports(&self) -> &Imports {
        &self.imports
    }

    /// What was read of the sites.
    pub(crate) fn held(&self) -> &Held {
        &self.held
    }

    /// What the imports would change.
    pub(crate) fn previews(&self) -> &Previews {
        &self.previews
    }

    pub(crate) fn journal(&self) -> &Arc<Journal> {
        &self.journal
    }

    pub(crate) fn kept_submissions(&self) -> &Submissions {
        &self.submissions
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) fn kept_inbox(&self) -> &inbox::Desk {
        &self.inbox
    }

    pub(crate) fn kept_shelves(&self) -> &answers::Shelves {
        &self.shelves
    }

    pub(crate) fn kept_contract(&self) -> Arc<Contract> {
        Arc::clone(&self.contract)
    }

    pub(crate) fn kept_clock(&self) -> Clock {
        Arc::clone(&self.clock)
    }

    pub(crate) fn kept_sites(&self) -> &Sites {
        &self.sites
    }

    pub(crate) fn shared_sites(&self) -> &Arc<Sites> {
        &self.sites
    }

    /// How to talk to a site.
    pub(crate) fn client(&self, site: &str) -> Result<Client, Problem> {
        self.sites.client(site)
    }
}
