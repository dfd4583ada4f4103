//! Delivers events to targets: payloads (`payload`), queues and checks (`outbox`), and requests (`sender`).
//!
//! Kinds of events are in `domain_event`. Events are recorded by `floor` and `store`, and dispatched by
//! `event_dispatch`.

mod delivery;
mod delivery_format;
mod outbox;
pub(crate) mod payload;
mod sender;
mod target_queue;

pub use delivery::{DeliveryState, DeliveryView};
pub(crate) use delivery_format::DeliveryFormat;
pub(crate) use outbox::{Outbox, RetryError};
