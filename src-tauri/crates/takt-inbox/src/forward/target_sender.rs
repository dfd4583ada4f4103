//! Sends one target's events in order until it is closed.
//!
//! Results are stored in batches. If the process is killed before, the events are sent again with the same delivery ID,
//! so each arrives at least once. For a team's target each result is stored before the next event is sent. So if
//! another desk takes over, at most one event is repeated.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use takt_journal::{
    Inbox, JournalError,
    inbox::{BlockedEvent, DueEvent, Fault, ForwardResult, SenderLock, Target},
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    delivery_failure::{DeliveryFailure, ForwardTiming},
    target_client::TargetClient,
};
use takt_core::Clock;

/// The maximum number of events in a batch, and of their bytes.
const MAX_BATCH_EVENTS: u32 = 64;
const MAX_BATCH_BYTES: usize = 1024 * 1024;
/// The time after which a waiting result is stored at the latest.
const SETTLE_TIME: Duration = Duration::from_millis(200);
/// The interval of heartbeats of a team's sender.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// The time after the server's confirmation in which no other desk can have replaced this sender.
const SENDER_LEASE: SignedDuration = SignedDuration::from_secs(2);
/// The interval of checks without a notification, because another process may store an event or change the target.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// The delivery worker of one target.
pub(super) struct TargetSender {
    pub(super) inbox: Arc<Inbox>,
    pub(super) target: Target,
    pub(super) client: TargetClient,
    pub(super) timing: ForwardTiming,
    pub clock: Clock,
    /// The ID of the newest stored event.
    pub(super) latest_event: watch::Receiver<i64>,
    /// The lock for sending to a team's target.
    pub(super) lock: Option<Arc<SenderLock>>,
    /// The time of the server's last confirmation that this is the sender.
    pub(super) confirmed_at: Timestamp,
    pub(super) closing: CancellationToken,
}

/// The time of the next delivery.
enum NextAttempt {
    Now,
    /// Once an event arrives.
    OnEvent,
    /// After a wait.
    After(Duration),
}

impl TargetSender {
    /// Runs until the target is closed, paused or removed. Errors of the store are retried.
    pub(super) async fn run(mut self) {
        // The cause of the failure may be gone. Only the wait after `Busy` is respected, because the target may have
        // requested it.
        if self.target.blocked_event.as_ref().is_some_and(|halt| halt.fault != Fault::Busy) {
            let (id, now) = (self.target.id, (self.clock)());
            // On an error the retry only happens later.
            let _ = self.run_blocking(move |inbox| inbox.targets().try_now(id, now)).await;
        }
        let heartbeat = self.lock.clone().map(|lock| tokio::spawn(send_heartbeats(lock, self.closing.clone())));
        while !self.closing.is_cancelled() {
            match self.send_due().await {
                Ok(next) => self.wait(next).await,
                Err(JournalError::SentElsewhere(_)) => self.closing.cancel(),
                Err(error) => {
                    tracing::error!(%error, target = self.target.id, "events couldn't be sent on");
                    self.wait(NextAttempt::After(POLL_INTERVAL)).await;
                }
            }
        }
        if let Some(heartbeat) = heartbeat {
            // The task has a reference to the lock.
            drop(heartbeat.await);
        }
        // Releasing the lock waits for the server, which can be slow.
        if let Some(lock) = self.lock.take() {
            drop(tokio::task::spawn_blocking(move || drop(lock)).await);
        }
    }

    /// Returns whether this is the target's sender. Another desk of the team may have replaced it after missing
    /// heartbeats.
    async fn is_sender(&mut self) -> bool {
        let now = (self.clock)();
        let is_sender = match &self.lock {
            None => true,
            Some(lock) => holds_lock(lock).await,
        };
        self.confirmed_at = now;
        is_sender
    }

    /// Like [`Self::is_sender`], but only queries the server if its last confirmation is too old.
    ///
    /// Uses the wall clock, because only that includes a time in which the process was suspended.
    async fn is_still_sender(&self) -> bool {
        let Some(lock) = &self.lock else { return true };
        let passed = (self.clock)().duration_since(self.confirmed_at);
        (!passed.is_negative() && passed < SENDER_LEASE) || holds_lock(lock).await
    }

