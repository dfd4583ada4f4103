//! One target's line: one event after the other, in the order in which they came, until it is closed.
//!
//! What was sent is written down a moment later, together with others. Who is killed between sends them once more, with the
//! same delivery's id: each arrives at least once. Of a team's each is written down before the next is sent: where another desk takes
//! the target over, it sends one of them twice at most.

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

/// Events that are taken up at once, and their bytes.
const MAX_BATCH_EVENTS: u32 = 64;
const MAX_BYTES: usize = 1024 * 1024;
/// A result may wait this long before it is stored.
const SETTLE_TIME: Duration = Duration::from_millis(200);
/// Between two signs of life of a team's sender.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// After the server confirmed a desk as the sender, no other desk can have replaced it for this time.
const SENDER_LEASE: SignedDuration = SignedDuration::from_secs(2);
/// Between two checks without a notice: another Takt may have stored an event or changed the target.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A target that is sent to.
pub(super) struct TargetSender {
    pub(super) inbox: Arc<Inbox>,
    pub(super) target: Target,
    pub(super) post: TargetClient,
    pub(super) pace: ForwardTiming,
    pub clock: Clock,
    /// Told whenever something came.
    pub(super) latest_event: watch::Receiver<i64>,
    /// The right to send on to a team's target.
    pub(super) lock: Option<Arc<SenderLock>>,
    /// When the server said last that this is the sender.
    pub(super) checked: Timestamp,
    pub(super) closing: CancellationToken,
}

/// When there may be something to send again.
enum NextAttempt {
    No,
    /// Until something comes.
    News,
    /// Until it may be tried again.
    Wait(Duration),
}

impl TargetSender {
    /// Returns when it is closed, or its target is paused or gone. What fails on the way to the disk is tried again later.
    pub(super) async fn run(mut self) {
        // The earlier failure may be over. A new start doesn't wait, unless the target asked for it.
        if self.target.halt.as_ref().is_some_and(|halt| halt.fault != Fault::Busy) {
            let (id, now) = (self.target.id, (self.clock)());
            // It is tried a little later, then.
            let _ = self.ask(move |inbox| inbox.targets().try_now(id, now)).await;
        }
        let beating = self.lock.clone().map(|lock| tokio::spawn(beat(lock, self.closing.clone())));
        while !self.closing.is_cancelled() {
            match self.turn().await {
                Ok(rest) => self.rest(rest).await,
                Err(JournalError::SentElsewhere(_)) => self.closing.cancel(),
                Err(error) => {
                    tracing::error!(%error, target = self.target.id, "events couldn't be sent on");
                    self.rest(NextAttempt::Wait(POLL_INTERVAL)).await;
                }
            }
        }
        if let Some(beating) = beating {
            // It holds the lock, too.
            drop(beating.await);
        }
        // The server is told, which may take a moment.
        if let Some(lock) = self.lock.take() {
            drop(tokio::task::spawn_blocking(move || drop(lock)).await);
        }
    }

    /// Whether this is the one that sends on to the target. Of a team's another desk may be, once the server has missed this one.
    async fn is_sender(&mut self) -> bool {
        let now = (self.clock)();
        let is_sender = match &self.lock {
            None => true,
            Some(lock) => is_held(lock).await,
        };
        self.checked = now;
        is_sender
    }

    /// The same where the server said so a moment ago; else it is asked: this process may have stood still. The clock on the wall is what
    /// counts a sleep.
    async fn is_still_sender(&self) -> bool {
        let Some(lock) = &self.lock else { return true };
        let passed = (self.clock)().duration_since(self.checked);
        (!passed.is_negative() && passed < SENDER_LEASE) || is_held(lock).await
    }

