//! Reads what came since, and tells who watches.

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

use super::floor::{Fold, Zones};
use crate::events::{EventChecks, READER, raise, read};

/// Events that are read in one go: what is written of them shares a commit.
const TOGETHER: u32 = 500;
/// Between two checks whether another desk has read further.
const OTHER_DESK_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// A reading desk without progress for this time counts as stalled.
const STALL_TIMEOUT: Duration = Duration::from_secs(3);
/// Between two checks for events that another desk leaves unread.
const PENDING_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Between two checks for notices of other desks, and of the events where no notices come.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const FALLBACK_POLL_INTERVAL: Duration = Duration::from_secs(3);

/// Gives the contract in force at a site.
pub(super) type ContractOf = Arc<dyn Fn(&str) -> Arc<Contract> + Send + Sync>;

/// Reads events in turns. Clones do the same work, one at a time.
#[derive(Clone)]
pub struct BackgroundReader {
    contract: Arc<Contract>,
    /// The contract in force at a site.
    in_force: ContractOf,
    inbox: Arc<Inbox>,
    zones: Zones,
    turn: Arc<tokio::sync::Mutex<()>>,
    newest: Arc<watch::Sender<i64>>,
    /// How far another desk had read that holds the lock, and since when.
    held_up: Arc<Mutex<Option<(i64, Instant)>>>,
    /// By which the events of each site were read last.
    checks: Arc<Mutex<HashMap<String, SiteChecks>>>,
    /// Who follows what other desks of a team read.
    follows: Arc<Mutex<Option<JoinHandle<()>>>>,
}

/// A contract, and the checks that are made from it.
#[derive(Debug, Clone)]
struct SiteChecks {
    contract: Arc<Contract>,
    checks: Arc<EventChecks>,
}

impl BackgroundReader {
    pub(super) fn new(contract: Arc<Contract>, in_force: ContractOf, inbox: Arc<Inbox>, zones: Zones) -> Self {
        let newest = Arc::new(watch::Sender::new(0));
        Self {
            contract,
            in_force,
            inbox,
            zones,
            turn: Arc::default(),
            newest,
            held_up: Arc::default(),
            checks: Arc::default(),
            follows: Arc::default(),
        }
    }

    /// The number of the newest event that was read, whenever there is a newer one.
    pub(super) fn watch(&self) -> watch::Receiver<i64> {
        self.newest.subscribe()
    }

