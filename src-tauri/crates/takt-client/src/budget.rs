//! The request budget of a site under its rate limit, shared by all clients of the site.
//!
//! The limit comes from the service's headers. Between responses, the budget is the last stated remainder minus the
//! requests in flight, since waiting is better than a 429. All requests of a window may be sent at once. Background
//! work reserves a share for interactive requests, which shrinks towards the window's end.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use parking_lot::{Mutex, MutexGuard};

use crate::{RateLimit, Refusal};

/// At the start of a window, background work leaves 1/10 of the limit to interactive requests.
const RESERVE_DIVISOR: u32 = 10;
/// The delay before the next check if the time of the next possible request is unknown.
const RECHECK_INTERVAL: Duration = Duration::from_millis(50);
/// The maximum plausible time until a window's stated end.
const MAX_WINDOW: Duration = Duration::from_secs(3_600);
/// The maximum difference between stated ends of the same window.
const WINDOW_END_TOLERANCE: Duration = Duration::from_secs(1);
/// Smaller clock differences are ignored, since a `Date` header has whole seconds.
const MIN_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(3);
/// The wait after a 429 without a stated wait.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(1);
/// The delay after a window's stated end, if a 429 was received within the stated limits. It starts at this value and
/// doubles up to [`MAX_WINDOW_MARGIN`].
const MIN_WINDOW_MARGIN: Duration = Duration::from_millis(100);
const MAX_WINDOW_MARGIN: Duration = Duration::from_secs(2);

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestPurpose {
    /// A request that a user waits for.
    Interactive,
    /// One of many requests of a submission. Leaves a share to interactive requests.
    Submission,
    /// One of many page reads. Leaves a share to interactive requests.
    PageReads,
}

/// A permit for one request, which counts as in flight until the permit is dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the right back"]
pub struct RequestPermit(Arc<Budget>);

impl Drop for RequestPermit {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight = state.in_flight.saturating_sub(1);
    }
}

#[derive(Debug, Default)]
pub(crate) struct Budget(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Whether a response was received. Before that, it is unknown whether the service has a limit.
    has_response: bool,
    stated_limit: Option<RateLimit>,
    window: Option<Window>,
    /// The longest observed length of a window.
    window_length: Option<Duration>,
    in_flight: u32,
    /// The end of the wait after a 429. No request is sent before it.
    blocked_until: Option<Instant>,
    window_margin: Duration,
    /// The service's clock minus the local clock.
    clock_skew: SignedDuration,
}

/// The current window, with the lowest remainder stated in it.
#[derive(Debug, Clone, Copy)]
struct Window {
    remaining: u32,
    ends: Option<Instant>,
}

impl Budget {
    /// Returns a permit, or the latest time for the next attempt.
    pub(crate) fn admit(self: &Arc<Self>, purpose: RequestPurpose) -> Result<RequestPermit, Instant> {
        self.state().admit(purpose, Instant::now())?;
        Ok(RequestPermit(Arc::clone(self)))
    }

    /// Returns a permit without checking the limit.
    pub(crate) fn count_request(self: &Arc<Self>) -> RequestPermit {
        self.state().in_flight += 1;
        RequestPermit(Arc::clone(self))
    }

    /// Returns the rate limit that the service stated last.
    pub(crate) fn stated_limit(&self) -> Option<RateLimit> {
        self.state().stated_limit
    }

    /// Returns the requests per second that the limit allows. None until a window's length is known.
    pub(crate) fn per_second(&self) -> Option<f64> {
        let state = self.state();
        let length = state.window_length.filter(|length| !length.is_zero())?;
        Some(f64::from(state.stated_limit?.limit) / length.as_secs_f64())
    }

