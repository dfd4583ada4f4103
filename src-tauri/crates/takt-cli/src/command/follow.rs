//! Waits until what is being sent has ended, shows how far it is, and stops it when a person interrupts.

use jiff::{SignedDuration, Timestamp};
use takt_engine::{
    Engine,
    submission::{PlanId, PlanView, SubmissionId, SubmissionView},
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::site;
use crate::{
    console::Console,
    ending::{ExitStatus, Failure},
    results::Progress,
    session::Interruption,
};

/// Until no step runs any more, and whether a person ended it. `changes` are listened to since before it began. The first Ctrl-C
/// ends it after the request that is under way; the second ends the program.
pub(super) async fn plan(
    engine: &Engine,
    plan: PlanId,
    mut changes: Receiver<SubmissionView>,
    interruption: &mut Interruption,
    console: &Console,
) -> Result<(PlanView, bool), Failure> {
    let ended = engine.submissions().wait(plan.first());
    let mut shown = ProgressLine::default();
    tokio::pin!(ended);
    let mut interrupted = false;
    let mut listening = true;
    let last = loop {
        tokio::select! {
            last = &mut ended => break last?,
            change = changes.recv(), if listening => match change {
                Ok(view) if view.plan == plan => shown.show(&view, console),
                // What was missed is overtaken by what comes next.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => listening = false,
            },
            () = interruption.next() => {
                if interrupted {
                    // What was being sent is unconfirmed when Takt is opened again; the journal has seen to that.
                    std::process::exit(i32::from(ExitStatus::Interrupted.code()));
                }
                interrupted = true;
                console.remark("sync.stopping", &[]);
                // It may have ended in this very moment.
                if let Err(problem) = engine.submissions().stop(plan.first()).await {
                    console.problem(&problem);
                }
            }
        }
    };
    shown.finish();
    if let Some(step) = last.submissions.first() {
        site::print_ignored_headers(engine, &step.site, console)?;
    }
    Ok((last, interrupted))
}

/// The bar of the submission that was heard of last: each step of a plan has one of its own.
#[derive(Debug, Default)]
struct ProgressLine {
    of: Option<(SubmissionId, Progress)>,
    /// Until when it waits, as it was said last.
    waits: Option<String>,
}

/// Shorter waits for the rate limit aren't reported.
const MIN_REPORTED_WAIT: SignedDuration = SignedDuration::from_secs(5);

impl ProgressLine {
    fn show(&mut self, view: &SubmissionView, console: &Console) {
        if self.of.as_ref().is_none_or(|(step, _)| *step != view.id) {
            self.finish();
            self.of = Some((view.id, Progress::new(view.total)));
        }
        self.of.iter().for_each(|(_, progress)| progress.show(view, console));
        self.print_wait(view, console);
    }

    /// Each longer wait once, also where nobody sees the bar.
    fn print_wait(&mut self, view: &SubmissionView, console: &Console) {
        let until = view.waiting_until.as_deref().and_then(|until| until.parse::<Timestamp>().ok());
        let Some(until) = until.filter(|until| until.duration_since(Timestamp::now()) >= MIN_REPORTED_WAIT) else {
            return;
        };
        if self.waits != view.waiting_until {
            self.waits.clone_from(&view.waiting_until);
            console.waits(&view.site, until);
        }
    }

    fn finish(&self) {
        self.of.iter().for_each(|(_, progress)| progress.finish());
    }
}
