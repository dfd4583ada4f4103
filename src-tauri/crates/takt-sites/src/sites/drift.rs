//! What sites answer otherwise than their contracts say: noted while answers go by, kept in the journal, never a value.
//!
//! At most one answer of an operation is looked at each second. What can't be kept is noted again with a later answer.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use takt_contract::{Contract, Deviation, DeviationKind, Operation, OperationKind};
use takt_core::{Clock, Problem};
use takt_journal::{Journal, JournalError};

use super::Sites;

/// Between two checks of the responses of one operation.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Between two writes in which only counts change.
const WRITE_INTERVAL: Duration = Duration::from_secs(60);
/// Larger answers aren't looked at.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// Entries that are kept of a site.
const MAX_ENTRIES: usize = 200;

/// Something that a site answers otherwise than its contract in force says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DriftEntry {
    pub operation: String,
    /// The member's name at the site, with the carrier of a part before it.
    pub member: String,
    pub kind: DeviationKind,
    /// The contract's type; empty where the contract doesn't know the member.
    pub expected: String,
    /// The type that came, of a text with its shape; empty where nothing came.
    pub found: String,
    /// Answers in which it was seen.
    pub count: u32,
    /// ISO 8601.
    pub first: String,
    pub last: String,
}

/// Notes what answers have otherwise.
pub(super) struct AnswerDrift {
    journal: Arc<Journal>,
    clock: Clock,
    sites: Mutex<HashMap<String, SiteDrift>>,
}

struct SiteDrift {
    contract: Arc<Contract>,
    /// When an answer of an operation was looked at last.
    looked: HashMap<String, Instant>,
    /// Not written yet.
    pending: Vec<DriftEntry>,
    /// What this process has written once.
    written: HashSet<(String, String, DeviationKind)>,
    last_write: Option<Instant>,
}

impl SiteDrift {
    fn new(contract: Arc<Contract>) -> Self {
        Self { contract, looked: HashMap::new(), pending: Vec::new(), written: HashSet::new(), last_write: None }
    }

    fn note(&mut self, operation: &str, found: Vec<Deviation>, at: &str) {
        for Deviation { member, kind, expected, found } in found {
            let (first, last) = (at.to_owned(), at.to_owned());
            let operation = operation.to_owned();
            add(&mut self.pending, DriftEntry { operation, member, kind, expected, found, count: 1, first, last });
        }
    }

    /// What is new to this process goes at once, counts alone after a while.
    fn is_due(&self) -> bool {
        let is_new = self.pending.iter().any(|entry| !self.written.contains(&entry.about()));
        let waited = self.last_write.is_none_or(|last| last.elapsed() >= WRITE_INTERVAL);
        !self.pending.is_empty() && (is_new || waited)
    }
}

impl DriftEntry {
    fn about(&self) -> (String, String, DeviationKind) {
        (self.operation.clone(), self.member.clone(), self.kind)
    }
}

/// Counts an entry with one of the same, or adds it where there is room.
fn add(entries: &mut Vec<DriftEntry>, entry: DriftEntry) {
    let has_room = entries.len() < MAX_ENTRIES;
    match entries.iter_mut().find(|known| known.about() == entry.about()) {
        Some(known) => {
            known.count = known.count.saturating_add(entry.count);
            (known.found, known.expected, known.last) = (entry.found, entry.expected, entry.last);
        }
        None if has_room => entries.push(entry),
        None => {}
    }
}

impl AnswerDrift {
    pub(super) fn new(journal: Arc<Journal>, clock: Clock) -> Self {
        Self { journal, clock, sites: Mutex::default() }
    }