    /// Reads what had come when this began, or as much of it as `most` allows: whoever asks for a list doesn't wait for a flood. What
    /// another desk reads at this moment is waited for.
    pub async fn catch_up(&self, most: Duration) {
        let until = Instant::now() + most;
        let target = self.front().await.map_or(i64::MAX, |(received, _)| received);
        while Instant::now() < until {
            match self.some().await {
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

    /// In a team: tells of what other desks have read, too, as long as anybody watches, and reads what they leave unread. Does nothing
    /// elsewhere.
    pub(super) fn follow_team(&self) {
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

    /// Ends when the last watcher is gone.
    fn follow(&self, mut changes: watch::Receiver<u64>) {
        let (mut looked, mut left) = (Instant::now(), 0);
        while self.newest.receiver_count() > 0 {
            thread::sleep(POLL_INTERVAL);
            let pause = if left > 0 { PENDING_POLL_INTERVAL } else { FALLBACK_POLL_INTERVAL };
            if !changes.has_changed().unwrap_or(false) && looked.elapsed() < pause {
                continue;
            }
            changes.mark_unchanged();
            looked = Instant::now();
            match self.inbox.front() {
                // Whoever receives reads. What has been left since the last look isn't being read by anybody.
                Ok((received, read)) if received > read && left > read => self.read_all(),
                Ok((received, read)) => {
                    left = if received > read { received } else { 0 };
                    raise(&self.newest, read);
                }
                Err(error) => tracing::debug!(%error, "the team's events can't be looked at now"),
            }
        }
    }

    fn read_all(&self) {
        let _turn = self.turn.blocking_lock();
        loop {
            match self.next() {
                Ok(Some(newest)) => raise(&self.newest, newest),
                Ok(None) => return,
                Err(error) => return tracing::error!(%error, "events couldn't be read"),
            }
        }
    }

    /// Reads some; the number of the newest of them. None where nothing was unread. What fails is tried again later.
    pub(super) async fn some(&self) -> Option<i64> {
        let _turn = self.turn.lock().await;
        let reader = self.clone();
        let newest = match tokio::task::spawn_blocking(move || reader.next()).await {
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

    /// The next events; where none came, some that the floor doesn't hold yet; else some that an older reader has read.
    fn next(&self) -> Result<Option<i64>, JournalError> {
        // Of a team one desk reads at a time.
        let lock = self.inbox.lock_reader()?;
        let (_, front) = self.inbox.front()?;
        if !self.may_read(lock.is_some(), front) {
            return Ok(None);
        }
        let floor = self.inbox.floor().front(READER)?;
        let unread = self.inbox.unread(READER, TOGETHER)?;
        let is_fresh = unread.first().is_some_and(|raw| raw.id > front);
        match floor.filter(|floor| *floor < front && !is_fresh) {
            Some(floor) => self.make_floor(floor, front).map(|()| Some(0)),
            None => self.read(&unread, floor.filter(|floor| is_fresh && *floor == front)),
        }
    }

    /// Whoever has the lock may; and where the desk that has it has read nothing for a while, it stands still, and is read past. Should
    /// it wake up, what it writes is what was written already.
    fn may_read(&self, has_lock: bool, front: i64) -> bool {
        let mut held_up = self.held_up.lock();
        if has_lock {
            *held_up = None;
            return true;
        }
        let since = match *held_up {
            Some((read, since)) if read == front => since,
            _ => Instant::now(),
        };
        *held_up = Some((front, since));
        since.elapsed() >= STALL_TIMEOUT
    }

    /// Reads events; where the floor holds everything up to them, it goes on with them.
    fn read(&self, unread: &[RawEvent], floor: Option<i64>) -> Result<Option<i64>, JournalError> {
        let Some(last) = unread.last() else { return Ok(None) };
        let mut fold = floor.map(|after| Fold::new(&self.contract, &self.inbox, &self.zones, after));
        let (mut readings, mut contracts) = (Vec::new(), HashMap::new());
        for raw in unread {
            let site = self.checks_of(&mut contracts, &raw.site);
            let (reading, told) = read(&site.contract, &site.checks, raw);
            if let Some(fold) = &mut fold {
                fold.see(raw, &reading, &told)?;
            }
            readings.push(reading);
        }
        let change = fold.zip(floor).map(|(fold, after)| fold.change(after, last.id));
        self.inbox.read_on(READER, &readings, change.as_ref())?;
        Ok(Some(last.id))
    }

    /// A batch of events is read by one contract of each site. Its checks are made once, as long as it is in force.
    fn checks_of<'a>(&self, contracts: &'a mut HashMap<String, SiteChecks>, site: &str) -> &'a SiteChecks {
        contracts.entry(site.to_owned()).or_insert_with(|| {
            let contract = (self.in_force)(site);
            let mut known = self.checks.lock();
            if let Some(known) = known.values().find(|known| Arc::ptr_eq(&known.contract, &contract)) {
                return known.clone();
            }
            let checks = Arc::new(EventChecks::of(&contract));
            let made = SiteChecks { contract, checks };
            known.insert(site.to_owned(), made.clone());
            made
        })
    }

    /// Brings the floor some events further, out of what came.
    fn make_floor(&self, after: i64, up_to: i64) -> Result<(), JournalError> {
        let mut fold = Fold::new(&self.contract, &self.inbox, &self.zones, after);
        let (events, mut contracts) = (self.inbox.raw_after(after, up_to, TOGETHER)?, HashMap::new());
        for raw in &events {
            let site = self.checks_of(&mut contracts, &raw.site);
            let (reading, told) = read(&site.contract, &site.checks, raw);
            fold.see(raw, &reading, &told)?;
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
