//! Sends what waits for one target, one after the other, until the target is removed or the plant stops.

use std::sync::Arc;

use takt_contract::form::ReplyForm;
use tokio::{select, time::sleep_until};

use crate::{
    EventKind,
    event::{
        check::reasons,
        line::{Failure, LineEnd, Step},
        outbox::Outbox,
        post::{Parcel, Reply},
    },
};

/// Works on the line of that target.
pub(super) async fn run(outbox: Arc<Outbox>, target: u32, end: Arc<LineEnd>) {
    let work = async {
        loop {
            match outbox.next(target) {
                Step::Send(parcel) => attempt(&outbox, target, &end, &parcel).await,
                Step::Sleep(due) => select! {
                    () = sleep_until(due) => {}
                    () = end.changed.notified() => {}
                },
                Step::Idle => end.changed.notified().await,
            }
        }
    };
    select! {
        () = outbox.closing.cancelled() => {}
        () = end.gone.cancelled() => {}
        () = work => {}
    }
}

async fn attempt(outbox: &Outbox, target: u32, end: &LineEnd, parcel: &Parcel) {
    let sent = end.sender.send(parcel, &outbox.format, &outbox.clock).await;
    let outcome = match sent {
        Ok(reply) => answered(parcel.kind, &reply, &outbox.format.reply),
        Err(reason) => Err(Failure { reason, again: true }),
    };
    if let Err(Failure { reason, .. }) = &outcome {
        tracing::warn!(target, delivery = parcel.delivery, attempt = parcel.attempt, %reason, "an event wasn't delivered");
    }
    outbox.settle(target, parcel.delivery, outcome);
}

/// A 2xx says that the event arrived; to a question, what was refused. An answer that says neither isn't fixed by asking again.
fn answered(kind: EventKind, reply: &Reply, form: &ReplyForm) -> Result<Option<String>, Failure> {
    if !kind.asks() {
        return Ok(None);
    }
    let refused = reasons(reply, form).map_err(|reason| Failure { reason, again: false })?;
    Ok((!refused.is_empty()).then(|| refused.join(" ")))
}
