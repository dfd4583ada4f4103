//! Telling who waits for an answer that it waits for the rate limit, and until when.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use crate::Clock;

/// Shorter waits end before a person has read of them.
const MIN_SHOWN_WAIT: Duration = Duration::from_millis(700);

/// Longer waits are reported everywhere. Shorter ones are shown only where they happen.
const MIN_REPORTED_WAIT: Duration = Duration::from_secs(5);

/// Says until when a read waits.
pub type ReportWait = Arc<dyn Fn(Timestamp) + Send + Sync>;

/// Where a client's reads tell of their waits; by itself nowhere.
#[derive(Clone, Default)]
pub(crate) enum Waits {
    #[default]
    Untold,
    Said(ReportWait, Clock),
    Heard(watch::Sender<Option<Timestamp>>, Clock),
}

/// What one client's reads tell of their waits.
#[derive(Debug)]
pub struct WaitReports(watch::Receiver<Option<Timestamp>>);

/// Tells the end of a wait when it is dropped.
pub(crate) struct Wait<'a>(Option<&'a watch::Sender<Option<Timestamp>>>);

impl Waits {
    pub(crate) fn with_reports(clock: &Clock) -> (Self, WaitReports) {
        let (sender, receiver) = watch::channel(None);
        (Self::Heard(sender, Clock::clone(clock)), WaitReports(receiver))
    }

    pub(crate) fn said(say: ReportWait, clock: &Clock) -> Self {
        Self::Said(say, Clock::clone(clock))
    }

    /// A wait that lasts as long as what it gives back, at most `wait`.
    pub(crate) fn begin(&self, wait: Duration) -> Wait<'_> {
        let length = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        let until = |clock: &Clock| clock().saturating_add(length).unwrap_or(Timestamp::MAX);
        match self {
            Self::Heard(sender, clock) if wait >= MIN_SHOWN_WAIT => {
                sender.send_replace(Some(until(clock)));
                Wait(Some(sender))
            }
            Self::Said(say, clock) if wait >= MIN_REPORTED_WAIT => {
                say(until(clock));
                Wait(None)
            }
            Self::Untold | Self::Said(..) | Self::Heard(..) => Wait(None),
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
    /// Does what reads, and tells meanwhile until when it waits: a moment, or `None` where it goes on.
    pub async fn during<T>(&mut self, read: impl Future<Output = T>, mut tell: impl FnMut(Option<Timestamp>)) -> T {
        tokio::pin!(read);
        loop {
            tokio::select! {
                biased;
                done = &mut read => return done,
                changed = self.0.changed() => match changed {
                    Ok(()) => tell(*self.0.borrow_and_update()),
                    // All senders are gone.
                    Err(_) => return read.await,
                },
            }
        }
    }
}
