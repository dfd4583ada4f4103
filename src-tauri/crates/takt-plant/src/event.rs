//! Event delivery: payloads (`payload`), queues per target (`outbox`), and the receivers' replies to checks (`check`).
//!
//! Leaves the events to `domain_event`, their occurrence to `floor` and `store`, and the plant's use of them to
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
