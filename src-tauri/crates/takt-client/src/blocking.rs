//! Long work on an answer, away from the threads that wait for answers: on those, one list of 200 MB would hold up all others.

use std::panic::resume_unwind;

use tokio::{
    runtime::{Handle, RuntimeFlavor},
    task::{JoinError, block_in_place, spawn_blocking},
};

use crate::ClientError;

/// Bytes that are gone through in less time than handing them over is worth.
const SMALL: usize = 256 * 1024;

/// Does work on so many bytes. Fails only where the program ends meanwhile.
///
/// # Errors
/// Only where the program ends meanwhile.
pub async fn run_blocking_if_large<T, F>(bytes: usize, work: F) -> Result<T, ClientError>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    if bytes <= SMALL {
        return Ok(work());
    }
    joined(spawn_blocking(work).await)
}

/// Does work on what is borrowed: the thread that it is done on waits for no answers meanwhile, another one does. Where there is a
/// single thread for all, they wait.
pub fn run_blocking_here<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
        _ => work(),
    }
}

/// What a task did. Fails only where the program ends meanwhile.
pub(crate) fn joined<T>(done: Result<T, JoinError>) -> Result<T, ClientError> {
    match done.map_err(JoinError::try_into_panic) {
        Ok(done) => Ok(done),
        Err(Ok(panic)) => resume_unwind(panic),
        Err(Err(_)) => Err(ClientError::Cancelled),
    }
}
