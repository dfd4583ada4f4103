//! Failpoints are named places in the code at which a crash test ends the process.
//!
//! They have no effect unless a callback or `TAKT_END_AT` is set.

use std::{
    env, fmt, process,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// `NAME` or `NAME:N`. The process aborts when it passes the failpoint for the Nth time. Only for tests.
const ABORT_VARIABLE: &str = "TAKT_END_AT";

/// Every failpoint, in the order in which a submission passes them.
pub const FAILPOINTS: [&str; 14] = [
    // Some items are recorded, and more follow. Passed with the first item and with every 5,000th.
    "submission-being-written",
    // All items are recorded, and none was sent.
    "submission-written",
    // A batch is chosen, and its attempt isn't recorded yet.
    "before-attempt",
    // The attempt is recorded, and no byte was sent.
    "attempt-written",
    // The whole request was sent, and no byte of the response was read.
    "request-sent",
    // The whole response was read, and its outcome isn't recorded yet.
    "answer-received",
    // The outcome is recorded.
    "outcome-written",
    // No row is pending, and the submission's end isn't recorded yet.
    "end-before-written",
    // Unconfirmed rows are about to be read back.
    "read-back-asked",
    // The service's items were read back, and the results aren't recorded yet.
    "read-back-answered",
    // The results of the read-back are recorded.
    "read-back-written",
    // The request for new tokens is about to be sent.
    "renewal-asked",
    // The new tokens were received and aren't stored yet. The old refresh token is used up.
    "renewal-answered",
    // The new tokens are stored.
    "renewal-kept",
];

type FailpointCallback = Arc<dyn Fn(&'static str) + Send + Sync>;

/// Calls a callback at each failpoint. Does nothing without a callback.
#[derive(Clone, Default)]
pub struct Failpoints(Option<FailpointCallback>);

impl fmt::Debug for Failpoints {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Failpoints").field(&self.0.is_some()).finish()
    }
}

impl Failpoints {
    pub fn with_callback(callback: impl Fn(&'static str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(callback)))
    }

    /// Aborts the process at the failpoint that `TAKT_END_AT` names.
    #[must_use]
    pub fn from_environment() -> Self {
        let Ok(text) = env::var(ABORT_VARIABLE) else { return Self::default() };
        match parse_abort_point(&text) {
            Some((name, count)) => Self::aborting_at(name, count),
            None => {
                tracing::warn!(text, "{ABORT_VARIABLE} names no failpoint");
                Self::default()
            }
        }
    }

    pub fn pass(&self, name: &'static str) {
        if let Some(callback) = &self.0 {
            callback(name);
        }
    }

    fn aborting_at(at: &'static str, count: u64) -> Self {
        let passed = AtomicU64::new(0);
        Self::with_callback(move |name| {
            if name == at && passed.fetch_add(1, Ordering::SeqCst) + 1 == count {
                process::abort();
            }
        })
    }
}

/// Parses the failpoint's name and the 1-based number of the pass that aborts.
fn parse_abort_point(text: &str) -> Option<(&'static str, u64)> {
    let (name, count) = text.trim().split_once(':').unwrap_or((text.trim(), "1"));
    let name = FAILPOINTS.into_iter().find(|known| *known == name)?;
    count.parse().ok().filter(|count| *count > 0).map(|count| (name, count))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn the_variable_names_a_failpoint_and_a_passing() {
        assert_eq!(parse_abort_point("renewal-kept"), Some(("renewal-kept", 1)));
        assert_eq!(parse_abort_point(" attempt-written:3 "), Some(("attempt-written", 3)));
        for wrong in ["", "nowhere", "renewal-kept:0", "renewal-kept:x", "renewal-kept:"] {
            assert_eq!(parse_abort_point(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn each_passing_calls_the_callback() {
        let passed: Arc<Mutex<Vec<&str>>> = Arc::default();
        let seen = Arc::clone(&passed);
        let failpoints = Failpoints::with_callback(move |name| seen.lock().unwrap().push(name));
        failpoints.pass("renewal-asked");
        failpoints.clone().pass("renewal-kept");
        Failpoints::default().pass("renewal-asked");
        assert_eq!(*passed.lock().unwrap(), ["renewal-asked", "renewal-kept"]);
    }
}
