//! Who is told, and what became of every telling: the targets' lines, and the memory of deliveries.
//!
//! Owns the lock over both, and who wants what. Leaves to `line` the order in which a target gets its events, to `worker`
//! when they are sent, to `post` how, and to `check` the events that wait for an answer. Its lock is taken inside the
//! store's, never the other way round.

use std::sync::Arc;

use axum::body::Bytes;
use jiff::civil::DateTime;
use parking_lot::Mutex;
use takt_contract::wire::Event;
use tokio::{runtime::Handle, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    Clock, DeliveryState, PlantError, Target,
    domain_event::DomainEvent,
    event::{
        delivery::{Addressed, Delivery, Memory},
        delivery_format::DeliveryFormat,
        line::{Failure, Line, Step},
        post::Sender,
        worker,
    },
    secret,
};

const GONE: &str = "what it is about is gone";

/// Everything about telling.
pub(crate) struct Outbox {
    pub(crate) format: DeliveryFormat,
    pub(crate) clock: Clock,
    /// Cancelled when the plant stops.
    pub(crate) closing: CancellationToken,
    pub(crate) state: Mutex<State>,
    /// Tells the deliveries of this run from those of others.
    run: String,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) memory: Memory,
    pub(crate) lines: Vec<Line>,
    last_target: u32,
}

/// Why a delivery isn't sent again.
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
        let run = secret::random()?.chars().take(8).collect();
        Ok(Arc::new(Self { format, clock, closing, run, state: Mutex::default() }))
    }

    /// Tells this target, too, of what happens from now on. Says its id.
    pub(crate) fn add(&self, target: Target) -> Result<u32, PlantError> {
        let (url, shown) = (target.address()?, target.shown().into());
        let sender = Sender::new(target.clone(), url, self.run.clone());
        let mut state = self.state.lock();
        state.last_target += 1;
        let id = state.last_target;
        state.lines.push(Line::new(Addressed { id, shown }, target, sender));
        Ok(id)
    }

    /// Tells a target nothing more; what waited for it has failed. False where there is no such target.
    pub(crate) fn remove(&self, id: u32) -> bool {
        let mut state = self.state.lock();
        let Some(position) = state.position(id) else { return false };
        let line = state.lines.remove(position);
        line.close(&mut state.memory);
        true
    }

    /// Notes what happened, and sends it to every target that wants it: says to how many. `payload` is called only where
    /// there is one.
    pub(crate) fn note(
        self: &Arc<Self>,
        happening: DomainEvent,
        at: DateTime,
        payload: impl FnOnce(&DomainEvent) -> Option<Event>,
    ) -> usize {
        let mut state = self.state.lock();
        let written = state.write(happening, at, payload);
        for (position, delivery) in &written {
            self.send(&mut state, *position, *delivery);
        }
        written.len()
    }

    /// Puts a delivery that failed at the end of its target's queue.
    pub(crate) fn retry(self: &Arc<Self>, id: u32) -> Result<(), NoRetry> {
        let mut state = self.state.lock();
        let delivery = state.memory.get(id).ok_or(NoRetry::Unknown)?;
        let target = delivery.target.as_ref().filter(|_| delivery.state == DeliveryState::Failed);
        let target = target.ok_or(NoRetry::NotFailed)?.id;
        let position = state.position(target).ok_or(NoRetry::Removed)?;
        state.memory.mark(id, DeliveryState::Waiting, None);
        self.send(&mut state, position, id);
        Ok(())
    }

    /// Forgets every delivery, also those that wait. The targets stay.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        state.memory.clear();
        state.lines.iter_mut().for_each(Line::clear);
    }

    /// What the worker of a target does next.
    pub(crate) fn next(&self, target: u32) -> Step {
        let mut state = self.state.lock();
        let State { memory, lines, .. } = &mut *state;
        let line = lines.iter_mut().find(|line| line.addressed.id == target);
        line.map_or(Step::Idle, |line| line.next(memory))
    }

    /// Writes down what became of a worker's attempt.
    pub(crate) fn settle(&self, target: u32, delivery: u32, outcome: Result<Option<String>, Failure>) {
        let mut state = self.state.lock();
        let State { memory, lines, .. } = &mut *state;
        if let Some(line) = lines.iter_mut().find(|line| line.addressed.id == target) {
            line.settle(memory, &self.format.delivery_timing.waits, delivery, outcome);
        }
    }

    /// Queues a delivery, and makes sure that somebody works on its line. Outside of a runtime it waits for the next one
    /// that is queued within.
    fn send(self: &Arc<Self>, state: &mut State, position: usize, delivery: u32) {
        let State { memory, lines, .. } = state;
        let Some(line) = lines.get_mut(position) else { return };
        line.push(memory, delivery);
        if line.worker.as_ref().is_none_or(JoinHandle::is_finished)
            && let Ok(runtime) = Handle::try_current()
        {
            let work = worker::run(Arc::clone(self), line.addressed.id, Arc::clone(&line.end));
            line.worker = Some(runtime.spawn(work));
        }
    }
}

impl State {
    /// Writes a delivery down for every target that wants the event: lines by position, each with its delivery. Where none
    /// does, or there is nothing to tell, that is noted alone.
    pub(crate) fn write(
        &mut self,
        happening: DomainEvent,
        at: DateTime,
        payload: impl FnOnce(&DomainEvent) -> Option<Event>,
    ) -> Vec<(usize, u32)> {
        let happening = Arc::new(happening);
        let blank = |state| Delivery::new(Arc::clone(&happening), at, state);
        let wanting: Vec<usize> =
            (0..self.lines.len()).filter(|at| self.lines[*at].target.accepts(happening.kind)).collect();
        if wanting.is_empty() {
            self.memory.add(blank(DeliveryState::Untold));
            return Vec::new();
        }
        let Some(body) = payload(&happening).and_then(|event| serde_json::to_vec(&event).ok()).map(Bytes::from) else {
            self.memory.add(Delivery { reason: Some(GONE.to_owned()), ..blank(DeliveryState::Failed) });
            return Vec::new();
        };
        let written = wanting.into_iter().map(|position| {
            let target = Some(self.lines[position].addressed.clone());
            let delivery = Delivery { target, body: Some(body.clone()), ..blank(DeliveryState::Waiting) };
            (position, self.memory.add(delivery))
        });
        written.collect()
    }

    /// Whether a target hasn't got everything yet that happened to the same before that delivery.
    pub(super) fn is_behind(&self, target: u32, delivery: u32) -> bool {
        self.position(target).is_some_and(|position| self.lines[position].is_behind(&self.memory, delivery))
    }

    fn position(&self, target: u32) -> Option<usize> {
        self.lines.iter().position(|line| line.addressed.id == target)
    }
}
