//! `takt sync`: sends a workbook's rows, and tells what became of each.

use std::path::Path;

use serde_json::{Value, json};
use takt_engine::{Engine, Finding, Follows, Original, Relation, SubmissionRequest, SubmissionState, SubmissionView};

use crate::{
    arguments::SyncArguments,
    command::{
        check_plan, follow,
        import::{self, Asked, Opened},
        preview::{self, Before},
        sync_plan,
    },
    console::{Console, plain},
    ending::{self, Ending, Failure},
    fates,
    findings::{self, RowErrors},
    session::{Interruption, Session},
};

pub(super) async fn run(arguments: &SyncArguments, site: Option<&str>, console: &Console) -> Result<Ending, Failure> {
    let session = Session::open(site, console).await?;
    let asked = match arguments.like {
        Some(like) => import::open_like(session.engine.clone(), &arguments.import, like, console)?,
        None => import::open_all(session.engine.clone(), &arguments.import, arguments.to.as_deref(), console)?,
    };
    let mut opened = match asked {
        Asked::Sheet(opened) => opened,
        Asked::Plan(..) if arguments.trial.is_some() => return Err(Failure::Usage("sync.trial-plan", Vec::new())),
        Asked::Plan(_, mut view) => {
            if !arguments.without_lookup {
                *view = check_plan::look_at((&session.engine, &view), (Some(&session.site), None)).await?;
            }
            return sync_plan::run(arguments, &session, &view, console).await;
        }
    };
    if !arguments.without_lookup {
        opened.look_at(&session.site).await?;
    }
    let imports = session.engine.imports();
    let found = imports.findings(opened.view.id)?;
    let counts = opened.view.counts;
    findings::show_mending(&opened.view, console);
    findings::show_sense(&opened.view, console);
    if counts.ready_rows == 0 || (counts.error_rows > 0 && !arguments.skip_errors) {
        return Ok(stopped(&opened, &found, &session.site, arguments.json, console));
    }
    let seen = preview::before_sending(arguments, &session, &opened.view, console).await?;
    if matches!(seen, Before::Stopped) {
        return Ok(unsent(&opened, &session.site, arguments.json, console));
    }
    say_unreadable(&session, &opened.operation, arguments.batch_size, console)?;
    if !arguments.yes {
        let places = [("rows", counts.ready_rows.to_string()), ("site", plain(&session.site))];
        match console.ask("sync.ask", &places) {
            Some(true) => {}
            Some(false) => return Ok(Ending::Interrupted),
            None => return Err(Failure::Usage("sync.not-a-terminal", Vec::new())),
        }
    }
    let confirmed = session.confirmed(console)?;
    let request = session.engine.previews().items_for(opened.view.id, &session.site, seen.choice())?.request();
    session.engine.previews().forget(opened.view.id);
    // Only the file itself outlives the import, and only where it is to be given back.
    let original = arguments.report.as_ref().map(|_| imports.original(opened.view.id)).transpose()?;
    // What was read isn't needed any more; a large sheet is a lot of memory.
    imports.close(opened.view.id);
    let mut interruption = Interruption::listen()?;
    let changes = session.engine.submissions().subscribe();
    let view = session
        .engine
        .submissions()
        .submit(SubmissionRequest {
            skip_blocked: arguments.skip_errors,
            batch_size: arguments.batch_size,
            confirmed,
            trial: arguments.trial,
            follows: follows(arguments),
            leave_doubt: arguments.leave_doubt,
            ..request
        })
        .await?;
    let (view, interrupted) = follow::submission(&session.engine, view.id, changes, &mut interruption, console).await?;
    let errors = findings::errors_by_row(&found, console);
    tell(&session.engine, &view, &errors, arguments.json, console)?;
    if let Some(report) = &arguments.report {
        write_report(&session.engine, &view, original.as_ref(), report, console)?;
    }
    close(&view, arguments.json, console);
    Ok(ending::of_submission(&view, interrupted))
}

