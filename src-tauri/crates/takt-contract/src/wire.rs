//! The serde types of everything on the wire: bodies of batches, lists and errors, events, and names of headers.
//!
//! Members that may be null, absent or empty, and their spelling, follow the specification exactly. Dates stay text, so
//! that an offset or its absence is preserved. Unknown members are ignored. Items of syncs have no type here: they are
//! JSON by the contract's fields.

mod answer;
mod batch;
mod batch_writing;
pub mod duration;
mod event;
mod event_summary;
mod floor_event;
mod header;
mod number;
mod reason;
mod template;
mod time_span;

pub use answer::{
    BatchAnswer, BatchRequest, BatchResult, ErrorBody, ErrorsBody, InternalErrorBody, ListAnswer, RateLimitBody,
};
pub use batch::{BatchFault, BatchReading, ResultReading};
pub use event::{
    ConsumedRawMaterial, Event, MaterialSupply, ProducedQuantity, ProductionAlert, Property, RawMaterial,
    WorkOrderEntry,
};
pub(crate) use event_summary::EVENT_NUMBER;
pub use event_summary::{EventSummary, id_of, summarize};
pub use floor_event::{AlertEventData, FloorEventData, OrderEventData, read_floor_event};
pub use header::{
    X_PAGINATION_CURRENT, X_PAGINATION_PAGES, X_PAGINATION_TOTAL, X_RATE_LIMIT_LIMIT, X_RATE_LIMIT_REMAINING,
    X_RATE_LIMIT_RESET,
};
pub use reason::texts;
pub use template::{TemplateProcess, TemplateProcessLink, TemplateProcesses};
pub use time_span::TimeSpan;
