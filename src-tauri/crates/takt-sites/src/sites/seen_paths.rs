//! Single things that a site was seen to hold, for example templates, by the path that reads them.
//!
//! A response that says that there is no such thing proves nothing about one that was seen: a gateway gives the same response while the
//! service is away. Holds [`SeenPaths`]; what follows from it is decided by who reads. Never holds what a thing contains.

use std::{collections::BTreeSet, sync::Arc};

use parking_lot::Mutex;
use serde_json::json;
use takt_contract::Contract;
use takt_core::Clock;
use takt_journal::{Journal, JournalError, reference::ReferenceRecord};

use super::{PRACTICE, Sites};

/// The name under which the paths of a site are stored beside its lists.
const LIST: &str = "seen-paths";
/// Paths that are stored of a site.
const MAX_PATHS: usize = 50_000;

/// Paths of single things, each of which was read once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenPaths(BTreeSet<String>);

impl SeenPaths {
    #[must_use]
    pub fn contains(&self, path: &str) -> bool {
        self.0.contains(path)
    }
}

/// Stores the paths: those of the practice plant in memory, since the next plant is another one.
pub(super) struct SeenStore {
    journal: Arc<Journal>,
    clock: Clock,
    practice: Mutex<BTreeSet<String>>,
}

impl SeenStore {
    pub(super) fn new(journal: Arc<Journal>, clock: Clock) -> Self {
        Self { journal, clock, practice: Mutex::default() }
    }

    fn load(&self, site: &str) -> Result<BTreeSet<String>, JournalError> {
        if site == PRACTICE {
            return Ok(self.practice.lock().clone());
        }
        let record = self.journal.references().get(site, LIST)?;
        Ok(record.and_then(|record| serde_json::from_value(record.body).ok()).unwrap_or_default())
    }

    fn add(&self, site: &str, paths: BTreeSet<String>) -> Result<(), JournalError> {
        if site == PRACTICE {
            self.practice.lock().extend(paths);
            return Ok(());
        }
        let mut known = self.load(site)?;
        let before = known.len();
        known.extend(paths.into_iter().take(MAX_PATHS.saturating_sub(before)));
        if known.len() == before {
            return Ok(());
        }
        let (site, list) = (site.to_owned(), LIST.to_owned());
        self.journal.references().store(&ReferenceRecord { site, list, body: json!(known), at: (self.clock)() })
    }

    fn forget(&self, site: &str) -> Result<(), JournalError> {
        if site == PRACTICE {
            self.practice.lock().clear();
            return Ok(());
        }
        let none: [&str; 0] = [];
        let (site, list) = (site.to_owned(), LIST.to_owned());
        self.journal.references().store(&ReferenceRecord { site, list, body: json!(none), at: (self.clock)() })
    }
}

impl SeenPaths {
    /// The single things that a site was seen to hold. If they can't be read from the journal, none are known.
    #[must_use]
    pub fn of(sites: &Sites, site: &str) -> Self {
        let read = sites.seen.load(site);
        let mut paths = read
            .inspect_err(|error| tracing::warn!(%error, "what was seen of a site couldn't be read"))
            .unwrap_or_default();
        // Templates that were read before paths were stored.
        if site != PRACTICE
            && let (Ok(contract), Ok(templates)) = (sites.contract(site), sites.journal.templates().list(site))
        {
            paths.extend(templates.into_iter().flat_map(|template| template_paths(&contract, template)));
        }
        Self(paths)
    }

    /// Remembers single things that a site just returned.
    pub fn remember(sites: &Sites, site: &str, paths: BTreeSet<String>) {
        if paths.is_empty() {
            return;
        }
        if let Err(error) = sites.seen.add(site, paths) {
            tracing::warn!(%error, "what was seen of a site couldn't be stored");
        }
    }

    /// The site is another one now, or a person wants it forgotten.
    pub fn forget(sites: &Sites, site: &str) {
        if let Err(error) = sites.seen.forget(site) {
            tracing::warn!(%error, "what was seen of a site couldn't be forgotten");
        }
    }
}

/// The paths that read a template.
fn template_paths(contract: &Contract, template: i64) -> impl Iterator<Item = String> {
    let reads = contract.operations().iter().filter_map(|operation| Some((operation, operation.cleanup.as_ref()?)));
    reads.filter_map(move |(operation, cleanup)| {
        let parameter = operation.parameters.iter().find(|parameter| parameter.name == cleanup.template)?;
        Some(operation.path.replace(&format!("{{{}}}", parameter.wire_name()), &template.to_string()))
    })
}
