//! Runs long work on responses outside the threads that wait for responses. Parsing a list of 200 MB there would block
//! all other requests.

use std::panic::resume_unwind;

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::{JoinError, block_in_place, spawn_blocking},
};

use crate::ClientError;

/// The size in bytes up to which work runs in place, since moving it to another thread isn't worthwhile.
const MAX_INLINE_BYTES: usize = 256 * 1024;

/// Runs work on a body of `bytes` bytes, on another thread if it is large.
///
/// # Errors
/// Fails only if the program is ending.
pub async fn run_blocking_if_large<T, F>(bytes: usize, work: F) -> Result<T, ClientError>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    if bytes <= MAX_INLINE_BYTES {
        return Ok(work());
    }
    task_result(spawn_blocking(work).await)
}

/// Runs blocking work with borrowed data on this thread. Its other tasks move to another thread, except in a
/// single-threaded runtime, where they wait.
pub fn run_blocking_here<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// Returns the result of a task and propagates its panic. Fails only if the program is ending.
pub(crate) fn task_result<T>(done: Result<T, JoinError>) -> Result<T, ClientError> {
    match done.map_err(JoinError::try_into_panic) {
        Ok(done) => Ok(done),
        Err(Ok(panic)) => resume_unwind(panic),
        Err(Err(_)) => Err(ClientError::Cancelled),
    }
}
