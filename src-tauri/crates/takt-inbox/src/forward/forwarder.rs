//! Runs a site's delivery workers, one per target, while its receiver runs.
//!
//! Only one process of a home forwards a site's events. In a team only one receiver sends to each target.

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
    private_file::open_private_file,
};
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{
    delivery_failure::ForwardTiming,
    target_client::{TargetClient, TargetClientParts, is_blocked_as_unencrypted},
    target_secrets::{TargetSecrets, load_secrets},
    target_sender::TargetSender,
};
use takt_core::{Clock, hex::to_hex};

use crate::delivery_format::DeliveryFormat;

/// The interval of checks for changed targets. Also the interval of tries for the lock while another process forwards.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The extra wait of a computer whose secrets a target rejected. Another computer may have the right secrets.
const RETRY_GRACE: SignedDuration = SignedDuration::from_secs(3);

/// The context of a site's delivery workers.
#[derive(Clone)]
pub(crate) struct ForwardContext {
    pub(super) site: String,
    pub(super) inbox: Arc<Inbox>,
    pub(super) format: Arc<DeliveryFormat>,
    pub(super) vault: Vault,
    pub clock: Clock,
    pub(super) timing: ForwardTiming,
    /// Without a team, the process that locks this file forwards the events.
    pub(super) lock: PathBuf,
    /// The number of changes to targets in this process.
    pub(super) changed: watch::Receiver<u64>,
}

/// Forwards a site's events until it is stopped or dropped.
#[derive(Debug)]
pub(crate) struct Forwarder {
    closing: CancellationToken,
    running: JoinHandle<()>,
}

impl Forwarder {
    pub(crate) fn start(ctx: ForwardContext, latest_event: watch::Receiver<i64>) -> Self {
        let closing = CancellationToken::new();
        Self { running: tokio::spawn(run_workers(ctx, latest_event, closing.clone())), closing }
    }

