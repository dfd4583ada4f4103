//! How a run ends, and what comes before its end.

use std::sync::Arc;

use takt_journal::{JournalError, SubmissionRecord, SubmissionState as State};

use super::{
    super::{lock, shared::UnkeptEnd},
    End, Runner,
};
use takt_core::blocking::run_blocking;
use takt_core::{Code, Problem};

impl Runner {
    /// Nothing can be sent any more, and nothing is on its way: what is unconfirmed is found out. Gives the run's end, or nothing
    /// where rows can be sent again.
    pub(super) async fn nothing_pending(&mut self) -> Result<Option<End>, Problem> {
        if self.queue.again().await? {
            return Ok(None);
        }
        if self.read_back_again().await? {
            self.queue.again().await?;
            return Ok(None);
        }
        let problem = self.why_unconfirmed();
        self.last_end().await.map(|end| Some(End { problem, ..end }))
    }

    /// How a run ends of which nothing more can be sent.
    pub(super) async fn last_end(&self) -> Result<End, Problem> {
        let record = self.record().await?;
        let trial_is_over = record.trial.is_some_and(|last| last < record.items) && record.counts.pending > 0;
        Ok(End::of(if trial_is_over { State::Paused } else { State::Finished }))
    }

    /// The submission as it stands in the journal.
    pub(in super::super) async fn record(&self) -> Result<SubmissionRecord, Problem> {
        let (shared, id) = (Arc::clone(&self.route.shared), self.route.run.submission());
        run_blocking(move || Ok(shared.journal.submission(id)?)).await
    }

    /// Of a delete the workbook of what is deleted, as it stands now.
    pub(super) async fn store_deleted(&self) -> Result<(), Problem> {
        let (shared, target) = (Arc::clone(&self.route.shared), Arc::clone(&self.route.target));
        let id = self.route.run.submission();
        let kept = tokio::task::spawn_blocking(move || shared.store_deleted(id, &target));
        kept.await.map_err(|error| Problem::new(Code::Bug).details(error))?
    }

    pub(super) async fn write_end(&mut self, end: End) {
        let active = self.route.watch.lap();
        let (shared, run) = (Arc::clone(&self.route.shared), Arc::clone(&self.route.run));
        let why = end.problem.clone();
        let written = run_blocking(move || {
            let at = (shared.clock)();
            let problem = end.problem.as_ref().map(serde_json::to_value).transpose().map_err(JournalError::from)?;
            shared.journal.add_active_time(&run, active)?;
            shared.journal.change_state(&run, &[State::Running], end.state, at, problem.as_ref())?;
            // Where the journal failed in the middle of a request, its rows are unconfirmed.
            Ok(shared.journal.recover_run(&run, at)?)
        })
        .await;
        if let Err(problem) = written {
            let submission = self.route.run.submission();
            tracing::error!(%submission, %problem, "the end of a run couldn't be written down");
            let why = why.unwrap_or(problem);
            // It isn't known yet whether anybody took it up: the connection is what was lost.
            let is_lost = self.route.run.is_lost() && why.is_obstacle("running-elsewhere");
            let why = if is_lost { Problem::new(Code::TeamAway) } else { why };
            let unkept = UnkeptEnd { problem: why, taken_up: self.taken_up.take() };
            lock(&self.route.shared.unkept).insert(submission, unkept);
        }
    }
}
