//! Telling who waits for an answer that it waits for the rate limit, and until when.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;

use crate::Clock;

/// Shorter waits are over before anybody has read of them.
const WORTH_TELLING: Duration = Duration::from_millis(700);

/// Where a client's reads tell of their waits; by itself nowhere.
#[derive(Clone, Default)]
pub(crate) struct Waits(Option<(watch::Sender<Option<Timestamp>>, Clock)>);

/// What one client's reads tell of their waits.
#[derive(Debug)]
pub struct WaitsHeard(watch::Receiver<Option<Timestamp>>);

/// Tells the end of a wait when it is dropped.
pub(crate) struct Wait<'a>(Option<&'a watch::Sender<Option<Timestamp>>>);

impl Waits {
    pub(crate) fn heard(clock: &Clock) -> (Self, WaitsHeard) {
        let (sender, receiver) = watch::channel(None);
        (Self(Some((sender, Clock::clone(clock)))), WaitsHeard(receiver))
    }

    /// A wait that lasts as long as what it gives back, at most `wait`.
    pub(crate) fn begin(&self, wait: Duration) -> Wait<'_> {
        let Some((sender, clock)) = self.0.as_ref().filter(|_| wait >= WORTH_TELLING) else { return Wait(None) };
        let length = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        sender.send_replace(Some(clock().saturating_add(length).unwrap_or(Timestamp::MAX)));
        Wait(Some(sender))
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        if let Some(sender) = self.0 {
            sender.send_replace(None);
        }
    }
}

impl WaitsHeard {
    /// Does what reads, and tells meanwhile until when it waits: a moment, or `None` where it goes on.
    pub async fn during<T>(&mut self, read: impl Future<Output = T>, mut tell: impl FnMut(Option<Timestamp>)) -> T {
        tokio::pin!(read);
        loop {
            tokio::select! {
                biased;
                done = &mut read => return done,
                changed = self.0.changed() => match changed {
                    Ok(()) => tell(*self.0.borrow_and_update()),
                    // Nobody is left who could tell.
                    Err(_) => return read.await,
                },
            }
        }
    }
}
