//! Reads received events in the background and reports the newest read event.

use std::{
    collections::HashMap,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use takt_contract::Contract;
use takt_journal::{Inbox, JournalError, inbox::RawEvent};
use tokio::sync::watch;

use crate::{
    events::{EventChecks, READER, raise, read},
    floor::{Fold, Zones},
};

/// The events of one batch. Their readings share a commit.
const BATCH_SIZE: u32 = 500;
/// The interval of checks whether another desk has read further.
const OTHER_DESK_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The time after which a reading desk without progress counts as stalled.
const STALL_TIMEOUT: Duration = Duration::from_secs(3);
/// The interval of checks for events that another desk leaves unread.
const PENDING_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The interval of checks for other desks' notices.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const FALLBACK_POLL_INTERVAL: Duration = Duration::from_secs(3);

/// A function that returns the contract in force at a site.
pub(crate) type ContractOf = Arc<dyn Fn(&str) -> Arc<Contract> + Send + Sync>;

/// Reads events in batches. Clones share the work and take turns.
#[derive(Clone)]
pub struct BackgroundReader {
    contract: Arc<Contract>,
    /// The contract in force at a site.
    in_force: ContractOf,
    inbox: Arc<Inbox>,
    zones: Zones,
    turn: Arc<tokio::sync::Mutex<()>>,
    newest: Arc<watch::Sender<i64>>,
    /// The newest event that the desk with the lock had read, and since when.
    stalled_at: Arc<Mutex<Option<(i64, Instant)>>>,
    /// The checks by which each site's events were read last.
    checks: Arc<Mutex<HashMap<String, SiteChecks>>>,
    /// The thread that follows other desks of a team.
    follows: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// A contract and the checks made from it.
#[derive(Debug, Clone)]
struct SiteChecks {
    contract: Arc<Contract>,
    checks: Arc<EventChecks>,
}

impl BackgroundReader {
    pub(crate) fn new(contract: Arc<Contract>, in_force: ContractOf, inbox: Arc<Inbox>, zones: Zones) -> Self {
        let newest = Arc::new(watch::Sender::new(0));
        Self {
            contract,
            in_force,
            inbox,
            zones,
            turn: Arc::default(),
            newest,
            stalled_at: Arc::default(),
            checks: Arc::default(),
            follows: Arc::default(),
        }
    }

    /// Watches the ID of the newest read event.
    pub(crate) fn watch(&self) -> watch::Receiver<i64> {
        self.newest.subscribe()
    }

    /// Reads the events that arrived before this call, for at most `timeout`. Waits for events that another desk is
    /// reading.
    pub async fn catch_up(&self, timeout: Duration) {
        let until = Instant::now() + timeout;
        let target = self.front().await.map_or(i64::MAX, |(received, _)| received);
        while Instant::now() < until {
            match self.read_batch().await {
                Some(newest) if newest < target => {}
                None if self.inbox.is_shared() && self.front().await.is_some_and(|(_, read)| read < target) => {
                    tokio::time::sleep(OTHER_DESK_POLL_INTERVAL).await;
                }
                _ => return,
            }
        }
    }

    async fn front(&self) -> Option<(i64, i64)> {
        let inbox = Arc::clone(&self.inbox);
        tokio::task::spawn_blocking(move || inbox.front()).await.ok()?.ok()
    }

    /// Watches for events that other desks of the team have read, as long as a caller watches the newest event. Reads
    /// events that these desks leave unread.
    ///
    /// Does nothing without a team.
    pub(crate) fn follow_team(&self) {
        let Some(changes) = self.inbox.changes() else { return };
        let mut follows = self.follows.lock();
        if follows.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        let reader = self.clone();
        let spawned = thread::Builder::new().name("team-events".to_owned()).spawn(move || reader.follow(changes));
        match spawned {
            Ok(thread) => *follows = Some(thread),
            Err(error) => tracing::error!(%error, "the team's events aren't followed"),
        }
    }

    /// Ends with the last watcher.
    fn follow(&self, mut changes: watch::Receiver<u64>) {
        let (mut checked, mut unread_up_to) = (Instant::now(), 0);
        while self.newest.receiver_count() > 0 {
            thread::sleep(POLL_INTERVAL);
            let pause = if unread_up_to > 0 { PENDING_POLL_INTERVAL } else { FALLBACK_POLL_INTERVAL };
            if !changes.has_changed().unwrap_or(false) && checked.elapsed() < pause {
                continue;
            }
            changes.mark_unchanged();
            checked = Instant::now();
            match self.inbox.front() {
                // The receiving desk reads its events. Events that stay unread until the next check have no reader.
                Ok((received, read)) if received > read && unread_up_to > read => self.read_all(),
                Ok((received, read)) => {
                    unread_up_to = if received > read { received } else { 0 };
                    raise(&self.newest, read);
                }
                Err(error) => tracing::debug!(%error, "the team's events can't be looked at now"),
            }
        }
    }

    fn read_all(&self) {
        let _turn = self.turn.blocking_lock();
        loop {
            match self.read_batch_blocking() {
                Ok(Some(newest)) => raise(&self.newest, newest),
                Ok(None) => return,
                Err(error) => return tracing::error!(%error, "events couldn't be read"),
            }
        }
    }

    /// Reads a batch and returns its newest ID, or 0 if only the floor was updated. Returns `None` if nothing was
    /// unread or reading failed.
    pub(crate) async fn read_batch(&self) -> Option<i64> {
        let _turn = self.turn.lock().await;
        let reader = self.clone();
        let newest = match tokio::task::spawn_blocking(move || reader.read_batch_blocking()).await {
            Ok(Ok(newest)) => newest?,
            Ok(Err(error)) => {
                tracing::error!(%error, "events couldn't be read");
                return None;
            }
            Err(error) => {
                tracing::error!(%error, "the reader ended badly");
                return None;
            }
        };
        raise(&self.newest, newest);
        Some(newest)
    }

    /// Reads the next events. If there are none, continues the floor or reads events again for the current [`READER`].
    fn read_batch_blocking(&self) -> Result<Option<i64>, JournalError> {
        // Only one desk of a team reads at a time.
        let lock = self.inbox.lock_reader()?;
        let (_, front) = self.inbox.front()?;
        if !self.may_read(lock.is_some(), front) {
            return Ok(None);
        }
        let floor = self.inbox.floor().front(READER)?;
        let unread = self.inbox.unread(READER, BATCH_SIZE)?;
        let is_fresh = unread.first().is_some_and(|raw| raw.id > front);
        match floor.filter(|floor| *floor < front && !is_fresh) {
            Some(floor) => self.update_floor(floor, front).map(|()| Some(0)),
            None => self.read(&unread, floor.filter(|floor| is_fresh && *floor == front)),
        }
    }

    /// Returns whether this desk may read: it has the lock, or the desk with the lock has stalled.
    ///
    /// If that desk resumes, it only stores the same readings again.
    fn may_read(&self, has_lock: bool, front: i64) -> bool {
        let mut stalled_at = self.stalled_at.lock();
        if has_lock {
            *stalled_at = None;
            return true;
        }
        let since = match *stalled_at {
            Some((read, since)) if read == front => since,
            _ => Instant::now(),
        };
        *stalled_at = Some((front, since));
        since.elapsed() >= STALL_TIMEOUT
    }

    /// Reads events. Also updates the floor if it contains everything before them.
    fn read(&self, unread: &[RawEvent], floor: Option<i64>) -> Result<Option<i64>, JournalError> {
        let Some(last) = unread.last() else { return Ok(None) };
        let mut fold = floor.map(|after| Fold::new(&self.contract, &self.inbox, &self.zones, after));
        let (mut readings, mut contracts) = (Vec::new(), HashMap::new());
        for raw in unread {
            let site = self.checks_of(&mut contracts, &raw.site);
            let (reading, floor_data) = read(&site.contract, &site.checks, raw);
            if let Some(fold) = &mut fold {
                fold.apply(raw, &reading, &floor_data)?;
            }
            readings.push(reading);
        }
        let change = fold.zip(floor).map(|(fold, after)| fold.change(after, last.id));
        self.inbox.store_readings_and_floor(READER, &readings, change.as_ref())?;
        Ok(Some(last.id))
    }

    /// Returns a site's checks. They are created once per contract, and a batch uses one contract per site.
    fn checks_of<'a>(&self, contracts: &'a mut HashMap<String, SiteChecks>, site: &str) -> &'a SiteChecks {
        contracts.entry(site.to_owned()).or_insert_with(|| {
            let contract = (self.in_force)(site);
            let mut known = self.checks.lock();
            if let Some(known) = known.values().find(|known| Arc::ptr_eq(&known.contract, &contract)) {
                return known.clone();
            }
            let checks = Arc::new(EventChecks::of(&contract));
            let site_checks = SiteChecks { contract, checks };
            known.insert(site.to_owned(), site_checks.clone());
            site_checks
        })
    }

    /// Updates the floor with the events after `after`.
    fn update_floor(&self, after: i64, up_to: i64) -> Result<(), JournalError> {
        let mut fold = Fold::new(&self.contract, &self.inbox, &self.zones, after);
        let (events, mut contracts) = (self.inbox.raw_after(after, up_to, BATCH_SIZE)?, HashMap::new());
        for raw in &events {
            let site = self.checks_of(&mut contracts, &raw.site);
            let (reading, floor_data) = read(&site.contract, &site.checks, raw);
            fold.apply(raw, &reading, &floor_data)?;
        }
        let last = events.last().map_or(up_to, |raw| raw.id);
        self.inbox.floor().store(READER, &fold.change(after, last))
    }
}

impl std::fmt::Debug for BackgroundReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Reading").field("inbox", &self.inbox).finish_non_exhaustive()
    }
}
