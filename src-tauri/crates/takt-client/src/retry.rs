//! Reading at the service's pace: before the limit is hit where it is known (`budget`), after a 429 where it isn't, and
//! once more after a connection that broke: a read changes nothing, so it may be repeated.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{
    Answer, Canceller, Client, ClientError, ReadQuestion, RequestPermit, RequestPurpose, refusal::TOO_MANY_REQUESTS,
};

/// What a gateway or a service that is just starting says.
const PASSING: [u16; 4] = [500, 502, 503, 504];

/// How often a read is tried before it gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    pub purpose: RequestPurpose,
    /// Refusals for lack of rate.
    pub refusals: u32,
    /// Broken connections, and failures of the service that may pass.
    pub drops: u32,
}

impl RetryPolicy {
    /// Somebody waits for one answer.
    pub const PERSON: Self = Self { purpose: RequestPurpose::Person, refusals: 4, drops: 1 };
    /// Somebody waits for many answers together, and none may be missing.
    pub const STEADY: Self = Self { purpose: RequestPurpose::Person, refusals: 8, drops: 3 };
    /// As steady, and leaves something to people.
    pub const WALK: Self = Self { purpose: RequestPurpose::Walk, ..Self::STEADY };
}

impl Client {
    /// Reads, waits for the rate limit, and tries again as the policy has it. `canceller` ends that too.
    ///
    /// # Errors
    /// If no person is signed in, or the service can't be reached, times out, or refuses.
    pub async fn read(
        &self,
        question: &ReadQuestion,
        policy: RetryPolicy,
        canceller: &Canceller,
    ) -> Result<Answer, ClientError> {
        let answer = self.with_retries(Question::Read(question), policy, canceller).await?;
        self.show_answer(&question.method, &question.path, &answer);
        Ok(answer)
    }

    /// The same for a question that has a body, and changes nothing: it may be asked again.
    ///
    /// # Errors
    /// If no person is signed in, or the service can't be reached, times out, or refuses.
    pub async fn query_with_retries(
        &self,
        method: &str,
        path: &str,
        body: &Value,
        canceller: &Canceller,
    ) -> Result<Answer, ClientError> {
        let policy = RetryPolicy { drops: 1, ..RetryPolicy::STEADY };
        self.with_retries(Question::Ask(method, path, &body.to_string()), policy, canceller).await
    }

    async fn with_retries(
        &self,
        question: Question<'_>,
        policy: RetryPolicy,
        canceller: &Canceller,
    ) -> Result<Answer, ClientError> {
        let timeouts = self.access().timeouts;
        let (mut refusals, mut drops) = (0, 0);
        loop {
            let permit = match self.admit(policy.purpose) {
                Ok(permit) => permit,
                Err(until) => {
                    self.for_the_limit(until.saturating_duration_since(Instant::now()), canceller).await?;
                    continue;
                }
            };
            let answer = tokio::select! {
                () = canceller.cancelled() => return Err(ClientError::Cancelled),
                answer = self.put(question, permit) => answer,
            };
            let error = match answer {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if error.status() == Some(TOO_MANY_REQUESTS) && refusals < policy.refusals {
                refusals += 1;
                let wait = error.retry_after().unwrap_or(timeouts.long_retry_wait() * 2_u32.pow(refusals - 1));
                tracing::debug!(%error, ?wait, "a read is tried again");
                self.for_the_limit(wait, canceller).await?;
                continue;
            }
            let wait = if let Some(weight) = dropped(&error).filter(|weight| drops + weight <= policy.drops) {
                let wait = error.retry_after().unwrap_or(timeouts.retry_wait * 4_u32.pow(drops));
                drops += weight;
                wait
            } else {
                return Err(error);
            };
            tracing::debug!(%error, ?wait, "a read is tried again");
            pause(wait, canceller).await?;
        }
    }

    async fn for_the_limit(&self, wait: Duration, canceller: &Canceller) -> Result<(), ClientError> {
        let _told = self.waits().begin(wait);
        pause(wait, canceller).await
    }

    async fn put(&self, question: Question<'_>, permit: RequestPermit) -> Result<Answer, ClientError> {
        match question {
            Question::Read(question) => self.read_once(permit, question).await,
            Question::Ask(method, path, body) => self.send_text(permit, method, path, body.to_owned()).await,
        }
    }
}

/// What is asked: a read, or a method, a path and a body.
#[derive(Clone, Copy)]
enum Question<'a> {
    Read(&'a ReadQuestion),
    Ask(&'a str, &'a str, &'a str),
}

/// What may pass by itself, and how heavily it counts: who waited for an answer in vain has waited long.
fn dropped(error: &ClientError) -> Option<u32> {
    match error {
        ClientError::Unreachable(_) | ClientError::Lost(_) => Some(1),
        ClientError::TimedOut(_) => Some(2),
        ClientError::Refused(refusal) if PASSING.contains(&refusal.status) => Some(1),
        _ => None,
    }
}

async fn pause(wait: Duration, canceller: &Canceller) -> Result<(), ClientError> {
    tokio::select! {
        () = canceller.cancelled() => Err(ClientError::Cancelled),
        () = tokio::time::sleep(wait) => Ok(()),
    }
}
