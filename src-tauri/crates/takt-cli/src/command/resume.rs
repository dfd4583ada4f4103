//! `takt resume`: goes on with what an earlier run left, also after a restart.

use takt_engine::{
    Engine, Problem,
    submission::{SubmissionId, SubmissionState, SubmissionView},
};

use crate::{
    arguments::Claimed,
    command::{claimed, follow, sync},
    console::Console,
    ending::{self, ExitStatus, Failure},
    findings::RowErrors,
    session::{self, Interruption, Session},
};

pub(super) async fn run(
    submission: Option<SubmissionId>,
    (find_out, claimed): (bool, Claimed),
    json: bool,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let kept = session::engine(console)?;
    let found = match submission {
        Some(id) => Some(kept.submissions().view(id)?),
        None => latest(&kept, find_out)?,
    };
    let Some(found) = found else {
        let sending = kept.submissions().list()?.into_iter().find(|view| is_sending(view) && view.counts.pending > 0);
        let Some(sending) = sending else {
            console.remark("resume.nothing", &[]);
            return Ok(ExitStatus::Done);
        };
        console.remark("resume.running", &[("submission", sending.id.to_string())]);
        return Ok(ExitStatus::Unreachable);
    };
    // Another engine takes it up: this one had no keychain.
    drop(kept);
    let session = Session::open(Some(&found.site), console).await?;
    let confirmed = session.confirmed(console)?;
    let mut interruption = Interruption::listen()?;
    let submissions = session.engine.submissions();
    let changes = submissions.subscribe();
    if find_out {
        submissions.find_out(found.id, confirmed.as_deref()).await?;
    } else {
        let resumed = claimed::unclaimed(claimed, &mut interruption, console, async || {
            match claimed::resume(submissions, found.id, (confirmed.as_deref(), claimed)).await {
                // For which rows it waits is told below.
                Err(problem) if problem.is_obstacle("all-wait") => console.problem(&problem),
                resumed => drop(resumed?),
            }
            Ok(())
        });
        if resumed.await?.is_none() {
            return Ok(ExitStatus::Interrupted);
        }
    }
    let (plan, interrupted) = follow::plan(&session.engine, found.plan, changes, &mut interruption, console).await?;
    sync::print_submission(&session.engine, &plan, &RowErrors::new(), json, console)?;
    Ok(sync::close(&plan, interrupted, json, console))
}

/// Another Takt sends it, or stands still while it has it.
fn is_sending(view: &SubmissionView) -> bool {
    matches!(view.state, SubmissionState::Running | SubmissionState::Preparing)
}

/// What has rows pending comes first, then what has unconfirmed rows that can be found out.
fn latest(engine: &Engine, find_out: bool) -> Result<Option<SubmissionView>, Problem> {
    let stands = |view: &&SubmissionView| !is_sending(view) && !ending::needs_approval(view);
    let all = engine.submissions().list()?;
    let readable = |view: &SubmissionView| {
        let contract = engine.sites().contract(&view.site);
        let operation = contract.as_ref().ok().and_then(|contract| contract.operation(&view.operation));
        operation.is_some_and(|operation| operation.read_back.is_some())
    };
    let pending = all.iter().filter(stands).find(|view| !find_out && view.counts.pending > 0);
    let unconfirmed = || all.iter().filter(stands).find(|view| view.counts.unconfirmed > 0 && readable(view));
    Ok(pending.or_else(unconfirmed).cloned())
}
