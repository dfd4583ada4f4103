//! Reports a run's progress to subscribers. Reports are throttled, except for important changes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use takt_journal::SubmissionId;

use jiff::SignedDuration;
use tokio::sync::watch;

use super::{submissions_state::SubmissionsState, view::LiveState};
use takt_core::Problem;

/// The interval of progress reports. States and waits are reported at once.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

pub(super) struct ProgressReporter {
    shared: Arc<SubmissionsState>,
    submission: SubmissionId,
    /// Closed once the run has ended.
    live: watch::Sender<LiveState>,
    reported_at: Instant,
}

impl ProgressReporter {
    pub(super) fn new(shared: Arc<SubmissionsState>, submission: SubmissionId, live: watch::Sender<LiveState>) -> Self {
        Self { shared, submission, live, reported_at: Instant::now() }
    }

    /// Reports the rate in rows per second.
    pub(super) fn report_rate(&mut self, rate: Option<f64>) {
        self.live.send_modify(|live| live.rate = rate);
        self.publish(false);
    }

    /// Reports a wait and its reason. A wait without a reason isn't reported.
    pub(super) fn report_wait(&mut self, until: Instant, problem: Option<Problem>) {
        if problem.is_none() {
            return;
        }
        let wait = SignedDuration::try_from(until.saturating_duration_since(Instant::now())).unwrap_or_default();
        let until = (self.shared.clock)().checked_add(wait).ok();
        let is_waiting = self.live.borrow().waiting_until.is_some();
        self.live.send_modify(|live| {
            live.waiting_until = until;
            live.problem = problem;
        });
        self.publish(!is_waiting);
    }

    /// Reports whether unconfirmed rows are being read back.
    pub(super) fn report_reading_back(&mut self, now: bool) {
        self.live.send_modify(|live| live.finding_out = now);
        self.publish(true);
    }

    pub(super) fn clear_wait(&mut self) {
        if self.live.borrow().waiting_until.is_some() {
            self.live.send_modify(|live| {
                live.waiting_until = None;
                live.problem = None;
            });
        }
    }

    pub(super) fn publish(&mut self, at_once: bool) {
        if at_once || self.reported_at.elapsed() >= REPORT_INTERVAL {
            self.reported_at = Instant::now();
            let live = self.live.borrow().clone();
            self.shared.publish(self.submission, Some(&live));
        }
    }
}
