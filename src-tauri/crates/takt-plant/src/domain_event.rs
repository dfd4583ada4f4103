//! The kinds of events, and events that have happened.

use serde::{Deserialize, Serialize};

/// The events in the specification. The discriminant is the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum EventKind {
    ProductionAlert,
    WorkOrderPlanned,
    WorkOrderExecutionBegin,
    WorkOrderExecutionPaused,
    WorkOrderExecutionEnded,
    WorkOrderReset,
    WorkOrderConsumedRawMaterialUpdated,
    WorkOrderExecutionResumed,
    MaterialSupplyUpdated,
    WorkOrderProducedQuantityUpdated,
    CanWorkOrderFinalize,
    CanWorkOrderTrackQuantity,
}

impl EventKind {
    pub const ALL: [Self; 12] = [
        Self::ProductionAlert,
        Self::WorkOrderPlanned,
        Self::WorkOrderExecutionBegin,
        Self::WorkOrderExecutionPaused,
        Self::WorkOrderExecutionEnded,
        Self::WorkOrderReset,
        Self::WorkOrderConsumedRawMaterialUpdated,
        Self::WorkOrderExecutionResumed,
        Self::MaterialSupplyUpdated,
        Self::WorkOrderProducedQuantityUpdated,
        Self::CanWorkOrderFinalize,
        Self::CanWorkOrderTrackQuantity,
    ];

    /// Returns the number in the specification.
    #[must_use]
    pub fn id(self) -> i64 {
        self as i64
    }

    /// Returns the event with this number.
    #[must_use]
    pub fn with_id(id: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// Returns the name in the specification.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ProductionAlert => "ProductionAlert",
            Self::WorkOrderPlanned => "WorkOrderPlanned",
            Self::WorkOrderExecutionBegin => "WorkOrderExecutionBegin",
            Self::WorkOrderExecutionPaused => "WorkOrderExecutionPaused",
            Self::WorkOrderExecutionEnded => "WorkOrderExecutionEnded",
            Self::WorkOrderReset => "WorkOrderReset",
            Self::WorkOrderConsumedRawMaterialUpdated => "WorkOrderConsumedRawMaterialUpdated",
            Self::WorkOrderExecutionResumed => "WorkOrderExecutionResumed",
            Self::MaterialSupplyUpdated => "MaterialSupplyUpdated",
            Self::WorkOrderProducedQuantityUpdated => "WorkOrderProducedQuantityUpdated",
            Self::CanWorkOrderFinalize => "CanWorkOrderFinalize",
            Self::CanWorkOrderTrackQuantity => "CanWorkOrderTrackQuantity",
        }
    }

    /// Returns whether the service waits for a reply, which may refuse the action.
    #[must_use]
    pub fn is_check(self) -> bool {
        matches!(self, Self::CanWorkOrderFinalize | Self::CanWorkOrderTrackQuantity)
    }
}

/// The subject of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EventSubject {
    /// An operation of a work order.
    Order { code: String, operation: String },
    /// A production alert, by its ID.
    Alert(i64),
    /// A material supply, by its ID.
    Supply(i64),
}

/// An event that has happened and is to be sent to the targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DomainEvent {
    pub(crate) kind: EventKind,
    pub(crate) subject: EventSubject,
    /// The user who triggered the event. None if an operator did.
    pub(crate) user: Option<String>,
    /// The badge of the operator who triggered the event. None if a user did.
    pub(crate) badge: Option<String>,
}
