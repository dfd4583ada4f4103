//! The source of the current time.

use std::{sync::Arc, time::SystemTime};

use jiff::Timestamp;

use crate::Problem;

/// Returns the current time. Passed as a value, so that tests can run in parallel.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Checks at the start that the computer's clock shows a valid date. Otherwise, later calls of the clock would fail.
///
/// # Errors
///
/// [`Code::Precondition`](crate::Code::Precondition): the clock shows a time after the year 9999
/// (`clock-out-of-range`).
pub fn check_system_clock(now: SystemTime) -> Result<(), Problem> {
    Timestamp::try_from(now).map(drop).map_err(|error| Problem::obstacle("clock-out-of-range").details(error))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_without_a_date_is_refused() {
        assert!(check_system_clock(SystemTime::now()).is_ok());
        let later = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_800);
        assert!(check_system_clock(later).is_err_and(|problem| problem.is_obstacle("clock-out-of-range")));
    }
}
