//! Handles a completed request: adjusts the rate and sizes, waits, or asks the user.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    super::{dispatch::Completed, response_classification::NextAction},
    Runner,
};
use takt_core::blocking::run_blocking;
use takt_core::{Code, Problem};

impl Runner {
    /// Handles a request whose outcome is stored.
    pub(super) async fn complete(&mut self, completed: Completed) -> Result<(), Problem> {
        let Completed { classification, items, rows, pending, began, took } = completed;
        self.queue.put_back(pending);
        let problem = classification.error.map(|error| Problem::of_client(&self.site, error));
        match classification.next_action {
            NextAction::Continue => {
                self.throughput.record(began, Instant::now(), rows);
                self.backoff.reset();
                self.concurrency.record_steady(began, took);
                if self.batch_size.record_good(items) {
                    self.store_batch_size().await?;
                }
                self.progress.report_rate(self.throughput.rate(self.ctx.client.allowed_per_second()));
            }
            NextAction::RetryLater(stated) => {
                self.concurrency.decrease(began);
                let first = self.ctx.client.access().timeouts.long_retry_wait();
                match self.backoff.record_deferral(began, stated, first) {
                    Some(wait) => self.delay(wait, problem),
                    None => self.prompt_for(problem),
                }
            }
            NextAction::Shrink => self.shrink(items).await?,
            NextAction::Failed { shrink } => {
                self.concurrency.decrease(began);
                if shrink {
                    self.shrink(items).await?;
                }
                self.read_backs.cause.clone_from(&problem);
                match self.backoff.record_failure(began) {
                    Some(wait) => self.delay(wait, None),
                    None => self.prompt_for(problem),
                }
            }
            NextAction::Interrupt => self.prompt_for(problem),
        }
        Ok(())
    }

    /// Delays sending. The longest delay counts.
    fn delay(&mut self, wait: Duration, problem: Option<Problem>) {
        let until = Instant::now() + wait;
        if self.not_before.as_ref().is_none_or(|(other, _)| *other < until) {
            self.not_before = Some((until, problem));
        }
    }

    /// Sets the problem to ask about. The first one counts because others in flight fail for the same reason.
    fn prompt_for(&mut self, problem: Option<Problem>) {
        self.pending_prompt.get_or_insert_with(|| problem.unwrap_or_else(|| Problem::new(Code::ServiceFailed)));
    }

    async fn shrink(&mut self, sent: u32) -> Result<(), Problem> {
        if self.batch_size.shrink(sent) { self.store_batch_size().await } else { Ok(()) }
    }

    async fn store_batch_size(&self) -> Result<(), Problem> {
        let (shared, run, size) = (Arc::clone(&self.ctx.shared), Arc::clone(&self.ctx.run), self.batch_size.get());
        run_blocking(move || Ok(shared.journal.set_batch_size(&run, size)?)).await
    }
}
