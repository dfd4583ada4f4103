//! What was read of the sites: in memory, and in the journal for those that outlive this process.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use takt_contract::Contract;
use takt_journal::{Journal, JournalError, reference::ReferenceRecord};

use super::{reference_list::ReferenceList, requirement::ListRequirement};
use takt_sites::sites::PRACTICE;

pub(crate) struct ReferenceCache {
    contract: Arc<Contract>,
    journal: Arc<Journal>,
    /// By site and list.
    known: Mutex<BTreeMap<(String, String), Arc<ReferenceList>>>,
}

impl ReferenceCache {
    pub(crate) fn new(contract: Arc<Contract>, journal: Arc<Journal>) -> Self {
        Self { contract, journal, known: Mutex::default() }
    }

    /// What was read last; absent where nothing was.
    pub(super) fn list(&self, site: &str, list: &str) -> Option<Arc<ReferenceList>> {
        let key = (site.to_owned(), list.to_owned());
        let mut known = self.known.lock();
        if let Some(listed) = known.get(&key) {
            return Some(Arc::clone(listed));
        }
        if site == PRACTICE {
            return None;
        }
        let read = self.journal.references().get(site, list);
        let record = read.inspect_err(|error| tracing::warn!(%error, "what a site held couldn't be read")).ok()??;
        let listed = Arc::new(ReferenceList::read(&self.need(list), record.at, record.body)?);
        known.insert(key, Arc::clone(&listed));
        Some(listed)
    }

    /// The practice plant's goes no further than memory: the next plant is another one.
    pub(crate) fn store(&self, site: &str, list: &str, listed: ReferenceList) -> Result<(), JournalError> {
        if site != PRACTICE {
            let record =
                ReferenceRecord { site: site.to_owned(), list: list.to_owned(), body: listed.body(), at: listed.at };
            self.journal.references().store(&record)?;
        }
        let mut known = self.known.lock();
        known.insert((site.to_owned(), list.to_owned()), Arc::new(listed));
        Ok(())
    }

    /// The site is another one now, or gone.
    pub(crate) fn forget(&self, site: &str) {
        let forgotten = self.journal.references().forget(site);
        if let Err(error) = forgotten {
            tracing::warn!(%error, "what a site held couldn't be forgotten");
        }
        self.known.lock().retain(|(known, _), _| known != site);
    }

    pub(crate) fn need(&self, list: &str) -> ListRequirement {
        ListRequirement::of(&self.contract, list)
    }
}
