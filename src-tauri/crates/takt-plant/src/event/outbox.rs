//! The outbox: delivers events to the targets, and asks them checks (events 10 and 11).
//!
//! Owns the lock over the targets' queues and the stored deliveries. It's taken inside the store's lock, never the
//! other way round.
//! A target that doesn't reply properly to a check must neither stop the floor nor slow it down.

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
/// The reason if a target isn't asked because an earlier event of the operation is still undelivered.
const EVENTS_PENDING: &str = "not asked, since what happened before is not delivered yet";

/// Delivers events to targets.
pub(crate) struct Outbox {
    pub(crate) format: DeliveryFormat,
    pub(crate) clock: Clock,
    /// Canceled when the plant stops.
    pub(crate) closing: CancellationToken,
    pub(crate) state: Mutex<OutboxState>,
    /// Distinguishes the deliveries of this run from those of other runs.
    run_id: String,
}

#[derive(Default)]
pub(crate) struct OutboxState {
    pub(crate) deliveries: DeliveryRecords,
    pub(crate) queues: Vec<TargetQueue>,
    last_target: u32,
}

/// One check for one target.
pub(crate) struct PendingCheck {
    target: u32,
    delivery: u32,
    handle: Arc<QueueHandle>,
}

/// Why a delivery can't be retried.
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
        closing: CancellationToken,
    ) -> Result<Arc<Self>, PlantError> {
        let run_id = secret::generate()?.chars().take(8).collect();
        Ok(Arc::new(Self { format, clock, closing, run_id, state: Mutex::default() }))
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

    /// Removes a target. Deliveries in its queue have failed. Returns false if the target doesn't exist.
    pub(crate) fn remove_target(&self, id: u32) -> bool {
        let mut state = self.state.lock();
        let Some(position) = state.position(id) else { return false };
        let queue = state.queues.remove(position);
        queue.close(&mut state.deliveries);
        true
    }

    /// Queues an event for every target that accepts it, and returns how many. `payload` is only called if there is
    /// one.
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

    /// Appends a failed delivery to its target's queue.
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

    /// Removes all deliveries, also queued ones. The targets stay.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        state.deliveries.clear();
        state.queues.iter_mut().for_each(TargetQueue::clear);
    }

    /// Returns the next step of a target's worker.
    pub(crate) fn next_step(&self, target: u32) -> WorkerStep {
        let mut state = self.state.lock();
        let OutboxState { deliveries, queues, .. } = &mut *state;
        let queue = queues.iter_mut().find(|queue| queue.target_ref.id == target);
        queue.map_or(WorkerStep::Idle, |queue| queue.next_step(deliveries))
    }

    /// Records the outcome of a worker's attempt.
    pub(crate) fn record_outcome(&self, target: u32, delivery: u32, outcome: Result<Option<String>, AttemptFailure>) {
        let mut state = self.state.lock();
        let OutboxState { deliveries, queues, .. } = &mut *state;
        if let Some(queue) = queues.iter_mut().find(|queue| queue.target_ref.id == target) {
            queue.record_outcome(deliveries, &self.format.delivery_timing.waits, delivery, outcome);
        }
    }

    /// Queues a delivery and starts its worker if none runs. Outside a Tokio runtime, the next call inside one starts
    /// it.
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

    /// Records a check for each target that accepts it, and returns those to send. A target whose last check failed
    /// gets none for a while.
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
                let rest = self.format.delivery_timing.rest.as_secs_f64();
                let reason = format!("not asked, since its last check failed within {rest} s: {why}");
                state.deliveries.set_state(delivery, DeliveryState::Failed, Some(reason));
                continue;
            }
            checks.push(PendingCheck { target: queue.target_ref.id, delivery, handle: Arc::clone(&queue.handle) });
        }
        checks
    }

    /// Sends a check and returns the reasons of a refusal.
    pub(crate) async fn send_check(self: Arc<Self>, check: PendingCheck) -> Vec<String> {
        let answered = select! {
            () = self.closing.cancelled() => Err("the plant stopped".to_owned()),
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

    /// Sends the check once no earlier event of the operation waits in the target's queue.
    async fn send_in_order(&self, check: &PendingCheck) -> Result<ReplyBody, String> {
        let turn = async {
            loop {
                let dequeued = check.handle.dequeued.notified();
                if !self.state.lock().is_behind(check.target, check.delivery) {
                    return;
                }
                dequeued.await;
            }
        };
        timeout_at(deadline_after(self.format.delivery_timing.answer), turn)
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
                answered.err().map(|why| (deadline_after(self.format.delivery_timing.rest), why.clone()));
        }
    }
}

impl OutboxState {
    /// Stores one delivery per target that accepts the event. Returns the targets' positions and the deliveries. If
    /// there is no such target or no payload, stores a single delivery without a target.
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
        () = outbox.closing.cancelled() => {}
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

/// Evaluates a 2xx. It means that an event arrived, or for a check, contains the refusal. An unusable reply isn't
/// retried.
fn evaluate_reply(kind: EventKind, reply: &ReplyBody, form: &ReplyForm) -> Result<Option<String>, AttemptFailure> {
    if !kind.is_check() {
        return Ok(None);
    }
    let refused = refusal_reasons(reply, form).map_err(|reason| AttemptFailure { reason, is_retryable: false })?;
    Ok((!refused.is_empty()).then(|| refused.join(" ")))
}

/// Returns the reasons of a refusal. Empty if the reply allows or its body is empty. An error if the reply does
/// neither.
fn refusal_reasons(reply: &ReplyBody, form: &ReplyForm) -> Result<Vec<String>, String> {
    let body = reply.as_ref().map_err(Clone::clone)?;
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Vec::new());
    }
    let refused = serde_json::from_slice(body).ok().and_then(|reply| form.refusal(&reply));
    let lists_reasons = form.body.to_string().contains("\"$reasons\"");
    let reason =
        if lists_reasons { "the answer has no list of errors" } else { "the answer allows and refuses nothing" };
    refused.ok_or_else(|| reason.to_owned())
}
