//! One target with what waits for it, in the order in which it happened: the next goes only when the one before it
//! arrived or was given up.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::{sync::Notify, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{
    DeliveryState, Target,
    event::{
        delivery::{Addressed, Memory},
        post::{Parcel, Sender},
    },
};

/// Events that may wait for one target.
const MAX_QUEUE_LENGTH: usize = 10_000;
const QUEUE_FULL: &str = "queue full";
const REMOVED: &str = "the target was removed";

pub(crate) struct Line {
    pub(crate) target: Target,
    pub(crate) addressed: Addressed,
    pub(crate) end: Arc<LineEnd>,
    pub(crate) worker: Option<JoinHandle<()>>,
    /// Until when it isn't asked, and why: its last check failed.
    pub(crate) rest: Option<(Instant, String)>,
    queue: VecDeque<Waiting>,
}

/// What a line's worker and its checks hold on to without a lock.
pub(crate) struct LineEnd {
    pub(super) sender: Sender,
    /// There is something new in the queue, or nothing any more.
    pub(crate) changed: Notify,
    /// Something left the queue.
    pub(super) moved: Notify,
    /// Cancelled when the target is removed.
    pub(crate) gone: CancellationToken,
}

struct Waiting {
    delivery: u32,
    /// Attempts since it was queued.
    tries: usize,
    due: Option<Instant>,
}

/// What a line's worker does next.
pub(crate) enum Step {
    Send(Parcel),
    /// The first in the queue waits until then.
    Sleep(Instant),
    Idle,
}

/// Why an attempt failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) reason: String,
    /// Whether another attempt makes sense.
    pub(crate) again: bool,
}

impl Line {
    pub(super) fn new(addressed: Addressed, target: Target, sender: Sender) -> Self {
        let end =
            Arc::new(LineEnd { sender, changed: Notify::new(), moved: Notify::new(), gone: CancellationToken::new() });
        Self { target, addressed, end, worker: None, rest: None, queue: VecDeque::new() }
    }

    /// Puts a delivery at the end; where the queue is full, it has failed.
    pub(crate) fn push(&mut self, memory: &mut Memory, delivery: u32) {
        if self.queue.len() < MAX_QUEUE_LENGTH {
            self.queue.push_back(Waiting { delivery, tries: 0, due: None });
            self.end.changed.notify_one();
        } else {
            memory.mark(delivery, DeliveryState::Failed, Some(QUEUE_FULL.to_owned()));
        }
    }

    /// What is to be done next. Counts the attempt that it hands out.
    pub(crate) fn next(&mut self, memory: &mut Memory) -> Step {
        while let Some(waiting) = self.queue.front() {
            if let Some(due) = waiting.due.filter(|due| *due > Instant::now()) {
                return Step::Sleep(due);
            }
            if let Some(parcel) = memory.parcel(waiting.delivery) {
                return Step::Send(parcel);
            }
            self.queue.pop_front();
        }
        Step::Idle
    }

    /// Writes down what became of an attempt: `Ok` with what a receiver refused, or why it failed. After each failure the
    /// delivery waits for as long as `waits` says, then it is given up.
    pub(crate) fn settle(
        &mut self,
        memory: &mut Memory,
        waits: &[Duration],
        delivery: u32,
        outcome: Result<Option<String>, Failure>,
    ) {
        // Where it isn't the first any more, everything was forgotten in the meantime.
        let Some(waiting) = self.queue.front_mut().filter(|waiting| waiting.delivery == delivery) else { return };
        let wait = waits.get(waiting.tries);
        waiting.tries += 1;
        let (state, reason) = match (outcome, wait) {
            (Ok(refused), _) => (DeliveryState::Delivered, refused),
            (Err(Failure { reason, again: true }), Some(wait)) => {
                waiting.due = Some(after(*wait));
                memory.mark(delivery, DeliveryState::Waiting, Some(reason));
                return;
            }
            (Err(Failure { reason, .. }), _) => (DeliveryState::Failed, Some(reason)),
        };
        memory.mark(delivery, state, reason);
        self.queue.pop_front();
        self.end.moved.notify_waiters();
    }

    /// Whether something waits here that happened to the same before that delivery.
    pub(super) fn is_behind(&self, memory: &Memory, delivery: u32) -> bool {
        let subject = |id: u32| memory.get(id).map(|delivery| &delivery.happening.subject);
        let Some(asked) = subject(delivery) else { return false };
        let mut earlier = self.queue.iter().map(|waiting| waiting.delivery).filter(|waiting| *waiting < delivery);
        earlier.any(|waiting| subject(waiting) == Some(asked))
    }

    /// Forgets what waits.
    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.rest = None;
        self.end.changed.notify_one();
        self.end.moved.notify_waiters();
    }

    /// Ends the line; what waits has failed.
    pub(crate) fn close(self, memory: &mut Memory) {
        self.end.gone.cancel();
        for waiting in self.queue {
            memory.mark(waiting.delivery, DeliveryState::Failed, Some(REMOVED.to_owned()));
        }
    }
}

/// The moment after that time; a time without end lasts for years.
pub(crate) fn after(time: Duration) -> Instant {
    const YEARS: Duration = Duration::from_secs(10 * 365 * 86_400);
    Instant::now() + time.min(YEARS)
}
