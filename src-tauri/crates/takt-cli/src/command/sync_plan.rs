//! `takt sync` of a workbook with several steps: step by step, and what became of each row.

use std::path::Path;

use serde_json::{Value, json};
use takt_engine::{
    Engine, Fate, FateCounts, Finding, ImportCounts, ImportView, Original, PlanRequest, PlanView, SubmissionView,
};

use crate::{
    arguments::SyncArguments,
    command::{
        check_plan, follow,
        preview::{self, Before},
        sync,
    },
    console::{Console, plain},
    ending::{self, Ending, Failure},
    fates,
    findings::{self, RowErrors},
    session::{Interruption, Session},
};

pub(super) async fn run(
    arguments: &SyncArguments,
    session: &Session,
    view: &ImportView,
    console: &Console,
) -> Result<Ending, Failure> {
    let imports = session.engine.imports();
    let counts = check_plan::total(view);
    if !arguments.json {
        check_plan::show_order(&view.steps, console);
    }
    let found = imports.plan_findings(view.id)?;
    if counts.ready_rows == 0 || (counts.error_rows > 0 && !arguments.skip_errors) {
        return Ok(stopped((&counts, &found), &session.site, arguments.json, console));
    }
    let seen = preview::before_sending(arguments, session, view, console).await?;
    if matches!(seen, Before::Stopped) {
        if arguments.json {
            console.json(&nothing_sent(&counts, &session.site));
        }
        return Ok(Ending::Rejected);
    }
    for step in &view.steps {
        sync::say_unreadable(session, &step.operation, arguments.batch_size, console)?;
    }
    if !arguments.yes {
        let places = [("rows", counts.ready_rows.to_string()), ("site", plain(&session.site))];
        match console.ask("sync.ask", &places) {
            Some(true) => {}
            Some(false) => return Ok(Ending::Interrupted),
            None => return Err(Failure::Usage("sync.not-a-terminal", Vec::new())),
        }
    }
    let confirmed = session.confirmed(console)?;
    let request = session.engine.previews().steps_for(view.id, &session.site, seen.choice())?.request();
    session.engine.previews().forget(view.id);
    let original = arguments.report.as_ref().map(|_| imports.plan_original(view.id)).transpose()?;
    imports.close(view.id);
    let mut interruption = Interruption::listen()?;
    let changes = session.engine.submissions().subscribe();
    let request = PlanRequest {
        skip_blocked: arguments.skip_errors,
        batch_size: arguments.batch_size,
        confirmed,
        leave_doubt: arguments.leave_doubt,
        ..request
    };
    let plan = session.engine.submissions().submit_plan(request).await?;
    let (plan, interrupted) = follow::plan(&session.engine, plan.id, changes, &mut interruption, console).await?;
    let errors = findings::errors_by_row(&found, console);
    tell(&session.engine, &plan, &errors, arguments.json, console)?;
    if let Some(report) = &arguments.report {
        write_report(&session.engine, &plan, original.as_ref(), report, console)?;
    }
    close(&plan, arguments.json, console);
    Ok(ending(&plan, interrupted))
}

/// Findings stop the run: nothing is sent, and nothing is written down.
fn stopped((counts, found): (&ImportCounts, &[Finding]), site: &str, json: bool, console: &Console) -> Ending {
    if json {
        for finding in found {
            console.json(&findings::json(finding, console));
        }
        console.json(&nothing_sent(counts, site));
    } else {
        findings::show(found, console);
    }
    let key = if counts.ready_rows == 0 { "sync.nothing-ready" } else { "sync.stopped" };
    console.remark(key, &[("rows", counts.error_rows.to_string()), ("ready", counts.ready_rows.to_string())]);
    Ending::Rejected
}

/// The summary of a plan that there isn't.
fn nothing_sent(counts: &ImportCounts, site: &str) -> Value {
    let mut line = total(&FateCounts { pending: counts.rows, ..FateCounts::default() }, site, &[]);
    line["plan"] = Value::Null;
    line
}

