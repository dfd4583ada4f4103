//! Measures the rate of rows per second.

use std::collections::VecDeque;
use std::time::Instant;

/// The rate is measured over this many of the newest requests.
const MAX_REQUESTS: usize = 40;

/// The newest requests of a run that settled rows.
#[derive(Debug, Default)]
pub(super) struct Throughput {
    /// The start and end of a request, and its rows.
    recent: VecDeque<(Instant, Instant, u32)>,
}

impl Throughput {
    /// Records a response that settled rows.
    pub(super) fn record(&mut self, started_at: Instant, ended: Instant, rows: u32) {
        if self.recent.len() == MAX_REQUESTS {
            self.recent.pop_front();
        }
        self.recent.push_back((started_at, ended, rows));
    }

    /// Returns the rows per second, including waits for the rate limit. `requests` limits the rate to these requests
    /// per second.
    pub(super) fn rate(&self, requests: Option<f64>) -> Option<f64> {
        let first = self.recent.iter().map(|(started_at, _, _)| *started_at).min()?;
        let last = self.recent.iter().map(|(_, ended, _)| *ended).max()?;
        let rows: u32 = self.recent.iter().map(|(_, _, rows)| rows).sum();
        let seconds = last.duration_since(first).as_secs_f64();
        let count = f64::from(u32::try_from(self.recent.len()).unwrap_or(u32::MAX));
        let allowed = requests.map_or(f64::INFINITY, |requests| requests * f64::from(rows) / count);
        (seconds > 0.0).then(|| (f64::from(rows) / seconds).min(allowed))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_requests() {
        let mut throughput = Throughput::default();
        assert_eq!(throughput.rate(None), None);
        let start = Instant::now();
        for second in 0..50_u64 {
            // The first ten have few rows and must be forgotten.
            let rows = if second < 10 { 1 } else { 100 };
            let started_at = start + Duration::from_secs(second);
            throughput.record(started_at, started_at + Duration::from_secs(1), rows);
        }
        assert_eq!(throughput.rate(None), Some(100.0));
        assert_eq!(throughput.rate(Some(0.25)), Some(25.0), "the limit allows no more");
    }
}