/// Before anything is sent: of rows that can't be read back nobody but a person can tell whether they arrived.
pub(super) fn say_unreadable(
    session: &Session,
    operation: &str,
    asked: Option<u32>,
    console: &Console,
) -> Result<(), Failure> {
    let found = session.engine.contract().operation(operation).filter(|operation| operation.read_back.is_none());
    let Some(found) = found else { return Ok(()) };
    let of_site = session.engine.sites().find(&session.site)?.batch_size;
    let size = asked.unwrap_or_else(|| of_site.unwrap_or(found.batch_size).min(found.batch_size));
    console.remark("sync.unreadable", &[("operation", plain(operation)), ("size", size.to_string())]);
    Ok(())
}

/// The submission whose work is done again.
fn follows(arguments: &SyncArguments) -> Option<Follows> {
    arguments.like.map(|submission| Follows { submission, relation: Relation::Again })
}

/// Findings stop the run: nothing is sent, and nothing is written down.
fn stopped(opened: &Opened, found: &[Finding], site: &str, json: bool, console: &Console) -> Ending {
    let counts = &opened.view.counts;
    if json {
        for finding in found {
            console.json(&findings::json(finding, console));
        }
        console.json(&nothing_sent(opened, site));
    } else {
        findings::show(found, console);
        for field in &opened.view.missing {
            console.remark("check.missing", &[("field", plain(field))]);
        }
    }
    let key = if counts.ready_rows == 0 { "sync.nothing-ready" } else { "sync.stopped" };
    console.remark(key, &[("rows", counts.error_rows.to_string()), ("ready", counts.ready_rows.to_string())]);
    Ending::Rejected
}

/// Conflicts stop the run, and were told: likewise.
fn unsent(opened: &Opened, site: &str, json: bool, console: &Console) -> Ending {
    if json {
        console.json(&nothing_sent(opened, site));
    }
    Ending::Rejected
}

/// The summary of a submission that there isn't.
fn nothing_sent(opened: &Opened, site: &str) -> Value {
    let counts = &opened.view.counts;
    json!({
        "submission": null,
        "operation": opened.operation,
        "site": site,
        "total": counts.rows,
        "accepted": 0,
        "rejected": 0,
        "inDoubt": 0,
        "skipped": 0,
        "pending": counts.rows,
        "batches": 0,
        "requests": 0,
        "seconds": 0.0,
    })
}

/// Every row that somebody must look at, and what stands in the way.
pub(super) fn tell(
    engine: &Engine,
    view: &SubmissionView,
    errors: &RowErrors,
    json: bool,
    console: &Console,
) -> Result<(), Failure> {
    if json {
        fates::json_rows(engine, view, console)?;
    } else {
        fates::show(engine, view, errors, console)?;
    }
    if let Some(problem) = &view.problem {
        console.problem(problem);
    }
    let readable = engine.contract().operation(&view.operation).is_none_or(|operation| operation.read_back.is_some());
    if view.counts.in_doubt > 0 && !readable {
        let places = [("submission", view.id.to_string()), ("rows", view.counts.in_doubt.to_string())];
        console.remark("decide.see-totals", &places);
    }
    let places = [("submission", view.id.to_string()), ("rows", view.counts.pending.to_string())];
    if view.counts.pending > 0 && view.trial.is_some() && view.state == SubmissionState::Paused {
        console.remark("sync.trial", &places);
    } else if view.counts.pending > 0 {
        console.remark("sync.resume", &places);
    }
    Ok(())
}

/// Into a copy of the planner's workbook where that can be had; a text file has no room for it.
fn write_report(
    engine: &Engine,
    view: &SubmissionView,
    original: Option<&Original>,
    report: &Path,
    console: &Console,
) -> Result<(), Failure> {
    let file = match original.filter(|original| original.is_package()) {
        Some(original) => engine.submissions().export_results_into(view.id, original, report)?.path,
        None => {
            engine.submissions().export_results(view.id, report)?;
            report.display().to_string()
        }
    };
    console.remark("sync.report", &[("file", plain(&file))]);
    Ok(())
}

/// The last line of all.
pub(super) fn close(view: &SubmissionView, json: bool, console: &Console) {
    if json {
        console.json(&fates::summary(view));
    }
}
