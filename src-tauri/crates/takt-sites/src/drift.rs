//! Records where sites' responses deviate from their contracts, without any values.
//!
//! At most one response per operation is checked each second. Deviations that can't be stored are dropped, until a
//! later response has them again.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use takt_contract::{Contract, Deviation, DeviationKind, Operation, OperationKind};
use takt_core::Clock;
use takt_journal::{Journal, JournalError};

/// The interval between two checks of the responses of one operation.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The interval between two writes if only the counts of known entries change.
const WRITE_INTERVAL: Duration = Duration::from_secs(60);
/// The maximum size of a response that is checked.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// The maximum number of entries stored per site.
const MAX_ENTRIES: usize = 200;

/// A deviation of a site's responses from its contract in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DriftEntry {
    pub operation: String,
    /// The member's name at the site, after its parent's name.
    pub member: String,
    pub kind: DeviationKind,
    /// The contract's type. Empty if the contract doesn't list the member.
    pub expected: String,
    /// The type in the response, with the shape of a text. Empty if the member was missing.
    pub found: String,
    /// The number of responses with this deviation.
    pub count: u32,
    /// In ISO 8601.
    pub first: String,
    pub last: String,
}

/// Compares responses with the contract, and stores deviations.
pub(crate) struct DriftRecorder {
    journal: Arc<Journal>,
    clock: Clock,
    sites: Mutex<HashMap<String, SiteDrift>>,
}

struct SiteDrift {
    contract: Arc<Contract>,
    /// The time of the last check, by operation.
    last_checked: HashMap<String, Instant>,
    /// Entries that aren't written yet.
    pending: Vec<DriftEntry>,
    /// The identities of the entries that this process has written.
    written: HashSet<(String, String, DeviationKind)>,
    last_write: Option<Instant>,
}

impl SiteDrift {
    fn new(contract: Arc<Contract>) -> Self {
        Self { contract, last_checked: HashMap::new(), pending: Vec::new(), written: HashSet::new(), last_write: None }
    }

    fn add_deviations(&mut self, operation: &str, deviations: Vec<Deviation>, at: &str) {
        for Deviation { member, kind, expected, found } in deviations {
            let (first, last) = (at.to_owned(), at.to_owned());
            let operation = operation.to_owned();
            add_entry(
                &mut self.pending,
                DriftEntry { operation, member, kind, expected, found, count: 1, first, last },
            );
        }
    }

    /// Returns true if unwritten entries must be written: if one is new, or if the last write was at least
    /// [`WRITE_INTERVAL`] ago.
    fn is_write_due(&self) -> bool {
        let is_new = self.pending.iter().any(|entry| !self.written.contains(&entry.identity()));
        let waited = self.last_write.is_none_or(|last| last.elapsed() >= WRITE_INTERVAL);
        !self.pending.is_empty() && (is_new || waited)
    }
}

impl DriftEntry {
    fn identity(&self) -> (String, String, DeviationKind) {
        (self.operation.clone(), self.member.clone(), self.kind)
    }
}

/// Merges an entry into an equal one and sums their counts. A new entry is dropped if the list is full.
fn add_entry(entries: &mut Vec<DriftEntry>, entry: DriftEntry) {
    let has_space = entries.len() < MAX_ENTRIES;
    match entries.iter_mut().find(|known| known.identity() == entry.identity()) {
        Some(known) => {
            known.count = known.count.saturating_add(entry.count);
            (known.found, known.expected, known.last) = (entry.found, entry.expected, entry.last);
        }
        None if has_space => entries.push(entry),
        None => {}
    }
}

