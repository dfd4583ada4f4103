//! The twelve events: which there are, what happened that makes one, and whom it is about.

use serde::{Deserialize, Serialize};

/// The events of the specification, by their ids.
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

    /// The numeric id of the specification.
    #[must_use]
    pub fn id(self) -> i64 {
        self as i64
    }

    /// The event with that id.
    #[must_use]
    pub fn with_id(id: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }

    /// The name of the specification.
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

    /// Whether the service waits for the receiver's answer and obeys it.
    #[must_use]
    pub fn asks(self) -> bool {
        matches!(self, Self::CanWorkOrderFinalize | Self::CanWorkOrderTrackQuantity)
    }
}

/// Whom an event is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EventSubject {
    /// One operation of a work order.
    Order { code: String, operation: String },
    /// A production alert by its id.
    Alert(i64),
    /// A material supply by its id.
    Supply(i64),
}

/// Something that happened, and that the targets are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DomainEvent {
    pub(crate) kind: EventKind,
    pub(crate) subject: EventSubject,
    /// The user that triggered it; none where an operator did, or the day itself.
    pub(crate) user: Option<String>,
    /// The operator's badge.
    pub(crate) badge: Option<String>,
}