    /// Sends what there is, once.
    async fn turn(&mut self) -> Result<NextAttempt, JournalError> {
        let id = self.target.id;
        if !self.is_sender().await {
            self.closing.cancel();
            return Ok(NextAttempt::No);
        }
        let found = self
            .ask(|inbox| inbox.targets().list())
            .await?
            .into_iter()
            .find(|target| target.id == id && !target.paused && !target.is_stopped());
        let Some(target) = found else {
            self.closing.cancel();
            return Ok(NextAttempt::No);
        };
        // The client has the address and the secrets of the target as it was: whoever replaces this line has the new ones.
        if (&target.address, &target.kinds, &target.keys)
            != (&self.target.address, &self.target.kinds, &self.target.keys)
        {
            self.closing.cancel();
            return Ok(NextAttempt::No);
        }
        self.target = target;
        if let Some(raw) = self.ask(move |inbox| inbox.targets().requested_again(id)).await? {
            if !self.is_still_sender().await {
                return Err(JournalError::SentElsewhere(id));
            }
            let due = DueEvent { raw, owed: false, delivery: None };
            let (sent, halt) = match self.post.send(&self.target, (&due.raw, None), &self.closing).await {
                Ok(status) => (self.taken(&due, 1, status), None),
                Err(_) if self.closing.is_cancelled() => return Ok(NextAttempt::No),
                Err(miss) => {
                    let halt = (miss.fault == Fault::Gone).then(|| self.halted(due.raw.id, 1, None, miss.clone()));
                    (self.missed(&due, 1, miss), halt)
                }
            };
            self.settle(vec![sent], self.target.cursor).await?;
            return self.halt(halt).await;
        }
        if let Some(left) = self.target.halt.as_ref().and_then(|halt| self.left(halt.next)) {
            if self.lock.is_some() && self.target.halt.as_ref().is_some_and(|halt| halt.fault.is_of_secrets()) {
                self.closing.cancel();
                return Ok(NextAttempt::No);
            }
            return Ok(NextAttempt::Wait(left));
        }
        let target = self.target.clone();
        let due = self.ask(move |inbox| inbox.targets().due(&target, MAX_BATCH_EVENTS, MAX_BYTES)).await?;
        if due.is_empty() { Ok(NextAttempt::News) } else { self.all(due).await }
    }

    /// Sends these until one isn't taken, or what was sent has waited long enough to be written down.
    async fn all(&mut self, due: Vec<DueEvent>) -> Result<NextAttempt, JournalError> {
        let (mut sent, mut cursor, mut halt, mut passed_over) = (Vec::new(), self.target.cursor, None, Vec::new());
        let since = Instant::now();
        for due in due {
            let raw = &due.raw;
            if self.closing.is_cancelled() || since.elapsed() >= SETTLE_TIME {
                break;
            }
            if self.post.accepts(&self.target, raw) {
                if !self.is_still_sender().await {
                    return Err(JournalError::SentElsewhere(self.target.id));
                }
                let before = self.target.halt.as_ref().filter(|halt| halt.event == raw.id);
                let tries = before.map_or(0, |halt| halt.tries) + 1;
                match self.post.send(&self.target, (raw, due.delivery.as_deref()), &self.closing).await {
                    Ok(status) => sent.push(self.taken(&due, tries, status)),
                    Err(_) if self.closing.is_cancelled() => break,
                    Err(miss) if miss.is_final(&self.pace, tries, refused(&self.target, &sent)) => {
                        sent.push(self.missed(&due, tries, miss));
                    }
                    Err(miss) => {
                        let since = before.map(|halt| halt.since);
                        halt = Some(self.halted(raw.id, tries, since, miss));
                        break;
                    }
                }
            } else if due.owed {
                passed_over.push(raw.id);
            }
            if !due.owed {
                cursor = raw.id;
            }
            if self.lock.is_some() && !sent.is_empty() && !self.settle_one(std::mem::take(&mut sent), cursor).await? {
                return Ok(NextAttempt::No);
            }
        }
        self.settle(sent, cursor).await?;
        if !passed_over.is_empty() {
            let (id, lock) = (self.target.id, self.lock.clone());
            self.ask(move |inbox| inbox.targets().pass_over(id, &passed_over, lock.as_deref())).await?;
        }
        self.halt(halt).await
    }

    /// Writes down what wasn't taken, where anything wasn't. It is held against the target as it was when the delivery began: who has
    /// resumed it since is not held up by it.
    async fn halt(&self, halt: Option<BlockedEvent>) -> Result<NextAttempt, JournalError> {
        let Some(halt) = halt else { return Ok(NextAttempt::No) };
        let (target, lock) = (self.target.clone(), self.lock.clone());
        self.ask(move |inbox| inbox.targets().halt(&target, &halt, lock.as_deref())).await.map(|_| NextAttempt::No)
    }

