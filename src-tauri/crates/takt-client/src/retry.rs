//! Reads within the service's rate limit and with retries after a 429, broken connections and temporary failures. Reads
//! change no data, so they may be retried.
//!
//! [`RetryPolicy`] limits the retries.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{
    Answer, Canceller, Client, ClientError, ReadRequest, RequestPermit, RequestPurpose, refusal::TOO_MANY_REQUESTS,
};

/// The statuses of a gateway's temporary failures, or of a service that is starting.
const TEMPORARY_FAILURES: [u16; 4] = [500, 502, 503, 504];

/// The purpose and the maximum numbers of retries of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    pub purpose: RequestPurpose,
    /// The maximum number of retries after a 429.
    pub refusals: u32,
    /// The maximum number of retries after broken connections and temporary failures. A timeout is treated as two.
    pub drops: u32,
}

impl RetryPolicy {
    /// For a single response that a user waits for.
    pub const PERSON: Self = Self { purpose: RequestPurpose::Interactive, refusals: 4, drops: 1 };
    /// For many responses that a user waits for, if all of them are required.
    pub const STEADY: Self = Self { purpose: RequestPurpose::Interactive, refusals: 8, drops: 3 };
    /// Like [`Self::STEADY`], but leaves a share of the limit to interactive requests.
    pub const WALK: Self = Self { purpose: RequestPurpose::PageReads, ..Self::STEADY };
}

impl Client {
    /// Reads with retries and waits for the rate limit. `canceller` also ends the waits.
    ///
    /// # Errors
    /// Fails if no user is signed in, or if the service can't be reached, times out or refuses.
    pub async fn read(
        &self,
        question: &ReadRequest,
        policy: RetryPolicy,
        canceller: &Canceller,
    ) -> Result<Answer, ClientError> {
        let answer = self.with_retries(Request::Read(question), policy, canceller).await?;
        self.show_answer(&question.method, &question.path, &answer);
        Ok(answer)
    }

    /// Like [`Self::read`], for a query with a body. It changes no data, so it may be retried.
    ///
    /// # Errors
    /// Fails if no user is signed in, or if the service can't be reached, times out or refuses.
    pub async fn query_with_retries(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        canceller: &Canceller,
    ) -> Result<Answer, ClientError> {
        let policy = RetryPolicy { drops: 1, ..RetryPolicy::STEADY };
        self.with_retries(Request::Query(method, path, &body.to_string()), policy, canceller).await
    }

    async fn with_retries(
        &self,
        question: Request<'_>,
        policy: RetryPolicy,
        canceller: &Canceller,
    ) -> Result<Answer, ClientError> {
        let timeouts = self.access().timeouts;
        let (mut refusals, mut drops) = (0, 0);
        loop {
            let permit = match self.admit(policy.purpose) {
                Ok(permit) => permit,
                Err(until) => {
                    self.wait_for_limit(until.saturating_duration_since(Instant::now()), canceller).await?;
                    continue;
                }
            };
            let answer = tokio::select! {
                () = canceller.cancelled() => return Err(ClientError::Cancelled),
                answer = self.send_once(question, permit) => answer,
            };
            let error = match answer {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if error.status() == Some(TOO_MANY_REQUESTS) && refusals < policy.refusals {
                refusals += 1;
                let wait = error.retry_after().unwrap_or(timeouts.long_retry_wait() * 2_u32.pow(refusals - 1));
                tracing::debug!(%error, ?wait, "a read is tried again");
                self.wait_for_limit(wait, canceller).await?;
                continue;
            }
            let wait = if let Some(weight) = failure_weight(&error).filter(|weight| drops + weight <= policy.drops) {
                let wait = error.retry_after().unwrap_or(timeouts.retry_wait * 4_u32.pow(drops));
                drops += weight;
                wait
            } else {
                return Err(error);
            };
            tracing::debug!(%error, ?wait, "a read is tried again");
            sleep_unless_cancelled(wait, canceller).await?;
        }
    }

    async fn wait_for_limit(&self, wait: Duration, canceller: &Canceller) -> Result<(), ClientError> {
        let _report = self.wait_reporter().begin(wait);
        sleep_unless_cancelled(wait, canceller).await
    }

    async fn send_once(&self, question: Request<'_>, permit: RequestPermit) -> Result<Answer, ClientError> {
        match question {
            Request::Read(question) => self.read_once(permit, question).await,
            Request::Query(method, path, body) => self.send_text(permit, method, path, body.to_owned()).await,
        }
    }
}

/// A read, or a query with its method, path and body.
#[derive(Clone, Copy)]
enum Request<'a> {
    Read(&'a ReadRequest),
    Query(&'a str, &'a str, &'a str),
}

/// Returns how many of [`RetryPolicy::drops`] a failure uses, if it may be temporary. A timeout uses two, since it took
/// long.
fn failure_weight(error: &ClientError) -> Option<u32> {
    match error {
        ClientError::Unreachable(_) | ClientError::Lost(_) => Some(1),
        ClientError::TimedOut(_) => Some(2),
        ClientError::Refused(refusal) if TEMPORARY_FAILURES.contains(&refusal.status) => Some(1),
        _ => None,
    }
}

async fn sleep_unless_cancelled(wait: Duration, canceller: &Canceller) -> Result<(), ClientError> {
    tokio::select! {
        () = canceller.cancelled() => Err(ClientError::Cancelled),
        () = tokio::time::sleep(wait) => Ok(()),
    }
}
