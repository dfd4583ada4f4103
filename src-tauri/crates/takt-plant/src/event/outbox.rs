//! Delivers events to targets, and sends them checks (events 10 and 11).
//!
//! One lock protects the queues and the stored deliveries. It may be taken while the store is locked, but not vice
//! versa. A target that doesn't reply properly to checks must neither stop nor delay the floor.

use std::sync::Arc;

use axum::body::Bytes;
use jiff::civil::DateTime;
use parking_lot::Mutex;
use takt_contract::{form::ReplyForm, wire::Event};
use tokio::{
    runtime::Handle,
    select,
    task::JoinHandle,
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::{
    delivery::{Delivery, DeliveryRecords, DeliveryState, TargetRef},
    delivery_format::{DeliveryFormat, deadline_after},
    sender::{EventSender, OutgoingEvent, ReplyBody},
    target_queue::{AttemptFailure, QueueHandle, TargetQueue, WorkerStep},
};
use crate::{Clock, EventKind, PlantError, Target, domain_event::DomainEvent, secret};

const SUBJECT_MISSING: &str = "what it is about is gone";
/// The reason why a check isn't sent while an earlier event of the operation is queued.
const EVENTS_PENDING: &str = "not asked, since what happened before is not delivered yet";

pub(crate) struct Outbox {
    pub(crate) format: DeliveryFormat,
    pub(crate) clock: Clock,
    /// Canceled when the plant stops.
    pub(crate) shutdown_token: CancellationToken,
    pub(crate) state: Mutex<OutboxState>,
    /// Distinguishes the delivery IDs of this run from those of earlier runs.
    run_id: String,
}

#[derive(Default)]
pub(crate) struct OutboxState {
    pub(crate) deliveries: DeliveryRecords,
    pub(crate) queues: Vec<TargetQueue>,
    last_target: u32,
}

/// A check to be sent to one target.
pub(crate) struct PendingCheck {
    target: u32,
    delivery: u32,
    handle: Arc<QueueHandle>,
}

/// The reason why a delivery can't be retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RetryError {
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
        shutdown_token: CancellationToken,
    ) -> Result<Arc<Self>, PlantError> {
        let run_id = secret::generate()?.chars().take(8).collect();
        Ok(Arc::new(Self { format, clock, shutdown_token, run_id, state: Mutex::default() }))
    }

    /// Adds a target and returns its ID.
    pub(crate) fn add_target(&self, target: Target) -> Result<u32, PlantError> {
        let (url, display_url) = (target.address()?, target.display_url().into());
        let sender = EventSender::new(target.clone(), url, self.run_id.clone());
        let mut state = self.state.lock();
        state.last_target += 1;
        let id = state.last_target;
        state.queues.push(TargetQueue::new(TargetRef { id, display_url }, target, sender));
        Ok(id)
    }

    /// Removes a target. Its queued deliveries become failed. Returns false if the target doesn't exist.
    pub(crate) fn remove_target(&self, id: u32) -> bool {
        let mut state = self.state.lock();
        let Some(position) = state.position(id) else { return false };
        let queue = state.queues.remove(position);
        queue.close(&mut state.deliveries);
        true
    }

    /// Queues an event for every target that accepts it. Returns the number of these targets. `payload` is called only
    /// if there is one.
    pub(crate) fn enqueue_event(
        self: &Arc<Self>,
        event: DomainEvent,
        at: DateTime,
        payload: impl FnOnce(&DomainEvent) -> Option<Event>,
    ) -> usize {
        let mut state = self.state.lock();
        let recorded = state.record_deliveries(event, at, payload);
        for (position, delivery) in &recorded {
            self.queue_delivery(&mut state, *position, *delivery);
        }
        recorded.len()
    }

    /// Queues a failed delivery again.
    pub(crate) fn retry_delivery(self: &Arc<Self>, id: u32) -> Result<(), RetryError> {
        let mut state = self.state.lock();
        let delivery = state.deliveries.get(id).ok_or(RetryError::Unknown)?;
        let target = delivery.target.as_ref().filter(|_| delivery.state == DeliveryState::Failed);
        let target = target.ok_or(RetryError::NotFailed)?.id;
        let position = state.position(target).ok_or(RetryError::Removed)?;
        state.deliveries.set_state(id, DeliveryState::Waiting, None);
        self.queue_delivery(&mut state, position, id);
        Ok(())
    }

    /// Removes all deliveries, including queued ones. Targets aren't removed.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        state.deliveries.clear();
        state.queues.iter_mut().for_each(TargetQueue::clear);
    }

    pub(crate) fn next_step(&self, target: u32) -> WorkerStep {
        let mut state = self.state.lock();
        let OutboxState { deliveries, queues, .. } = &mut *state;
        let queue = queues.iter_mut().find(|queue| queue.target_ref.id == target);
        queue.map_or(WorkerStep::Idle, |queue| queue.next_step(deliveries))
    }

    /// Records the outcome of an attempt.
    pub(crate) fn record_outcome(&self, target: u32, delivery: u32, outcome: Result<Option<String>, AttemptFailure>) {
        let mut state = self.state.lock();
        let OutboxState { deliveries, queues, .. } = &mut *state;
        if let Some(queue) = queues.iter_mut().find(|queue| queue.target_ref.id == target) {
            queue.record_outcome(deliveries, &self.format.delivery_timing.retry_waits, delivery, outcome);
        }
    }

    /// Queues a delivery and starts the worker if it isn't running. Without a Tokio runtime, the worker is started by
    /// the next call within one.
    fn queue_delivery(self: &Arc<Self>, state: &mut OutboxState, position: usize, delivery: u32) {
        let OutboxState { deliveries, queues, .. } = state;
        let Some(queue) = queues.get_mut(position) else { return };
        queue.push(deliveries, delivery);
        if queue.worker.as_ref().is_none_or(JoinHandle::is_finished)
            && let Ok(runtime) = Handle::try_current()
        {
            let work = run_worker(Arc::clone(self), queue.target_ref.id, Arc::clone(&queue.handle));
            queue.worker = Some(runtime.spawn(work));
        }
    }

    /// Records a check for each target that accepts it, and returns the checks to send. A target is skipped for a while
    /// after it failed to reply to a check.
    pub(crate) fn record_checks(
        &self,
        event: DomainEvent,
        at: DateTime,
        payload: impl FnOnce(&DomainEvent) -> Option<Event>,
    ) -> Vec<PendingCheck> {
        let mut state = self.state.lock();
        let mut checks = Vec::new();
        for (position, delivery) in state.record_deliveries(event, at, payload) {
            let queue = &state.queues[position];
            if let Some((until, why)) = &queue.check_pause
                && *until > Instant::now()
            {
                let rest = self.format.delivery_timing.check_pause.as_secs_f64();
                let reason = format!("not asked, since its last check failed within {rest} s: {why}");
                state.deliveries.set_state(delivery, DeliveryState::Failed, Some(reason));
                continue;
            }
            checks.push(PendingCheck { target: queue.target_ref.id, delivery, handle: Arc::clone(&queue.handle) });
        }
        checks
    }

    /// Sends a check. Returns the reasons of a refusal, or none if the target allows the action.
    pub(crate) async fn send_check(self: Arc<Self>, check: PendingCheck) -> Vec<String> {
        let answered = select! {
            () = self.shutdown_token.cancelled() => Err("the plant stopped".to_owned()),
            () = check.handle.removed.cancelled() => Err("the target was removed".to_owned()),
            sent = self.send_in_order(&check) => sent.and_then(|reply| refusal_reasons(&reply, &self.format.reply)),
        };
        self.record_reply(&check, answered.as_ref());
        match answered {
            Ok(refused) => refused,
            Err(_) if self.format.allows_unanswered => Vec::new(),
            Err(reason) => vec![format!("A receiver gave no usable answer: {reason}.")],
        }
    }

    /// Sends a check after the target's queue has no earlier event of the operation.
    async fn send_in_order(&self, check: &PendingCheck) -> Result<ReplyBody, String> {
        let turn = async {
            loop {
                let dequeued = check.handle.dequeued.notified();
                if !self.state.lock().has_earlier_event(check.target, check.delivery) {
                    return;
                }
                dequeued.await;
            }
        };
        timeout_at(deadline_after(self.format.delivery_timing.response_timeout), turn)
            .await
            .map_err(|_| EVENTS_PENDING.to_owned())?;
        let outgoing = self.state.lock().deliveries.next_attempt(check.delivery).ok_or("the delivery was forgotten")?;
        check.handle.sender.send(&outgoing, &self.format, &self.clock).await
    }

    fn record_reply(&self, check: &PendingCheck, answered: Result<&Vec<String>, &String>) {
        let (outcome, reason) = match answered {
            Ok(refused) => (DeliveryState::Delivered, (!refused.is_empty()).then(|| refused.join(" "))),
            Err(reason) => (DeliveryState::Failed, Some(reason.clone())),
        };
        let mut state = self.state.lock();
        let remembered = state.deliveries.set_state(check.delivery, outcome, reason);
        let queue = state.queues.iter_mut().find(|queue| queue.target_ref.id == check.target);
        if let Some(queue) = queue.filter(|_| remembered) {
            queue.check_pause =
                answered.err().map(|why| (deadline_after(self.format.delivery_timing.check_pause), why.clone()));
        }
    }
}

