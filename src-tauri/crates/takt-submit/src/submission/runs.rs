//! The runs of this process: of submissions, with the user's command and their live state, and of plans.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
};

use takt_core::Problem;
use takt_journal::PlanId;
use tokio::sync::watch;

/// A run of a submission in this process.
pub(super) struct RunningSubmission {
    pub(super) command: watch::Sender<RunCommand>,
    /// Closed once the run has ended.
    pub(super) live: watch::Receiver<LiveState>,
}

/// The user's command to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunCommand {
    Continue,
    Pause,
    Stop,
}

/// The state that only the run has.
#[derive(Debug, Clone, Default)]
pub(super) struct LiveState {
    pub(super) rate: Option<f64>,
    pub(super) waiting_until: Option<jiff::Timestamp>,
    pub(super) problem: Option<Problem>,
    pub(super) finding_out: bool,
}

/// A plan whose later steps are started by this process.
#[derive(Debug)]
pub(super) struct PlanRun {
    pub(super) stop: Arc<AtomicBool>,
    /// Closed once the last step has started, or none will.
    pub(super) ended: watch::Receiver<()>,
}

pub(super) type PlanRuns = HashMap<PlanId, PlanRun>;
