//! Waits for conditions and expresses times.

use std::time::{Duration, Instant};

use crate::error::BenchError;

pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Calls `poll` until it returns a value, but no longer than `timeout`.
pub(super) fn wait_for<T>(
    timeout: Duration,
    poll_interval: Duration,
    mut poll: impl FnMut() -> Result<Option<T>, BenchError>,
) -> Result<Option<T>, BenchError> {
    let began = Instant::now();
    while began.elapsed() < timeout {
        if let Some(found) = poll()? {
            return Ok(Some(found));
        }
        std::thread::sleep(poll_interval);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_comes_isnt_waited_for_forever() {
        let moment = Duration::from_millis(1);
        assert_eq!(wait_for(Duration::from_secs(60), moment, || Ok(Some(1))).unwrap(), Some(1));
        assert_eq!(wait_for(moment * 20, moment, || Ok(None::<u32>)).unwrap(), None);
    }
}
