//! Reads within the service's rate limit and with retries after a 429, broken connections and temporary failures. Reads
//! change no data, so they may be retried.
//!
//! [`RetryPolicy`] limits the retries.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{
    Canceller, Client, ClientError, ReadRequest, RequestPermit, RequestPurpose, ServiceResponse,
    refusal::TOO_MANY_REQUESTS,
};

/// The statuses of a gateway's temporary failures, or of a service that is starting.
const TEMPORARY_FAILURES: [u16; 4] = [500, 502, 503, 504];

/// The purpose and the maximum numbers of retries of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    pub purpose: RequestPurpose,
    /// The maximum number of retries after a 429.
    pub max_rate_limit_retries: u32,
    /// The maximum number of retries after broken connections and temporary failures. A timeout is treated as two.
    pub max_failure_retries: u32,
}

impl RetryPolicy {
    /// For a single response that a user waits for.
    pub const SINGLE_READ: Self =
        Self { purpose: RequestPurpose::Interactive, max_rate_limit_retries: 4, max_failure_retries: 1 };
    /// For many responses that a user waits for, if all of them are required.
    pub const COMPLETE_READ: Self =
        Self { purpose: RequestPurpose::Interactive, max_rate_limit_retries: 8, max_failure_retries: 3 };
    /// Like [`Self::COMPLETE_READ`], but leaves a share of the limit to interactive requests.
    pub const BACKGROUND_READ: Self = Self { purpose: RequestPurpose::PageReads, ..Self::COMPLETE_READ };
}

impl Client {
    /// Reads with retries and waits for the rate limit. `canceller` also ends the waits.
    ///
    /// # Errors
    /// Fails if no user is signed in, or if the service can't be reached, times out or refuses.
    pub async fn read(
        &self,
        request: &ReadRequest,
        policy: RetryPolicy,
        canceller: &Canceller,
    ) -> Result<ServiceResponse, ClientError> {
        let response = self.with_retries(Request::Read(request), policy, canceller).await?;
        self.report_response(&request.method, &request.path, &response);
        Ok(response)
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
    ) -> Result<ServiceResponse, ClientError> {
        let policy = RetryPolicy { max_failure_retries: 1, ..RetryPolicy::COMPLETE_READ };
        self.with_retries(Request::Query(method, path, &body.to_string()), policy, canceller).await
    }

    async fn with_retries(
        &self,
        request: Request<'_>,
        policy: RetryPolicy,
        canceller: &Canceller,
    ) -> Result<ServiceResponse, ClientError> {
        let timeouts = self.access().timeouts;
        let (mut refusals, mut failures) = (0, 0);
        loop {
            let permit = match self.admit(policy.purpose) {
                Ok(permit) => permit,
                Err(until) => {
                    self.wait_for_limit(until.saturating_duration_since(Instant::now()), canceller).await?;
                    continue;
                }
            };
            let response = tokio::select! {
                () = canceller.cancelled() => return Err(ClientError::Cancelled),
                response = self.send_once(request, permit) => response,
            };
            let error = match response {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            if error.status() == Some(TOO_MANY_REQUESTS) && refusals < policy.max_rate_limit_retries {
                refusals += 1;
                let wait = error.retry_after().unwrap_or(timeouts.long_retry_wait() * 2_u32.pow(refusals - 1));
                tracing::debug!(%error, ?wait, "a read is tried again");
                self.wait_for_limit(wait, canceller).await?;
                continue;
            }
            let wait = if let Some(weight) =
                failure_weight(&error).filter(|weight| failures + weight <= policy.max_failure_retries)
            {
                let wait = error.retry_after().unwrap_or(timeouts.retry_wait * 4_u32.pow(failures));
                failures += weight;
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

    async fn send_once(&self, request: Request<'_>, permit: RequestPermit) -> Result<ServiceResponse, ClientError> {
        match request {
            Request::Read(request) => self.read_once(permit, request).await,
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

/// Returns how many of [`RetryPolicy::max_failure_retries`] a failure uses, if it may be temporary. A timeout uses two,
/// since it took long.
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
