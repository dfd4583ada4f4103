//! One site's budget of requests: what its rate limit leaves, shared by everything that asks it.
//!
//! The service's headers are what counts. Between its answers the budget is what was stated last, less what is on its way:
//! rather one request too few than one that is refused. A window's requests may be used up at once; a share is kept for
//! people who look at lists meanwhile, and is let go as the window runs out.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use parking_lot::{Mutex, MutexGuard};

use crate::{RateLimit, Refusal};

/// The part of a window's requests that submissions leave to people.
const KEPT: u32 = 10;
/// Between two checks where only a response can tell how much is left.
const RECHECK_INTERVAL: Duration = Duration::from_millis(50);
/// A stated end of a window that is farther away isn't believed.
const MAX_WINDOW: Duration = Duration::from_secs(3_600);
/// Ends that are no farther apart mean the same window.
const WINDOW_END_TOLERANCE: Duration = Duration::from_secs(1);
/// Clocks that differ by less count as equal, because a `Date` header has whole seconds.
const MIN_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(3);
/// The wait after a 429 that states none.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(1);
/// A window is taken to end so much later than stated, after a 429 within the stated limits. It doubles up to
/// [`MAX_WINDOW_MARGIN`].
const MIN_WINDOW_MARGIN: Duration = Duration::from_millis(100);
const MAX_WINDOW_MARGIN: Duration = Duration::from_secs(2);

/// For whom a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestPurpose {
    /// Somebody waits for it.
    Person,
    /// One of many; leaves something to people.
    Submission,
    /// One of many pages; leaves something to people, too.
    Walk,
}

/// The right to make one request. Counts as on its way until dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the right back"]
pub struct RequestPermit(Arc<Budget>);

impl Drop for RequestPermit {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.on_their_way = state.on_their_way.saturating_sub(1);
    }
}

#[derive(Debug, Default)]
pub(crate) struct Budget(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Something has come back: whether there is a limit is known.
    answered: bool,
    stated: Option<RateLimit>,
    window: Option<Window>,
    /// How long a window lasts, as far as was seen.
    length: Option<Duration>,
    on_their_way: u32,
    /// Nothing leaves before that, after a 429.
    closed_until: Option<Instant>,
    margin: Duration,
    /// How far the service's clock is ahead of ours.
    skew: SignedDuration,
}

/// The window that runs, with the least that was stated to be left of it.
#[derive(Debug, Clone, Copy)]
struct Window {
    remaining: u32,
    ends: Option<Instant>,
}

impl Budget {
    /// A permit, or when to ask again at the latest.
    pub(crate) fn admit(self: &Arc<Self>, purpose: RequestPurpose) -> Result<RequestPermit, Instant> {
        self.state().admit(purpose, Instant::now())?;
        Ok(RequestPermit(Arc::clone(self)))
    }

    /// A permit for what goes in any case.
    pub(crate) fn count(self: &Arc<Self>) -> RequestPermit {
        self.state().on_their_way += 1;
        RequestPermit(Arc::clone(self))
    }

    /// The limit as the last answer stated it.
    pub(crate) fn stated(&self) -> Option<RateLimit> {
        self.state().stated
    }

    /// Requests per second that the limit allows, once a window was seen.
    pub(crate) fn per_second(&self) -> Option<f64> {
        let state = self.state();
        let length = state.length.filter(|length| !length.is_zero())?;
        Some(f64::from(state.stated?.limit) / length.as_secs_f64())
    }

    /// The time by the service's clock.
    pub(crate) fn service_time(&self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.state().skew).unwrap_or(now)
    }

    /// What an answer says. `ours` was taken when it came, `date` is what it says of the time.
    pub(crate) fn note(&self, limit: Option<RateLimit>, date: Option<Timestamp>, ours: Timestamp) {
        let now = Instant::now();
        let mut state = self.state();
        state.answered = true;
        if let Some(date) = date {
            let skew = date.duration_since(ours);
            state.skew = if skew.abs() < MIN_CLOCK_SKEW { SignedDuration::ZERO } else { skew };
        }
        let Some(limit) = limit else { return };
        let theirs = ours.saturating_add(state.skew).unwrap_or(ours);
        state.learn(limit, limit.reset.map(|reset| reset.duration_since(theirs)), now);
    }

    /// The service refused for lack of rate.
    pub(crate) fn refused(&self, refusal: &Refusal) {
        self.state().close(refusal.retry_after.unwrap_or(DEFAULT_RETRY_AFTER), Instant::now());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock()
    }
}

