//! The serde types of bodies and headers on the wire: batches, lists, errors and events.
//!
//! Members that may be null, absent or empty, and their spelling, follow the specification exactly. Dates are text, so
//! that an offset or its absence is preserved. Unknown members are ignored. Items of syncs have no type here, since
//! they are JSON objects with the contract's fields.

mod batch;
pub mod duration;
mod event;
mod message;
mod number;
mod reason;

pub use batch::{BatchFault, ParsedBatchResponse, ParsedItemResult};
pub use duration::TimeSpan;
pub(crate) use event::EVENT_NUMBER;
pub use event::{
    AlertEventData, ConsumedRawMaterial, Event, EventSummary, FloorEventData, MaterialSupply, OrderEventData,
    ProducedQuantity, ProductionAlert, Property, RawMaterial, WorkOrderEntry, read_event_id, read_floor_event,
    summarize,
};
pub use message::{
    BatchRequest, BatchResponse, BatchResult, ErrorBody, ErrorsBody, InternalErrorBody, ListResponse, RateLimitBody,
    TemplateProcess, TemplateProcessLink, TemplateProcesses, X_PAGINATION_CURRENT, X_PAGINATION_PAGES,
    X_PAGINATION_TOTAL, X_RATE_LIMIT_LIMIT, X_RATE_LIMIT_REMAINING, X_RATE_LIMIT_RESET,
};
pub use reason::reason_texts;
