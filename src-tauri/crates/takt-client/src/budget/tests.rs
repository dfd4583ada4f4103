//! Tests of the budget with a simulated service that counts requests.

use super::*;

/// A service with a limit of requests per window of ten seconds.
struct Service {
    limit: u32,
    used: u32,
    ends: Instant,
}

const WINDOW: Duration = Duration::from_secs(10);

impl Service {
    fn new(limit: u32, now: Instant) -> Self {
        Self { limit, used: 0, ends: now }
    }

    /// Counts a request. Returns the stated limit, the time until the window ends, and whether the request was refused.
    fn count_request(&mut self, now: Instant) -> (RateLimit, Duration, bool) {
        if self.ends <= now {
            (self.ends, self.used) = (now + WINDOW, 0);
        }
        let refused = self.used >= self.limit;
        self.used += u32::from(!refused);
        let limit = RateLimit {
            limit: self.limit,
            remaining: self.limit - self.used,
            reset: Some(Timestamp::from_second(1_000_000).unwrap()),
        };
        (limit, self.ends - now, refused)
    }
}

/// Sends for a minute, up to eight requests at a time, each of which takes `took`. Returns the numbers of responses and
/// refusals.
fn send_for_a_minute(limit: u32, took: Duration) -> (u32, u32) {
    let start = Instant::now();
    let (mut service, mut state) = (Service::new(limit, start), State::default());
    let mut in_flight: Vec<(Instant, RateLimit, Instant, bool)> = Vec::new();
    let (mut now, mut answers, mut refusals) = (start, 0, 0);
    while now < start + Duration::from_secs(60) {
        while in_flight.first().is_some_and(|(back, ..)| *back <= now) {
            let (_, limit, ends, refused) = in_flight.remove(0);
            if refused {
                refusals += 1;
                state.block_for(Duration::from_secs(1), now);
            } else {
                answers += 1;
            }
            let time_left = SignedDuration::try_from(ends.saturating_duration_since(now)).unwrap();
            state.has_response = true;
            state.record_limit(limit, Some(time_left), now);
            state.in_flight -= 1;
        }
        let mut next = now + Duration::from_secs(1);
        if in_flight.len() < 8 {
            match state.admit(RequestPurpose::Submission, now) {
                Ok(()) => {
                    let (limit, time_left, refused) = service.count_request(now);
                    in_flight.push((now + took, limit, now + time_left, refused));
                    continue;
                }
                Err(until) => next = until,
            }
        }
        let back = in_flight.first().map_or(next, |(back, ..)| *back);
        assert!(next > now, "it would ask for ever");
        now = back.min(next);
    }
    (answers, refusals)
}

#[test]
fn the_limit_is_used_up_and_not_hit() {
    for (limit, took) in [(1, 5), (2, 5), (7, 50), (30, 5), (100, 5), (1000, 20), (1000, 1)] {
        let (answers, refusals) = send_for_a_minute(limit, Duration::from_millis(took));
        assert_eq!(refusals, 0, "{limit} in ten seconds, {took} ms");
        let allowed = limit * 6;
        assert!(answers * 100 >= allowed * 95, "{answers} of {allowed}, {took} ms");
    }
}

#[test]
fn people_get_what_submissions_leave() {
    let now = Instant::now();
    let mut state = State::default();
    let stated = |remaining| RateLimit { limit: 100, remaining, reset: None };
    state.record_limit(stated(10), Some(SignedDuration::from_secs(10)), now);
    let until = state.admit(RequestPurpose::Submission, now).unwrap_err();
    assert!(until > now && until < now + Duration::from_secs(2), "a part is let go soon");
    assert!(state.admit(RequestPurpose::Interactive, now).is_ok());
    state.record_limit(stated(0), Some(SignedDuration::from_secs(10)), now);
    assert!(state.admit(RequestPurpose::Interactive, now).is_err());
    let later = now + Duration::from_secs(11);
    assert!(state.admit(RequestPurpose::Interactive, later).is_ok(), "the window is over");
}

#[test]
fn a_refusal_closes_for_everybody_and_an_unexpected_one_teaches() {
    let now = Instant::now();
    let mut state = State::default();
    state.record_limit(RateLimit { limit: 5, remaining: 0, reset: None }, Some(SignedDuration::from_secs(1)), now);
    let fresh = now + Duration::from_secs(2);
    assert!(state.admit(RequestPurpose::Submission, fresh).is_ok());
    state.block_for(Duration::from_secs(3), fresh);
    assert_eq!(state.admit(RequestPurpose::Interactive, fresh), Err(fresh + Duration::from_secs(3)));
    assert_eq!(state.window_margin, MIN_WINDOW_MARGIN);
    assert!(state.admit(RequestPurpose::Interactive, fresh + Duration::from_secs(3)).is_ok());
}

#[test]
fn without_an_end_one_request_at_a_time_tries() {
    let now = Instant::now();
    let mut state = State::default();
    state.record_limit(RateLimit { limit: 5, remaining: 0, reset: None }, None, now);
    assert!(state.admit(RequestPurpose::Submission, now).is_ok());
    assert!(state.admit(RequestPurpose::Submission, now).is_err());
}

#[test]
fn a_clock_that_is_hours_off_makes_no_difference() {
    let budget = Arc::new(Budget::default());
    let local_time: Timestamp = "2026-11-21T10:00:00Z".parse().unwrap();
    let service_time: Timestamp = "2026-11-21T16:00:00Z".parse().unwrap();
    let reset = service_time.checked_add(SignedDuration::from_secs(30)).ok();
    budget.record_response(Some(RateLimit { limit: 9, remaining: 0, reset }), Some(service_time), local_time);
    let wait = budget.admit(RequestPurpose::Interactive).unwrap_err().saturating_duration_since(Instant::now());
    assert!(wait > Duration::from_secs(28) && wait <= Duration::from_secs(30), "{wait:?}");
    assert_eq!(budget.service_time(local_time), service_time);
}
