//! Runs work that waits for the disk or keeps a processor busy, outside the threads that serve requests.

use crate::{Code, Problem};

/// Runs `work` on a thread for blocking work.
///
/// # Errors
///
/// The error of `work`, or [`Code::Bug`] if it panics.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let result = tokio::task::spawn_blocking(work).await;
    result.unwrap_or_else(|error| Err(Problem::new(Code::Bug).details(error)))
}
