//! `takt decide`: records decisions about unconfirmed rows, prints their totals, or skips rows that wait for others.

use serde_json::json;
use takt_engine::{
    Problem,
    submission::{Decision, SubmissionId},
};

use crate::{
    arguments::DecideArguments,
    command::{plan_progress, row_claims},
    console::Console,
    exit_codes::{ExitStatus, Failure},
    findings::RowErrors,
    results,
    session::{self, Interruption, Session},
};

pub(super) async fn run(arguments: &DecideArguments, console: &Console) -> Result<ExitStatus, Failure> {
    if arguments.totals {
        return print_totals(arguments, console).await;
    }
    let site = session::open_local_engine(console)?.submissions().view(arguments.submission)?.site;
    let session = Session::open(Some(&site), console).await?;
    let confirmed = session.confirm_site(console)?;
    let mut interruption = Interruption::listen()?;
    let submissions = session.engine.submissions();
    let changes = submissions.subscribe();
    let (id, rows) = (arguments.submission, &arguments.rows);
    if arguments.skip_waiting {
        skip_waiting(&session, id).await?;
    } else if arguments.skip_claimed {
        submissions.skip_claimed(id).await?;
    } else {
        let decision = if arguments.arrived { Decision::Arrived } else { Decision::SendAgain };
        let claimed = arguments.claimed;
        let deciding = row_claims::retry_while_claimed(claimed, &mut interruption, console, async || {
            Ok(submissions.decide(id, rows, decision, confirmed.as_deref(), claimed.into()).await?)
        });
        if deciding.await?.is_none() {
            return Ok(ExitStatus::Interrupted);
        }
    }
    let plan = submissions.view(id)?.plan;
    let (plan, interrupted) =
        plan_progress::wait_for_plan(&session.engine, plan, changes, &mut interruption, console).await?;
    results::print_plan_results(&session.engine, &plan, &RowErrors::new(), arguments.json, console)?;
    Ok(results::print_summary(&plan, interrupted, arguments.json, console))
}

/// Skips waiting rows in all steps of the plan, since rows that wait for a skipped row could never be sent.
async fn skip_waiting(session: &Session, id: SubmissionId) -> Result<(), Problem> {
    let submissions = session.engine.submissions();
    for step in submissions.plan(id)?.submissions.iter().filter(|step| step.waiting > 0) {
        submissions.skip_waiting(step.id).await?;
    }
    Ok(())
}

/// Prints the totals that the service should show, so that the user can decide. Sends nothing.
async fn print_totals(arguments: &DecideArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    let Some(found) = engine.submissions().unconfirmed_totals(arguments.submission).await? else {
        console.print_remark("decide.no-totals", &[]);
        return Ok(ExitStatus::Done);
    };
    if arguments.json {
        for total in &found.totals {
            let mut line = json!({
                "rows": total.rows, "ifNot": total.if_not, "ifArrived": total.if_arrived,
                "unknownBefore": total.unknown_before,
            });
            found.by.iter().zip(&total.by).for_each(|(name, value)| line[name.as_str()] = json!(value));
            console.print_json(&line);
        }
        return Ok(ExitStatus::Unconfirmed);
    }
    let text = |key: &str| console.texts.text(key, &[]);
    let headings = ["decide.rows", "decide.if-not", "decide.if-arrived"].map(text);
    let mut rows = vec![found.by.iter().cloned().chain(headings).collect::<Vec<String>>()];
    rows.extend(found.totals.iter().map(|total| {
        let numbers = [total.rows.to_string(), total.if_not.to_string(), total.if_arrived.to_string()];
        total.by.iter().cloned().chain(numbers).collect()
    }));
    console.print_table(&rows);
    if found.more > 0 {
        console.print_remark("preview.more", &[("rows", found.more.to_string())]);
    }
    if found.totals.iter().any(|total| total.unknown_before > 0) {
        console.print_remark("decide.unknown-before", &[]);
    }
    console.print_remark("decide.how", &[("submission", arguments.submission.to_string())]);
    Ok(ExitStatus::Unconfirmed)
}
