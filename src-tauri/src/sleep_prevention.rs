//! Keeps the computer from going to sleep by itself while something is sent.
//!
//! Owns for how long: from the first submission that runs to the last. The screen may go dark. A system that can't be asked
//! sleeps as it likes, and the journal says afterwards how far the sending came.

use std::{collections::HashSet, sync::mpsc, thread};

use takt_engine::submission::{SubmissionId, SubmissionState, SubmissionView};

/// Which submissions run, and what keeps the computer awake for them.
#[derive(Debug, Default)]
pub(crate) struct SleepPrevention {
    running: HashSet<SubmissionId>,
    hold: Option<Hold>,
}

/// Ends the thread that keeps the computer awake when it is dropped: on Windows that is a thread's matter.
#[derive(Debug)]
struct Hold {
    _ends: mpsc::Sender<()>,
}

impl SleepPrevention {
    /// A submission moved on.
    pub(crate) fn update(&mut self, view: &SubmissionView) {
        self.note(view.id, view.state == SubmissionState::Running);
    }

    fn note(&mut self, id: SubmissionId, runs: bool) {
        if runs {
            self.running.insert(id);
        } else {
            self.running.remove(&id);
        }
        self.settle();
    }

    /// Some changes were missed: only what still runs counts.
    pub(crate) fn retain(&mut self, runs: impl Fn(SubmissionId) -> bool) {
        self.running.retain(|id| runs(*id));
        self.settle();
    }

    fn settle(&mut self) {
        if self.running.is_empty() {
            self.hold = None;
        } else if self.hold.is_none() {
            self.hold = Hold::begin();
        }
    }
}

impl Hold {
    fn begin() -> Option<Self> {
        let (ends, ended) = mpsc::channel::<()>();
        let begun = thread::Builder::new().name("awake".to_owned()).spawn(move || match system::inhibit() {
            Ok(_inhibitor) => {
                tracing::debug!("the computer is kept awake");
                // Nothing is ever sent: it ends when the other side is dropped.
                let _ = ended.recv();
            }
            Err(error) => tracing::info!(%error, "the computer can't be kept awake while rows are sent"),
        });
        match begun {
            Ok(_) => Some(Self { _ends: ends }),
            Err(error) => {
                tracing::warn!(%error, "no thread to keep the computer awake");
                None
            }
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::time::Duration;

    use dbus::{Error, arg::OwnedFd, blocking::Connection};

    const CALL_TIMEOUT: Duration = Duration::from_millis(2_000);

    /// The system's login manager sleeps once nobody holds what it gives.
    pub(super) fn inhibit() -> Result<OwnedFd, Error> {
        let bus = Connection::new_system()?;
        let manager = bus.with_proxy("org.freedesktop.login1", "/org/freedesktop/login1", CALL_TIMEOUT);
        let wish = ("sleep:idle", "Takt", "Takt", "block");
        let (held,): (OwnedFd,) = manager.method_call("org.freedesktop.login1.Manager", "Inhibit", wish)?;
        Ok(held)
    }
}

#[cfg(any(windows, target_os = "macos"))]
mod system {
    /// Until what it gives is dropped.
    pub(super) fn inhibit() -> keepawake::Result<keepawake::KeepAwake> {
        keepawake::Builder::default().idle(true).sleep(true).reason("Takt").app_name("Takt").create()
    }
}

#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
mod system {
    pub(super) fn inhibit() -> Result<(), std::io::Error> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_computer_stays_awake_from_the_first_to_the_last() {
        let mut prevention = SleepPrevention::default();
        let [first, second] = [1, 2].map(SubmissionId::new);
        prevention.note(first, false);
        assert!(prevention.hold.is_none(), "nothing runs");
        prevention.note(first, true);
        prevention.note(second, true);
        prevention.note(first, false);
        assert!(prevention.hold.is_some(), "the second one still runs");
        prevention.retain(|id| id != second);
        assert!(prevention.hold.is_none(), "its end was missed, and found out");
    }
}
