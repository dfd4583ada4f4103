//! Telling events to targets: what each says (`payload`), who is told (`outbox`), and what a receiver answered (`check`).
//!
//! Leaves to `domain_event` what an event is, to `floor` and `store` when one happens, and to `event_dispatch` what the plant tells.

mod check;
mod delivery;
pub(crate) mod example;
mod line;
mod outbox;
pub(crate) mod payload;
mod post;
mod signature;
mod terms;
mod worker;

pub(crate) use example::About;
pub(crate) use outbox::{NoRetry, Outbox};
pub(crate) use terms::Terms;
