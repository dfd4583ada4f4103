//! Classifies a target's response: delivered, retry, or excluded.
//!
//! If the event may be at fault, it is tried a limited number of times and then excluded, so that it doesn't block
//! other events. If the target is at fault, the event is retried without limit. After several exclusions in a row, the
//! target is assumed to be at fault.

use std::time::Duration;

use takt_client::{ClientError, post::PostResponse};
use takt_journal::inbox::Fault;

/// The number of exclusions in a row after which the target is assumed to be at fault.
pub(super) const MAX_REFUSED_IN_A_ROW: u32 = 3;
/// The maximum wait that a target can request.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);
/// The number of characters of a response that are stored.
const MAX_RESPONSE_LENGTH: usize = 500;

/// The timing of retries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardTiming {
    /// The wait after each try. The last wait is repeated. Each wait varies by up to a fifth, so that targets aren't
    /// tried at the same time.
    pub retry_waits: Vec<Duration>,
    /// The maximum number of tries of an event that the target refuses.
    pub max_refusals: u32,
    /// The maximum number of tries of an event that may have made the target fail.
    pub max_breaks: u32,
    /// The maximum wait for a response.
    pub response_timeout: Duration,
}

impl Default for ForwardTiming {
    fn default() -> Self {
        let retry_waits = [1, 5, 30, 120, 300].map(Duration::from_secs).to_vec();
        Self { retry_waits, max_refusals: 3, max_breaks: 10, response_timeout: Duration::from_secs(15) }
    }
}

/// The possible cause of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureCause {
    Event,
    Either,
    Target,
}

/// A failed delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeliveryFailure {
    pub(super) fault: Fault,
    pub(super) status: Option<u16>,
    pub(super) response: String,
    cause: FailureCause,
    retry_after: Option<Duration>,
}

impl DeliveryFailure {
    /// Creates a failure on this side, without a response.
    pub(super) fn unsent(fault: Fault, response: impl Into<String>) -> Self {
        Self { fault, status: None, response: response.into(), cause: FailureCause::Target, retry_after: None }
    }

    /// Returns whether the event is excluded after this number of tries. `refused` counts the exclusions in a row
    /// before it.
    pub(super) fn is_final(&self, timing: &ForwardTiming, tries: u32, refused: u32) -> bool {
        let max_tries = match self.cause {
            FailureCause::Event => timing.max_refusals,
            FailureCause::Either => timing.max_breaks,
            FailureCause::Target => return false,
        };
        refused < MAX_REFUSED_IN_A_ROW && tries >= max_tries
    }

    /// Returns the wait after this number of tries. `jitter` is from 0 to 1.
    pub(super) fn wait(&self, timing: &ForwardTiming, tries: u32, jitter: f64) -> Duration {
        let index = (tries.max(1) - 1) as usize;
        let wait = timing.retry_waits.get(index).or(timing.retry_waits.last()).copied().unwrap_or_default();
        let wait = wait.mul_f64(0.2_f64.mul_add(jitter.clamp(0.0, 1.0) * 2.0 - 1.0, 1.0));
        wait.max(self.retry_after.unwrap_or_default().min(MAX_RETRY_AFTER))
    }
}

/// Returns the status of an accepted event, or the failure.
pub(super) fn classify_response(posted: Result<PostResponse, ClientError>) -> Result<u16, DeliveryFailure> {
    let posted = match posted {
        Ok(posted) if (200..300).contains(&posted.status) => return Ok(posted.status),
        Ok(posted) => posted,
        Err(error) => return Err(classify_error(&error)),
    };
    let (fault, cause) = match posted.status {
        300..=399 => (Fault::Redirected, FailureCause::Target),
        401 | 403 | 407 => (Fault::Denied, FailureCause::Target),
        410 => (Fault::Gone, FailureCause::Target),
        408 | 425 | 429 | 502..=504 => (Fault::Busy, FailureCause::Target),
        500..=599 => (Fault::Busy, FailureCause::Either),
        _ => (Fault::Refused, FailureCause::Event),
    };
    let response = posted.body.chars().take(MAX_RESPONSE_LENGTH).collect();
    Err(DeliveryFailure { fault, status: Some(posted.status), response, cause, retry_after: posted.retry_after })
}

fn classify_error(error: &ClientError) -> DeliveryFailure {
    let (fault, cause) = match error {
        ClientError::TimedOut(_) => (Fault::Late, FailureCause::Either),
        ClientError::Settings { .. } => (Fault::Unusable, FailureCause::Target),
        ClientError::Unreachable(_) => (Fault::Unreachable, FailureCause::Target),
        _ => (Fault::Lost, FailureCause::Either),
    };
    DeliveryFailure {
        fault,
        status: None,
        response: error.to_string().chars().take(MAX_RESPONSE_LENGTH).collect(),
        cause,
        retry_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(status: u16) -> DeliveryFailure {
        let posted = PostResponse { status, body: String::new(), retry_after: None };
        classify_response(Ok(posted)).err().unwrap_or_else(|| panic!("{status} is taken"))
    }

    #[test]
    fn an_event_is_given_up_only_where_it_can_be_its_own_fault() {
        let timing = ForwardTiming::default();
        assert_eq!(
            classify_response(Ok(PostResponse { status: 204, body: String::new(), retry_after: None })),
            Ok(204)
        );
        for (status, tries) in [(400, 3), (404, 3), (413, 3), (422, 3), (500, 10), (501, 10)] {
            assert!(!failure(status).is_final(&timing, tries - 1, 0), "{status}");
            assert!(failure(status).is_final(&timing, tries, 2), "{status}");
            assert!(
                !failure(status).is_final(&timing, 1000, 3),
                "{status}: three in a row were refused, it is the target"
            );
        }
        for status in [302, 401, 403, 408, 410, 425, 429, 502, 503, 504] {
            assert!(!failure(status).is_final(&timing, 1000, 0), "{status}");
        }
    }

    #[test]
    fn waits_grow_to_a_bound_and_honour_what_is_asked() {
        let timing = ForwardTiming::default();
        let waits: Vec<_> = (1..8).map(|tries| failure(503).wait(&timing, tries, 0.5).as_secs()).collect();
        assert_eq!(waits, [1, 5, 30, 120, 300, 300, 300]);
        assert_eq!(failure(503).wait(&timing, 5, 0.0).as_secs(), 240);
        assert_eq!(failure(503).wait(&timing, 5, 1.0).as_secs(), 360);
        let asked = |seconds| DeliveryFailure { retry_after: Some(Duration::from_secs(seconds)), ..failure(429) };
        assert_eq!(asked(77).wait(&timing, 1, 0.5).as_secs(), 77);
        assert_eq!(asked(1_000_000).wait(&timing, 1, 0.5), MAX_RETRY_AFTER);
    }
}
