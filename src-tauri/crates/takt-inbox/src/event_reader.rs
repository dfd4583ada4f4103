//! Reads received events in the background and reports the newest read event.
//!
//! [`EventReader`] opens the stores of events, each with a [`BackgroundReader`].

use std::collections::{HashMap, hash_map::Entry};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use takt_contract::Contract;
use takt_core::{Problem, blocking::run_blocking};
use takt_journal::Inbox;
use takt_journal::inbox::RawEvent;
use takt_sites::{Context, PRACTICE, Sites};
use tokio::sync::watch;

use crate::events::{EventChecks, EventStore, READER_VERSION, raise_to, read_event};
use crate::floor::{FloorBatch, TimeZoneSource};

/// The maximum time that a list waits until received events are read.
pub const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// The stores of events with their background readers, opened on first use.
pub struct EventReader {
    contract: Arc<Contract>,
    sites: Arc<Sites>,
    pub(crate) events: Arc<EventStore>,
    own: Mutex<Option<BackgroundReader>>,
    team: Option<(Arc<Inbox>, BackgroundReader)>,
}

takt_core::opaque_debug!(EventReader);

impl EventReader {
    /// Creates readers for `events` that use the contract and the time zones of the sites.
    #[must_use]
    pub fn new(context: &Context, events: Arc<EventStore>) -> Self {
        let (contract, sites) = (Arc::clone(&context.contract), Arc::clone(&context.sites));
        let team = events.team_inbox().map(|team| (Arc::clone(team), new_background_reader(&contract, &sites, team)));
        Self { contract, sites, events, own: Mutex::default(), team }
    }

    /// Returns the inbox with a site's events and its background reader.
    ///
    /// Without a site, that is the inbox of all sites except a team's practice plants.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the events' file can't be opened or created.
    pub fn open(&self, site: Option<&str>) -> Result<(Arc<Inbox>, BackgroundReader), Problem> {
        if let Some((team, background_reader)) = self.team.as_ref().filter(|_| site != Some(PRACTICE)) {
            return Ok((Arc::clone(team), background_reader.clone()));
        }
        let inbox = self.events.own_inbox()?;
        let mut own = self.own.lock();
        let background_reader = own.get_or_insert_with(|| new_background_reader(&self.contract, &self.sites, &inbox));
        Ok((inbox, background_reader.clone()))
    }
}

fn new_background_reader(contract: &Arc<Contract>, sites: &Arc<Sites>, inbox: &Arc<Inbox>) -> BackgroundReader {
    let zone_sites = Arc::clone(sites);
    let zones: TimeZoneSource = Arc::new(move |site| zone_sites.time_zone(site));
    let sites = Arc::clone(sites);
    let contract_source: ContractSource = Arc::new(move |site| sites.contract(site));
    BackgroundReader::new(Arc::clone(contract), contract_source, Arc::clone(inbox), zones)
}

/// The maximum number of events in a batch. Their readings share a commit.
const BATCH_SIZE: u32 = 500;
/// The interval of checks whether another desk has read further.
const OTHER_DESK_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The time after which a reading desk without progress is treated as stalled.
const STALL_TIMEOUT: Duration = Duration::from_secs(3);
/// The interval of checks for events that another desk leaves unread.
const PENDING_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The interval of checks for other desks' notifications.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const FALLBACK_POLL_INTERVAL: Duration = Duration::from_secs(3);

/// A function that returns the contract in force at a site.
type ContractSource = Arc<dyn Fn(&str) -> Result<Arc<Contract>, Problem> + Send + Sync>;