impl OutboxState {
    /// Stores a delivery for each target that accepts the event. Returns the positions of the targets with their
    /// deliveries. Without such a target or without a payload, stores one delivery without a target.
    fn record_deliveries(
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

    /// Returns whether the target's queue has an earlier event of the delivery's subject.
    pub(super) fn has_earlier_event(&self, target: u32, delivery: u32) -> bool {
        self.position(target)
            .is_some_and(|position| self.queues[position].has_earlier_event(&self.deliveries, delivery))
    }

    fn position(&self, target: u32) -> Option<usize> {
        self.queues.iter().position(|queue| queue.target_ref.id == target)
    }
}

/// Sends the deliveries in a target's queue one after the other, until the target is removed or the plant stops.
async fn run_worker(outbox: Arc<Outbox>, target: u32, handle: Arc<QueueHandle>) {
    let work = async {
        loop {
            match outbox.next_step(target) {
                WorkerStep::Send(outgoing) => attempt_delivery(&outbox, target, &handle, &outgoing).await,
                WorkerStep::Sleep(due) => select! {
                    () = sleep_until(due) => {}
                    () = handle.queue_changed.notified() => {}
                },
                WorkerStep::Idle => handle.queue_changed.notified().await,
            }
        }
    };
    select! {
        () = outbox.shutdown_token.cancelled() => {}
        () = handle.removed.cancelled() => {}
        () = work => {}
    }
}

async fn attempt_delivery(outbox: &Outbox, target: u32, handle: &QueueHandle, outgoing: &OutgoingEvent) {
    let sent = handle.sender.send(outgoing, &outbox.format, &outbox.clock).await;
    let outcome = match sent {
        Ok(reply) => evaluate_reply(outgoing.kind, &reply, &outbox.format.reply),
        Err(reason) => Err(AttemptFailure { reason, is_retryable: true }),
    };
    if let Err(AttemptFailure { reason, .. }) = &outcome {
        tracing::warn!(target, delivery = outgoing.delivery, attempt = outgoing.attempt, %reason, "an event wasn't delivered");
    }
    outbox.record_outcome(target, outgoing.delivery, outcome);
}

/// Evaluates a 2xx response. It confirms an event. For a check, it contains the refusal, if any. An unusable reply to a
/// check isn't retried.
fn evaluate_reply(kind: EventKind, reply: &ReplyBody, form: &ReplyForm) -> Result<Option<String>, AttemptFailure> {
    if !kind.is_check() {
        return Ok(None);
    }
    let refused = refusal_reasons(reply, form).map_err(|reason| AttemptFailure { reason, is_retryable: false })?;
    Ok((!refused.is_empty()).then(|| refused.join(" ")))
}

/// Returns the reasons of a refusal. Empty if the reply allows the action or has an empty body. Fails if the reply does
/// neither.
fn refusal_reasons(reply: &ReplyBody, form: &ReplyForm) -> Result<Vec<String>, String> {
    let body = reply.as_ref().map_err(Clone::clone)?;
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let refused = serde_json::from_slice(body).ok().and_then(|reply| form.refusal_reasons(&reply));
    let lists_reasons = form.body.to_string().contains("\"$reasons\"");
    let reason =
        if lists_reasons { "the answer has no list of errors" } else { "the answer allows and refuses nothing" };
    refused.ok_or_else(|| reason.to_owned())
}
