//! A target with its queue. Each event is sent only after the previous one was delivered or failed.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use tokio::{sync::Notify, task::JoinHandle, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    delivery::{DeliveryRecords, DeliveryState, TargetRef},
    delivery_format::deadline_after,
    sender::{EventSender, OutgoingEvent},
};
use crate::Target;

/// The maximum number of deliveries in a target's queue.
const MAX_QUEUE_LENGTH: usize = 10_000;
const QUEUE_FULL: &str = "queue full";
const TARGET_REMOVED: &str = "the target was removed";

pub(crate) struct TargetQueue {
    pub(crate) target: Target,
    pub(crate) target_ref: TargetRef,
    pub(crate) handle: Arc<QueueHandle>,
    pub(crate) worker: Option<JoinHandle<()>>,
    /// The end of the pause after a failed check, and the reason for the failure.
    pub(crate) check_pause: Option<(Instant, String)>,
    queue: VecDeque<QueuedDelivery>,
}

/// The parts that are used without locking the outbox.
pub(crate) struct QueueHandle {
    pub(super) sender: EventSender,
    /// Notified when a delivery is added or the queue is cleared.
    pub(crate) queue_changed: Notify,
    /// Notified when a delivery leaves the queue.
    pub(super) dequeued: Notify,
    /// Canceled when the target is removed.
    pub(crate) removed: CancellationToken,
}

struct QueuedDelivery {
    delivery: u32,
    /// The number of attempts since the delivery was queued.
    attempts: usize,
    due_at: Option<Instant>,
}

/// The next step of the worker that sends a target's deliveries.
pub(crate) enum WorkerStep {
    Send(OutgoingEvent),
    /// Wait until the first delivery is due.
    Sleep(Instant),
    Idle,
}

#[derive(Debug)]
pub(crate) struct AttemptFailure {
    pub(crate) reason: String,
    /// Whether another attempt may succeed.
    pub(crate) is_retryable: bool,
}

impl TargetQueue {
    pub(super) fn new(target_ref: TargetRef, target: Target, sender: EventSender) -> Self {
        let handle = Arc::new(QueueHandle {
            sender,
            queue_changed: Notify::new(),
            dequeued: Notify::new(),
            removed: CancellationToken::new(),
        });
        Self { target, target_ref, handle, worker: None, check_pause: None, queue: VecDeque::new() }
    }

    /// Appends a delivery. If the queue is full, the delivery fails.
    pub(crate) fn push(&mut self, deliveries: &mut DeliveryRecords, delivery: u32) {
        if self.queue.len() < MAX_QUEUE_LENGTH {
            self.queue.push_back(QueuedDelivery { delivery, attempts: 0, due_at: None });
            self.handle.queue_changed.notify_one();
        } else {
            deliveries.set_state(delivery, DeliveryState::Failed, Some(QUEUE_FULL.to_owned()));
        }
    }

    /// Returns the next step of the worker. A step to send counts as an attempt.
    pub(crate) fn next_step(&mut self, deliveries: &mut DeliveryRecords) -> WorkerStep {
        while let Some(queued) = self.queue.front() {
            if let Some(due) = queued.due_at.filter(|due| *due > Instant::now()) {
                return WorkerStep::Sleep(due);
            }
            if let Some(outgoing) = deliveries.next_attempt(queued.delivery) {
                return WorkerStep::Send(outgoing);
            }
            self.queue.pop_front();
        }
        WorkerStep::Idle
    }

    /// Records the outcome of an attempt. `Ok` contains the receiver's refusal, if any. After a failure, the delivery
    /// waits according to `waits`. After the attempt that follows the last wait, it fails for good.
    pub(crate) fn record_outcome(
        &mut self,
        deliveries: &mut DeliveryRecords,
        waits: &[Duration],
        delivery: u32,
        outcome: Result<Option<String>, AttemptFailure>,
    ) {
        // If another delivery is first, the queue was cleared meanwhile.
        let Some(queued) = self.queue.front_mut().filter(|queued| queued.delivery == delivery) else { return };
        let wait = waits.get(queued.attempts);
        queued.attempts += 1;
        let (state, reason) = match (outcome, wait) {
            (Ok(refused), _) => (DeliveryState::Delivered, refused),
            (Err(AttemptFailure { reason, is_retryable: true }), Some(wait)) => {
                queued.due_at = Some(deadline_after(*wait));
                deliveries.set_state(delivery, DeliveryState::Waiting, Some(reason));
                return;
            }
            (Err(AttemptFailure { reason, .. }), _) => (DeliveryState::Failed, Some(reason)),
        };
        deliveries.set_state(delivery, state, reason);
        self.queue.pop_front();
        self.handle.dequeued.notify_waiters();
    }

    /// Returns whether the queue contains an earlier event of the same subject.
    pub(super) fn has_earlier_event(&self, deliveries: &DeliveryRecords, delivery: u32) -> bool {
        let subject = |id: u32| deliveries.get(id).map(|delivery| &delivery.event.subject);
        let Some(own_subject) = subject(delivery) else { return false };
        let mut earlier = self.queue.iter().map(|queued| queued.delivery).filter(|queued| *queued < delivery);
        earlier.any(|queued| subject(queued) == Some(own_subject))
    }

    /// Removes all deliveries from the queue and ends the pause of checks.
    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.check_pause = None;
        self.handle.queue_changed.notify_one();
        self.handle.dequeued.notify_waiters();
    }

    /// Closes the queue. Its deliveries become failed.
    pub(crate) fn close(self, deliveries: &mut DeliveryRecords) {
        self.handle.removed.cancel();
        for queued in self.queue {
            deliveries.set_state(queued.delivery, DeliveryState::Failed, Some(TARGET_REMOVED.to_owned()));
        }
    }
}
