//! The plant's side of event delivery: dispatching events, checks before a move, and events on demand.

use std::sync::Arc;

use axum::body::Bytes;

use crate::{
    DeliveryState, DeliveryView, EventKind, MoveError, OrderName, Plant, PlantError, Target, TargetView,
    domain_event::DomainEvent,
    event::{About, example, payload::payload},
    store::Store,
};

impl Plant {
    /// Adds a target for all later events. The returned ID names it for [`Plant::remove_target`].
    ///
    /// # Errors
    ///
    /// [`PlantError::Target`]: the target's address can't be used.
    pub fn add_target(&self, target: Target) -> Result<u32, PlantError> {
        self.outbox.add(target)
    }

    /// Removes a target. Its queued deliveries have failed. Returns false if there is no target with that ID.
    pub fn remove_target(&self, id: u32) -> bool {
        self.outbox.remove(id)
    }

    /// Returns the targets in the order in which they were added.
    pub fn targets(&self) -> Vec<TargetView> {
        let state = self.outbox.state.lock();
        let number = |kind: &EventKind| u32::try_from(kind.id()).unwrap_or_default();
        let view = state.queues.iter().map(|queue| TargetView {
            id: queue.target_ref.id,
            url: queue.target_ref.display_url.to_string(),
            signed: queue.target.secret.is_some(),
            events: queue.target.events.iter().map(number).collect(),
        });
        view.collect()
    }

    /// Returns the latest deliveries, newest first, optionally of one state. The plant stores all that wait, the latest
    /// 10,000 that failed, and the latest 500 others.
    pub fn deliveries(&self, state: Option<DeliveryState>, limit: usize) -> Vec<DeliveryView> {
        self.outbox.state.lock().deliveries.latest(state, limit)
    }

    /// Returns a delivery with its body as it is sent.
    pub(crate) fn delivery(&self, id: u32) -> Option<(DeliveryView, Option<Bytes>)> {
        let state = self.outbox.state.lock();
        state.deliveries.get(id).map(|delivery| (delivery.view(id), delivery.body.clone()))
    }

    /// Sends an event as if it had just happened, about the given order or one that fits. A receiver's reply to events
    /// 10 and 11 is shown and changes nothing.
    ///
    /// # Errors
    ///
    /// [`MoveError::Unknown`]: the plant has nothing that the event could be about.
    pub fn fire(&self, kind: EventKind, about: Option<OrderName>) -> Result<(), MoveError> {
        self.fire_about(kind, about.map_or(About::Anything, About::Order)).map(drop)
    }

    /// Like [`Plant::fire`], but returns how many targets it was queued for.
    pub(crate) fn fire_about(&self, kind: EventKind, about: About) -> Result<usize, MoveError> {
        let store = self.store.read();
        let subject = example::find_subject(&store, kind, about)?;
        let (user, badge) = example::triggers(kind);
        Ok(self.enqueue(&store, DomainEvent { kind, subject, user, badge }))
    }

    /// Sends a check (events 10 and 11) to every target that accepts it, all at once. An error contains the reasons of
    /// all refusals. The store isn't locked meanwhile.
    pub(crate) async fn run_check(&self, event: DomainEvent) -> Result<(), Vec<String>> {
        let checks = {
            let store = self.store.read();
            let at = store.local_time(self.time());
            let unset = &self.outbox.format.unset_date;
            self.outbox.checks(event, at, |event| payload(&store, event, unset))
        };
        // Each in its own task: a reply is recorded even if the waiting task is gone.
        let spawn_check = |check| tokio::spawn(Arc::clone(&self.outbox).check(check));
        let tasks: Vec<_> = checks.into_iter().map(spawn_check).collect();
        let mut refused = Vec::new();
        for answer in tasks {
            refused.extend(answer.await.unwrap_or_default());
        }
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    /// Queues events for every target that accepts them.
    pub(crate) fn dispatch(&self, store: &Store, events: Vec<DomainEvent>) {
        for event in events {
            self.enqueue(store, event);
        }
    }

    fn enqueue(&self, store: &Store, event: DomainEvent) -> usize {
        let at = store.local_time(self.time());
        let unset = &self.outbox.format.unset_date;
        self.outbox.enqueue(event, at, |event| payload(store, event, unset))
    }
}
