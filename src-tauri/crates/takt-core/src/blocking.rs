//! Work that waits for the disk or keeps a processor busy, off the threads that answer others.

use crate::{Code, Problem};

/// Runs `work` on a thread of its own kind.
///
/// # Errors
///
/// What `work` fails with; [`Code::Bug`] where it panics.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Problem::new(Code::Bug).details(error)))
}
