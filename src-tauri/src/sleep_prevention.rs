//! Prevents the computer from sleeping while a submission runs.
//!
//! Starts with the first running submission and ends with the last. The screen may turn off. If the system can't
//! prevent sleep, the journal still records the submission's progress.

use std::{collections::HashSet, sync::mpsc, thread};

use takt_engine::submission::{SubmissionId, SubmissionState, SubmissionView};

/// The running submissions, and the inhibition of sleep while any submission is running.
#[derive(Debug, Default)]
pub(crate) struct SleepPrevention {
    running: HashSet<SubmissionId>,
    inhibition: Option<Inhibition>,
}

/// Inhibits sleep until it is dropped. Uses its own thread, since Windows ties the inhibition to a thread.
#[derive(Debug)]
struct Inhibition {
    _stop: mpsc::Sender<()>,
}

impl SleepPrevention {
    /// Records a submission's new state, and starts or ends the inhibition if necessary.
    pub(crate) fn update(&mut self, view: &SubmissionView) {
        self.record(view.id, view.state == SubmissionState::Running);
    }

    fn record(&mut self, id: SubmissionId, is_running: bool) {
        if is_running {
            self.running.insert(id);
        } else {
            self.running.remove(&id);
        }
        self.update_inhibition();
    }

    /// Returns the running submissions according to the recorded changes.
    pub(crate) fn running(&self) -> HashSet<SubmissionId> {
        self.running.clone()
    }

    /// Removes submissions that aren't running, for use after missed changes.
    pub(crate) fn retain(&mut self, is_running: impl Fn(SubmissionId) -> bool) {
        self.running.retain(|id| is_running(*id));
        self.update_inhibition();
    }

    fn update_inhibition(&mut self) {
        if self.running.is_empty() {
            self.inhibition = None;
        } else if self.inhibition.is_none() {
            self.inhibition = Inhibition::start();
        }
    }
}

impl Inhibition {
    fn start() -> Option<Self> {
        let (stop, stopped) = mpsc::channel::<()>();
        let spawned = thread::Builder::new().name("awake".to_owned()).spawn(move || match system::inhibit() {
            Ok(_inhibitor) => {
                tracing::debug!("the computer is kept awake");
                // Nothing is ever sent, so this returns only when the sender is dropped.
                let _ = stopped.recv();
            }
            Err(error) => tracing::info!(%error, "the computer can't be kept awake while rows are sent"),
        });
        match spawned {
            Ok(_) => Some(Self { _stop: stop }),
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

    /// The login manager inhibits sleep until the returned descriptor is closed.
    pub(crate) fn inhibit() -> Result<OwnedFd, Error> {
        let bus = Connection::new_system()?;
        let manager = bus.with_proxy("org.freedesktop.login1", "/org/freedesktop/login1", CALL_TIMEOUT);
        let arguments = ("sleep:idle", "Takt", "Takt", "block");
        let (descriptor,): (OwnedFd,) = manager.method_call("org.freedesktop.login1.Manager", "Inhibit", arguments)?;
        Ok(descriptor)
    }
}

#[cfg(any(windows, target_os = "macos"))]
mod system {
    /// Inhibits sleep until the returned value is dropped.
    pub(crate) fn inhibit() -> keepawake::Result<keepawake::KeepAwake> {
        keepawake::Builder::default().idle(true).sleep(true).reason("Takt").app_name("Takt").create()
    }
}

#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
mod system {
    pub(crate) fn inhibit() -> Result<(), std::io::Error> {
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
        prevention.record(first, false);
        assert!(prevention.inhibition.is_none(), "nothing runs");
        prevention.record(first, true);
        prevention.record(second, true);
        prevention.record(first, false);
        assert!(prevention.inhibition.is_some(), "the second one still runs");
        prevention.retain(|id| id != second);
        assert!(prevention.inhibition.is_none(), "its end was missed, and found out");
    }
}
