//! Sends a target's queue, one delivery after the other, until the target is removed or the plant stops.

use std::sync::Arc;

use takt_contract::form::ReplyForm;
use tokio::{select, time::sleep_until};

use crate::{
    EventKind,
    event::{
        check::refusal_reasons,
        line::{Failure, QueueHandle, Step},
        outbox::Outbox,
        post::{OutgoingEvent, ReplyBody},
    },
};

/// Runs the worker of a target.
pub(super) async fn run(outbox: Arc<Outbox>, target: u32, handle: Arc<QueueHandle>) {
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
