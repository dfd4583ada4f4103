//! The plant tells: what happened to everybody who wants it, what is to be asked, and one of the twelve on demand.

use std::sync::Arc;

use axum::body::Bytes;

use crate::{
    DeliveryState, DeliveryView, EventKind, MoveError, OrderName, Plant, PlantError, Target, TargetView,
    domain_event::DomainEvent,
    event::{About, example, payload::payload},
    store::Store,
};

impl Plant {
    /// Tells this target, too, of everything that happens from now on. The number names it for [`Plant::remove_target`].
    ///
    /// # Errors
    ///
    /// [`PlantError::Target`]: its address can't be used.
    pub fn add_target(&self, target: Target) -> Result<u32, PlantError> {
        self.outbox.add(target)
    }

    /// Tells a target nothing more. What still waits for it has failed. False where there is none of that number.
    pub fn remove_target(&self, id: u32) -> bool {
        self.outbox.remove(id)
    }

    /// Who is told of events, in the order in which they came.
    pub fn targets(&self) -> Vec<TargetView> {
        let state = self.outbox.state.lock();
        let number = |kind: &EventKind| u32::try_from(kind.id()).unwrap_or_default();
        let view = state.lines.iter().map(|line| TargetView {
            id: line.addressed.id,
            url: line.addressed.shown.to_string(),
            signed: line.target.secret.is_some(),
            events: line.target.events.iter().map(number).collect(),
        });
        view.collect()
    }

    /// The latest deliveries, newest first; of one state where it is given. What waits is kept, and the latest 10,000 that
    /// failed; of the others the latest 500.
    pub fn deliveries(&self, state: Option<DeliveryState>, most: usize) -> Vec<DeliveryView> {
        self.outbox.state.lock().memory.latest(state, most)
    }

    /// One delivery, and its body as it is sent.
    pub(crate) fn delivery(&self, id: u32) -> Option<(DeliveryView, Option<Bytes>)> {
        let state = self.outbox.state.lock();
        state.memory.get(id).map(|delivery| (delivery.view(id), delivery.body.clone()))
    }

    /// Sends one of the twelve as if it had just happened, about that order, or about one that fits where none is named.
    /// What a receiver answers to events 10 and 11 is shown and changes nothing.
    ///
    /// # Errors
    ///
    /// [`MoveError::Unknown`]: the plant holds nothing that the event could be about.
    pub fn fire(&self, kind: EventKind, about: Option<OrderName>) -> Result<(), MoveError> {
        self.fire_about(kind, about.map_or(About::Anything, About::Order)).map(drop)
    }

    /// As [`Plant::fire`]: says to how many targets it is on its way.
    pub(crate) fn fire_about(&self, kind: EventKind, about: About) -> Result<usize, MoveError> {
        let store = self.store.read();
        let subject = example::subject(&store, kind, about)?;
        let (user, badge) = example::triggers(kind);
        Ok(self.note(&store, DomainEvent { kind, subject, user, badge }))
    }

    /// Asks every target that wants events 10 and 11, all at once. `Err`: refused, with the reasons of all that refused. A
    /// target that doesn't answer properly refuses nothing; the store isn't held meanwhile.
    pub(crate) async fn ask(&self, happening: DomainEvent) -> Result<(), Vec<String>> {
        let checks = {
            let store = self.store.read();
            let at = store.local(self.time());
            let unset = &self.outbox.format.unset;
            self.outbox.checks(happening, at, |happening| payload(&store, happening, unset))
        };
        // Each in its own task: a reply is recorded even if the waiting task is gone.
        let ask = |check| tokio::spawn(Arc::clone(&self.outbox).check(check));
        let asked: Vec<_> = checks.into_iter().map(ask).collect();
        let mut refused = Vec::new();
        for answer in asked {
            refused.extend(answer.await.unwrap_or_default());
        }
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    /// Tells every target that wants it what happened.
    pub(crate) fn dispatch(&self, store: &Store, happenings: Vec<DomainEvent>) {
        for happening in happenings {
            self.note(store, happening);
        }
    }

    fn note(&self, store: &Store, happening: DomainEvent) -> usize {
        let at = store.local(self.time());
        let unset = &self.outbox.format.unset;
        self.outbox.note(happening, at, |happening| payload(store, happening, unset))
    }
}
