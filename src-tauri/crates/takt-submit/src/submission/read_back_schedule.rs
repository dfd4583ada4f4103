//! The times at which a run reads back unconfirmed rows, and the state that its last read-back left.

use takt_core::Problem;
use takt_journal::SubmissionState as State;

use super::resolve::SubmissionReadBack;

/// The time at which a run reads back unconfirmed rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadBackTiming {
    /// Never, at the user's request.
    Never,
    /// Once nothing is left to send.
    AtEnd,
    /// Before anything is sent, and at the end.
    First,
    /// Without sending anything. Afterwards the submission has the same state as before.
    Only(State),
}

/// The state of reading back in a run.
pub(super) struct ReadBackSchedule {
    pub(super) timing: ReadBackTiming,
    /// Absent if the operation can't be read back.
    pub(super) reader: Option<SubmissionReadBack>,
    pub(super) rounds: u32,
    /// The problem of the last read-back, if it failed.
    pub(super) failure: Option<Problem>,
    /// The problem that last left rows unconfirmed.
    pub(super) cause: Option<Problem>,
}

impl ReadBackSchedule {
    pub(super) fn new(timing: ReadBackTiming, reader: Option<SubmissionReadBack>) -> Self {
        Self { timing, reader, rounds: 0, failure: None, cause: None }
    }

    /// Returns the reader, if the operation can be read back.
    pub(super) fn reader(&self) -> Option<SubmissionReadBack> {
        self.reader.clone()
    }
}
