//! Stored deliveries: all that wait, the latest that arrived, and those that failed.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use axum::body::Bytes;
use jiff::civil::DateTime;
use serde::Serialize;

use super::sender::OutgoingEvent;
use crate::domain_event::{DomainEvent, EventSubject};

/// The maximum number of stored deliveries that arrived or had no subscriber.
const MAX_SETTLED: usize = 500;
/// The maximum number of stored failed deliveries.
const MAX_FAILED: usize = 10_000;
/// The longest stored reason, in characters.
const MAX_REASON_LENGTH: usize = 1000;

/// One event and its delivery to one target. Without a target, it had no subscriber.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeliveryView {
    pub id: u32,
    /// The event's ID, 0 to 11.
    pub event: u32,
    pub name: String,
    /// A work order's code and operation, or the ID of an alert or a supply.
    pub subject: String,
    /// The plant's time.
    pub at: String,
    pub target: Option<String>,
    pub state: DeliveryState,
    pub attempts: u32,
    /// Why it isn't delivered, or why the receiver refused.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum DeliveryState {
    /// No target accepts it.
    Untold,
    /// Waits for its first or next attempt.
    Waiting,
    Delivered,
    /// Given up.
    Failed,
}

/// One event and its delivery to one target. Without a target, it had no subscriber.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) event: Arc<DomainEvent>,
    /// The plant's time.
    pub(crate) at: DateTime,
    pub(crate) target: Option<TargetRef>,
    pub(crate) state: DeliveryState,
    pub(crate) attempts: u32,
    pub(crate) reason: Option<String>,
    /// The sent body. None if no payload was built.
    pub(crate) body: Option<Bytes>,
}

/// The target of a delivery, which may have been removed since.
#[derive(Debug, Clone)]
pub(crate) struct TargetRef {
    pub(crate) id: u32,
    /// The address without its password.
    pub(crate) display_url: Arc<str>,
}

impl Delivery {
    /// Creates a delivery without a target.
    pub(crate) fn new(event: Arc<DomainEvent>, at: DateTime, state: DeliveryState) -> Self {
        Self { event, at, target: None, state, attempts: 0, reason: None, body: None }
    }

    /// Returns the delivery's public view.
    pub(crate) fn view(&self, id: u32) -> DeliveryView {
        let kind = self.event.kind;
        DeliveryView {
            id,
            event: u32::try_from(kind.id()).unwrap_or_default(),
            name: kind.name().to_owned(),
            subject: match &self.event.subject {
                EventSubject::Order { code, operation } => format!("{code} {operation}"),
                EventSubject::Alert(id) | EventSubject::Supply(id) => id.to_string(),
            },
            at: self.at.to_string(),
            target: self.target.as_ref().map(|target| target.display_url.to_string()),
            state: self.state,
            attempts: self.attempts,
            reason: self.reason.clone(),
        }
    }
}

/// Deliveries by their IDs, which count up.
#[derive(Debug, Default)]
pub(crate) struct DeliveryRecords {
    last_id: u32,
    all: BTreeMap<u32, Delivery>,
    /// Delivered and without subscriber, in the order in which they reached that state.
    settled: VecDeque<u32>,
    failed: BTreeSet<u32>,
}

impl DeliveryRecords {
    /// Stores a delivery and returns its ID.
    pub(crate) fn add(&mut self, delivery: Delivery) -> u32 {
        self.last_id += 1;
        let (id, state) = (self.last_id, delivery.state);
        self.all.insert(id, delivery);
        self.file_by_state(id, state);
        id
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Delivery> {
        self.all.get(&id)
    }

    /// Counts another attempt and returns its request. None if the delivery is no longer stored.
    pub(super) fn next_attempt(&mut self, id: u32) -> Option<OutgoingEvent> {
        let delivery = self.all.get_mut(&id)?;
        let body = delivery.body.clone()?;
        delivery.attempts += 1;
        Some(OutgoingEvent { kind: delivery.event.kind, delivery: id, attempt: delivery.attempts, body })
    }

    /// Records a delivery's state. Returns false if the delivery is no longer stored.
    pub(crate) fn set_state(&mut self, id: u32, state: DeliveryState, reason: Option<String>) -> bool {
        let Some(delivery) = self.all.get_mut(&id) else { return false };
        delivery.state = state;
        delivery.reason = reason.map(|reason| reason.chars().take(MAX_REASON_LENGTH).collect());
        self.failed.remove(&id);
        self.file_by_state(id, state);
        true
    }

    /// Returns the latest deliveries, newest first, optionally of one state.
    pub(crate) fn latest(&self, state: Option<DeliveryState>, limit: usize) -> Vec<DeliveryView> {
        let wanted = self.all.iter().rev().filter(|(_, delivery)| state.is_none_or(|state| delivery.state == state));
        wanted.take(limit).map(|(id, delivery)| delivery.view(*id)).collect()
    }

    /// Removes all deliveries. IDs continue.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.settled.clear();
        self.failed.clear();
    }

    /// Files an ID by its state, and removes the oldest delivery if there are too many.
    fn file_by_state(&mut self, id: u32, state: DeliveryState) {
        match state {
            DeliveryState::Waiting => {}
            DeliveryState::Untold | DeliveryState::Delivered => {
                self.settled.push_back(id);
                if self.settled.len() > MAX_SETTLED
                    && let Some(oldest) = self.settled.pop_front()
                {
                    self.all.remove(&oldest);
                }
            }
            DeliveryState::Failed => {
                self.failed.insert(id);
                if self.failed.len() > MAX_FAILED
                    && let Some(oldest) = self.failed.pop_first()
                {
                    self.all.remove(&oldest);
                }
            }
        }
    }
}
