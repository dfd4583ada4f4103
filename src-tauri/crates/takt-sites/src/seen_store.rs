//! Stores the paths of single items that were read, by site.

use std::{collections::BTreeSet, sync::Arc};

use parking_lot::Mutex;
use serde_json::json;
use takt_core::Clock;
use takt_journal::{Journal, JournalError, reference::ReferenceRecord};

use crate::site::PRACTICE;

/// The name under which a site's paths are stored next to its lists.
const REFERENCE_LIST: &str = "seen-paths";
/// The maximum number of paths stored per site.
const MAX_PATHS: usize = 50_000;

/// Stores the paths by site. Paths of the practice plant are only in memory, because the next plant is a different one.
pub(crate) struct SeenStore {
    journal: Arc<Journal>,
    clock: Clock,
    practice: Mutex<BTreeSet<String>>,
}

impl SeenStore {
    pub(crate) fn new(journal: Arc<Journal>, clock: Clock) -> Self {
        Self { journal, clock, practice: Mutex::default() }
    }

    pub(crate) fn load(&self, site: &str) -> Result<BTreeSet<String>, JournalError> {
        if site == PRACTICE {
            return Ok(self.practice.lock().clone());
        }
        let record = self.journal.references().get(site, REFERENCE_LIST)?;
        Ok(record.and_then(|record| serde_json::from_value(record.body).ok()).unwrap_or_default())
    }

    pub(crate) fn add(&self, site: &str, paths: BTreeSet<String>) -> Result<(), JournalError> {
        if site == PRACTICE {
            self.practice.lock().extend(paths);
            return Ok(());
        }
        let mut stored = self.load(site)?;
        let before = stored.len();
        stored.extend(paths.into_iter().take(MAX_PATHS.saturating_sub(before)));
        if stored.len() == before {
            return Ok(());
        }
        let (site, list) = (site.to_owned(), REFERENCE_LIST.to_owned());
        self.journal.references().store(&ReferenceRecord { site, list, body: json!(stored), at: (self.clock)() })
    }

    pub(crate) fn forget(&self, site: &str) -> Result<(), JournalError> {
        if site == PRACTICE {
            self.practice.lock().clear();
            return Ok(());
        }
        let none: [&str; 0] = [];
        let (site, list) = (site.to_owned(), REFERENCE_LIST.to_owned());
        self.journal.references().store(&ReferenceRecord { site, list, body: json!(none), at: (self.clock)() })
    }
}
