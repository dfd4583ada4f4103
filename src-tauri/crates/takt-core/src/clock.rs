//! The time now, as it is handed in.

use std::sync::Arc;

use jiff::Timestamp;

/// The time now. Passed in, so that tests run beside each other.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;
