//! The outbox: the targets' queues and the stored deliveries.
//!
//! Owns the lock over both, and which target accepts which event.
//! Leaves the order per target and the schedule to `line`, sending to `post`, and checks to `check`.
//! Its lock is taken inside the store's lock, never the other way round.

use std::sync::Arc;

use axum::body::Bytes;
use jiff::civil::DateTime;
use parking_lot::Mutex;
use takt_contract::{form::ReplyForm, wire::Event};
use tokio::{runtime::Handle, select, task::JoinHandle, time::sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    delivery::{Delivery, DeliveryRecords, TargetRef},
    delivery_format::DeliveryFormat,
    line::{Failure, QueueHandle, Step, TargetQueue},
    post::{OutgoingEvent, Sender},
    reply::{ReplyBody, refusal_reasons},
};
use crate::{Clock, DeliveryState, EventKind, PlantError, Target, domain_event::DomainEvent, secret};

const SUBJECT_MISSING: &str = "what it is about is gone";

/// Delivers events to targets.
pub(crate) struct Outbox {
    pub(crate) format: DeliveryFormat,
    pub(crate) clock: Clock,
    /// Canceled when the plant stops.
    pub(crate) closing: CancellationToken,
    pub(crate) state: Mutex<State>,
    /// Distinguishes the deliveries of this run from those of other runs.
    run_id: String,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) deliveries: DeliveryRecords,
    pub(crate) queues: Vec<TargetQueue>,
    last_target: u32,
}

/// Why a delivery can't be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoRetry {
    #[error("There is no such delivery.")]
    Unknown,
    #[error("The delivery has not failed.")]
    NotFailed,
    #[error("Its target was removed.")]
    Removed,
}

impl Outbox {
    pub(crate) fn new(
        format: DeliveryFormat,
        clock: Clock,
        closing: CancellationToken,
    ) -> Result<Arc<Self>, PlantError> {
        let run_id = secret::random()?.chars().take(8).collect();
        Ok(Arc::new(Self { format, clock, closing, run_id, state: Mutex::default() }))
    }

    /// Adds a target and returns its ID.
    pub(crate) fn add(&self, target: Target) -> Result<u32, PlantError> {
        let (url, display_url) = (target.address()?, target.display_url().into());
        let sender = Sender::new(target.clone(), url, self.run_id.clone());
        let mut state = self.state.lock();
        state.last_target += 1;
        let id = state.last_target;
        state.queues.push(TargetQueue::new(TargetRef { id, display_url }, target, sender));
        Ok(id)
    }

    /// Removes a target. Deliveries in its queue have failed. Returns false if the target doesn't exist.
    pub(crate) fn remove(&self, id: u32) -> bool {
        let mut state = self.state.lock();
        let Some(position) = state.position(id) else { return false };
        let queue = state.queues.remove(position);
        queue.close(&mut state.deliveries);
        true
    }

    /// Queues an event for every target that accepts it, and returns how many. `payload` is only called if there is
    /// one.
    pub(crate) fn enqueue(
        self: &Arc<Self>,
        event: DomainEvent,
        at: DateTime,
        payload: impl FnOnce(&DomainEvent) -> Option<Event>,
    ) -> usize {
        let mut state = self.state.lock();
        let recorded = state.record(event, at, payload);
        for (position, delivery) in &recorded {
            self.queue_delivery(&mut state, *position, *delivery);
        }
        recorded.len()
    }

    /// Appends a failed delivery to its target's queue.
    pub(crate) fn retry(self: &Arc<Self>, id: u32) -> Result<(), NoRetry> {
        let mut state = self.state.lock();
        let delivery = state.deliveries.get(id).ok_or(NoRetry::Unknown)?;
        let target = delivery.target.as_ref().filter(|_| delivery.state == DeliveryState::Failed);
        let target = target.ok_or(NoRetry::NotFailed)?.id;
        let position = state.position(target).ok_or(NoRetry::Removed)?;
        state.deliveries.set_state(id, DeliveryState::Waiting, None);
        self.queue_delivery(&mut state, position, id);
        Ok(())
    }

