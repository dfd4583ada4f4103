//! What is remembered of deliveries: every one that waits, the latest that arrived, and those that failed.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use axum::body::Bytes;
use jiff::civil::DateTime;

use crate::{
    DeliveryState, DeliveryView,
    domain_event::{DomainEvent, EventSubject},
    event::post::Parcel,
};

/// Stored deliveries that arrived, or had no subscriber.
const SETTLED_KEPT: usize = 500;
/// Deliveries kept that failed.
const FAILED_KEPT: usize = 10_000;
/// The longest reason that is kept, in characters.
const MAX_REASON_LENGTH: usize = 1000;

/// One event and its delivery to one target. Without a target, it had no subscriber.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) happening: Arc<DomainEvent>,
    /// The plant's time.
    pub(crate) at: DateTime,
    pub(crate) target: Option<Addressed>,
    pub(crate) state: DeliveryState,
    pub(crate) attempts: u32,
    pub(crate) reason: Option<String>,
    /// As it is sent; none where nothing was built.
    pub(crate) body: Option<Bytes>,
}

/// To whom a delivery goes, even when that target is no more.
#[derive(Debug, Clone)]
pub(crate) struct Addressed {
    pub(crate) id: u32,
    /// The address as it may be shown.
    pub(crate) shown: Arc<str>,
}

impl Delivery {
    /// A delivery without a target.
    pub(crate) fn new(happening: Arc<DomainEvent>, at: DateTime, state: DeliveryState) -> Self {
        Self { happening, at, target: None, state, attempts: 0, reason: None, body: None }
    }

    /// The delivery as it may be shown.
    pub(crate) fn view(&self, id: u32) -> DeliveryView {
        let kind = self.happening.kind;
        DeliveryView {
            id,
            event: u32::try_from(kind.id()).unwrap_or_default(),
            name: kind.name().to_owned(),
            subject: match &self.happening.subject {
                EventSubject::Order { code, operation } => format!("{code} {operation}"),
                EventSubject::Alert(id) | EventSubject::Supply(id) => id.to_string(),
            },
            at: self.at.to_string(),
            target: self.target.as_ref().map(|target| target.shown.to_string()),
            state: self.state,
            attempts: self.attempts,
            reason: self.reason.clone(),
        }
    }
}

/// Deliveries by their ids, which count up.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    last_id: u32,
    all: BTreeMap<u32, Delivery>,
    /// Those that arrived or went nowhere, in the order in which they were settled.
    settled: VecDeque<u32>,
    failed: BTreeSet<u32>,
}

impl Memory {
    /// Keeps a delivery; says its id.
    pub(crate) fn add(&mut self, delivery: Delivery) -> u32 {
        self.last_id += 1;
        let (id, state) = (self.last_id, delivery.state);
        self.all.insert(id, delivery);
        self.file(id, state);
        id
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Delivery> {
        self.all.get(&id)
    }

    /// What is sent next of a delivery: another attempt, which is counted. None where it was forgotten.
    pub(super) fn parcel(&mut self, id: u32) -> Option<Parcel> {
        let delivery = self.all.get_mut(&id)?;
        let body = delivery.body.clone()?;
        delivery.attempts += 1;
        Some(Parcel { kind: delivery.happening.kind, delivery: id, attempt: delivery.attempts, body })
    }

    /// Writes down what became of a delivery. False where it was forgotten.
    pub(crate) fn mark(&mut self, id: u32, state: DeliveryState, reason: Option<String>) -> bool {
        let Some(delivery) = self.all.get_mut(&id) else { return false };
        delivery.state = state;
        delivery.reason = reason.map(|reason| reason.chars().take(MAX_REASON_LENGTH).collect());
        self.failed.remove(&id);
        self.file(id, state);
        true
    }

    /// The latest deliveries, newest first; of one state where it is given.
    pub(crate) fn latest(&self, state: Option<DeliveryState>, most: usize) -> Vec<DeliveryView> {
        let wanted = self.all.iter().rev().filter(|(_, delivery)| state.is_none_or(|state| delivery.state == state));
        wanted.take(most).map(|(id, delivery)| delivery.view(*id)).collect()
    }

    /// Forgets everything; ids go on.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.settled.clear();
        self.failed.clear();
    }

    /// Puts an id where its state belongs, and forgets the oldest where there are too many.
    fn file(&mut self, id: u32, state: DeliveryState) {
        match state {
            DeliveryState::Waiting => {}
            DeliveryState::Untold | DeliveryState::Delivered => {
                self.settled.push_back(id);
                if self.settled.len() > SETTLED_KEPT
                    && let Some(oldest) = self.settled.pop_front()
                {
                    self.all.remove(&oldest);
                }
            }
            DeliveryState::Failed => {
                self.failed.insert(id);
                if self.failed.len() > FAILED_KEPT
                    && let Some(oldest) = self.failed.pop_first()
                {
                    self.all.remove(&oldest);
                }
            }
        }
    }
}