impl DriftRecorder {
    pub(crate) fn new(journal: Arc<Journal>, clock: Clock) -> Self {
        Self { journal, clock, sites: Mutex::default() }
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<String, SiteDrift>> {
        self.sites.lock()
    }

    /// Sets the contract that a site's responses are compared with. Another contract discards entries that aren't
    /// written yet.
    pub(crate) fn set_contract(&self, site: &str, contract: &Arc<Contract>) {
        let mut sites = self.sites();
        match sites.get_mut(site) {
            Some(known) if Arc::ptr_eq(&known.contract, contract) => {}
            _ => drop(sites.insert(site.to_owned(), SiteDrift::new(Arc::clone(contract)))),
        }
    }

    /// Checks a response to a read with this method and path.
    pub(crate) fn check_answer(&self, site: &str, method: &str, path: &str, body: &[u8]) {
        if body.len() > MAX_ANSWER_BYTES {
            return;
        }
        let contract = match self.sites().get(site) {
            Some(known) => Arc::clone(&known.contract),
            None => return,
        };
        let Some(operation) = operation_at(&contract, method, path) else { return };
        if !self.try_begin_check(site, &operation.id) {
            return;
        }
        let Some(shape) = &operation.answer else { return };
        let deviations = shape.find_structure_deviations(body, &operation.key);
        if deviations.is_empty() {
            return;
        }
        let (mut sites, at) = (self.sites(), (self.clock)().to_string());
        let Some(drift) = sites.get_mut(site).filter(|drift| Arc::ptr_eq(&drift.contract, &contract)) else { return };
        drift.add_deviations(&operation.id, deviations, &at);
        if drift.is_write_due() {
            drift.last_write = Some(Instant::now());
            let pending = std::mem::take(&mut drift.pending);
            drift.written.extend(pending.iter().map(DriftEntry::identity));
            drop(sites);
            if let Err(error) = self.write(site, pending) {
                tracing::info!(site, %error, "what the site answers otherwise couldn't be kept");
            }
        }
    }

    /// Writes all entries that aren't written yet. A failure is logged.
    pub(crate) fn flush(&self) {
        let mut unwritten: Vec<(String, Vec<DriftEntry>)> = Vec::new();
        for (site, drift) in self.sites().iter_mut().filter(|(_, drift)| !drift.pending.is_empty()) {
            unwritten.push((site.clone(), std::mem::take(&mut drift.pending)));
        }
        for (site, pending) in unwritten {
            if let Err(error) = self.write(&site, pending) {
                tracing::info!(site, %error, "what the site answers otherwise couldn't be kept");
            }
        }
    }

    fn try_begin_check(&self, site: &str, operation: &str) -> bool {
        let mut sites = self.sites();
        let Some(drift) = sites.get_mut(site) else { return false };
        let now = Instant::now();
        let is_due = drift.last_checked.get(operation).is_none_or(|last| now.duration_since(*last) >= CHECK_INTERVAL);
        if is_due {
            drift.last_checked.insert(operation.to_owned(), now);
        }
        is_due
    }

    fn write(&self, site: &str, pending: Vec<DriftEntry>) -> Result<(), JournalError> {
        let mut entries = self.stored_entries(site)?;
        pending.into_iter().for_each(|entry| add_entry(&mut entries, entry));
        self.journal.settings().set(&setting_name(site), &serde_json::to_value(entries)?)
    }

    /// Loads the stored entries. Entries that can't be parsed, for example from another version, are ignored.
    fn stored_entries(&self, site: &str) -> Result<Vec<DriftEntry>, JournalError> {
        let stored = self.journal.settings().get(&setting_name(site))?;
        Ok(stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    /// Returns the stored entries, merged with entries that aren't written yet.
    pub(crate) fn entries(&self, site: &str) -> Result<Vec<DriftEntry>, JournalError> {
        let mut entries = self.stored_entries(site)?;
        let sites = self.sites();
        for entry in sites.get(site).into_iter().flat_map(|drift| &drift.pending) {
            add_entry(&mut entries, entry.clone());
        }
        Ok(entries)
    }

    /// Forgets a site's deviations, because another contract is in force.
    pub(crate) fn forget(&self, site: &str) {
        self.sites().remove(site);
        if let Err(error) = self.journal.settings().remove(&setting_name(site)) {
            tracing::info!(site, %error, "what the site answered otherwise couldn't be removed");
        }
    }
}

fn setting_name(site: &str) -> String {
    format!("drift:{site}")
}

/// Returns the read with this method and path. Path parameters match any text.
fn operation_at<'a>(contract: &'a Contract, method: &str, path: &str) -> Option<&'a Operation> {
    let steps: Vec<&str> = path.split('/').collect();
    contract.operations().iter().find(|operation| {
        let own = operation.path.split('/');
        operation.kind == OperationKind::Read
            && operation.method == method
            && own.clone().count() == steps.len()
            && own.zip(&steps).all(|(own, step)| own == *step || own.starts_with('{'))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drift(journal: &Arc<Journal>, contract: &Arc<Contract>) -> DriftRecorder {
        let drift = DriftRecorder::new(Arc::clone(journal), Arc::new(jiff::Timestamp::now));
        drift.set_contract("Works", contract);
        drift
    }

    #[test]
    fn counts_that_wait_are_written_before_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&folder.path().join("journal.sqlite3")).unwrap());
        let contract = Arc::new(Contract::builtin().unwrap());
        let list = contract.operation("materials.list").unwrap().clone();
        let member = list.answer.as_ref().unwrap().member.clone();
        let body = json!({ member: [{ "code": 7 }] }).to_string();
        let process = drift(&journal, &contract);
        process.check_answer("Works", &list.method, &list.path, body.as_bytes());
        // Allow a second check immediately.
        process.sites().get_mut("Works").unwrap().last_checked.clear();
        process.check_answer("Works", &list.method, &list.path, body.as_bytes());
        let count =
            |drift: &DriftRecorder| drift.stored_entries("Works").unwrap().iter().map(|entry| entry.count).max();
        assert_eq!(count(&process), Some(1), "the second waits");
        process.flush();
        assert_eq!(count(&drift(&journal, &contract)), Some(2));
    }
}
