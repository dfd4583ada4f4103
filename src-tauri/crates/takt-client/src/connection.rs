//! Checks the connection to a site step by step: names, connections, proxy, certificates, provider, token.
//!
//! [`ConnectionStep`] has the result and duration of a step. Texts for users are selected by
//! [`ConnectionStep::finding`] elsewhere.

mod certificate;
mod provider;
mod proxy_script;
mod route;
mod step;
mod tls_probe;
mod way;

pub use step::{ConnectionPart, ConnectionStep, StepOutcome};