    /// Returns the time by the service's clock.
    pub(crate) fn service_time(&self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.state().clock_skew).unwrap_or(now)
    }

    /// Records a response's limit. `local_time` is the time of receipt, `date` is the response's `Date`.
    pub(crate) fn record_response(&self, limit: Option<RateLimit>, date: Option<Timestamp>, local_time: Timestamp) {
        let now = Instant::now();
        let mut state = self.state();
        state.has_response = true;
        if let Some(date) = date {
            let skew = date.duration_since(local_time);
            state.clock_skew = if skew.abs() < MIN_CLOCK_SKEW { SignedDuration::ZERO } else { skew };
        }
        let Some(limit) = limit else { return };
        let service_time = local_time.saturating_add(state.clock_skew).unwrap_or(local_time);
        state.record_limit(limit, limit.reset.map(|reset| reset.duration_since(service_time)), now);
    }

    /// Records the wait after a 429.
    pub(crate) fn record_refusal(&self, refusal: &Refusal) {
        self.state().block_for(refusal.retry_after.unwrap_or(DEFAULT_RETRY_AFTER), Instant::now());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl State {
    fn admit(&mut self, purpose: RequestPurpose, now: Instant) -> Result<(), Instant> {
        self.remove_expired(now);
        if let Some(until) = self.blocked_until {
            return Err(until);
        }
        if !self.has_response && purpose != RequestPurpose::Interactive && self.in_flight > 0 {
            return Err(now + RECHECK_INTERVAL);
        }
        if let Some(stated) = self.stated_limit {
            let remaining = self.window.map_or(stated.limit, |window| window.remaining);
            let available = remaining.saturating_sub(self.in_flight);
            let reserved = if purpose != RequestPurpose::Interactive {
                self.reserved_for_interactive(stated.limit, now)
            } else {
                0.0
            };
            // The end of the window is unknown, so the limit can only be tested with one request at a time.
            let may_probe = self.window.is_some_and(|window| window.ends.is_none()) && self.in_flight == 0;
            if f64::from(available) <= reserved && !may_probe {
                return Err(self.retry_time(stated.limit, available, remaining, now));
            }
        }
        self.in_flight += 1;
        Ok(())
    }

    /// Removes a window and a wait that have ended.
    fn remove_expired(&mut self, now: Instant) {
        self.blocked_until = self.blocked_until.filter(|until| *until > now);
        let margin = self.window_margin;
        self.window = self.window.filter(|window| window.ends.is_none_or(|ends| ends + margin > now));
    }

    /// Returns the number of requests that background work leaves to interactive requests. It shrinks with the time
    /// left in the window.
    fn reserved_for_interactive(&self, limit: u32, now: Instant) -> f64 {
        let full_reserve = if limit < 2 { 0 } else { (limit / RESERVE_DIVISOR).max(1) };
        (f64::from(full_reserve) * self.remaining_share(now)).round()
    }

    fn remaining_share(&self, now: Instant) -> f64 {
        let (Some(ends), Some(length)) = (self.window.and_then(|window| window.ends), self.window_length) else {
            return 1.0;
        };
        let time_left = ends.saturating_duration_since(now).as_secs_f64();
        (time_left / length.as_secs_f64().max(f64::EPSILON)).min(1.0)
    }

    /// Returns the time of the next attempt: the window's end, or the time at which the reserved share is small enough.
    /// If requests are in flight, it is at most [`RECHECK_INTERVAL`] away.
    fn retry_time(&self, limit: u32, available: u32, remaining: u32, now: Instant) -> Instant {
        let (Some(ends), Some(length)) = (self.window.and_then(|window| window.ends), self.window_length) else {
            return now + RECHECK_INTERVAL;
        };
        let until = if available > 0 {
            // The reserved share is rounded, so it falls below `available` at this point.
            let share = (f64::from(available) - 0.5) / f64::from((limit / RESERVE_DIVISOR).max(1));
            let before = Duration::try_from_secs_f64(length.as_secs_f64() * share).unwrap_or_default();
            ends.checked_sub(before).unwrap_or(now).max(now) + Duration::from_millis(1)
        } else {
            ends + self.window_margin
        };
        if remaining > available { until.min(now + RECHECK_INTERVAL) } else { until }
    }

    /// Records a stated limit. `time_left` is the time until the window's end by the service's clock.
    fn record_limit(&mut self, limit: RateLimit, time_left: Option<SignedDuration>, now: Instant) {
        self.remove_expired(now);
        self.stated_limit = Some(limit);
        if time_left.is_some_and(|time_left| !time_left.is_positive()) {
            // The window has ended. The next request starts a new one, if none has started yet.
            return;
        }
        let time_left = time_left
            .and_then(|time_left| Duration::try_from(time_left).ok())
            .filter(|time_left| *time_left <= MAX_WINDOW);
        self.window_length = self.window_length.max(time_left);
        let stated = Window { remaining: limit.remaining, ends: time_left.map(|time_left| now + time_left) };
        self.window = Some(match (self.window.and_then(|window| Some((window, window.ends?))), stated.ends) {
            // The next window has started, and this is a late response of the one before.
            (Some((window, known)), Some(ends)) if ends + self.same_window_tolerance() < known => window,
            (Some((window, known)), Some(ends)) if ends <= known + self.same_window_tolerance() => {
                Window { remaining: window.remaining.min(limit.remaining), ..window }
            }
            _ => stated,
        });
    }

    /// Returns the maximum distance between two ends of the same window, given the resolution of clocks and headers.
    fn same_window_tolerance(&self) -> Duration {
        self.window_length.map_or(WINDOW_END_TOLERANCE, |length| (length / 4).min(WINDOW_END_TOLERANCE))
    }

    fn block_for(&mut self, wait: Duration, now: Instant) {
        self.remove_expired(now);
        // The budget assumed that the window had ended, but the service refused a request.
        if self.window.is_none() && self.stated_limit.is_some() && self.blocked_until.is_none() {
            self.window_margin = (self.window_margin * 2).clamp(MIN_WINDOW_MARGIN, MAX_WINDOW_MARGIN);
        }
        let until = now + wait;
        self.blocked_until = Some(self.blocked_until.map_or(until, |other| other.max(until)));
    }
}

#[cfg(test)]
mod tests;