/// Step by step: every row that somebody must look at, and what stands in the way.
pub(super) fn tell(
    engine: &Engine,
    plan: &PlanView,
    errors: &RowErrors,
    json: bool,
    console: &Console,
) -> Result<(), Failure> {
    for view in &plan.submissions {
        if json {
            let told = [Fate::Rejected, Fate::InDoubt, Fate::Pending];
            fates::json_rows_of(engine, view, &told, console)?;
            let mut line = fates::summary(view);
            line["sheet"] = json!(view.sheet);
            line["waiting"] = json!(view.waiting);
            console.json(&line);
        } else {
            fates::show(engine, view, errors, console)?;
            console.line("");
        }
        if let Some(problem) = &view.problem {
            console.problem(problem);
        }
    }
    let pending: u32 = plan.submissions.iter().map(|view| view.counts.pending).sum();
    if pending > 0 {
        console.remark("sync.resume", &[("submission", plan.id.to_string()), ("rows", pending.to_string())]);
    }
    Ok(())
}

fn write_report(
    engine: &Engine,
    plan: &PlanView,
    original: Option<&Original>,
    report: &Path,
    console: &Console,
) -> Result<(), Failure> {
    let saved = engine.submissions().export_plan(plan.id, original.filter(|original| original.is_package()), report)?;
    console.remark("sync.report", &[("file", plain(&saved.path))]);
    Ok(())
}

/// The last line of all.
pub(super) fn close(plan: &PlanView, json: bool, console: &Console) {
    if json {
        let site = plan.submissions.first().map(|view| view.site.clone()).unwrap_or_default();
        let mut line = total(&sum(plan), &site, &plan.submissions);
        line["plan"] = json!(plan.id);
        console.json(&line);
    }
}

fn sum(plan: &PlanView) -> FateCounts {
    let mut sum = FateCounts::default();
    for counts in plan.submissions.iter().map(|view| view.counts) {
        sum.pending += counts.pending;
        sum.sending += counts.sending;
        sum.accepted += counts.accepted;
        sum.rejected += counts.rejected;
        sum.in_doubt += counts.in_doubt;
        sum.skipped += counts.skipped;
    }
    sum
}

/// As a submission's summary, over all of them.
fn total(counts: &FateCounts, site: &str, submissions: &[SubmissionView]) -> Value {
    let pending = counts.pending + counts.sending;
    json!({
        "submission": null,
        "operation": null,
        "site": site,
        "total": counts.accepted + counts.rejected + counts.in_doubt + counts.skipped + pending,
        "accepted": counts.accepted,
        "rejected": counts.rejected,
        "inDoubt": counts.in_doubt,
        "skipped": counts.skipped,
        "pending": pending,
        "batches": submissions.iter().map(|view| view.batches).sum::<u32>(),
        "requests": submissions.iter().map(|view| view.requests).sum::<u32>(),
        "seconds": submissions.iter().map(|view| view.seconds).sum::<f64>(),
        "submissions": submissions.iter().map(|view| view.id).collect::<Vec<_>>(),
    })
}

/// The worst of the steps. What waits for a rejected row is pending because of that, and nobody interrupted it.
pub(super) fn ending(plan: &PlanView, interrupted: bool) -> Ending {
    let of_step = |view: &SubmissionView| {
        let unhindered = view.problem.is_none() && view.counts.sending == 0;
        if unhindered && !interrupted && view.requests == 0 && view.counts.pending > view.waiting {
            // An earlier step ended the plan, and says how.
            return Ending::Done;
        }
        if unhindered && view.waiting > 0 && view.counts.pending == view.waiting {
            let mut settled = view.clone();
            settled.counts.rejected += std::mem::take(&mut settled.counts.pending);
            return ending::of_submission(&settled, false);
        }
        ending::of_submission(view, interrupted)
    };
    plan.submissions.iter().map(of_step).max_by_key(|ending| rank(*ending)).unwrap_or(Ending::Done)
}

/// Doubt outweighs everything but the person's own interruption.
fn rank(ending: Ending) -> u8 {
    match ending {
        Ending::Done => 0,
        Ending::Rejected => 1,
        Ending::Usage => 2,
        Ending::Unreachable => 3,
        Ending::SignIn => 4,
        Ending::InDoubt => 5,
        Ending::Interrupted => 6,
    }
}