    /// Sends the due events once.
    async fn send_due(&mut self) -> Result<NextAttempt, JournalError> {
        let id = self.target.id;
        if !self.is_sender().await {
            self.closing.cancel();
            return Ok(NextAttempt::Now);
        }
        let found = self
            .run_blocking(|inbox| inbox.targets().list())
            .await?
            .into_iter()
            .find(|target| target.id == id && !target.paused && !target.is_stopped());
        let Some(target) = found else {
            self.closing.cancel();
            return Ok(NextAttempt::Now);
        };
        // The client has the old address and secrets, so a new worker replaces this one.
        if (&target.address, &target.kinds, &target.keys)
            != (&self.target.address, &self.target.kinds, &self.target.keys)
        {
            self.closing.cancel();
            return Ok(NextAttempt::Now);
        }
        self.target = target;
        if let Some(raw) = self.run_blocking(move |inbox| inbox.targets().next_event_to_resend(id)).await? {
            if !self.is_still_sender().await {
                return Err(JournalError::SentElsewhere(id));
            }
            let due = DueEvent { raw, owed: false, delivery: None };
            let (sent, halt) = match self.client.send(&self.target, &due.raw, None, &self.closing).await {
                Ok(status) => (self.delivered_result(&due, 1, status), None),
                Err(_) if self.closing.is_cancelled() => return Ok(NextAttempt::Now),
                Err(failure) => {
                    let halt = (failure.fault == Fault::Gone)
                        .then(|| self.blocked_event(due.raw.id, 1, None, failure.clone()));
                    (self.failed_result(&due, 1, failure), halt)
                }
            };
            self.store_results(vec![sent], self.target.cursor).await?;
            return self.store_halt(halt).await;
        }
        if let Some(remaining) = self.target.blocked_event.as_ref().and_then(|halt| self.time_until(halt.next)) {
            if self.lock.is_some()
                && self.target.blocked_event.as_ref().is_some_and(|halt| halt.fault.concerns_secrets())
            {
                self.closing.cancel();
                return Ok(NextAttempt::Now);
            }
            return Ok(NextAttempt::After(remaining));
        }
        let target = self.target.clone();
        let due = self
            .run_blocking(move |inbox| inbox.targets().due_events(&target, MAX_BATCH_EVENTS, MAX_BATCH_BYTES))
            .await?;
        if due.is_empty() { Ok(NextAttempt::OnEvent) } else { self.send_batch(due).await }
    }

    /// Sends events until one fails or the results must be stored.
    async fn send_batch(&mut self, due: Vec<DueEvent>) -> Result<NextAttempt, JournalError> {
        let (mut sent, mut cursor, mut halt, mut passed_over) = (Vec::new(), self.target.cursor, None, Vec::new());
        let since = Instant::now();
        for due in due {
            let raw = &due.raw;
            if self.closing.is_cancelled() || since.elapsed() >= SETTLE_TIME {
                break;
            }
            if self.client.accepts(&self.target, raw) {
                if !self.is_still_sender().await {
                    return Err(JournalError::SentElsewhere(self.target.id));
                }
                let before = self.target.blocked_event.as_ref().filter(|halt| halt.event == raw.id);
                let tries = before.map_or(0, |halt| halt.tries) + 1;
                match self.client.send(&self.target, raw, due.delivery.as_deref(), &self.closing).await {
                    Ok(status) => sent.push(self.delivered_result(&due, tries, status)),
                    Err(_) if self.closing.is_cancelled() => break,
                    Err(failure) if failure.is_final(&self.timing, tries, refused_in_a_row(&self.target, &sent)) => {
                        sent.push(self.failed_result(&due, tries, failure));
                    }
                    Err(failure) => {
                        let since = before.map(|halt| halt.since);
                        halt = Some(self.blocked_event(raw.id, tries, since, failure));
                        break;
                    }
                }
            } else if due.owed {
                passed_over.push(raw.id);
            }
            if !due.owed {
                cursor = raw.id;
            }
            if self.lock.is_some() && !sent.is_empty() && !self.store_result(std::mem::take(&mut sent), cursor).await? {
                return Ok(NextAttempt::Now);
            }
        }
        self.store_results(sent, cursor).await?;
        if !passed_over.is_empty() {
            let (id, lock) = (self.target.id, self.lock.clone());
            self.run_blocking(move |inbox| inbox.targets().skip_events(id, &passed_over, lock.as_deref())).await?;
        }
        self.store_halt(halt).await
    }

    /// Stores the failure, if any. It refers to the target as it was when the delivery began, so it doesn't undo a
    /// resume since then.
    async fn store_halt(&self, halt: Option<BlockedEvent>) -> Result<NextAttempt, JournalError> {
        let Some(halt) = halt else { return Ok(NextAttempt::Now) };
        let (target, lock) = (self.target.clone(), self.lock.clone());
        self.run_blocking(move |inbox| inbox.targets().block_queue(&target, &halt, lock.as_deref()))
            .await
            .map(|_| NextAttempt::Now)
    }

