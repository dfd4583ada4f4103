//! Reports waits for the rate limit to callers, so that users can see them.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use crate::Clock;

/// Shorter waits aren't shown, since they end before a user can read about them.
const MIN_SHOWN_WAIT: Duration = Duration::from_millis(700);

/// Shorter waits are shown only where the read's progress is shown.
const MIN_REPORTED_WAIT: Duration = Duration::from_secs(5);

/// A callback that receives the time at which a wait will end.
pub type ReportWait = Arc<dyn Fn(Timestamp) + Send + Sync>;

/// The receiver of a client's wait reports. By default, waits aren't reported.
#[derive(Clone, Default)]
pub(crate) enum WaitReporter {
    #[default]
    Unreported,
    Callback(ReportWait, Clock),
    Channel(watch::Sender<Option<Timestamp>>, Clock),
}

/// Receives the waits of one client's reads.
#[derive(Debug)]
pub struct WaitReports(watch::Receiver<Option<Timestamp>>);

/// A wait that reports its end when it is dropped.
pub(crate) struct ReportedWait<'a>(Option<&'a watch::Sender<Option<Timestamp>>>);

impl WaitReporter {
    pub(crate) fn with_reports(clock: &Clock) -> (Self, WaitReports) {
        let (sender, receiver) = watch::channel(None);
        (Self::Channel(sender, Clock::clone(clock)), WaitReports(receiver))
    }

    pub(crate) fn with_callback(report: ReportWait, clock: &Clock) -> Self {
        Self::Callback(report, Clock::clone(clock))
    }

    /// Reports a wait of at most `wait`. Dropping the returned value ends it.
    pub(crate) fn begin(&self, wait: Duration) -> ReportedWait<'_> {
        let length = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        let until = |clock: &Clock| clock().saturating_add(length).unwrap_or(Timestamp::MAX);
        match self {
            Self::Channel(sender, clock) if wait >= MIN_SHOWN_WAIT => {
                sender.send_replace(Some(until(clock)));
                ReportedWait(Some(sender))
            }
            Self::Callback(report, clock) if wait >= MIN_REPORTED_WAIT => {
                report(until(clock));
                ReportedWait(None)
            }
            Self::Unreported | Self::Callback(..) | Self::Channel(..) => ReportedWait(None),
        }
    }
}

impl Drop for ReportedWait<'_> {
    fn drop(&mut self) {
        if let Some(sender) = self.0 {
            sender.send_replace(None);
        }
    }
}

impl WaitReports {
    /// Awaits `read`. Meanwhile, calls `report` with the expected end of each wait, and with `None` when the wait ends.
    pub async fn await_reporting_waits<T>(
        &mut self,
        read: impl Future<Output = T>,
        mut report: impl FnMut(Option<Timestamp>),
    ) -> T {
        tokio::pin!(read);
        loop {
            tokio::select! {
                biased;
                done = &mut read => return done,
                changed = self.0.changed() => match changed {
                    Ok(()) => report(*self.0.borrow_and_update()),
                    // The client was dropped, so no more waits are reported.
                    Err(_) => return read.await,
                },
            }
        }
    }
}