    fn sites(&self) -> MutexGuard<'_, HashMap<String, SiteDrift>> {
        self.sites.lock()
    }

    /// The contract that is in force from now on.
    pub(super) fn in_force(&self, site: &str, contract: &Arc<Contract>) {
        let mut sites = self.sites();
        match sites.get_mut(site) {
            Some(known) if Arc::ptr_eq(&known.contract, contract) => {}
            _ => drop(sites.insert(site.to_owned(), SiteDrift::new(Arc::clone(contract)))),
        }
    }

    /// Looks at an answer to a read by this method, of this path.
    pub(super) fn look(&self, site: &str, (method, path): (&str, &str), body: &[u8]) {
        if body.len() > MAX_ANSWER_BYTES {
            return;
        }
        let contract = match self.sites().get(site) {
            Some(known) => Arc::clone(&known.contract),
            None => return,
        };
        let Some(operation) = operation_at(&contract, method, path) else { return };
        if !self.may_look(site, &operation.id) {
            return;
        }
        let Some(shape) = &operation.answer else { return };
        let found = shape.deviations(body, &operation.key);
        if found.is_empty() {
            return;
        }
        let (mut sites, at) = (self.sites(), (self.clock)().to_string());
        let Some(known) = sites.get_mut(site).filter(|known| Arc::ptr_eq(&known.contract, &contract)) else { return };
        known.note(&operation.id, found, &at);
        if known.is_due() {
            known.last_write = Some(Instant::now());
            let pending = std::mem::take(&mut known.pending);
            known.written.extend(pending.iter().map(DriftEntry::about));
            drop(sites);
            if let Err(error) = self.write(site, pending) {
                tracing::info!(site, %error, "what the site answers otherwise couldn't be kept");
            }
        }
    }

    /// Writes the counts that wait for their time.
    fn flush(&self) {
        let mut waiting: Vec<(String, Vec<DriftEntry>)> = Vec::new();
        for (site, known) in self.sites().iter_mut().filter(|(_, known)| !known.pending.is_empty()) {
            waiting.push((site.clone(), std::mem::take(&mut known.pending)));
        }
        for (site, pending) in waiting {
            if let Err(error) = self.write(&site, pending) {
                tracing::info!(site, %error, "what the site answers otherwise couldn't be kept");
            }
        }
    }

    fn may_look(&self, site: &str, operation: &str) -> bool {
        let mut sites = self.sites();
        let Some(known) = sites.get_mut(site) else { return false };
        let now = Instant::now();
        let may = known.looked.get(operation).is_none_or(|last| now.duration_since(*last) >= CHECK_INTERVAL);
        if may {
            known.looked.insert(operation.to_owned(), now);
        }
        may
    }

    fn write(&self, site: &str, pending: Vec<DriftEntry>) -> Result<(), JournalError> {
        let mut entries = self.stored(site)?;
        pending.into_iter().for_each(|entry| add(&mut entries, entry));
        self.journal.settings().set(&name(site), &serde_json::to_value(entries)?)
    }

    /// What is of another version of Takt is as good as nothing.
    fn stored(&self, site: &str) -> Result<Vec<DriftEntry>, JournalError> {
        let stored = self.journal.settings().get(&name(site))?;
        Ok(stored.and_then(|stored| serde_json::from_value(stored).ok()).unwrap_or_default())
    }

    /// Everything that was noted and isn't settled.
    fn entries(&self, site: &str) -> Result<Vec<DriftEntry>, JournalError> {
        let mut entries = self.stored(site)?;
        let sites = self.sites();
        for entry in sites.get(site).into_iter().flat_map(|known| &known.pending) {
            add(&mut entries, entry.clone());
        }
        Ok(entries)
    }

    /// With another contract in force it is to be seen anew.
    pub(super) fn forget(&self, site: &str) {
        self.sites().remove(site);
        if let Err(error) = self.journal.settings().remove(&name(site)) {
            tracing::info!(site, %error, "what the site answered otherwise couldn't be removed");
        }
    }
}

fn name(site: &str) -> String {
    format!("drift:{site}")
}

/// The read with this method and path. What stands for a parameter may be anything.
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

impl Sites {
    /// What a site answers otherwise than its contract in force says, as far as answers were looked at.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): it can't be read.
    pub fn drift(&self, site: &str) -> Result<Vec<DriftEntry>, Problem> {
        Ok(self.drift.entries(site)?)
    }
}

/// Writes counts that wait for their time. It is called before a process ends.
pub fn flush_drift(sites: &Sites) {
    sites.drift.flush();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drift(journal: &Arc<Journal>, contract: &Arc<Contract>) -> AnswerDrift {
        let drift = AnswerDrift::new(Arc::clone(journal), Arc::new(jiff::Timestamp::now));
        drift.in_force("Works", contract);
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
        process.look("Works", (&list.method, &list.path), body.as_bytes());
        // Seen a second time, as after a second.
        process.sites().get_mut("Works").unwrap().looked.clear();
        process.look("Works", (&list.method, &list.path), body.as_bytes());
        let count = |drift: &AnswerDrift| drift.stored("Works").unwrap().iter().map(|entry| entry.count).max();
        assert_eq!(count(&process), Some(1), "the second waits");
        process.flush();
        assert_eq!(count(&drift(&journal, &contract)), Some(2));
    }
}
