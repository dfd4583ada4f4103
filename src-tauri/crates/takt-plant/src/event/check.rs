//! Checks (events 10 and 11): all targets that accept them are asked at once, and each may refuse.
//!
//! Leaves the meaning of a reply to `reply`. A target that doesn't reply properly must neither stop the floor nor slow it
//! down.

use std::sync::Arc;

use jiff::civil::DateTime;
use takt_contract::wire::Event;
use tokio::{
    select,
    time::{Instant, timeout_at},
};

use super::{
    delivery_format::deadline_after,
    line::QueueHandle,
    outbox::Outbox,
    reply::{ReplyBody, refusal_reasons},
};
use crate::{DeliveryState, domain_event::DomainEvent};

/// The reason if a target isn't asked because an earlier event of the operation is still undelivered.
const EVENTS_PENDING: &str = "not asked, since what happened before is not delivered yet";

/// One check for one target.
pub(crate) struct Check {
    target: u32,
    delivery: u32,
    handle: Arc<QueueHandle>,
}

impl Outbox {
    /// Records a check for each target that accepts it, and returns those to send. A target whose last check failed
    /// gets none for a while.
    pub(crate) fn checks(
        &self,
        event: DomainEvent,
        at: DateTime,
        payload: impl FnOnce(&DomainEvent) -> Option<Event>,
    ) -> Vec<Check> {
        let mut state = self.state.lock();
        let mut checks = Vec::new();
        for (position, delivery) in state.record(event, at, payload) {
            let queue = &state.queues[position];
            if let Some((until, why)) = &queue.check_pause
                && *until > Instant::now()
            {
                let rest = self.format.delivery_timing.rest.as_secs_f64();
                let reason = format!("not asked, since its last check failed within {rest} s: {why}");
                state.deliveries.set_state(delivery, DeliveryState::Failed, Some(reason));
                continue;
            }
            checks.push(Check { target: queue.target_ref.id, delivery, handle: Arc::clone(&queue.handle) });
        }
        checks
    }

    /// Sends a check and returns the reasons of a refusal.
    pub(crate) async fn check(self: Arc<Self>, check: Check) -> Vec<String> {
        let answered = select! {
            () = self.closing.cancelled() => Err("the plant stopped".to_owned()),
            () = check.handle.removed.cancelled() => Err("the target was removed".to_owned()),
            sent = self.ask(&check) => sent.and_then(|reply| refusal_reasons(&reply, &self.format.reply)),
        };
        self.record_reply(&check, answered.as_ref());
        match answered {
            Ok(refused) => refused,
            Err(_) if self.format.allows_unanswered => Vec::new(),
            Err(reason) => vec![format!("A receiver gave no usable answer: {reason}.")],
        }
    }

    /// Sends the check once no earlier event of the operation waits in the target's queue.
    async fn ask(&self, check: &Check) -> Result<ReplyBody, String> {
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

    fn record_reply(&self, check: &Check, answered: Result<&Vec<String>, &String>) {
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
