//! One run of one submission: batch by batch, each written down before it is sent and settled before the next.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use takt_client::Client;
use takt_journal::{AttemptEnd, Run, StoredItem, SubmissionState as State};
use tokio::sync::watch;

use super::draft::Target;
use super::pace::{Pace, smaller};
use super::snapshot::Live;
use super::verdict::{self, Then, Verdict};
use super::{Shared, on_disk};
use crate::{Code, Problem};

/// How often people are told, at most. States and waits are told at once.
const QUIET: Duration = Duration::from_millis(100);

/// What a person wants of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    GoOn,
    Pause,
    Stop,
}

/// Why a run ends.
struct End {
    state: State,
    problem: Option<Problem>,
}

impl End {
    fn interrupted(problem: Problem) -> Self {
        Self { state: State::Interrupted, problem: Some(problem) }
    }
}

pub(super) struct Course {
    pub(super) shared: Arc<Shared>,
    pub(super) run: Arc<Run>,
    pub(super) target: Target,
    pub(super) site: String,
    pub(super) client: Client,
    pub(super) wish: watch::Receiver<Wish>,
    pub(super) live: watch::Sender<Live>,
    pace: Pace,
    batch_size: u32,
    /// Up to where the running time is written down.
    mark: Instant,
    told: Instant,
}

impl Course {
    pub(super) fn new(
        shared: Arc<Shared>,
        run: Arc<Run>,
        (target, batch_size): (Target, u32),
        (site, client): (String, Client),
        (wish, live): (watch::Receiver<Wish>, watch::Sender<Live>),
    ) -> Self {
        let now = Instant::now();
        Self { shared, run, target, site, client, wish, live, pace: Pace::default(), batch_size, mark: now, told: now }
    }

    /// Runs until nothing is pending, a person wants otherwise, or a problem is in the way.
    pub(super) async fn go(mut self) {
        let id = self.run.submission();
        self.tell(true);
        let end = match self.send_all().await {
            Ok(end) => end,
            Err(problem) => End::interrupted(problem),
        };
        self.write_end(end).await;
        let Self { shared, run, live, .. } = self;
        // The lock goes first and the sign of life last: whoever waits for the end may take the submission up again at once.
        drop(run);
        shared.forget(id);
        shared.publish(id, None);
        drop(live);
    }

    async fn send_all(&mut self) -> Result<End, Problem> {
        loop {
            let (shared, id, size) = (Arc::clone(&self.shared), self.run.submission(), self.batch_size);
            let items = on_disk(move || shared.journal.next_items(id, size)).await?;
            if items.is_empty() {
                return Ok(End { state: State::Finished, problem: None });
            }
            match *self.wish.borrow() {
                Wish::Pause => return Ok(End { state: State::Paused, problem: None }),
                Wish::Stop => return Ok(End { state: State::Stopped, problem: None }),
                Wish::GoOn => {}
            }
            if let Some(wait) = self.client.limit().and_then(|limit| limit.wait((self.shared.clock)())) {
                self.wait(wait, Some(Problem::new(Code::RateLimited).parameter("site", &self.site))).await;
                continue;
            }
            if let Some(end) = self.send(&items).await? {
                return Ok(end);
            }
        }
    }

    /// One request. Says where it ends the run.
    async fn send(&mut self, items: &[StoredItem]) -> Result<Option<End>, Problem> {
        let bodies: Vec<&Value> = items.iter().map(|item| &item.body).collect();
        let body = json!({ (self.target.member.as_str()): bodies });
        let wire_hash = hash(&body);
        let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
        let (shared, run, at) = (Arc::clone(&self.shared), Arc::clone(&self.run), (self.shared.clock)());
        let attempt = on_disk(move || shared.journal.begin_attempt(&run, &numbers, at, &wire_hash)).await?;
        self.tell(false);

        let began = Instant::now();
        let result = self.client.send(&self.target.method, &self.target.path, &body).await;
        let took = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        let verdict = verdict::of(&self.target.key, items, result);

        let end = AttemptEnd {
            at: (self.shared.clock)(),
            class: verdict.class,
            status: verdict.status,
            milliseconds: verdict.milliseconds.unwrap_or(took),
            active_milliseconds: self.since_mark(),
            log_id: verdict.log_id.clone(),
            answer: None,
        };
        let outcomes = verdict.outcomes.clone();
        let (shared, run) = (Arc::clone(&self.shared), Arc::clone(&self.run));
        on_disk(move || shared.journal.finish_attempt(&run, attempt, &outcomes, &end)).await?;
        self.after(verdict, items.len(), began).await
    }