    /// Stores a result and continues after it. Returns false if the cursor was moved meanwhile.
    async fn store_result(&mut self, sent: Vec<ForwardResult>, cursor: i64) -> Result<bool, JournalError> {
        let refused = refused_in_a_row(&self.target, &sent);
        let is_current = self.store_results(sent, cursor).await?;
        self.target = Target { cursor, consecutive_refusals: refused, blocked_event: None, ..self.target.clone() };
        Ok(is_current)
    }

    /// Stores results. Returns false if the cursor was moved meanwhile.
    async fn store_results(&self, sent: Vec<ForwardResult>, cursor: i64) -> Result<bool, JournalError> {
        if sent.is_empty() && cursor == self.target.cursor {
            return Ok(true);
        }
        let (target, lock) = (self.target.clone(), self.lock.clone());
        self.run_blocking(move |inbox| inbox.targets().record_results(&target, &sent, cursor, lock.as_deref())).await
    }

    fn blocked_event(
        &self,
        event: i64,
        tries: u32,
        since: Option<Timestamp>,
        failure: DeliveryFailure,
    ) -> BlockedEvent {
        let now = (self.clock)();
        let wait = SignedDuration::try_from(failure.wait(&self.timing, tries, random_fraction()));
        let next = wait.ok().and_then(|wait| now.checked_add(wait).ok()).unwrap_or(now);
        let DeliveryFailure { fault, status, response, .. } = failure;
        BlockedEvent { event, tries, since: since.unwrap_or(now), next, fault, status, response }
    }

    fn delivered_result(&self, due: &DueEvent, tries: u32, status: u16) -> ForwardResult {
        let (event, at, owed) = (due.raw.id, (self.clock)(), due.owed);
        ForwardResult { event, at, tries, fault: None, status: Some(status), response: String::new(), owed }
    }

    fn failed_result(&self, due: &DueEvent, tries: u32, failure: DeliveryFailure) -> ForwardResult {
        let DeliveryFailure { fault, status, response, .. } = failure;
        let (event, at, owed) = (due.raw.id, (self.clock)(), due.owed);
        ForwardResult { event, at, tries, fault: Some(fault), status, response, owed }
    }

    /// Returns the time until `next`, or `None` if it has passed.
    fn time_until(&self, next: Timestamp) -> Option<Duration> {
        let remaining = next.duration_since((self.clock)());
        Duration::try_from(remaining).ok().filter(|remaining| !remaining.is_zero())
    }

    async fn wait(&mut self, next: NextAttempt) {
        match next {
            NextAttempt::Now => {}
            NextAttempt::After(remaining) => tokio::select! {
                // Short waits, since the user may request a retry.
                () = tokio::time::sleep(remaining.min(POLL_INTERVAL)) => {}
                () = self.closing.cancelled() => {}
            },
            NextAttempt::OnEvent => tokio::select! {
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                () = self.closing.cancelled() => {}
                Ok(()) = self.latest_event.changed() => {}
            },
        }
    }

    /// Runs `work` on a blocking thread.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inbox) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let inbox = Arc::clone(&self.inbox);
        let done = tokio::task::spawn_blocking(move || work(&inbox)).await;
        done.unwrap_or(Err(JournalError::Abandoned))
    }
}

async fn holds_lock(lock: &Arc<SenderLock>) -> bool {
    let lock = Arc::clone(lock);
    tokio::task::spawn_blocking(move || lock.is_held()).await.unwrap_or(false)
}

/// Sends heartbeats, also while a target is slow to respond, until `closing`. Closes the sender if another desk has the
/// target.
async fn send_heartbeats(lock: Arc<SenderLock>, closing: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(HEARTBEAT_INTERVAL) => {}
            () = closing.cancelled() => return,
        }
        if !holds_lock(&lock).await {
            closing.cancel();
        }
    }
}

/// Returns the number of exclusions in a row, including these results.
fn refused_in_a_row(target: &Target, sent: &[ForwardResult]) -> u32 {
    sent.iter().fold(target.consecutive_refusals, |refused, sent| if sent.fault.is_none() { 0 } else { refused + 1 })
}

/// Returns a random number from 0 to 1.
fn random_fraction() -> f64 {
    let mut byte = [0; 1];
    // The random number only keeps targets from being tried at the same time.
    if getrandom::fill(&mut byte).is_err() {
        return 0.5;
    }
    f64::from(byte[0]) / f64::from(u8::MAX)
}
