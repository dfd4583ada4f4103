//! Starts the run of one submission in the background, and waits for its end.

use std::sync::Arc;

use takt_core::Problem;
use takt_journal::{Run, SubmissionId};
use takt_sites::SiteConnection;
use tokio::sync::watch;

use super::{
    change_operation::ChangeOperation,
    guard::SendPermit,
    read_back::SubmissionReadBack,
    runner::{ReadBackSchedule, ReadBackTiming, Runner, RunnerParts},
    submissions_state::{RunCommand, RunningSubmission, Submissions},
    view::{LiveState, SubmissionView},
};

impl Submissions {
    /// Starts a run in the background.
    pub(super) fn start(
        &self,
        run: Run,
        timing: ReadBackTiming,
        permit: &SendPermit,
        connection: &SiteConnection,
    ) -> Result<SubmissionView, Problem> {
        let id = run.submission();
        let record = self.shared.journal.submission(id)?;
        permit.check(&record)?;
        let target = ChangeOperation::find(&connection.contract, &record.operation)?;
        self.shared.unsaved_ends.lock().remove(&id);
        let reader = SubmissionReadBack::for_operation(&self.shared, &record.operation, &target, connection);
        let read_backs = ReadBackSchedule::new(timing, reader);
        let (command, command_receiver) = watch::channel(RunCommand::Continue);
        let (live_sender, live_receiver) = watch::channel(LiveState::default());
        self.shared.running.lock().insert(id, RunningSubmission { command, live: live_receiver });
        let runner = Runner::new(
            Arc::clone(&self.shared),
            Arc::new(run),
            RunnerParts {
                target,
                batch_size: record.batch_size,
                requested_size: record.requested_batch_size,
                connection: connection.clone(),
                read_backs,
                previous_takeover: self.shared.journal.plans().last_takeover(id)?,
            },
            command_receiver,
            live_sender,
        );
        let view = self.view(id);
        tokio::spawn(runner.run());
        view
    }

    /// Waits until this step no longer runs in this process.
    pub(super) async fn wait_for_step(&self, id: SubmissionId) -> Result<SubmissionView, Problem> {
        let live = self.shared.running.lock().get(&id).map(|running| running.live.clone());
        if let Some(mut live) = live {
            while live.changed().await.is_ok() {}
        }
        self.run_blocking(move |submissions| submissions.view(id)).await
    }
}
