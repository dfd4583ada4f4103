//! The time now, as it is handed in.

use std::{sync::Arc, time::SystemTime};

use jiff::Timestamp;

use crate::Problem;

/// The time now. Passed in, so that tests run beside each other.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Whether a computer's clock shows a time that can be written as a date. Asked once at the start: whoever asks the clock later
/// would break off.
///
/// # Errors
///
/// [`Code::Precondition`](crate::Code::Precondition): it shows a time after the year 9999 (`clock-out-of-range`).
pub fn check_system_clock(now: SystemTime) -> Result<(), Problem> {
    Timestamp::try_from(now).map(drop).map_err(|error| Problem::in_the_way("clock-out-of-range").details(error))
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
