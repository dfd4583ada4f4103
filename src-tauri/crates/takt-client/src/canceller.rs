//! One way to stop what is under way: a sign-in that waits, a walk over many pages.

use tokio_util::sync::CancellationToken;

/// Clones stop the same thing. Once cancelled, it stays so.
#[derive(Debug, Clone, Default)]
pub struct Canceller(CancellationToken);

impl Canceller {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn cancel(&self) {
        self.0.cancel();
    }

    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Resolves when it is cancelled.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}