    /// Stops the workers. Returns once all results are stored.
    pub(crate) async fn stop(mut self) {
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

/// Returns the path of the lock file that allows one process to forward a site's events.
pub(super) fn lock_file(locks: &Path, site: &str) -> PathBuf {
    locks.join(format!("forward-{}.lock", to_hex(site.as_bytes())))
}

/// Returns whether a process currently forwards events.
pub(super) fn is_running(lock: &Path) -> bool {
    matches!(try_lock(lock), Ok(None))
}

/// Tries to take the lock. Returns `None` if another process has it. The file is never removed: otherwise two processes
/// could lock two files of the same name.
fn try_lock(lock: &Path) -> Result<Option<File>, std::io::Error> {
    let file = open_private_file(lock)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

async fn run_workers(mut ctx: ForwardContext, latest_event: watch::Receiver<i64>, closing: CancellationToken) {
    // In a team each target has its own lock.
    let _lock = if ctx.inbox.is_shared() {
        None
    } else {
        let Some(lock) = wait_for_lock(&ctx.lock, &closing).await else { return };
        Some(lock)
    };
    let mut workers = DeliveryWorkers::default();
    while !closing.is_cancelled() {
        if let Err(error) = sync_workers(&ctx, &latest_event, &mut workers).await {
            tracing::error!(%error, "targets couldn't be looked at");
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = closing.cancelled() => {}
            Ok(()) = ctx.changed.changed() => {}
        }
    }
    for worker in workers.running_senders.values() {
        worker.closing.cancel();
    }
    for worker in workers.running_senders.into_values() {
        worker.join().await;
    }
}

/// Waits for the lock. Returns `None` if `closing` is canceled before.
async fn wait_for_lock(lock: &Path, closing: &CancellationToken) -> Option<File> {
    loop {
        match try_lock(lock) {
            Ok(Some(lock)) => return Some(lock),
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "it isn't known who sends events on"),
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = closing.cancelled() => return None,
        }
    }
}

/// The running workers, the targets without stored secrets, and the targets that this computer has sent to.
#[derive(Default)]
struct DeliveryWorkers {
    running_senders: HashMap<i64, RunningSender>,
    targets_without_secrets: HashSet<i64>,
    tried_targets: HashSet<i64>,
}

/// A running worker, with the settings of its target at the start.
struct RunningSender {
    address: String,
    kinds: Vec<i64>,
    keys: TargetKeys,
    closing: CancellationToken,
    handle: JoinHandle<()>,
}

impl RunningSender {
    fn is_current_for(&self, target: &Target) -> bool {
        let same = (&self.address, &self.kinds, &self.keys) == (&target.address, &target.kinds, &target.keys);
        same && !self.handle.is_finished()
    }

    async fn join(self) {
        if let Err(error) = self.handle.await {
            tracing::error!(%error, "a delivery worker panicked");
        }
    }
}

/// Stops the workers of changed, paused or removed targets, and starts missing ones.
async fn sync_workers(
    ctx: &ForwardContext,
    latest_event: &watch::Receiver<i64>,
    workers: &mut DeliveryWorkers,
) -> Result<(), JournalError> {
    let inbox = Arc::clone(&ctx.inbox);
    let read = tokio::task::spawn_blocking(move || {
        Ok::<_, JournalError>((inbox.targets().list()?, inbox.targets().origin()?))
    })
    .await;
    let (targets, origin) = read.unwrap_or(Err(JournalError::Abandoned))?;
    let sends = |target: &Target| {
        target.site == ctx.site && !target.paused && !target.is_stopped() && !is_blocked_as_unencrypted(target)
    };
    let wanted: Vec<Target> = targets.into_iter().filter(sends).collect();
    let is_outdated = |id: &i64, worker: &RunningSender| {
        !wanted.iter().any(|target| target.id == *id && worker.is_current_for(target))
    };
    let outdated: Vec<i64> =
        workers.running_senders.iter().filter(|(id, worker)| is_outdated(id, worker)).map(|(id, _)| *id).collect();
    for id in outdated {
        if let Some(worker) = workers.running_senders.remove(&id) {
            worker.closing.cancel();
            worker.join().await;
        }
    }
    for target in wanted {
        if workers.running_senders.contains_key(&target.id) {
            continue;
        }
        let (keys, lock) = if ctx.inbox.is_shared() {
            let Some((keys, lock)) = claim_target(ctx, &target, workers).await? else { continue };
            (keys, Some(lock))
        } else {
            (load_target_secrets(ctx, &target).await, None)
        };
        workers.running_senders.insert(target.id, start_worker(ctx, target, keys, lock, &origin, latest_event.clone()));
    }
    Ok(())
}

/// Returns the secrets of a team's target and the lock for sending to it. `None` if another computer has the lock.
async fn claim_target(
    ctx: &ForwardContext,
    target: &Target,
    workers: &mut DeliveryWorkers,
) -> Result<Option<(TargetSecrets, SenderLock)>, JournalError> {
    let (inbox, id) = (Arc::clone(&ctx.inbox), target.id);
    let running = tokio::task::spawn_blocking(move || inbox.senders().is_running(id)).await;
    let is_running = running.unwrap_or(Err(JournalError::Abandoned))?.unwrap_or_default();
    if is_running || must_wait_for_others(target, ctx, workers.tried_targets.contains(&id)) {
        return Ok(None);
    }
    let keys = load_target_secrets(ctx, target).await;
    if !keys.are_complete(&target.keys) {
        if workers.targets_without_secrets.insert(target.id) {
            tracing::warn!(target = target.name, "its secrets aren't kept at this computer: others send on to it");
        }
        return Ok(None);
    }
    workers.targets_without_secrets.remove(&target.id);
    let inbox = Arc::clone(&ctx.inbox);
    let locked = tokio::task::spawn_blocking(move || inbox.senders().lock(id)).await;
    let lock = locked.unwrap_or(Err(JournalError::Abandoned))?;
    if lock.is_some() {
        workers.tried_targets.insert(id);
    }
    Ok(lock.map(|lock| (keys, lock)))
}

/// Returns whether this computer must wait because the target rejected a computer's secrets. A computer that has tried
/// waits longer, so that another one goes first.
fn must_wait_for_others(target: &Target, ctx: &ForwardContext, was_tried: bool) -> bool {
    let Some(halt) = target.blocked_event.as_ref().filter(|halt| halt.fault.concerns_secrets()) else { return false };
    let grace = if was_tried { RETRY_GRACE } else { SignedDuration::ZERO };
    halt.next.checked_add(grace).is_ok_and(|next| next > (ctx.clock)())
}

/// Reads the target's secrets on a blocking thread because the keychain can be slow.
async fn load_target_secrets(ctx: &ForwardContext, target: &Target) -> TargetSecrets {
    let (vault, inbox, target) = (ctx.vault.clone(), Arc::clone(&ctx.inbox), target.clone());
    tokio::task::spawn_blocking(move || load_secrets(&vault, &inbox, &target, &target.address))
        .await
        .unwrap_or_default()
}

fn start_worker(
    ctx: &ForwardContext,
    target: Target,
    keys: TargetSecrets,
    lock: Option<SenderLock>,
    origin: &str,
    latest_event: watch::Receiver<i64>,
) -> RunningSender {
    let parts =
        TargetClientParts { format: Arc::clone(&ctx.format), origin: Arc::from(origin), clock: Arc::clone(&ctx.clock) };
    let client = TargetClient::new(&target.address, keys, ctx.timing.response_timeout, parts)
        .with_redactor(ctx.vault.redactor());
    let closing = CancellationToken::new();
    let Target { address, kinds, keys, .. } = target.clone();
    let (inbox, timing, clock) = (Arc::clone(&ctx.inbox), ctx.timing.clone(), Arc::clone(&ctx.clock));
    let (lock, confirmed_at) = (lock.map(Arc::new), clock());
    let worker = TargetSender {
        inbox,
        target,
        client,
        timing,
        clock,
        latest_event,
        lock,
        confirmed_at,
        closing: closing.clone(),
    };
    RunningSender { address, kinds, keys, closing, handle: tokio::spawn(worker.run()) }
}
