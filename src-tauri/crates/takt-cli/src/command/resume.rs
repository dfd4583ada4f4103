//! `takt resume`: continues an earlier run, also after a restart.

use takt_engine::{
    Engine, Problem,
    submission::{SubmissionId, SubmissionState, SubmissionView},
};

use crate::{
    arguments::Claimed,
    command::{plan_progress, row_claims},
    console::Console,
    exit_codes::{ExitStatus, Failure},
    findings::RowErrors,
    results,
    session::{self, Interruption, Session},
};

pub(super) async fn run(
    submission: Option<SubmissionId>,
    find_out: bool,
    claimed: Claimed,
    json: bool,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    let submission_view = match submission {
        Some(id) => Some(engine.submissions().view(id)?),
        None => find_latest(&engine, find_out)?,
    };
    let Some(submission_view) = submission_view else {
        let sending = engine.submissions().list()?.into_iter().find(|view| is_sending(view) && view.counts.pending > 0);
        let Some(sending) = sending else {
            console.print_remark("resume.nothing", &[]);
            return Ok(ExitStatus::Done);
        };
        console.print_remark("resume.running", &[("submission", sending.id.to_string())]);
        return Ok(ExitStatus::Unreachable);
    };
    // This engine has no access to the keychain, so the session opens another engine.
    drop(engine);
    let session = Session::open(Some(&submission_view.site), console).await?;
    let confirmed = session.confirm_site(console)?;
    let mut interruption = Interruption::listen()?;
    let submissions = session.engine.submissions();
    let changes = submissions.subscribe();
    if find_out {
        submissions.read_back_unconfirmed(submission_view.id, confirmed.as_deref()).await?;
    } else {
        let resumed = row_claims::retry_while_claimed(claimed, &mut interruption, console, async || {
            let (id, confirmed) = (submission_view.id, confirmed.as_deref());
            let resumed = match claimed {
                Claimed::LeaveOut => submissions.resume_skipping_claimed(id, confirmed).await,
                Claimed::Refuse | Claimed::Wait => submissions.resume(id, confirmed).await,
            };
            match resumed {
                // The rows that the submission waits for are printed below.
                Err(problem) if problem.is_obstacle("all-wait") => console.print_problem(&problem),
                resumed => drop(resumed?),
            }
            Ok(())
        });
        if resumed.await?.is_none() {
            return Ok(ExitStatus::Interrupted);
        }
    }
    let (plan, interrupted) =
        plan_progress::wait_for_plan(&session.engine, submission_view.plan, changes, &mut interruption, console)
            .await?;
    results::print_plan_results(&session.engine, &plan, &RowErrors::new(), json, console)?;
    Ok(results::print_summary(&plan, interrupted, json, console))
}

/// Returns whether a process is sending the submission. This includes a process that has paused it.
fn is_sending(view: &SubmissionView) -> bool {
    matches!(view.state, SubmissionState::Running | SubmissionState::Preparing)
}

/// Finds the latest submission with pending rows. Otherwise finds the latest one with unconfirmed rows that can be read
/// back.
fn find_latest(engine: &Engine, find_out: bool) -> Result<Option<SubmissionView>, Problem> {
    let is_idle = |view: &&SubmissionView| !is_sending(view) && !view.needs_approval();
    let all = engine.submissions().list()?;
    let readable = |view: &SubmissionView| {
        let contract = engine.sites().contract(&view.site);
        let operation = contract.as_ref().ok().and_then(|contract| contract.operation(&view.operation));
        operation.is_some_and(|operation| operation.read_back.is_some())
    };
    let pending = all.iter().filter(is_idle).find(|view| !find_out && view.counts.pending > 0);
    let unconfirmed = || all.iter().filter(is_idle).find(|view| view.counts.unconfirmed > 0 && readable(view));
    Ok(pending.or_else(unconfirmed).cloned())
}
