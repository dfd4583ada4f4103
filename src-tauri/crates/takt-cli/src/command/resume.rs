//! `takt resume`: goes on with what an earlier run left, also after a restart.

use takt_engine::{Engine, Problem, SubmissionState, SubmissionView};

use crate::{
    command::{follow, sync, sync_plan},
    console::Console,
    ending::{self, Ending, Failure},
    findings::RowErrors,
    session::{self, Interruption, Session},
};

pub(super) async fn run(
    submission: Option<u32>,
    find_out: bool,
    json: bool,
    console: &Console,
) -> Result<Ending, Failure> {
    let kept = session::engine(console)?;
    let found = match submission {
        Some(id) => Some(kept.submissions().view(id)?),
        None => latest(&kept, find_out)?,
    };
    // Another engine takes it up: this one had no keychain.
    drop(kept);
    let Some(found) = found else {
        console.remark("resume.nothing", &[]);
        return Ok(Ending::Done);
    };
    let session = Session::open(Some(&found.site), console).await?;
    let confirmed = session.confirmed(console)?;
    if let Some(plan) = found.plan.filter(|_| !find_out) {
        return resume_plan(&session, (plan, confirmed.as_deref()), json, console).await;
    }
    let mut interruption = Interruption::listen()?;
    let changes = session.engine.submissions().subscribe();
    let view = if find_out {
        session.engine.submissions().find_out(found.id, confirmed.as_deref()).await?
    } else {
        session.engine.submissions().resume(found.id, confirmed.as_deref()).await?
    };
    let (view, interrupted) = follow::submission(&session.engine, view.id, changes, &mut interruption, console).await?;
    sync::tell(&session.engine, &view, &RowErrors::new(), json, console)?;
    sync::close(&view, json, console);
    Ok(ending::of_submission(&view, interrupted))
}

async fn resume_plan(
    session: &Session,
    (plan, confirmed): (u32, Option<&str>),
    json: bool,
    console: &Console,
) -> Result<Ending, Failure> {
    let mut interruption = Interruption::listen()?;
    let changes = session.engine.submissions().subscribe();
    let plan = session.engine.submissions().resume_plan(plan, confirmed).await?;
    let (plan, interrupted) = follow::plan(&session.engine, plan.id, changes, &mut interruption, console).await?;
    sync_plan::tell(&session.engine, &plan, &RowErrors::new(), json, console)?;
    sync_plan::close(&plan, json, console);
    Ok(sync_plan::ending(&plan, interrupted))
}

/// What has rows pending comes first, then what has rows in doubt that can be found out.
fn latest(engine: &Engine, find_out: bool) -> Result<Option<SubmissionView>, Problem> {
    let stands = |view: &&SubmissionView| !matches!(view.state, SubmissionState::Running | SubmissionState::Preparing);
    let all = engine.submissions().list()?;
    let readable = |view: &SubmissionView| {
        engine.contract().operation(&view.operation).is_some_and(|operation| operation.read_back.is_some())
    };
    let pending = all.iter().filter(stands).find(|view| !find_out && view.counts.pending > 0);
    let doubtful = || all.iter().filter(stands).find(|view| view.counts.in_doubt > 0 && readable(view));
    Ok(pending.or_else(doubtful).cloned())
}