    async fn after(&mut self, verdict: Verdict, sent: usize, began: Instant) -> Result<Option<End>, Problem> {
        let problem = verdict.error.map(|error| Problem::of_client(&self.site, error));
        let asked = |problem: Option<Problem>| {
            Ok(Some(End::interrupted(problem.unwrap_or_else(|| Problem::new(Code::ServiceFailed)))))
        };
        match verdict.then {
            Then::GoOn => {
                self.pace.settled(began, Instant::now(), u32::try_from(sent).unwrap_or(u32::MAX));
                self.live.send_modify(|live| live.rate = self.pace.rate());
                self.tell(false);
            }
            Then::Later(stated) => match self.pace.deferred(stated) {
                Some(wait) => self.wait(wait, problem).await,
                None => return asked(problem),
            },
            Then::Smaller => self.shrink(sent).await?,
            Then::Failed { smaller } => {
                if smaller {
                    self.shrink(sent).await?;
                }
                match self.pace.failed() {
                    Some(wait) => self.wait(wait, None).await,
                    // Where nothing is left to send there is nothing to ask.
                    None if self.is_done().await? => {}
                    None => return asked(problem),
                }
            }
            Then::Interrupt => return asked(problem),
        }
        Ok(None)
    }

    async fn is_done(&self) -> Result<bool, Problem> {
        let (shared, id) = (Arc::clone(&self.shared), self.run.submission());
        on_disk(move || Ok(shared.journal.next_items(id, 1)?.is_empty())).await
    }

    async fn shrink(&mut self, sent: usize) -> Result<(), Problem> {
        self.batch_size = smaller(sent);
        let (shared, run, size) = (Arc::clone(&self.shared), Arc::clone(&self.run), self.batch_size);
        on_disk(move || shared.journal.set_batch_size(&run, size)).await
    }

    /// Waits, visibly where there is a reason to tell, and no longer than a person wants.
    async fn wait(&mut self, wait: Duration, problem: Option<Problem>) {
        let visible = problem.is_some();
        if visible {
            let until =
                SignedDuration::try_from(wait).ok().and_then(|wait| (self.shared.clock)().checked_add(wait).ok());
            self.live.send_modify(|live| {
                live.waiting_until = until;
                live.problem = problem;
            });
        }
        self.tell(visible);
        let other = self.wish.wait_for(|wish| *wish != Wish::GoOn);
        // Either the time is over or somebody wants something else; both are looked at before the next request.
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            _ = other => {}
        }
        if visible {
            self.live.send_modify(|live| {
                live.waiting_until = None;
                live.problem = None;
            });
        }
    }

    async fn write_end(&mut self, end: End) {
        let active = self.since_mark();
        let (shared, run) = (Arc::clone(&self.shared), Arc::clone(&self.run));
        let written = on_disk(move || {
            let at = (shared.clock)();
            let problem = end.problem.as_ref().map(serde_json::to_value).transpose()?;
            shared.journal.add_active_time(&run, active)?;
            shared.journal.change_state(&run, &[State::Running], end.state, at, problem.as_ref())?;
            // Where the journal failed in the middle of a request, its rows are in doubt.
            shared.journal.recover_run(&run, at)
        })
        .await;
        if let Err(problem) = written {
            tracing::error!(submission = self.run.submission(), %problem, "the end of a run couldn't be written down");
        }
    }

    fn since_mark(&mut self) -> u32 {
        let now = Instant::now();
        let passed = now.duration_since(std::mem::replace(&mut self.mark, now));
        u32::try_from(passed.as_millis()).unwrap_or(u32::MAX)
    }

    fn tell(&mut self, at_once: bool) {
        if at_once || self.told.elapsed() >= QUIET {
            self.told = Instant::now();
            let live = self.live.borrow().clone();
            self.shared.publish(self.run.submission(), Some(&live));
        }
    }
}

fn hash(body: &Value) -> String {
    let digest = Sha256::digest(body.to_string().as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
