//! Stores deliveries: all that are waiting, and the latest that were delivered or failed.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use axum::body::Bytes;
use jiff::civil::DateTime;
use serde::Serialize;

use super::sender::OutgoingEvent;
use crate::domain_event::{DomainEvent, EventSubject};

/// The maximum number of stored deliveries that were delivered or had no target.
const MAX_COMPLETED: usize = 500;
/// The maximum number of stored deliveries that failed.
const MAX_FAILED: usize = 10_000;
/// The maximum number of characters of a reason. Longer reasons are cut.
const MAX_REASON_LENGTH: usize = 1000;

/// An event and its delivery to a target. Without a target, no target accepted the event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct DeliveryView {
    pub id: u32,
    /// The event's number, 0 to 11.
    pub event: u32,
    pub name: String,
    /// The code and operation of a work order, or the ID of an alert or a supply.
    pub subject: String,
    /// When the event happened, in the plant's time.
    pub at: String,
    pub target: Option<String>,
    pub state: DeliveryState,
    pub attempts: u32,
    /// The reason why the delivery failed or will be retried, or why the receiver refused.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub enum DeliveryState {
    /// No target accepted the event.
    Untold,
    /// Waits for its first or next attempt.
    Waiting,
    Delivered,
    /// The delivery failed and won't be retried.
    Failed,
}

/// An event and its delivery to a target. Without a target, no target accepted the event.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) event: Arc<DomainEvent>,
    /// When the event happened, in the plant's time.
    pub(crate) at: DateTime,
    pub(crate) target: Option<TargetRef>,
    pub(crate) state: DeliveryState,
    pub(crate) attempts: u32,
    pub(crate) reason: Option<String>,
    /// The body to send. None if no payload was built.
    pub(crate) body: Option<Bytes>,
}

/// The target of a delivery, even if it was removed.
#[derive(Debug, Clone)]
pub(crate) struct TargetRef {
    pub(crate) id: u32,
    /// The address without its password.
    pub(crate) display_url: Arc<str>,
}

impl Delivery {
    pub(crate) fn new(event: Arc<DomainEvent>, at: DateTime, state: DeliveryState) -> Self {
        Self { event, at, target: None, state, attempts: 0, reason: None, body: None }
    }

    /// Returns the delivery as shown in the control interface.
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

/// The stored deliveries by ID. IDs increase.
#[derive(Debug, Default)]
pub(crate) struct DeliveryRecords {
    last_id: u32,
    all: BTreeMap<u32, Delivery>,
    /// Delivered ones and those without a target, in the order in which they reached that state.
    completed_ids: VecDeque<u32>,
    failed_ids: BTreeSet<u32>,
}

impl DeliveryRecords {
    /// Stores a delivery and returns its ID.
    pub(crate) fn add(&mut self, delivery: Delivery) -> u32 {
        self.last_id += 1;
        let (id, state) = (self.last_id, delivery.state);
        self.all.insert(id, delivery);
        self.index_by_state(id, state);
        id
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Delivery> {
        self.all.get(&id)
    }

    /// Increments the number of attempts and returns the event to send. None if the delivery was removed.
    pub(super) fn next_attempt(&mut self, id: u32) -> Option<OutgoingEvent> {
        let delivery = self.all.get_mut(&id)?;
        let body = delivery.body.clone()?;
        delivery.attempts += 1;
        Some(OutgoingEvent { kind: delivery.event.kind, delivery: id, attempt: delivery.attempts, body })
    }

    /// Changes the state of a delivery. Returns false if the delivery was removed.
    pub(crate) fn set_state(&mut self, id: u32, state: DeliveryState, reason: Option<String>) -> bool {
        let Some(delivery) = self.all.get_mut(&id) else { return false };
        delivery.state = state;
        delivery.reason = reason.map(|reason| reason.chars().take(MAX_REASON_LENGTH).collect());
        self.failed_ids.remove(&id);
        self.index_by_state(id, state);
        true
    }

    /// Returns the latest deliveries, newest first. `state` limits them to one state.
    pub(crate) fn latest(&self, state: Option<DeliveryState>, limit: usize) -> Vec<DeliveryView> {
        let wanted = self.all.iter().rev().filter(|(_, delivery)| state.is_none_or(|state| delivery.state == state));
        wanted.take(limit).map(|(id, delivery)| delivery.view(*id)).collect()
    }

    /// Removes all deliveries. The numbering continues.
    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.completed_ids.clear();
        self.failed_ids.clear();
    }

    /// Records a delivery under its state. If there are too many with that state, removes the oldest.
    fn index_by_state(&mut self, id: u32, state: DeliveryState) {
        match state {
            DeliveryState::Waiting => {}
            DeliveryState::Untold | DeliveryState::Delivered => {
                self.completed_ids.push_back(id);
                if self.completed_ids.len() > MAX_COMPLETED
                    && let Some(oldest) = self.completed_ids.pop_front()
                {
                    self.all.remove(&oldest);
                }
            }
            DeliveryState::Failed => {
                self.failed_ids.insert(id);
                if self.failed_ids.len() > MAX_FAILED
                    && let Some(oldest) = self.failed_ids.pop_first()
                {
                    self.all.remove(&oldest);
                }
            }
        }
    }
}
