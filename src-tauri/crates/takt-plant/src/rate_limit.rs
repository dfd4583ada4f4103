//! The rate limit, with a fixed window per access token.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::config::RateLimit;

/// The number of windows above which ended ones are removed.
const MAX_BUCKETS: usize = 4096;

/// The key for requests without a valid token, which share a window.
pub(crate) const ANONYMOUS: &str = "";

/// Counts requests per key and window.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    limit: RateLimit,
    buckets: Mutex<HashMap<Box<str>, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    request_count: u32,
    reset: Timestamp,
}

/// The state of a window after a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    pub(crate) reset: Timestamp,
    /// Whether the request exceeds the limit.
    pub(crate) is_exceeded: bool,
}

impl Allowance {
    /// Returns the seconds until the window ends, rounded up and at least 1.
    pub(crate) fn seconds_left(&self, now: Timestamp) -> i64 {
        let left = self.reset.duration_since(now);
        let rounded_up = left.as_secs() + i64::from(left.subsec_nanos() > 0);
        rounded_up.max(1)
    }
}

impl RateLimiter {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self { limit, buckets: Mutex::new(HashMap::new()) }
    }

    /// Counts a request with this key. A request that exceeds the limit isn't counted.
    pub(crate) fn count_request(&self, key: &str, now: Timestamp) -> Allowance {
        let mut buckets = self.buckets.lock();
        if buckets.len() > MAX_BUCKETS {
            buckets.retain(|_, bucket| bucket.reset > now);
        }
        let window = SignedDuration::try_from(self.limit.window).unwrap_or(SignedDuration::MAX);
        let fresh = Bucket { request_count: 0, reset: now.saturating_add(window).unwrap_or(Timestamp::MAX) };
        if !buckets.contains_key(key) {
            buckets.insert(key.into(), fresh);
        }
        let mut is_exceeded = false;
        let mut bucket = fresh;
        if let Some(stored) = buckets.get_mut(key) {
            if stored.reset <= now {
                *stored = fresh;
            }
            is_exceeded = stored.request_count >= self.limit.requests;
            if !is_exceeded {
                stored.request_count += 1;
            }
            bucket = *stored;
        }
        Allowance {
            limit: self.limit.requests,
            remaining: self.limit.requests.saturating_sub(bucket.request_count),
            reset: bucket.reset,
            is_exceeded,
        }
    }

    /// Starts new windows for all keys.
    pub(crate) fn clear(&self) {
        self.buckets.lock().clear();
    }
}
