//! Events 10 and 11: everybody who wants them is asked at once, and each may refuse.
//!
//! Owns what an answer means, and that one who doesn't answer properly neither stops the floor nor slows it down.

use std::sync::Arc;

use jiff::civil::DateTime;
use takt_contract::{form::ReplyForm, wire::Event};
use tokio::{
    select,
    time::{Instant, timeout_at},
};

use crate::{
    DeliveryState,
    domain_event::DomainEvent,
    event::{
        line::{LineEnd, after},
        outbox::Outbox,
        post::Reply,
    },
};

/// Why a receiver isn't asked that hasn't got what the operation did before.
const BEHIND: &str = "not asked, since what happened before is not delivered yet";

/// One question to one target.
pub(crate) struct Check {
    target: u32,
    delivery: u32,
    end: Arc<LineEnd>,
}

impl Outbox {
    /// The questions to all that are to be asked. A target whose last check failed is left alone for a while.
    pub(crate) fn checks(
        &self,
        happening: DomainEvent,
        at: DateTime,
        payload: impl FnOnce(&DomainEvent) -> Option<Event>,
    ) -> Vec<Check> {
        let mut state = self.state.lock();
        let mut checks = Vec::new();
        for (position, delivery) in state.write(happening, at, payload) {
            let line = &state.lines[position];
            if let Some((until, why)) = &line.rest
                && *until > Instant::now()
            {
                let rest = self.format.delivery_timing.rest.as_secs_f64();
                let reason = format!("not asked, since its last check failed within {rest} s: {why}");
                state.memory.mark(delivery, DeliveryState::Failed, Some(reason));
                continue;
            }
            checks.push(Check { target: line.addressed.id, delivery, end: Arc::clone(&line.end) });
        }
        checks
    }

    /// Asks, and says what was refused.
    pub(crate) async fn check(self: Arc<Self>, check: Check) -> Vec<String> {
        let answered = select! {
            () = self.closing.cancelled() => Err("the plant stopped".to_owned()),
            () = check.end.gone.cancelled() => Err("the target was removed".to_owned()),
            sent = self.ask(&check) => sent.and_then(|reply| reasons(&reply, &self.format.reply)),
        };
        self.answered(&check, answered.as_ref());
        match answered {
            Ok(refused) => refused,
            Err(_) if self.format.allowed => Vec::new(),
            Err(reason) => vec![format!("A receiver gave no usable answer: {reason}.")],
        }
    }

    /// Sends the question once the target has got what the operation did before, or that was given up.
    async fn ask(&self, check: &Check) -> Result<Reply, String> {
        let turn = async {
            loop {
                let moved = check.end.moved.notified();
                if !self.state.lock().is_behind(check.target, check.delivery) {
                    return;
                }
                moved.await;
            }
        };
        timeout_at(after(self.format.delivery_timing.answer), turn).await.map_err(|_| BEHIND.to_owned())?;
        let parcel = self.state.lock().memory.parcel(check.delivery).ok_or("the delivery was forgotten")?;
        check.end.sender.send(&parcel, &self.format, &self.clock).await
    }

    fn answered(&self, check: &Check, answered: Result<&Vec<String>, &String>) {
        let (outcome, reason) = match answered {
            Ok(refused) => (DeliveryState::Delivered, (!refused.is_empty()).then(|| refused.join(" "))),
            Err(reason) => (DeliveryState::Failed, Some(reason.clone())),
        };
        let mut state = self.state.lock();
        let remembered = state.memory.mark(check.delivery, outcome, reason);
        let line = state.lines.iter_mut().find(|line| line.addressed.id == check.target);
        if let Some(line) = line.filter(|_| remembered) {
            line.rest = answered.err().map(|why| (after(self.format.delivery_timing.rest), why.clone()));
        }
    }
}

/// What a receiver refused: nothing, where its reply allows or its body is empty. `Err`: the answer says neither.
pub(crate) fn reasons(reply: &Reply, form: &ReplyForm) -> Result<Vec<String>, String> {
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
