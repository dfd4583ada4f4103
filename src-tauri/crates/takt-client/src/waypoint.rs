//! Named places in the work that somebody outside can be told of: a crash test ends the process exactly there.
//!
//! Owns the names and how a wish is read from the environment. Passing one costs nothing where nobody is told.

use std::{
    env, fmt, process,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// `NAME` or `NAME:N`: the process ends at the Nth passing of that waypoint, without a goodbye. Only for tests.
const VARIABLE: &str = "TAKT_END_AT";

/// Every waypoint, in the order in which a submission passes them.
pub const WAYPOINTS: [&str; 14] = [
    // Some of the items are written down, and more are made: passed with the first and with every 5,000th of them.
    "submission-being-written",
    // All items are written down; none was sent.
    "submission-written",
    // A batch is chosen; its attempt isn't written down yet.
    "before-attempt",
    // The attempt is on disk; not a byte has left.
    "attempt-written",
    // The whole request has left and the service begins to answer; nothing of the answer was read.
    "request-sent",
    // The whole answer is here; its outcome isn't written down yet.
    "answer-received",
    // The outcome is on disk.
    "outcome-written",
    // Nothing is pending any more; the submission's end isn't written down yet.
    "end-before-written",
    // Unconfirmed rows are about to be read back.
    "read-back-asked",
    // What the service holds is known; it isn't written down yet.
    "read-back-answered",
    // What became of the unconfirmed rows is on disk.
    "read-back-written",
    // The provider is about to be asked for new tokens.
    "renewal-asked",
    // The new tokens are here; they aren't kept yet. The old refresh token is spent.
    "renewal-answered",
    // The new tokens are kept.
    "renewal-kept",
];

type WaypointCallback = Arc<dyn Fn(&'static str) + Send + Sync>;

/// Who is told. By default nobody is.
#[derive(Clone, Default)]
pub struct Waypoints(Option<WaypointCallback>);

impl fmt::Debug for Waypoints {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Waypoints").field(&self.0.is_some()).finish()
    }
}

impl Waypoints {
    pub fn with_callback(told: impl Fn(&'static str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    /// Ends the process where `TAKT_END_AT` says so; without it nobody is told.
    #[must_use]
    pub fn from_environment() -> Self {
        let Ok(text) = env::var(VARIABLE) else { return Self::default() };
        match wish(&text) {
            Some((name, count)) => Self::ending(name, count),
            None => {
                tracing::warn!(text, "{VARIABLE} names no waypoint");
                Self::default()
            }
        }
    }

    pub fn pass(&self, name: &'static str) {
        if let Some(told) = &self.0 {
            told(name);
        }
    }

    fn ending(at: &'static str, count: u64) -> Self {
        let passed = AtomicU64::new(0);
        Self::with_callback(move |name| {
            if name == at && passed.fetch_add(1, Ordering::SeqCst) + 1 == count {
                process::abort();
            }
        })
    }
}

/// The waypoint, and at which passing, counted from one.
fn wish(text: &str) -> Option<(&'static str, u64)> {
    let (name, count) = text.trim().split_once(':').unwrap_or((text.trim(), "1"));
    let name = WAYPOINTS.into_iter().find(|known| *known == name)?;
    count.parse().ok().filter(|count| *count > 0).map(|count| (name, count))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_wish_names_a_waypoint_and_a_passing() {
        assert_eq!(wish("renewal-kept"), Some(("renewal-kept", 1)));
        assert_eq!(wish(" attempt-written:3 "), Some(("attempt-written", 3)));
        for wrong in ["", "nowhere", "renewal-kept:0", "renewal-kept:x", "renewal-kept:"] {
            assert_eq!(wish(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn whoever_wants_to_know_is_told() {
        let passed: Arc<Mutex<Vec<&str>>> = Arc::default();
        let seen = Arc::clone(&passed);
        let waypoints = Waypoints::with_callback(move |name| seen.lock().unwrap().push(name));
        waypoints.pass("renewal-asked");
        waypoints.clone().pass("renewal-kept");
        Waypoints::default().pass("renewal-asked");
        assert_eq!(*passed.lock().unwrap(), ["renewal-asked", "renewal-kept"]);
    }
}
