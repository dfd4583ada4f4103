//! A site's delivery workers, one per target, as long as its receiver runs: in one process of a home at a time, and of a team's receivers in one
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

use crate::inbox::delivery_format::DeliveryFormat;

/// Between two checks of the targets, and between two checks whether another Takt has stopped sending.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A computer whose signature a target refused waits this much longer than the others. Another one may have the right secrets.
const RETRY_GRACE: SignedDuration = SignedDuration::from_secs(3);

/// What the delivery workers of a site need.
#[derive(Clone)]
pub(in crate::inbox) struct ForwardContext {
    pub(super) site: String,
    pub(super) inbox: Arc<Inbox>,
    pub(super) format: Arc<DeliveryFormat>,
    pub(super) vault: Vault,
    pub clock: Clock,
    pub(super) pace: ForwardTiming,
    /// Without a team, the process that locks this file forwards the events.
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
    pub(in crate::inbox) fn start(ctx: ForwardContext, latest_event: watch::Receiver<i64>) -> Self {
        let closing = CancellationToken::new();
        Self { running: tokio::spawn(run(ctx, latest_event, closing.clone())), closing }
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

async fn run(mut ctx: ForwardContext, latest_event: watch::Receiver<i64>, closing: CancellationToken) {
    // Of a team's targets each has a lock of its own.
    let _held = if ctx.inbox.is_shared() {
        None
    } else {
        let Some(held) = claimed(&ctx.lock, &closing).await else { return };
        Some(held)
    };
    let mut workers = DeliveryWorkers::default();
    while !closing.is_cancelled() {
        if let Err(error) = sync(&ctx, &latest_event, &mut workers).await {
            tracing::error!(%error, "targets couldn't be looked at");
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = closing.cancelled() => {}
            Ok(()) = ctx.changed.changed() => {}
        }
    }
    for worker in workers.running.values() {
        worker.closing.cancel();
    }
    for worker in workers.running.into_values() {
        worker.ended().await;
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

/// The workers that run, by their targets, the targets whose secrets aren't stored here, and those that were sent to from here.
#[derive(Default)]
struct DeliveryWorkers {
    running: HashMap<i64, RunningSender>,
    without_keys: HashSet<i64>,
    tried: HashSet<i64>,
}

/// A worker that runs, and its target's settings when it began.
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
            tracing::error!(%error, "a delivery worker panicked");
        }
    }
}

/// Ends the workers of targets that were changed, paused or removed, and starts those that are missing.
async fn sync(
    ctx: &ForwardContext,
    latest_event: &watch::Receiver<i64>,
    workers: &mut DeliveryWorkers,
) -> Result<(), JournalError> {
    let inbox = Arc::clone(&ctx.inbox);
    let found = tokio::task::spawn_blocking(move || {
        Ok::<_, JournalError>((inbox.targets().list()?, inbox.targets().origin()?))
    })
    .await;
    let (targets, origin) = found.unwrap_or(Err(JournalError::Abandoned))?;
    let sends = |target: &Target| target.site == ctx.site && !target.paused && !target.is_stopped() && !is_held(target);
    let wanted: Vec<Target> = targets.into_iter().filter(sends).collect();
    let over = |id: &i64, worker: &RunningSender| !wanted.iter().any(|target| target.id == *id && worker.is_of(target));
    let ended: Vec<i64> = workers.running.iter().filter(|(id, worker)| over(id, worker)).map(|(id, _)| *id).collect();
    for id in ended {
        if let Some(worker) = workers.running.remove(&id) {
            worker.closing.cancel();
            worker.ended().await;
        }
    }
    for target in wanted {
        if workers.running.contains_key(&target.id) {
            continue;
        }
        let (kept, lock) = if ctx.inbox.is_shared() {
            let Some((kept, lock)) = claim_target(ctx, &target, workers).await? else { continue };
            (kept, Some(lock))
        } else {
            (stored_keys(ctx, &target).await, None)
        };
        workers.running.insert(target.id, begin(ctx, (target, kept, lock), &origin, latest_event.clone()));
    }
    Ok(())
}

/// What is secret about a team's target, and the right to send on to it; nothing where that is another computer's.
async fn claim_target(
    ctx: &ForwardContext,
    target: &Target,
    workers: &mut DeliveryWorkers,
) -> Result<Option<(Keys, SenderLock)>, JournalError> {
    let (inbox, id) = (Arc::clone(&ctx.inbox), target.id);
    let asked = tokio::task::spawn_blocking(move || inbox.senders().is_running(id)).await;
    let is_running = asked.unwrap_or(Err(JournalError::Abandoned))?.unwrap_or_default();
    if is_running || is_left_to_others(target, ctx, workers.tried.contains(&id)) {
        return Ok(None);
    }
    let kept = stored_keys(ctx, target).await;
    if !kept.are_complete(&target.keys) {
        if workers.without_keys.insert(target.id) {
            tracing::warn!(target = target.name, "its secrets aren't kept at this computer: others send on to it");
        }
        return Ok(None);
    }
    workers.without_keys.remove(&target.id);
    let inbox = Arc::clone(&ctx.inbox);
    let locked = tokio::task::spawn_blocking(move || inbox.senders().lock(id)).await;
    let lock = locked.unwrap_or(Err(JournalError::Abandoned))?;
    if lock.is_some() {
        workers.tried.insert(id);
    }
    Ok(lock.map(|lock| (kept, lock)))
}

/// It doesn't believe one of the team's computers: until it is tried again, first by another one than this where this was it.
fn is_left_to_others(target: &Target, ctx: &ForwardContext, was_tried: bool) -> bool {
    let Some(halt) = target.halt.as_ref().filter(|halt| halt.fault.is_of_secrets()) else { return false };
    let grace = if was_tried { RETRY_GRACE } else { SignedDuration::ZERO };
    halt.next.checked_add(grace).is_ok_and(|next| next > (ctx.clock)())
}

/// The system's keychain may take a moment.
async fn stored_keys(ctx: &ForwardContext, target: &Target) -> Keys {
    let (vault, inbox, target) = (ctx.vault.clone(), Arc::clone(&ctx.inbox), target.clone());
    tokio::task::spawn_blocking(move || keys(&vault, &inbox, &target, &target.address)).await.unwrap_or_default()
}

fn begin(
    ctx: &ForwardContext,
    (target, kept, lock): (Target, Keys, Option<SenderLock>),
    origin: &str,
    latest_event: watch::Receiver<i64>,
) -> RunningSender {
    let parts =
        TargetClientParts { format: Arc::clone(&ctx.format), origin: Arc::from(origin), clock: Arc::clone(&ctx.clock) };
    let post = TargetClient::new(&target.address, kept, ctx.pace.answer, parts).redacting(ctx.vault.redactor());
    let closing = CancellationToken::new();
    let Target { address, kinds, keys, .. } = target.clone();
    let (inbox, pace, clock) = (Arc::clone(&ctx.inbox), ctx.pace.clone(), Arc::clone(&ctx.clock));
    let (lock, checked) = (lock.map(Arc::new), clock());
    let worker =
        TargetSender { inbox, target, post, pace, clock, latest_event, lock, checked, closing: closing.clone() };
    RunningSender { address, kinds, keys, closing, handle: tokio::spawn(worker.run()) }
}
