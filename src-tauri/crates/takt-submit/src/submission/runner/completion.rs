//! What follows from a request that is back: how fast and how much goes on, or that a person must be asked.

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
    /// One request is back, and its outcome is on disk.
    pub(super) async fn complete(&mut self, completed: Completed) -> Result<(), Problem> {
        let Completed { classification, items, rows, back, began, took } = completed;
        self.queue.put_back(back);
        let problem = classification.error.map(|error| Problem::of_client(&self.site, error));
        match classification.next_action {
            NextAction::GoOn => {
                self.throughput.record(began, Instant::now(), rows);
                self.backoff.reset();
                self.concurrency.record_steady(began, took);
                if self.size.good(items) {
                    self.write_size().await?;
                }
                self.progress.sending(self.throughput.rate(self.route.client.allowed_per_second()));
            }
            NextAction::Later(stated) => {
                self.concurrency.decrease(began);
                let first = self.route.client.access().timeouts.long_retry_wait();
                match self.backoff.deferred(began, stated, first) {
                    Some(wait) => self.delay(wait, problem),
                    None => self.ask(problem),
                }
            }
            NextAction::Smaller => self.shrink(items).await?,
            NextAction::Failed { smaller } => {
                self.concurrency.decrease(began);
                if smaller {
                    self.shrink(items).await?;
                }
                self.read_backs.cause.clone_from(&problem);
                match self.backoff.failed(began) {
                    Some(wait) => self.delay(wait, None),
                    None => self.ask(problem),
                }
            }
            NextAction::Interrupt => self.ask(problem),
        }
        Ok(())
    }

    /// The longest wait counts.
    fn delay(&mut self, wait: Duration, problem: Option<Problem>) {
        let until = Instant::now() + wait;
        if self.hold.as_ref().is_none_or(|(other, _)| *other < until) {
            self.hold = Some((until, problem));
        }
    }

    /// The first problem counts: others that were on their way fail for the same reason.
    fn ask(&mut self, problem: Option<Problem>) {
        self.question.get_or_insert_with(|| problem.unwrap_or_else(|| Problem::new(Code::ServiceFailed)));
    }

    async fn shrink(&mut self, sent: u32) -> Result<(), Problem> {
        if self.size.shrink(sent) { self.write_size().await } else { Ok(()) }
    }

    async fn write_size(&self) -> Result<(), Problem> {
        let (shared, run, size) = (Arc::clone(&self.route.shared), Arc::clone(&self.route.run), self.size.get());
        run_blocking(move || Ok(shared.journal.set_batch_size(&run, size)?)).await
    }
}
