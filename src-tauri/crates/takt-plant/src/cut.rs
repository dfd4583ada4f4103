//! The handle that cuts a connection.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Cuts one connection: all later writes to it fail.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cut(Arc<AtomicBool>);

impl Cut {
    pub(crate) fn cut(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
