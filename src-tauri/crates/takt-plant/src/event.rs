//! Telling events to targets: what each says (`payload`), who is told (`outbox`), and what a receiver answered (`check`).
//!
//! Leaves to `domain_event` what an event is, to `floor` and `store` when one happens, and to `event_dispatch` what the plant tells.

mod check;
mod delivery;
mod delivery_format;
pub(crate) mod example;
mod line;
mod outbox;
pub(crate) mod payload;
mod post;
mod signature;
mod worker;

pub(crate) use delivery_format::DeliveryFormat;
pub(crate) use example::About;
pub(crate) use outbox::{NoRetry, Outbox};
