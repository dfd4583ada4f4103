//! Waits until a plan has ended, and shows its progress. Stops the plan if the user interrupts it.

use jiff::{SignedDuration, Timestamp};
use takt_engine::{
    Engine,
    submission::{PlanId, PlanView, SubmissionId, SubmissionView},
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use super::site;
use crate::{
    console::Console,
    exit_codes::{ExitStatus, Failure},
    progress::SubmissionBar,
    session::Interruption,
};

/// Waits until no step of a plan runs. Returns the plan and whether the user interrupted it. Subscribe `changes` before
/// the plan starts. The first Ctrl-C stops after the request in flight, the second ends the program.
pub(super) async fn wait_for_plan(
    engine: &Engine,
    plan: PlanId,
    mut changes: Receiver<SubmissionView>,
    interruption: &mut Interruption,
    console: &Console,
) -> Result<(PlanView, bool), Failure> {
    let ended = engine.submissions().wait(plan.first());
    let mut progress = ProgressLine::default();
    tokio::pin!(ended);
    let mut interrupted = false;
    let mut listening = true;
    let plan_view = loop {
        tokio::select! {
            plan_view = &mut ended => break plan_view?,
            change = changes.recv(), if listening => match change {
                Ok(view) if view.plan == plan => progress.show(&view, (engine.inbox().clock)(), console),
                // A missed change is superseded by the next one.
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => listening = false,
            },
            () = interruption.next() => {
                if interrupted {
                    // The journal has recorded the rows in flight. They are unconfirmed when Takt starts again.
                    std::process::exit(i32::from(ExitStatus::Interrupted.code()));
                }
                interrupted = true;
                console.print_remark("sync.stopping", &[]);
                // The plan may have ended in the meantime.
                if let Err(problem) = engine.submissions().stop(plan.first()).await {
                    console.print_problem(&problem);
                }
            }
        }
    };
    progress.finish();
    if let Some(step) = plan_view.submissions.first() {
        site::print_ignored_headers(engine, &step.site, console)?;
    }
    Ok((plan_view, interrupted))
}

/// The progress bar of the step that changed last. Each step of a plan has its own bar.
#[derive(Debug, Default)]
struct ProgressLine {
    current: Option<(SubmissionId, SubmissionBar)>,
    /// The end of the wait that was reported last.
    reported_wait: Option<String>,
}

/// Waits for the rate limit that are shorter aren't reported.
const MIN_REPORTED_WAIT: SignedDuration = SignedDuration::from_secs(5);

impl ProgressLine {
    fn show(&mut self, view: &SubmissionView, now: Timestamp, console: &Console) {
        if self.current.as_ref().is_none_or(|(step, _)| *step != view.id) {
            self.finish();
            self.current = Some((view.id, SubmissionBar::new(view.counts.to_send())));
        }
        self.current.iter().for_each(|(_, progress)| progress.show(view, console));
        self.print_wait(view, now, console);
    }

    /// Reports each longer wait for the rate limit once, even if the bar is hidden.
    fn print_wait(&mut self, view: &SubmissionView, now: Timestamp, console: &Console) {
        let Some(until) = view.waiting_until.as_deref().and_then(|until| end_of_long_wait(until, now)) else { return };
        if self.reported_wait != view.waiting_until {
            self.reported_wait.clone_from(&view.waiting_until);
            console.print_wait(&view.site, until);
        }
    }

    fn finish(&self) {
        self.current.iter().for_each(|(_, progress)| progress.finish());
    }
}

/// Returns the end of a wait if it is long enough to be reported.
fn end_of_long_wait(until: &str, now: Timestamp) -> Option<Timestamp> {
    until.parse::<Timestamp>().ok().filter(|until| until.duration_since(now) >= MIN_REPORTED_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_waits_by_the_given_clock_are_reported() {
        let until = "2026-11-22T06:00:05Z";
        let reported = |now: &str| end_of_long_wait(until, now.parse().unwrap()).map(|until| until.to_string());
        assert_eq!(reported("2026-11-22T06:00:00Z").as_deref(), Some(until));
        assert_eq!(reported("2026-11-22T06:00:01Z"), None);
        assert_eq!(reported("2026-11-22T07:00:00Z"), None);
    }
}
