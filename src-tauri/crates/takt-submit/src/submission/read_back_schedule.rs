//! When a run finds out about unconfirmed rows: before it sends, when nothing is left to send, and before it gives up.
//!
//! What turned out not to have arrived is sent again, at most three times. What a look means for a row is `resolve`'s.

use std::{sync::Arc, time::Duration};

use takt_journal::SubmissionState as State;

use super::{
    resolve::{ReadBackCounts, SubmissionReadBack, settling},
    runner::{End, RunCommand, Runner},
};
use takt_core::blocking::run_blocking;
use takt_core::{Code, Problem};

/// How often what is unconfirmed is read back and sent again; then it is read back once more.
const ROUNDS: u32 = 3;

/// When unconfirmed rows are read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadBackTiming {
    /// A person wants them left as they are.
    Never,
    /// Once nothing is left to send.
    AtEnd,
    /// Before anything is sent, and at the end.
    First,
    /// Nothing is sent: afterwards it stands as it stood.
    Only(State),
}

/// How far a run is with finding out.
pub(super) struct ReadBackSchedule {
    find_out: ReadBackTiming,
    /// Absent where there is nothing to read.
    reader: Option<SubmissionReadBack>,
    looks: u32,
    /// Why the last look failed.
    failed: Option<Problem>,
    /// What last left rows unconfirmed.
    pub(super) cause: Option<Problem>,
}

impl ReadBackSchedule {
    pub(super) fn new(find_out: ReadBackTiming, reader: Option<SubmissionReadBack>) -> Self {
        Self { find_out, reader, looks: 0, failed: None, cause: None }
    }

    /// Absent where there is nothing to read.
    pub(super) fn reader(&self) -> Option<SubmissionReadBack> {
        self.reader.clone()
    }
}

impl Runner {
    /// What comes before anything is sent. Gives the end where nothing is to be sent at all.
    pub(super) async fn before_sending(&mut self) -> Result<Option<End>, Problem> {
        match self.read_backs.find_out {
            ReadBackTiming::Never | ReadBackTiming::AtEnd => Ok(None),
            ReadBackTiming::First => {
                self.look().await?;
                Ok(None)
            }
            ReadBackTiming::Only(state) => {
                self.look().await?;
                Ok(Some(End { state, problem: self.read_backs.failed.take() }))
            }
        }
    }

    /// Nothing is left to send: true where a look found something to be sent again, or a person wants something else.
    pub(super) async fn read_back_again(&mut self) -> Result<bool, Problem> {
        while self.read_backs.looks <= ROUNDS && self.may_read_back().await? {
            self.read_backs.looks += 1;
            let counts = self.look().await?;
            if self.has_other_request() {
                return Ok(true);
            }
            match counts {
                Some(told) if told.again > 0 && self.read_backs.looks > ROUNDS => {
                    let cause = self.read_backs.cause.take();
                    return Err(cause.unwrap_or_else(|| Problem::new(Code::ServiceFailed)));
                }
                Some(told) if told.again == 0 && told.inconclusive > 0 => {
                    self.pause_for(self.route.client.access().timeouts.long_retry_wait()).await
                }
                Some(told) => return Ok(told.again > 0),
                None => self.pause_for(self.route.client.access().timeouts.long_retry_wait()).await,
            }
        }
        Ok(false)
    }

    /// Before the end is written down. Where a problem is the reason, what is unconfirmed is read back once, if the service still
    /// speaks. With nothing left to send there is nothing to go on with, whatever a person wanted meanwhile.
    pub(super) async fn final_read_back(&mut self, end: End) -> End {
        let speaks = |problem: &Problem| {
            matches!(problem.code, Code::ServiceFailed | Code::ConnectionLost | Code::AnswerNotUnderstood)
        };
        let asks = end.state == State::Interrupted && end.problem.as_ref().is_some_and(speaks);
        if asks
            && self.read_backs.looks <= ROUNDS
            && self.may_read_back().await.unwrap_or(false)
            && let Err(problem) = self.look().await
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

    /// Why rows are still unconfirmed, where reading them back failed.
    pub(super) fn why_unconfirmed(&mut self) -> Option<Problem> {
        self.read_backs.failed.take()
    }

    async fn may_read_back(&self) -> Result<bool, Problem> {
        if self.read_backs.reader.is_none() || self.read_backs.find_out == ReadBackTiming::Never {
            return Ok(false);
        }
        let record = self.record().await?;
        Ok(record.counts.unconfirmed > 0 && !self.has_other_request())
    }

    fn has_other_request(&self) -> bool {
        *self.command.borrow() != RunCommand::Continue
    }

    /// One look. Nothing where reading failed, or a person wants something else meanwhile.
    async fn look(&mut self) -> Result<Option<ReadBackCounts>, Problem> {
        let Some(reader) = self.read_backs.reader.clone() else { return Ok(None) };
        let (shared, run) = (Arc::clone(&self.route.shared), Arc::clone(&self.route.run));
        self.progress.reading_back(true);
        let wait = run_blocking({
            let (shared, id) = (Arc::clone(&shared), run.submission());
            let shortest = self.route.client.access().timeouts.long_retry_wait();
            move || Ok(settling(&shared.journal, id, (shared.clock)(), shortest)?)
        })
        .await?;
        self.pause_for(wait).await;
        let mut command = self.command.clone();
        let other = async {
            if command.wait_for(|command| *command != RunCommand::Continue).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        // A look that is left halfway has changed nothing that isn't so.
        let counts = tokio::select! {
            told = reader.find_out(&shared, &run) => Some(told),
            () = other => None,
        };
        self.progress.reading_back(false);
        match counts {
            None => Ok(None),
            Some(Ok(told)) => {
                self.read_backs.failed = None;
                Ok(Some(told))
            }
            Some(Err(problem)) if problem.code.is_of_journal() => Err(problem),
            Some(Err(problem)) => {
                tracing::warn!(%problem, "unconfirmed rows couldn't be read back");
                self.read_backs.failed = Some(problem);
                Ok(None)
            }
        }
    }

    /// Lets time pass, unless a person wants something else.
    async fn pause_for(&mut self, time: Duration) {
        let mut command = self.command.clone();
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            _ = command.wait_for(|command| *command != RunCommand::Continue) => {}
        }
    }
}