impl State {
    fn admit(&mut self, purpose: RequestPurpose, now: Instant) -> Result<(), Instant> {
        self.roll(now);
        if let Some(until) = self.closed_until {
            return Err(until);
        }
        if !self.answered && purpose != RequestPurpose::Person && self.on_their_way > 0 {
            return Err(now + RECHECK_INTERVAL);
        }
        if let Some(stated) = self.stated {
            let remaining = self.window.map_or(stated.limit, |window| window.remaining);
            let left = remaining.saturating_sub(self.on_their_way);
            let kept =
                if purpose != RequestPurpose::Person { self.reserved_for_people(stated.limit, now) } else { 0.0 };
            // A limit without an end can only be tried out, one request at a time.
            let endless = self.window.is_some_and(|window| window.ends.is_none()) && self.on_their_way == 0;
            if f64::from(left) <= kept && !endless {
                return Err(self.when(stated.limit, left, remaining, now));
            }
        }
        self.on_their_way += 1;
        Ok(())
    }

    /// Forgets what has passed.
    fn roll(&mut self, now: Instant) {
        self.closed_until = self.closed_until.filter(|until| *until > now);
        let margin = self.margin;
        self.window = self.window.filter(|window| window.ends.is_none_or(|ends| ends + margin > now));
    }

    /// Requests that submissions leave to people: a part of the limit, less and less as the window runs out.
    fn reserved_for_people(&self, limit: u32, now: Instant) -> f64 {
        let whole = if limit < 2 { 0 } else { (limit / KEPT).max(1) };
        (f64::from(whole) * self.share_left(now)).round()
    }

    fn share_left(&self, now: Instant) -> f64 {
        let (Some(ends), Some(length)) = (self.window.and_then(|window| window.ends), self.length) else { return 1.0 };
        let left = ends.saturating_duration_since(now).as_secs_f64();
        (left / length.as_secs_f64().max(f64::EPSILON)).min(1.0)
    }

    /// When there may be more: at the window's end, when something of what is kept is let go, or when something is back.
    fn when(&self, limit: u32, left: u32, remaining: u32, now: Instant) -> Instant {
        let (Some(ends), Some(length)) = (self.window.and_then(|window| window.ends), self.length) else {
            return now + RECHECK_INTERVAL;
        };
        let until = if left > 0 {
            // What is kept is rounded: it falls below `left` where the share falls below this.
            let share = (f64::from(left) - 0.5) / f64::from((limit / KEPT).max(1));
            let before = Duration::try_from_secs_f64(length.as_secs_f64() * share).unwrap_or_default();
            ends.checked_sub(before).unwrap_or(now).max(now) + Duration::from_millis(1)
        } else {
            ends + self.margin
        };
        if remaining > left { until.min(now + RECHECK_INTERVAL) } else { until }
    }

    /// `left`: until the stated end, by the service's clock.
    fn learn(&mut self, limit: RateLimit, left: Option<SignedDuration>, now: Instant) {
        self.roll(now);
        self.stated = Some(limit);
        if left.is_some_and(|left| !left.is_positive()) {
            // Of a window that is over. The next request begins one, if none has begun yet.
            return;
        }
        let left = left.and_then(|left| Duration::try_from(left).ok()).filter(|left| *left <= MAX_WINDOW);
        self.length = self.length.max(left);
        let stated = Window { remaining: limit.remaining, ends: left.map(|left| now + left) };
        self.window = Some(match (self.window.and_then(|window| Some((window, window.ends?))), stated.ends) {
            // It was overtaken by an answer of the next window.
            (Some((window, known)), Some(ends)) if ends + self.same() < known => window,
            (Some((window, known)), Some(ends)) if ends <= known + self.same() => {
                Window { remaining: window.remaining.min(limit.remaining), ..window }
            }
            _ => stated,
        });
    }

    /// How far apart two ends may lie that mean the same: clocks and headers are no finer.
    fn same(&self) -> Duration {
        self.length.map_or(WINDOW_END_TOLERANCE, |length| (length / 4).min(WINDOW_END_TOLERANCE))
    }

    fn close(&mut self, wait: Duration, now: Instant) {
        self.roll(now);
        // A window that we took for over wasn't.
        if self.window.is_none() && self.stated.is_some() && self.closed_until.is_none() {
            self.margin = (self.margin * 2).clamp(MIN_WINDOW_MARGIN, MAX_WINDOW_MARGIN);
        }
        let until = now + wait;
        self.closed_until = Some(self.closed_until.map_or(until, |other| other.max(until)));
    }
}

#[cfg(test)]
mod tests;
