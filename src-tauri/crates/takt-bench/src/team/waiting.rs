//! Waits for conditions and expresses times.

use std::time::{Duration, Instant};

use crate::error::BenchError;

pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Calls `look` until it returns a value, but no longer than `patience`.
pub(super) fn wait_for<T>(
    patience: Duration,
    pulse: Duration,
    mut look: impl FnMut() -> Result<Option<T>, BenchError>,
) -> Result<Option<T>, BenchError> {
    let began = Instant::now();
    while began.elapsed() < patience {
        if let Some(found) = look()? {
            return Ok(Some(found));
        }
        std::thread::sleep(pulse);
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
