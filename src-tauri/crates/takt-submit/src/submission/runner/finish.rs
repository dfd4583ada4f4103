//! Ends runs, after a last read-back.

use std::sync::Arc;

use takt_journal::{JournalError, SubmissionRecord, SubmissionState as State};

use super::{
    super::{lock, shared::UnsavedEnd},
    End, Runner,
};
use takt_core::blocking::run_blocking;
use takt_core::{Code, Problem};

impl Runner {
    /// Reads back unconfirmed rows once nothing can be sent and nothing is in flight. Returns the run's end, or `None`
    /// if rows can be sent again.
    pub(super) async fn nothing_pending(&mut self) -> Result<Option<End>, Problem> {
        if self.queue.restart().await? {
            return Ok(None);
        }
        if self.read_back_again().await? {
            self.queue.restart().await?;
            return Ok(None);
        }
        let problem = self.take_read_back_failure();
        self.final_end().await.map(|end| Some(End { problem, ..end }))
    }

    /// Returns the end of a run that can't send anything more.
    pub(super) async fn final_end(&self) -> Result<End, Problem> {
        let record = self.record().await?;
        let is_trial_over = record.trial.is_some_and(|last| last < record.items) && record.counts.pending > 0;
        Ok(End::of(if is_trial_over { State::Paused } else { State::Finished }))
    }

    /// Reads the submission's record from the journal.
    pub(in super::super) async fn record(&self) -> Result<SubmissionRecord, Problem> {
        let (shared, id) = (Arc::clone(&self.ctx.shared), self.ctx.run.submission());
        run_blocking(move || Ok(shared.journal.submission(id)?)).await
    }

    /// Writes the current workbook of deleted rows, for deletes.
    pub(super) async fn store_deleted(&self) -> Result<(), Problem> {
        let (shared, target) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.target));
        let id = self.ctx.run.submission();
        let stored = tokio::task::spawn_blocking(move || shared.store_deleted(id, &target));
        stored.await.map_err(|error| Problem::new(Code::Bug).details(error))?
    }

    pub(super) async fn write_end(&mut self, end: End) {
        let active = self.ctx.stopwatch.lap();
        let (shared, run) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run));
        let end_problem = end.problem.clone();
        let written = run_blocking(move || {
            let at = (shared.clock)();
            let problem = end.problem.as_ref().map(serde_json::to_value).transpose().map_err(JournalError::from)?;
            shared.journal.add_active_time(&run, active)?;
            shared.journal.change_state(&run, &[State::Running], end.state, at, problem.as_ref())?;
            // If the journal failed during a request, its rows are unconfirmed.
            Ok(shared.journal.recover_run(&run, at)?)
        })
        .await;
        if let Err(problem) = written {
            let submission = self.ctx.run.submission();
            tracing::error!(%submission, %problem, "the end of a run couldn't be written down");
            let cause = end_problem.unwrap_or(problem);
            // Only the connection is lost. It isn't known yet whether another desk has resumed the submission.
            let is_lost = self.ctx.run.is_lost() && cause.is_obstacle("running-elsewhere");
            let cause = if is_lost { Problem::new(Code::TeamAway) } else { cause };
            let unsaved_end = UnsavedEnd { problem: cause, taken_up: self.taken_up.take() };
            lock(&self.ctx.shared.unsaved_ends).insert(submission, unsaved_end);
        }
    }
}
