//! What cuts a connection in the middle of an answer.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Cuts one connection: whatever is written to it from then on fails.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cut(Arc<AtomicBool>);

impl Cut {
    pub(crate) fn now(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn done(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
