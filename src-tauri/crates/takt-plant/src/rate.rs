//! The rate limit: a fixed window per access token, and what its headers say.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;

use crate::config::RateLimit;

/// Beyond so many buckets, those whose window has ended are dropped.
const BUCKETS_KEPT: usize = 4096;

/// The bucket of requests that carry no good token.
pub(crate) const NOBODY: &str = "";

/// Counts requests per key.
#[derive(Debug)]
pub(crate) struct Limiter {
    limit: RateLimit,
    buckets: Mutex<HashMap<Box<str>, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    used: u32,
    reset: Timestamp,
}

/// What is left of a key's window after a request was counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) limit: u32,
    pub(crate) remaining: u32,
    pub(crate) reset: Timestamp,
    /// Whether the request was one too many.
    pub(crate) exceeded: bool,
}

impl Allowance {
    /// Whole seconds until the window ends, at least 1.
    pub(crate) fn seconds_left(&self, now: Timestamp) -> i64 {
        let left = self.reset.duration_since(now);
        let rounded_up = left.as_secs() + i64::from(left.subsec_nanos() > 0);
        rounded_up.max(1)
    }
}

impl Limiter {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self { limit, buckets: Mutex::new(HashMap::new()) }
    }

    /// Counts one request of `key`. Requests beyond the limit aren't counted: they don't lengthen the wait.
    pub(crate) fn take(&self, key: &str, now: Timestamp) -> Allowance {
        let mut buckets = self.buckets.lock();
        if buckets.len() > BUCKETS_KEPT {
            buckets.retain(|_, bucket| bucket.reset > now);
        }
        let window = SignedDuration::try_from(self.limit.window).unwrap_or(SignedDuration::MAX);
        let fresh = Bucket { used: 0, reset: now.saturating_add(window).unwrap_or(Timestamp::MAX) };
        if !buckets.contains_key(key) {
            buckets.insert(key.into(), fresh);
        }
        let mut exceeded = false;
        let mut bucket = fresh;
        if let Some(kept) = buckets.get_mut(key) {
            if kept.reset <= now {
                *kept = fresh;
            }
            exceeded = kept.used >= self.limit.requests;
            if !exceeded {
                kept.used += 1;
            }
            bucket = *kept;
        }
        Allowance {
            limit: self.limit.requests,
            remaining: self.limit.requests.saturating_sub(bucket.used),
            reset: bucket.reset,
            exceeded,
        }
    }

    /// Every window starts anew.
    pub(crate) fn clear(&self) {
        self.buckets.lock().clear();
    }
}
