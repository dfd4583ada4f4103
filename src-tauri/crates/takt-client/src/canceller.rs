//! Cancels operations such as a waiting sign-in or a read of many pages.

use tokio_util::sync::CancellationToken;

/// A cancellation shared by all clones. It can't be undone.
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

    /// Waits until [`Self::cancel`] is called.
    pub async fn cancelled(&self) {
        self.0.cancelled().await;
    }
}
