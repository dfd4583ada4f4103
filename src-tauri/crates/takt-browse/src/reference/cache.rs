//! Caches the sites' lists in memory, and in the journal for later processes.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use takt_contract::Contract;
use takt_journal::{Journal, JournalError, reference::ReferenceRecord};

use super::{reference_list::ReferenceList, requirement::ListRequirement};
use takt_sites::PRACTICE;

pub(crate) struct ReferenceCache {
    contract: Arc<Contract>,
    journal: Arc<Journal>,
    /// By site and list.
    lists: Mutex<BTreeMap<(String, String), Arc<ReferenceList>>>,
}

impl ReferenceCache {
    pub(crate) fn new(contract: Arc<Contract>, journal: Arc<Journal>) -> Self {
        Self { contract, journal, lists: Mutex::default() }
    }

    /// Returns the list that was read last, or `None` if it was never read.
    pub(super) fn list(&self, site: &str, list: &str) -> Option<Arc<ReferenceList>> {
        let key = (site.to_owned(), list.to_owned());
        let mut lists = self.lists.lock();
        if let Some(listed) = lists.get(&key) {
            return Some(Arc::clone(listed));
        }
        if site == PRACTICE {
            return None;
        }
        let read = self.journal.references().get(site, list);
        let record = read.inspect_err(|error| tracing::warn!(%error, "what a site held couldn't be read")).ok()??;
        let listed = Arc::new(ReferenceList::read(&self.need(list), record.at, record.body)?);
        lists.insert(key, Arc::clone(&listed));
        Some(listed)
    }

    /// Stores a list. The practice plant's lists stay in memory, because the next plant is a different one.
    pub(crate) fn store(&self, site: &str, list: &str, listed: ReferenceList) -> Result<(), JournalError> {
        if site != PRACTICE {
            let record =
                ReferenceRecord { site: site.to_owned(), list: list.to_owned(), body: listed.body(), at: listed.at };
            self.journal.references().store(&record)?;
        }
        let mut lists = self.lists.lock();
        lists.insert((site.to_owned(), list.to_owned()), Arc::new(listed));
        Ok(())
    }

    /// Forgets the lists of a site that was replaced or removed.
    pub(crate) fn forget(&self, site: &str) {
        let result = self.journal.references().forget(site);
        if let Err(error) = result {
            tracing::warn!(%error, "what a site held couldn't be forgotten");
        }
        self.lists.lock().retain(|(cached, _), _| cached != site);
    }

    pub(crate) fn need(&self, list: &str) -> ListRequirement {
        ListRequirement::for_list(&self.contract, list)
    }
}