/// Reads events in batches. Clones share the work and take turns.
#[derive(Clone)]
pub struct BackgroundReader {
    contract: Arc<Contract>,
    contract_source: ContractSource,
    inbox: Arc<Inbox>,
    zones: TimeZoneSource,
    turn_lock: Arc<tokio::sync::Mutex<()>>,
    newest: Arc<watch::Sender<i64>>,
    /// The newest event that the desk with the lock has read, and the time since when it is the newest.
    stalled_at: Arc<Mutex<Option<(i64, Instant)>>>,
    /// The contract by which each site's events were read last, with its checks.
    checks: Arc<Mutex<HashMap<String, SiteChecks>>>,
    /// The thread that follows other desks of a team.
    team_follower: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// A contract and the checks made from it.
#[derive(Debug, Clone)]
struct SiteChecks {
    contract: Arc<Contract>,
    checks: Arc<EventChecks>,
}

impl BackgroundReader {
    pub(crate) fn new(
        contract: Arc<Contract>,
        contract_source: ContractSource,
        inbox: Arc<Inbox>,
        zones: TimeZoneSource,
    ) -> Self {
        let newest = Arc::new(watch::Sender::new(0));
        Self {
            contract,
            contract_source,
            inbox,
            zones,
            turn_lock: Arc::default(),
            newest,
            stalled_at: Arc::default(),
            checks: Arc::default(),
            team_follower: Arc::default(),
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
        let target = self.read_progress().await.map_or(i64::MAX, |(received, _)| received);
        while Instant::now() < until {
            match self.read_batch().await {
                Ok(Some(newest)) if newest < target => {}
                Ok(None) | Err(_)
                    if self.inbox.is_shared() && self.read_progress().await.is_some_and(|(_, read)| read < target) =>
                {
                    tokio::time::sleep(OTHER_DESK_POLL_INTERVAL).await;
                }
                _ => return,
            }
        }
    }

    /// Returns the IDs of the newest received and the newest read event.
    async fn read_progress(&self) -> Option<(i64, i64)> {
        let inbox = Arc::clone(&self.inbox);
        tokio::task::spawn_blocking(move || inbox.reading_progress()).await.ok()?.ok()
    }

    /// Watches for events that other desks of the team have read, as long as a caller watches the newest event. Reads
    /// events that these desks leave unread.
    ///
    /// Does nothing without a team.
    pub(crate) fn follow_team(&self) {
        let Some(changes) = self.inbox.changes() else { return };
        let mut team_follower = self.team_follower.lock();
        if team_follower.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        let reader = self.clone();
        let spawned =
            thread::Builder::new().name("team-events".to_owned()).spawn(move || reader.follow_other_desks(changes));
        match spawned {
            Ok(thread) => *team_follower = Some(thread),
            Err(error) => tracing::error!(%error, "the team's events aren't followed"),
        }
    }

    /// Follows other desks until the last watcher is dropped.
    fn follow_other_desks(&self, mut changes: watch::Receiver<u64>) {
        let (mut checked, mut unread_up_to) = (Instant::now(), 0);
        while self.newest.receiver_count() > 0 {
            thread::sleep(POLL_INTERVAL);
            let pause = if unread_up_to > 0 { PENDING_POLL_INTERVAL } else { FALLBACK_POLL_INTERVAL };
            if !changes.has_changed().unwrap_or(false) && checked.elapsed() < pause {
                continue;
            }
            changes.mark_unchanged();
            checked = Instant::now();
            match self.inbox.reading_progress() {
                // Usually the receiving desk reads its events. Events that are still unread at the next check have no
                // reader.
                Ok((received, read)) if received > read && unread_up_to > read => self.read_all(),
                Ok((received, read)) => {
                    unread_up_to = if received > read { received } else { 0 };
                    raise_to(&self.newest, read);
                }
                Err(error) => tracing::debug!(%error, "the team's events can't be looked at now"),
            }
        }
    }

    fn read_all(&self) {
        let _turn = self.turn_lock.blocking_lock();
        loop {
            match self.read_batch_blocking() {
                Ok(Some(newest)) => raise_to(&self.newest, newest),
                Ok(None) => return,
                Err(error) => return tracing::error!(%error, "events couldn't be read"),
            }
        }
    }

    /// Reads a batch and returns its newest ID, or 0 if only the floor was updated. Returns `None` if nothing was
    /// unread, or if another desk is reading.
    ///
    /// # Errors
    ///
    /// The events can't be read now. The error was logged.
    pub(crate) async fn read_batch(&self) -> Result<Option<i64>, Problem> {
        let _turn = self.turn_lock.lock().await;
        let reader = self.clone();
        let newest = run_blocking(move || reader.read_batch_blocking())
            .await
            .inspect_err(|error| tracing::error!(%error, "events couldn't be read"))?;
        if let Some(newest) = newest {
            raise_to(&self.newest, newest);
        }
        Ok(newest)
    }

    /// Reads the next events. If there are none, continues the floor or reads events again for the current
    /// [`READER_VERSION`].
    fn read_batch_blocking(&self) -> Result<Option<i64>, Problem> {
        // Usually only one desk of a team reads. If that desk has stalled, others read too.
        let lock = self.inbox.lock_reader()?;
        let (_, newest_read) = self.inbox.reading_progress()?;
        if !self.can_read(lock.is_some(), newest_read) {
            return Ok(None);
        }
        let floor = self.inbox.floor().last_applied_event(READER_VERSION)?;
        let unread = self.inbox.unread_events(READER_VERSION, BATCH_SIZE)?;
        let is_fresh = unread.first().is_some_and(|raw| raw.id > newest_read);
        match floor.filter(|floor| *floor < newest_read && !is_fresh) {
            Some(floor) => self.update_floor(floor, newest_read).map(|()| Some(0)),
            None => self.read_and_store(&unread, floor.filter(|floor| is_fresh && *floor == newest_read)),
        }
    }

    /// Returns whether this desk may read: it has the lock, or the desk with the lock has stalled.
    ///
    /// If that desk resumes, it only stores the same readings again.
    fn can_read(&self, has_lock: bool, newest_read: i64) -> bool {
        let mut stalled_at = self.stalled_at.lock();
        if has_lock {
            *stalled_at = None;
            return true;
        }
        let since = match *stalled_at {
            Some((read, since)) if read == newest_read => since,
            _ => Instant::now(),
        };
        *stalled_at = Some((newest_read, since));
        since.elapsed() >= STALL_TIMEOUT
    }

    /// Reads events. Also updates the floor if it contains all earlier events.
    fn read_and_store(&self, unread: &[RawEvent], floor: Option<i64>) -> Result<Option<i64>, Problem> {
        let Some(last) = unread.last() else { return Ok(None) };
        let mut batch = floor.map(|after| FloorBatch::new(&self.contract, &self.inbox, &self.zones, after));
        let (mut readings, mut contracts) = (Vec::new(), HashMap::new());
        for raw in unread {
            let site = self.site_checks(&mut contracts, &raw.site)?;
            let (reading, floor_data) = read_event(&site.contract, &site.checks, raw);
            if let Some(batch) = &mut batch {
                batch.apply(raw, &reading, &floor_data)?;
            }
            readings.push(reading);
        }
        let change = batch.zip(floor).map(|(batch, after)| batch.into_change(after, last.id));
        self.inbox.store_readings_and_floor(READER_VERSION, &readings, change.as_ref())?;
        Ok(Some(last.id))
    }

    /// Returns a site's checks. They are created once per contract, and a batch uses one contract per site.
    fn site_checks<'a>(
        &self,
        contracts: &'a mut HashMap<String, SiteChecks>,
        site: &str,
    ) -> Result<&'a SiteChecks, Problem> {
        let unknown = match contracts.entry(site.to_owned()) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(unknown) => unknown,
        };
        let contract = (self.contract_source)(site)?;
        let mut known = self.checks.lock();
        if let Some(known) = known.values().find(|known| Arc::ptr_eq(&known.contract, &contract)) {
            return Ok(unknown.insert(known.clone()));
        }
        let checks = Arc::new(EventChecks::from_contract(&contract));
        let site_checks = SiteChecks { contract, checks };
        known.insert(site.to_owned(), site_checks.clone());
        Ok(unknown.insert(site_checks))
    }

    /// Updates the floor with a batch of events after `after`, up to `up_to`.
    fn update_floor(&self, after: i64, up_to: i64) -> Result<(), Problem> {
        let mut batch = FloorBatch::new(&self.contract, &self.inbox, &self.zones, after);
        let (events, mut contracts) = (self.inbox.raw_events_after(after, up_to, BATCH_SIZE)?, HashMap::new());
        for raw in &events {
            let site = self.site_checks(&mut contracts, &raw.site)?;
            let (reading, floor_data) = read_event(&site.contract, &site.checks, raw);
            batch.apply(raw, &reading, &floor_data)?;
        }
        let last = events.last().map_or(up_to, |raw| raw.id);
        self.inbox.floor().store(READER_VERSION, &batch.into_change(after, last))?;
        Ok(())
    }
}

impl std::fmt::Debug for BackgroundReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("BackgroundReader").field("inbox", &self.inbox).finish_non_exhaustive()
    }
}
