//! Reading at the service's pace: before the limit is hit where it is known (`budget`), and after a 429 where it isn't.

use std::time::{Duration, Instant};

use crate::{Answer, Canceller, Client, ClientError, Errand};

/// Refusals for lack of rate before a read gives up.
const MOST_REFUSALS: u32 = 8;
/// The wait after a 429 that says nothing about time; doubled with every further one.
const FIRST_WAIT: Duration = Duration::from_secs(1);
pub(crate) const TOO_MANY: u16 = 429;

impl Client {
    /// Reads, and waits for the rate limit as often as it takes, within reason. `canceller` ends that too.
    pub async fn get_patiently(
        &self,
        path: &str,
        query: &[(String, String)],
        canceller: &Canceller,
    ) -> Result<Answer, ClientError> {
        let mut refusals = 0;
        loop {
            let ticket = match self.admit(Errand::Person) {
                Ok(ticket) => ticket,
                Err(until) => {
                    pause(until.saturating_duration_since(Instant::now()), canceller).await?;
                    continue;
                }
            };
            let answer = tokio::select! {
                () = canceller.cancelled() => return Err(ClientError::Cancelled),
                answer = self.get_with(ticket, path, query) => answer,
            };
            match answer {
                Err(error) if error.status() == Some(TOO_MANY) && refusals < MOST_REFUSALS => {
                    let wait = error.retry_after().unwrap_or(FIRST_WAIT * 2_u32.pow(refusals));
                    pause(wait, canceller).await?;
                    refusals += 1;
                }
                other => return other,
            }
        }
    }
}

async fn pause(wait: Duration, canceller: &Canceller) -> Result<(), ClientError> {
    tokio::select! {
        () = canceller.cancelled() => Err(ClientError::Cancelled),
        () = tokio::time::sleep(wait) => Ok(()),
    }
}
