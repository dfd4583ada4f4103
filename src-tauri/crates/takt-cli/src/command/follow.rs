//! Waits until what is being sent has ended, shows how far it is, and stops it when a person interrupts.

use std::future::Future;

use jiff::{SignedDuration, Timestamp};
use takt_engine::{Engine, PlanView, Problem, SubmissionView};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::site;
use crate::{
    console::Console,
    ending::{Ending, Failure},
    fates::Progress,
    session::Interruption,
};

/// What is followed; both are known by a number.
#[derive(Debug, Clone, Copy)]
enum Followed {
    Submission(u32),
    Plan(u32),
}

impl Followed {
    fn is(self, view: &SubmissionView) -> bool {
        match self {
            Self::Submission(id) => view.id == id,
            Self::Plan(plan) => view.plan == Some(plan),
        }
    }

    async fn stop(self, engine: &Engine) -> Result<(), Problem> {
        match self {
            Self::Submission(id) => engine.submissions().stop(id).await.map(drop),
            Self::Plan(plan) => engine.submissions().stop_plan(plan).await.map(drop),
        }
    }
}

/// Until the run has ended, and whether a person ended it. `changes` are listened to since before it began.
pub(super) async fn submission(
    engine: &Engine,
    id: u32,
    changes: Receiver<SubmissionView>,
    interruption: &mut Interruption,
    console: &Console,
) -> Result<(SubmissionView, bool), Failure> {
    let followed = (engine, Followed::Submission(id));
    let (view, interrupted) = until(engine.submissions().wait(id), followed, changes, interruption, console).await?;
    site::tell_odd_headers(engine, &view.site, console)?;
    Ok((view, interrupted))
}

/// The same for all steps of a plan.
pub(super) async fn plan(
    engine: &Engine,
    id: u32,
    changes: Receiver<SubmissionView>,
    interruption: &mut Interruption,
    console: &Console,
) -> Result<(PlanView, bool), Failure> {
    let followed = (engine, Followed::Plan(id));
    let (view, interrupted) =
        until(engine.submissions().wait_plan(id), followed, changes, interruption, console).await?;
    if let Some(step) = view.submissions.first() {
        site::tell_odd_headers(engine, &step.site, console)?;
    }
    Ok((view, interrupted))
}

/// The first Ctrl-C ends it after the request that is under way; the second ends the program.
async fn until<T>(
    ended: impl Future<Output = Result<T, Problem>>,
    (engine, followed): (&Engine, Followed),
    mut changes: Receiver<SubmissionView>,
    interruption: &mut Interruption,
    console: &Console,
) -> Result<(T, bool), Failure> {
    let mut shown = Shown::default();
    tokio::pin!(ended);
    let mut interrupted = false;
    let mut listening = true;
    let last = loop {
        tokio::select! {
            last = &mut ended => break last?,
            change = changes.recv(), if listening => match change {
                Ok(view) if followed.is(&view) => shown.show(&view, console),
                // What was missed is overtaken by what comes next.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => listening = false,
            },
            () = interruption.next() => {
                if interrupted {
                    // What was being sent is in doubt when Takt is opened again; the journal has seen to that.
                    std::process::exit(i32::from(Ending::Interrupted.code()));
                }
                interrupted = true;
                console.remark("sync.stopping", &[]);
                // It may have ended in this very moment.
                if let Err(problem) = followed.stop(engine).await {
                    console.problem(&problem);
                }
            }
        }
    };
    shown.finish();
    Ok((last, interrupted))
}

/// The bar of the submission that was heard of last: each step of a plan has one of its own.
#[derive(Debug, Default)]
struct Shown {
    of: Option<(u32, Progress)>,
    /// Until when it waits, as it was said last.
    waits: Option<String>,
}

/// Shorter waits for the rate limit are the ordinary pace.
const WORTH_SAYING: SignedDuration = SignedDuration::from_secs(5);

impl Shown {
    fn show(&mut self, view: &SubmissionView, console: &Console) {
        if self.of.as_ref().is_none_or(|(step, _)| *step != view.id) {
            self.finish();
            self.of = Some((view.id, Progress::new(view.total)));
        }
        self.of.iter().for_each(|(_, progress)| progress.show(view, console));
        self.say_wait(view, console);
    }

    /// Each longer wait once, also where nobody sees the bar.
    fn say_wait(&mut self, view: &SubmissionView, console: &Console) {
        let until = view.waiting_until.as_deref().and_then(|until| until.parse::<Timestamp>().ok());
        let Some(until) = until.filter(|until| until.duration_since(Timestamp::now()) >= WORTH_SAYING) else { return };
        if self.waits != view.waiting_until {
            self.waits.clone_from(&view.waiting_until);
            console.waits(&view.site, until);
        }
    }

    fn finish(&self) {
        self.of.iter().for_each(|(_, progress)| progress.finish());
    }
}
