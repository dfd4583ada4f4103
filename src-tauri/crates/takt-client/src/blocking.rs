//! Long work on an answer, away from the threads that wait for answers: on those, one list of 200 MB would hold up all others.

use std::panic::resume_unwind;

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
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(_) => Err(ClientError::Cancelled),
        },
    }
}
