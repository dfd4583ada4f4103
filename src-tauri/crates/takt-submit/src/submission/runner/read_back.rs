//! Reads back unconfirmed rows: before sending, when nothing is left to send, and before the run gives up.
//!
//! Rows that didn't arrive are sent again, up to [`MAX_ROUNDS`] times. `resolve` decides what a read-back proves.

use std::{sync::Arc, time::Duration};

use takt_core::blocking::run_blocking;
use takt_core::{Code, Problem};
use takt_journal::SubmissionState as State;

use super::{
    super::{
        read_back_schedule::ReadBackTiming,
        resolve::{ReadBackCounts, settle_time},
        runs::RunCommand,
    },
    End, Runner,
};

/// The most rounds of reading back and sending again. One last read-back follows.
const MAX_ROUNDS: u32 = 3;

impl Runner {
    /// Reads back before sending if required. Returns the end if nothing is to be sent.
    pub(super) async fn before_sending(&mut self) -> Result<Option<End>, Problem> {
        match self.read_backs.timing {
            ReadBackTiming::Never | ReadBackTiming::AtEnd => Ok(None),
            ReadBackTiming::First => {
                self.read_back_once().await?;
                Ok(None)
            }
            ReadBackTiming::Only(state) => {
                self.read_back_once().await?;
                Ok(Some(End { state, problem: self.read_backs.failure.take() }))
            }
        }
    }

    /// Reads back once nothing is left to send. Returns true if rows must be sent again, or if the user gave a command.
    pub(super) async fn read_back_again(&mut self) -> Result<bool, Problem> {
        while self.read_backs.rounds <= MAX_ROUNDS && self.may_read_back().await? {
            self.read_backs.rounds += 1;
            let counts = self.read_back_once().await?;
            if self.has_command() {
                return Ok(true);
            }
            match counts {
                Some(counts) if counts.to_resend > 0 && self.read_backs.rounds > MAX_ROUNDS => {
                    let cause = self.read_backs.cause.take();
                    return Err(cause.unwrap_or_else(|| Problem::new(Code::ServiceFailed)));
                }
                Some(counts) if counts.to_resend == 0 && counts.inconclusive > 0 => {
                    self.pause_for(self.ctx.client.access().timeouts.long_retry_wait()).await
                }
                Some(counts) => return Ok(counts.to_resend > 0),
                None => self.pause_for(self.ctx.client.access().timeouts.long_retry_wait()).await,
            }
        }
        Ok(false)
    }

    /// Reads back once more before the end is stored, if a problem ended the run and the service still responds.
    ///
    /// If nothing is left to send, the run is finished whatever the user commanded meanwhile.
    pub(super) async fn final_read_back(&mut self, end: End) -> End {
        let service_responds = |problem: &Problem| {
            matches!(problem.code, Code::ServiceFailed | Code::ConnectionLost | Code::AnswerNotUnderstood)
        };
        let should_read_back = end.state == State::Interrupted && end.problem.as_ref().is_some_and(service_responds);
        if should_read_back
            && self.read_backs.rounds <= MAX_ROUNDS
            && self.may_read_back().await.unwrap_or(false)
            && let Err(problem) = self.read_back_once().await
        {
            tracing::warn!(%problem, "what was found out couldn't be written down");
        }
        match self.record().await.map(|record| record.counts) {
            Ok(counts) if end.state != State::Finished && counts.pending + counts.sending == 0 => {
                End { state: State::Finished, problem: end.problem.filter(|_| counts.unconfirmed > 0) }
            }
            _ => end,
        }
    }

    /// Takes the problem of the last read-back, if it failed.
    pub(super) fn take_read_back_failure(&mut self) -> Option<Problem> {
        self.read_backs.failure.take()
    }

    async fn may_read_back(&self) -> Result<bool, Problem> {
        if self.read_backs.reader.is_none() || self.read_backs.timing == ReadBackTiming::Never {
            return Ok(false);
        }
        let record = self.record().await?;
        Ok(record.counts.unconfirmed > 0 && !self.has_command())
    }

    fn has_command(&self) -> bool {
        *self.command.borrow() != RunCommand::Continue
    }

    /// Reads back once. Returns `None` if reading failed or the user gave a command meanwhile.
    async fn read_back_once(&mut self) -> Result<Option<ReadBackCounts>, Problem> {
        let Some(reader) = self.read_backs.reader.clone() else { return Ok(None) };
        let (shared, run) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run));
        self.progress.report_reading_back(true);
        let wait = run_blocking({
            let (shared, id) = (Arc::clone(&shared), run.submission());
            let shortest = self.ctx.client.access().timeouts.long_retry_wait();
            move || Ok(settle_time(&shared.journal, id, (shared.clock)(), shortest)?)
        })
        .await?;
        self.pause_for(wait).await;
        let mut command = self.command.clone();
        let other_command = async {
            if command.wait_for(|command| *command != RunCommand::Continue).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        // An interrupted read-back has only stored proven results.
        let counts = tokio::select! {
            counts = reader.resolve_unconfirmed(&shared, &run) => Some(counts),
            () = other_command => None,
        };
        self.progress.report_reading_back(false);
        match counts {
            None => Ok(None),
            Some(Ok(counts)) => {
                self.read_backs.failure = None;
                Ok(Some(counts))
            }
            Some(Err(problem)) if problem.code.is_of_journal() => Err(problem),
            Some(Err(problem)) => {
                tracing::warn!(%problem, "unconfirmed rows couldn't be read back");
                self.read_backs.failure = Some(problem);
                Ok(None)
            }
        }
    }

    /// Waits, unless the user gives a command.
    async fn pause_for(&mut self, time: Duration) {
        let mut command = self.command.clone();
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            _ = command.wait_for(|command| *command != RunCommand::Continue) => {}
        }
    }
}