    /// Writes down what was just sent, and goes on from there. False where somebody has moved the cursor.
    async fn settle_one(&mut self, sent: Vec<ForwardResult>, cursor: i64) -> Result<bool, JournalError> {
        let refused = refused(&self.target, &sent);
        let is_moved = self.settle(sent, cursor).await?;
        self.target = Target { cursor, refused, halt: None, ..self.target.clone() };
        Ok(is_moved)
    }

    /// False where somebody has moved the cursor meanwhile.
    async fn settle(&self, sent: Vec<ForwardResult>, cursor: i64) -> Result<bool, JournalError> {
        if sent.is_empty() && cursor == self.target.cursor {
            return Ok(true);
        }
        let (target, lock) = (self.target.clone(), self.lock.clone());
        self.ask(move |inbox| inbox.targets().settle(&target, (&sent, cursor), lock.as_deref())).await
    }

    fn halted(&self, event: i64, tries: u32, since: Option<Timestamp>, miss: DeliveryFailure) -> BlockedEvent {
        let now = (self.clock)();
        let wait = SignedDuration::try_from(miss.wait(&self.pace, tries, dice()));
        let next = wait.ok().and_then(|wait| now.checked_add(wait).ok()).unwrap_or(now);
        let DeliveryFailure { fault, status, response: told, .. } = miss;
        BlockedEvent { event, tries, since: since.unwrap_or(now), next, fault, status, response: told }
    }

    fn taken(&self, due: &DueEvent, tries: u32, status: u16) -> ForwardResult {
        let (event, at, owed) = (due.raw.id, (self.clock)(), due.owed);
        ForwardResult { event, at, tries, fault: None, status: Some(status), response: String::new(), owed }
    }

    fn missed(&self, due: &DueEvent, tries: u32, miss: DeliveryFailure) -> ForwardResult {
        let DeliveryFailure { fault, status, response, .. } = miss;
        let (event, at, owed) = (due.raw.id, (self.clock)(), due.owed);
        ForwardResult { event, at, tries, fault: Some(fault), status, response, owed }
    }

    /// How long until then; none where that has passed.
    fn left(&self, next: Timestamp) -> Option<Duration> {
        let left = next.duration_since((self.clock)());
        Duration::try_from(left).ok().filter(|left| !left.is_zero())
    }

    async fn rest(&mut self, rest: NextAttempt) {
        match rest {
            NextAttempt::No => {}
            NextAttempt::Wait(left) => tokio::select! {
                // Somebody may want it tried at once.
                () = tokio::time::sleep(left.min(POLL_INTERVAL)) => {}
                () = self.closing.cancelled() => {}
            },
            NextAttempt::News => tokio::select! {
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                () = self.closing.cancelled() => {}
                Ok(()) = self.latest_event.changed() => {}
            },
        }
    }

    /// Waits for the disk elsewhere than on a thread that answers others.
    async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inbox) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, JournalError> {
        let inbox = Arc::clone(&self.inbox);
        let done = tokio::task::spawn_blocking(move || work(&inbox)).await;
        done.unwrap_or(Err(JournalError::Abandoned))
    }
}

async fn is_held(lock: &Arc<SenderLock>) -> bool {
    let lock = Arc::clone(lock);
    tokio::task::spawn_blocking(move || lock.is_held()).await.unwrap_or(false)
}

/// Says that the sender is there, also while a target takes its time to answer. Ends with the sender, and ends it where another desk
/// has the target.
async fn beat(lock: Arc<SenderLock>, closing: CancellationToken) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(HEARTBEAT_INTERVAL) => {}
            () = closing.cancelled() => return,
        }
        if !is_held(&lock).await {
            closing.cancel();
        }
    }
}

/// How many in a row were set aside by now.
fn refused(target: &Target, sent: &[ForwardResult]) -> u32 {
    sent.iter().fold(target.refused, |refused, sent| if sent.fault.is_none() { 0 } else { refused + 1 })
}

/// From 0 to 1.
fn dice() -> f64 {
    let mut byte = [0; 1];
    // Without it several targets may come at once, and nothing else.
    if getrandom::fill(&mut byte).is_err() {
        return 0.5;
    }
    f64::from(byte[0]) / f64::from(u8::MAX)
}
