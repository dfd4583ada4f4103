//! What a target's answer means: taken, not now, or not this one; and how long to wait.
//!
//! What may be the event's own fault is tried a bounded number of times and then set aside, so that one that nobody takes
//! doesn't hold up the others for good. What is the target's fault is tried for as long as it takes. Where several in a row
//! are refused it is the target, whatever it says.

use std::time::Duration;

use takt_client::{ClientError, post::PostResponse};
use takt_journal::inbox::Fault;

/// So many set aside in a row, and none taken between: it isn't the events.
pub(super) const IN_A_ROW: u32 = 3;
/// A target may ask for a wait of at most this long.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);
/// Characters of an answer that are kept.
const TOLD: usize = 500;

/// How patiently it is tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardTiming {
    /// After each try; the last one from then on. A fifth more or less, so that several don't come at once.
    pub waits: Vec<Duration>,
    /// How often one is tried that the target doesn't want.
    pub refusals: u32,
    /// How often one is tried on which the target may have broken.
    pub breaks: u32,
    /// How long an answer may take.
    pub answer: Duration,
}

impl Default for ForwardTiming {
    fn default() -> Self {
        let waits = [1, 5, 30, 120, 300].map(Duration::from_secs).to_vec();
        Self { waits, refusals: 3, breaks: 10, answer: Duration::from_secs(15) }
    }
}

/// Whose fault it can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureCause {
    Event,
    Either,
    Target,
}

/// Why an event wasn't taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DeliveryFailure {
    pub(super) fault: Fault,
    pub(super) status: Option<u16>,
    pub(super) response: String,
    blame: FailureCause,
    retry_after: Option<Duration>,
}

impl DeliveryFailure {
    /// Of the target's own: nothing was sent.
    pub(super) fn own(fault: Fault, told: impl Into<String>) -> Self {
        Self { fault, status: None, response: told.into(), blame: FailureCause::Target, retry_after: None }
    }

    /// Whether it is given up after so many tries, `refused` others having been set aside in a row before it.
    pub(super) fn is_final(&self, pace: &ForwardTiming, tries: u32, refused: u32) -> bool {
        let most = match self.blame {
            FailureCause::Event => pace.refusals,
            FailureCause::Either => pace.breaks,
            FailureCause::Target => return false,
        };
        refused < IN_A_ROW && tries >= most
    }

    /// How long to wait after so many tries. `dice` is from 0 to 1.
    pub(super) fn wait(&self, pace: &ForwardTiming, tries: u32, dice: f64) -> Duration {
        let at = (tries.max(1) - 1) as usize;
        let wait = pace.waits.get(at).or(pace.waits.last()).copied().unwrap_or_default();
        let wait = wait.mul_f64(0.2_f64.mul_add(dice.clamp(0.0, 1.0) * 2.0 - 1.0, 1.0));
        wait.max(self.retry_after.unwrap_or_default().min(MAX_RETRY_AFTER))
    }
}

/// The status with which it was taken, or why it wasn't.
pub(super) fn verdict(posted: Result<PostResponse, ClientError>) -> Result<u16, DeliveryFailure> {
    let posted = match posted {
        Ok(posted) if (200..300).contains(&posted.status) => return Ok(posted.status),
        Ok(posted) => posted,
        Err(error) => return Err(without_answer(&error)),
    };
    let (fault, blame) = match posted.status {
        300..=399 => (Fault::Redirected, FailureCause::Target),
        401 | 403 | 407 => (Fault::Denied, FailureCause::Target),
        410 => (Fault::Gone, FailureCause::Target),
        408 | 425 | 429 | 502..=504 => (Fault::Busy, FailureCause::Target),
        500..=599 => (Fault::Busy, FailureCause::Either),
        _ => (Fault::Refused, FailureCause::Event),
    };
    let response = posted.answer.chars().take(TOLD).collect();
    Err(DeliveryFailure { fault, status: Some(posted.status), response, blame, retry_after: posted.retry_after })
}

fn without_answer(error: &ClientError) -> DeliveryFailure {
    let (fault, blame) = match error {
        ClientError::TimedOut(_) => (Fault::Late, FailureCause::Either),
        ClientError::Settings { .. } => (Fault::Unusable, FailureCause::Target),
        ClientError::Unreachable(_) => (Fault::Unreachable, FailureCause::Target),
        _ => (Fault::Lost, FailureCause::Either),
    };
    DeliveryFailure {
        fault,
        status: None,
        response: error.to_string().chars().take(TOLD).collect(),
        blame,
        retry_after: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn miss(status: u16) -> DeliveryFailure {
        let posted = PostResponse { status, answer: String::new(), retry_after: None };
        verdict(Ok(posted)).err().unwrap_or_else(|| panic!("{status} is taken"))
    }

    #[test]
    fn an_event_is_given_up_only_where_it_can_be_its_own_fault() {
        let pace = ForwardTiming::default();
        assert_eq!(verdict(Ok(PostResponse { status: 204, answer: String::new(), retry_after: None })), Ok(204));
        for (status, tries) in [(400, 3), (404, 3), (413, 3), (422, 3), (500, 10), (501, 10)] {
            assert!(!miss(status).is_final(&pace, tries - 1, 0), "{status}");
            assert!(miss(status).is_final(&pace, tries, 2), "{status}");
            assert!(!miss(status).is_final(&pace, 1000, 3), "{status}: three in a row were refused, it is the target");
        }
        for status in [302, 401, 403, 408, 410, 425, 429, 502, 503, 504] {
            assert!(!miss(status).is_final(&pace, 1000, 0), "{status}");
        }
    }

    #[test]
    fn waits_grow_to_a_bound_and_honour_what_is_asked() {
        let pace = ForwardTiming::default();
        let waits: Vec<_> = (1..8).map(|tries| miss(503).wait(&pace, tries, 0.5).as_secs()).collect();
        assert_eq!(waits, [1, 5, 30, 120, 300, 300, 300]);
        assert_eq!(miss(503).wait(&pace, 5, 0.0).as_secs(), 240);
        assert_eq!(miss(503).wait(&pace, 5, 1.0).as_secs(), 360);
        let asked = |seconds| DeliveryFailure { retry_after: Some(Duration::from_secs(seconds)), ..miss(429) };
        assert_eq!(asked(77).wait(&pace, 1, 0.5).as_secs(), 77);
        assert_eq!(asked(1_000_000).wait(&pace, 1, 0.5), MAX_RETRY_AFTER);
    }
}
