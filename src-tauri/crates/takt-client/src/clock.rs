//! The clock of a client.

use std::sync::Arc;

/// Returns the current time. Injected, so that tests can run in parallel.
pub type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;
