//! Event delivery: payloads (`payload`), queues per target (`outbox`), and the receivers' replies to checks (`check`).
//!
//! Leaves the events to `domain_event`, their occurrence to `floor` and `store`, and the plant's use of them to
//! `event_dispatch`.

mod check;
mod delivery;
mod delivery_format;
pub(crate) mod example;
mod line;
mod outbox;
pub(crate) mod payload;
mod post;
mod reply;
mod signature;

pub(crate) use delivery_format::DeliveryFormat;
pub(crate) use example::About;
pub(crate) use outbox::{NoRetry, Outbox};