    /// Removes all deliveries, also queued ones. The targets stay.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        state.deliveries.clear();
        state.queues.iter_mut().for_each(TargetQueue::clear);
    }

    /// Returns the next step of a target's worker.
    pub(crate) fn next(&self, target: u32) -> Step {
        let mut state = self.state.lock();
        let State { deliveries, queues, .. } = &mut *state;
        let queue = queues.iter_mut().find(|queue| queue.target_ref.id == target);
        queue.map_or(Step::Idle, |queue| queue.next(deliveries))
    }

    /// Records the outcome of a worker's attempt.
    pub(crate) fn record_outcome(&self, target: u32, delivery: u32, outcome: Result<Option<String>, Failure>) {
        let mut state = self.state.lock();
        let State { deliveries, queues, .. } = &mut *state;
        if let Some(queue) = queues.iter_mut().find(|queue| queue.target_ref.id == target) {
            queue.record_outcome(deliveries, &self.format.delivery_timing.waits, delivery, outcome);
        }
    }

    /// Queues a delivery and starts its worker if none runs. Outside a Tokio runtime, the next call inside one starts
    /// it.
    fn queue_delivery(self: &Arc<Self>, state: &mut State, position: usize, delivery: u32) {
        let State { deliveries, queues, .. } = state;
        let Some(queue) = queues.get_mut(position) else { return };
        queue.push(deliveries, delivery);
        if queue.worker.as_ref().is_none_or(JoinHandle::is_finished)
            && let Ok(runtime) = Handle::try_current()
        {
            let work = run_worker(Arc::clone(self), queue.target_ref.id, Arc::clone(&queue.handle));
            queue.worker = Some(runtime.spawn(work));
        }
    }
}

impl State {
    /// Stores one delivery per target that accepts the event. Returns the targets' positions and the deliveries. If
    /// there is no such target or no payload, stores a single delivery without a target.
    pub(crate) fn record(
        &mut self,
        event: DomainEvent,
        at: DateTime,
        payload: impl FnOnce(&DomainEvent) -> Option<Event>,
    ) -> Vec<(usize, u32)> {
        let event = Arc::new(event);
        let blank = |state| Delivery::new(Arc::clone(&event), at, state);
        let accepting: Vec<usize> =
            (0..self.queues.len()).filter(|at| self.queues[*at].target.accepts(event.kind)).collect();
        if accepting.is_empty() {
            self.deliveries.add(blank(DeliveryState::Untold));
            return Vec::new();
        }
        let Some(body) = payload(&event).and_then(|event| serde_json::to_vec(&event).ok()).map(Bytes::from) else {
            self.deliveries.add(Delivery { reason: Some(SUBJECT_MISSING.to_owned()), ..blank(DeliveryState::Failed) });
            return Vec::new();
        };
        let recorded = accepting.into_iter().map(|position| {
            let target = Some(self.queues[position].target_ref.clone());
            let delivery = Delivery { target, body: Some(body.clone()), ..blank(DeliveryState::Waiting) };
            (position, self.deliveries.add(delivery))
        });
        recorded.collect()
    }

    /// Whether an earlier event of the delivery's subject waits in the target's queue.
    pub(super) fn is_behind(&self, target: u32, delivery: u32) -> bool {
        self.position(target).is_some_and(|position| self.queues[position].is_behind(&self.deliveries, delivery))
    }

    fn position(&self, target: u32) -> Option<usize> {
        self.queues.iter().position(|queue| queue.target_ref.id == target)
    }
}

/// Sends a target's queue, one delivery after the other, until the target is removed or the plant stops.
async fn run_worker(outbox: Arc<Outbox>, target: u32, handle: Arc<QueueHandle>) {
    let work = async {
        loop {
            match outbox.next(target) {
                Step::Send(outgoing) => attempt(&outbox, target, &handle, &outgoing).await,
                Step::Sleep(due) => select! {
                    () = sleep_until(due) => {}
                    () = handle.queue_changed.notified() => {}
                },
                Step::Idle => handle.queue_changed.notified().await,
            }
        }
    };
    select! {
        () = outbox.closing.cancelled() => {}
        () = handle.removed.cancelled() => {}
        () = work => {}
    }
}

async fn attempt(outbox: &Outbox, target: u32, handle: &QueueHandle, outgoing: &OutgoingEvent) {
    let sent = handle.sender.send(outgoing, &outbox.format, &outbox.clock).await;
    let outcome = match sent {
        Ok(reply) => evaluate_reply(outgoing.kind, &reply, &outbox.format.reply),
        Err(reason) => Err(Failure { reason, is_retryable: true }),
    };
    if let Err(Failure { reason, .. }) = &outcome {
        tracing::warn!(target, delivery = outgoing.delivery, attempt = outgoing.attempt, %reason, "an event wasn't delivered");
    }
    outbox.record_outcome(target, outgoing.delivery, outcome);
}

/// Evaluates a 2xx. It means that an event arrived, or for a check, contains the refusal. An unusable reply isn't
/// retried.
fn evaluate_reply(kind: EventKind, reply: &ReplyBody, form: &ReplyForm) -> Result<Option<String>, Failure> {
    if !kind.asks() {
        return Ok(None);
    }
    let refused = refusal_reasons(reply, form).map_err(|reason| Failure { reason, is_retryable: false })?;
    Ok((!refused.is_empty()).then(|| refused.join(" ")))
}
