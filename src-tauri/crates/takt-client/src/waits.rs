//! Reports waits for the rate limit.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use crate::Clock;

/// The minimum length of a wait that is shown. Shorter ones end before a user can read about them.
const MIN_SHOWN_WAIT: Duration = Duration::from_millis(700);

/// The minimum length of a wait that is reported everywhere. Shorter ones are shown only with their read.
const MIN_REPORTED_WAIT: Duration = Duration::from_secs(5);

/// A callback with the end of a wait.
pub type ReportWait = Arc<dyn Fn(Timestamp) + Send + Sync>;

/// The receiver of reports about a client's waits. None by default.
#[derive(Clone, Default)]
pub(crate) enum Waits {
    #[default]
    Unreported,
    Callback(ReportWait, Clock),
    Channel(watch::Sender<Option<Timestamp>>, Clock),
}

/// Reports about the waits of one client's reads.
#[derive(Debug)]
pub struct WaitReports(watch::Receiver<Option<Timestamp>>);

/// A wait that reports its end on drop.
pub(crate) struct Wait<'a>(Option<&'a watch::Sender<Option<Timestamp>>>);

impl Waits {
    pub(crate) fn with_reports(clock: &Clock) -> (Self, WaitReports) {
        let (sender, receiver) = watch::channel(None);
        (Self::Channel(sender, Clock::clone(clock)), WaitReports(receiver))
    }

    pub(crate) fn with_callback(report: ReportWait, clock: &Clock) -> Self {
        Self::Callback(report, Clock::clone(clock))
    }

    /// Reports a wait of at most `wait`. It ends when the returned value is dropped.
    pub(crate) fn begin(&self, wait: Duration) -> Wait<'_> {
        let length = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        let until = |clock: &Clock| clock().saturating_add(length).unwrap_or(Timestamp::MAX);
        match self {
            Self::Channel(sender, clock) if wait >= MIN_SHOWN_WAIT => {
                sender.send_replace(Some(until(clock)));
                Wait(Some(sender))
            }
            Self::Callback(report, clock) if wait >= MIN_REPORTED_WAIT => {
                report(until(clock));
                Wait(None)
            }
            Self::Unreported | Self::Callback(..) | Self::Channel(..) => Wait(None),
        }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let Some(sender) = self.0 {
            sender.send_replace(None);
        }
    }
}

impl WaitReports {
    /// Awaits `read` and meanwhile calls `report` with the end of each wait, and with `None` when the read continues.
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
                    // All senders are gone.
                    Err(_) => return read.await,
                },
            }
        }
    }
}
