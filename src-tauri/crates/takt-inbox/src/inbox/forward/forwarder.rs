//! A site's lines, one per target, as long as its receiver runs: in one process of a home at a time, and of a team's receivers in one
//! for each target.

use std::{
    collections::{HashMap, HashSet},
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use jiff::SignedDuration;
use takt_client::Vault;
use takt_journal::{
    Inbox, JournalError,
    inbox::{SenderLock, Target, TargetKeys},
    private::open_private_file,
};
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{
    delivery_failure::ForwardTiming,
    is_held,
    keys::{Keys, keys},
    target_client::{TargetClient, TargetClientParts},
    target_sender::TargetSender,
};
use takt_core::{Clock, hex::hex};

use crate::inbox::terms::Terms;

/// Between two checks of the targets, and between two checks whether another Takt has stopped sending.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A computer whose signature a target refused waits this much longer than the others. Another one may have the right secrets.
const RETRY_GRACE: SignedDuration = SignedDuration::from_secs(3);

/// What the lines of a site are made of.
#[derive(Clone)]
pub(in crate::inbox) struct ForwardContext {
    pub(super) site: String,
    pub(super) inbox: Arc<Inbox>,
    pub(super) terms: Arc<Terms>,
    pub(super) vault: Vault,
    pub clock: Clock,
    pub(super) pace: ForwardTiming,
    /// Whoever holds this file's lock sends what is in a desk's own file.
    pub(super) lock: PathBuf,
    /// Told whenever something was changed here.
    pub(super) changed: watch::Receiver<u64>,
}

/// Sends a site's events on until it is stopped or dropped.
#[derive(Debug)]
pub(in crate::inbox) struct Forwarder {
    closing: CancellationToken,
    running: JoinHandle<()>,
}

impl Forwarder {
    pub(in crate::inbox) fn start(yard: ForwardContext, came: watch::Receiver<i64>) -> Self {
        let closing = CancellationToken::new();
        Self { running: tokio::spawn(run(yard, came, closing.clone())), closing }
    }

    /// Returns when what was sent is written down.
    pub(in crate::inbox) async fn stop(mut self) {
        self.closing.cancel();
        if let Err(error) = (&mut self.running).await {
            tracing::error!(%error, "sending events on ended badly");
        }
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.closing.cancel();
    }
}

/// The file by whose lock a site's events are sent on by one process alone.
pub(super) fn lock_file(locks: &Path, site: &str) -> PathBuf {
    locks.join(format!("forward-{}.lock", hex(site.as_bytes())))
}

/// Whether somebody sends at this moment.
pub(super) fn is_running(lock: &Path) -> bool {
    matches!(claim(lock), Ok(None))
}

/// None where another holds it. The file stays: removing it while another opens it would let two hold "the" lock.
fn claim(lock: &Path) -> Result<Option<File>, std::io::Error> {
    let file = open_private_file(lock)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

async fn run(mut yard: ForwardContext, came: watch::Receiver<i64>, closing: CancellationToken) {
    // Of a team's targets each has a lock of its own.
    let _held = if yard.inbox.is_shared() {
        None
    } else {
        let Some(held) = claimed(&yard.lock, &closing).await else { return };
        Some(held)
    };
    let mut lines = Lines::default();
    while !closing.is_cancelled() {
        if let Err(error) = sync(&yard, &came, &mut lines).await {
            tracing::error!(%error, "targets couldn't be looked at");
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = closing.cancelled() => {}
            Ok(()) = yard.changed.changed() => {}
        }
    }
    for line in lines.running.values() {
        line.closing.cancel();
    }
    for line in lines.running.into_values() {
        line.ended().await;
    }
}

/// None where it is closed before the lock is free.
async fn claimed(lock: &Path, closing: &CancellationToken) -> Option<File> {
    loop {
        match claim(lock) {
            Ok(Some(held)) => return Some(held),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "it isn't known who sends events on"),
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = closing.cancelled() => return None,
        }
    }
}

/// The lines that run, by their targets, the targets whose secrets aren't kept here, and those that were sent to from here.
#[derive(Default)]
struct Lines {
    running: HashMap<i64, RunningSender>,
    without_keys: HashSet<i64>,
    tried: HashSet<i64>,
}

/// A line that runs, and what its target was when it began.
struct RunningSender {
    address: String,
    kinds: Vec<i64>,
    keys: TargetKeys,
    closing: CancellationToken,
    handle: JoinHandle<()>,
}

impl RunningSender {
    fn is_of(&self, target: &Target) -> bool {
        let same = (&self.address, &self.kinds, &self.keys) == (&target.address, &target.kinds, &target.keys);
        same && !self.handle.is_finished()
    }

    async fn ended(self) {
        if let Err(error) = self.handle.await {
            tracing::error!(%error, "a target's line ended badly");
        }
    }
}

/// Ends the lines of targets that were changed, paused or removed, and begins those that are missing.
async fn sync(yard: &ForwardContext, came: &watch::Receiver<i64>, lines: &mut Lines) -> Result<(), JournalError> {
    let inbox = Arc::clone(&yard.inbox);
    let found = tokio::task::spawn_blocking(move || {
        Ok::<_, JournalError>((inbox.targets().list()?, inbox.targets().origin()?))
    })
    .await;
    let (targets, origin) = found.unwrap_or(Err(JournalError::Abandoned))?;
    let sends =
        |target: &Target| target.site == yard.site && !target.paused && !target.is_stopped() && !is_held(target);
    let wanted: Vec<Target> = targets.into_iter().filter(sends).collect();
    let over = |id: &i64, line: &RunningSender| !wanted.iter().any(|target| target.id == *id && line.is_of(target));
    let ended: Vec<i64> = lines.running.iter().filter(|(id, line)| over(id, line)).map(|(id, _)| *id).collect();
    for id in ended {
        if let Some(line) = lines.running.remove(&id) {
            line.closing.cancel();
            line.ended().await;
        }
    }
    for target in wanted {
        if lines.running.contains_key(&target.id) {
            continue;
        }
        let (kept, lock) = if yard.inbox.is_shared() {
            let Some((kept, lock)) = claim_target(yard, &target, lines).await? else { continue };
            (kept, Some(lock))
        } else {
            (stored_keys(yard, &target).await, None)
        };
        lines.running.insert(target.id, begin(yard, (target, kept, lock), &origin, came.clone()));
    }
    Ok(())
}

/// What is secret about a team's target, and the right to send on to it; nothing where that is another computer's.
async fn claim_target(
    yard: &ForwardContext,
    target: &Target,
    lines: &mut Lines,
) -> Result<Option<(Keys, SenderLock)>, JournalError> {
    let (inbox, id) = (Arc::clone(&yard.inbox), target.id);
    let asked = tokio::task::spawn_blocking(move || inbox.senders().is_running(id)).await;
    let is_running = asked.unwrap_or(Err(JournalError::Abandoned))?.unwrap_or_default();
    if is_running || is_left_to_others(target, yard, lines.tried.contains(&id)) {
        return Ok(None);
    }
    let kept = stored_keys(yard, target).await;
    if !kept.are_complete(&target.keys) {
        if lines.without_keys.insert(target.id) {
            tracing::warn!(target = target.name, "its secrets aren't kept at this computer: others send on to it");
        }
        return Ok(None);
    }
    lines.without_keys.remove(&target.id);
    let inbox = Arc::clone(&yard.inbox);
    let locked = tokio::task::spawn_blocking(move || inbox.senders().lock(id)).await;
    let lock = locked.unwrap_or(Err(JournalError::Abandoned))?;
    if lock.is_some() {
        lines.tried.insert(id);
    }
    Ok(lock.map(|lock| (kept, lock)))
}

/// It doesn't believe one of the team's computers: until it is tried again, first by another one than this where this was it.
fn is_left_to_others(target: &Target, yard: &ForwardContext, was_tried: bool) -> bool {
    let Some(halt) = target.halt.as_ref().filter(|halt| halt.fault.is_of_secrets()) else { return false };
    let grace = if was_tried { RETRY_GRACE } else { SignedDuration::ZERO };
    halt.next.checked_add(grace).is_ok_and(|next| next > (yard.clock)())
}

/// The system's keychain may take a moment.
async fn stored_keys(yard: &ForwardContext, target: &Target) -> Keys {
    let (vault, inbox, target) = (yard.vault.clone(), Arc::clone(&yard.inbox), target.clone());
    tokio::task::spawn_blocking(move || keys(&vault, &inbox, &target, &target.address)).await.unwrap_or_default()
}

fn begin(
    yard: &ForwardContext,
    (target, kept, lock): (Target, Keys, Option<SenderLock>),
    origin: &str,
    came: watch::Receiver<i64>,
) -> RunningSender {
    let parts =
        TargetClientParts { terms: Arc::clone(&yard.terms), origin: Arc::from(origin), clock: Arc::clone(&yard.clock) };
    let post = TargetClient::new(&target.address, kept, yard.pace.answer, parts).redacting(yard.vault.redactor());
    let closing = CancellationToken::new();
    let Target { address, kinds, keys, .. } = target.clone();
    let (inbox, pace, clock) = (Arc::clone(&yard.inbox), yard.pace.clone(), Arc::clone(&yard.clock));
    let (lock, checked) = (lock.map(Arc::new), clock());
    let line = TargetSender { inbox, target, post, pace, clock, came, lock, checked, closing: closing.clone() };
    RunningSender { address, kinds, keys, closing, handle: tokio::spawn(line.run()) }
}
