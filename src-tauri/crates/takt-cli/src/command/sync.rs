//! `takt sync`: sends a workbook's rows step by step, and tells what became of each.

use std::path::Path;

use serde_json::{Value, json};
use takt_engine::{
    Engine,
    import::{Finding, ImportView, Original},
    preview::{PreparedItems, PreviewChoice},
    submission::{
        PlanId, PlanView, Relation, ResultCounts, SubmissionOrigin, SubmissionRequest, SubmissionState, SubmissionView,
    },
};

use crate::{
    arguments::{Claimed, SyncArguments},
    command::{
        claimed, follow, import,
        preview::{self, PreviewDecision},
        steps,
    },
    console::{Console, common, is_several, plain},
    ending::{self, ExitStatus, Failure},
    findings::{self, RowErrors},
    results,
    session::{Interruption, Session},
};

pub(super) async fn run(
    arguments: &SyncArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let session = Session::open(site, console).await?;
    let (engine, file) = (&session.engine, &arguments.import.file);
    // Each practice plant belongs to its command alone.
    let _lock = if session.is_practice() { None } else { Some(engine.submissions().lock_file(&session.site, file)?) };
    let view = match arguments.like {
        Some(like) => import::open_like((engine, &session.site), &arguments.import, like, console)?,
        None => import::open((engine, Some(&session.site)), &arguments.import, arguments.to.as_deref(), console)?,
    };
    // The same content may come under several names at once.
    let _content_lock = if session.is_practice() {
        None
    } else {
        Some(engine.submissions().lock_content(&session.site, file, &view.hash)?)
    };
    if arguments.if_changed
        && let Some(earlier) = engine.submissions().of_file(&session.site, &view.hash)?
    {
        return unchanged(engine, &earlier, arguments.json, console);
    }
    let sent = send(&session, view, arguments, Attendance::Person, console).await?;
    Ok(sent.status)
}

/// Who answers questions, and who may interrupt.
pub(super) enum Attendance<'a> {
    /// Somebody at the terminal, or options in their place.
    Person,
    /// Nobody is asked any more: a production site was confirmed at the start.
    Watch { confirmed: Option<String>, interruption: &'a mut Interruption },
}

/// What became of a workbook.
pub(super) struct SyncResult {
    pub(super) status: ExitStatus,
    /// Absent where nothing was sent; then the import is still open.
    pub(super) plan: Option<PlanId>,
    /// A person ended it.
    pub(super) interrupted: bool,
}

impl SyncResult {
    fn unsent(status: ExitStatus) -> Self {
        Self { status, plan: None, interrupted: false }
    }
}

/// Sends an opened workbook where nothing stops that, and tells what became of each row.
pub(super) async fn send(
    session: &Session,
    view: ImportView,
    arguments: &SyncArguments,
    attendance: Attendance<'_>,
    console: &Console,
) -> Result<SyncResult, Failure> {
    let (engine, imports) = (&session.engine, session.engine.imports());
    let view = if arguments.without_lookup {
        view
    } else {
        steps::look_at((engine, &view), (Some(&session.site), None)).await?
    };
    if !arguments.json {
        steps::show_order(&view.steps, console);
    }
    let missing = print_sheets(engine, &view, console)?;
    let findings = imports.findings(view.id)?;
    let counts = view.totals;
    if counts.ready_rows == 0 || (counts.error_rows > 0 && !arguments.skip_errors) {
        stopped(&view, (&findings, &missing), &session.site, arguments.json, console);
        remark_stopped(&view, &attendance, console);
        return Ok(SyncResult::unsent(ExitStatus::Rejected));
    }
    let seen = preview::before_sending(arguments, session, &view, console).await?;
    if let PreviewDecision::Stopped(status) = seen {
        print_unsent(&view, &session.site, arguments.json, console);
        return Ok(SyncResult::unsent(status));
    }
    for step in steps::sent(&view) {
        print_untried(session, &step.operation, arguments.trial, console)?;
        print_unreadable(session, &step.operation, arguments.batch_size, console)?;
    }
    if !arguments.yes {
        let places = [("rows", counts.ready_rows.to_string()), ("site", plain(&session.site))];
        match console.ask("sync.ask", &places) {
            Some(true) => {}
            Some(false) => return Ok(SyncResult::unsent(ExitStatus::Interrupted)),
            None => return Err(Failure::Usage("sync.not-a-terminal", Vec::new())),
        }
    }
    let mut own = None;
    let (confirmed, interruption) = match attendance {
        Attendance::Person => (session.confirmed(console)?, own.insert(Interruption::listen()?)),
        Attendance::Watch { confirmed, interruption } => (confirmed, interruption),
    };
    // Only the file itself outlives the import, and only where it is to be given back.
    let original = arguments.report.as_ref().map(|_| imports.original(view.id)).transpose()?;
    let changes = engine.submissions().subscribe();
    let submitted = claimed::unclaimed(arguments.claimed, interruption, console, async || {
        submit(session, &view, (arguments, confirmed.clone()), seen.choice()).await
    });
    let Some(plan) = submitted.await? else {
        return Ok(SyncResult::unsent(ExitStatus::Interrupted));
    };
    let (plan, interrupted) = follow::plan(engine, plan.id, changes, interruption, console).await?;
    let errors = findings::errors_by_row(&findings, console);
    print_submission(engine, &plan, &errors, arguments.json, console)?;
    if let Some(report) = &arguments.report {
        write_report(engine, plan.id, original.as_ref(), report, console)?;
    }
    let status = close(&plan, interrupted, arguments.json, console);
    Ok(SyncResult { status, plan: Some(plan.id), interrupted })
}

/// Writes everything down and begins to send. What was read isn't needed any more then: a large sheet is a lot of memory.
async fn submit(
    session: &Session,
    view: &ImportView,
    (arguments, confirmed): (&SyncArguments, Option<String>),
    choice: Option<PreviewChoice>,
) -> Result<PlanView, Failure> {
    let engine = &session.engine;
    let PreparedItems { items, further } =
        engine.previews().prepare(view.id, &session.site, choice, arguments.trial.is_some())?;
    // Whoever waits may need it once more.
    if arguments.claimed != Claimed::Wait {
        engine.previews().forget(view.id);
        engine.imports().close(view.id);
    }
    let request = SubmissionRequest {
        skip_blocked: arguments.skip_errors,
        batch_size: arguments.batch_size,
        confirmed,
        trial: arguments.trial,
        follows: follows(arguments),
        leave_unconfirmed: arguments.leave_unconfirmed,
        claimed: arguments.claimed.into(),
        ..SubmissionRequest::from(items)
    };
    Ok(engine.submissions().submit_prepared(request, further).await?)
}

/// The same file was sent before. That some of its rows were rejected was told then; what isn't settled yet is told again.
fn unchanged(engine: &Engine, earlier: &SubmissionView, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let plan = engine.submissions().plan(earlier.id)?;
    let places = [("file", plain(&earlier.file)), ("submission", plan.id.to_string())];
    console.remark("sync.unchanged", &places);
    let sum = sum(&plan);
    if sum.pending > 0 {
        console.remark("sync.resume", &[("submission", plan.id.to_string()), ("rows", sum.pending.to_string())]);
    }
    if json {
        let mut line = plan_line(&plan);
        line["unchanged"] = json!(true);
        console.json(&line);
    }
    let is_settled = sum.pending + sum.sending + sum.unconfirmed == 0;
    Ok(if is_settled { ExitStatus::Done } else { ending(&plan, false) })
}

/// What the mappings changed in the rows, and what these were held against; gives the fields that no column fills.
fn print_sheets(engine: &Engine, view: &ImportView, console: &Console) -> Result<Vec<String>, Failure> {
    let mut missing = Vec::new();
    steps::each_sheet(engine, view, |_, sheet| {
        findings::show_fixes(sheet, console);
        findings::show_sense(sheet, console);
        missing.extend_from_slice(&sheet.missing);
        Ok(())
    })?;
    Ok(missing)
}

/// Before anything is sent: how an operation is sent is only known from its read side, so one row goes first.
fn print_untried(session: &Session, operation: &str, trial: Option<u32>, console: &Console) -> Result<(), Failure> {
    let contract = session.engine.sites().contract(&session.site)?;
    if trial.is_none() && contract.operation(operation).is_some_and(|operation| operation.untried) {
        console.remark("sync.untried", &[("operation", plain(operation)), ("site", plain(&session.site))]);
    }
    Ok(())
}

/// Before anything is sent: of rows that can't be read back nobody but a person can tell whether they arrived.
fn print_unreadable(session: &Session, operation: &str, asked: Option<u32>, console: &Console) -> Result<(), Failure> {
    let contract = session.engine.sites().contract(&session.site)?;
    let found = contract.operation(operation).filter(|operation| operation.read_back.is_none());
    let Some(found) = found else { return Ok(()) };
    let of_site = session.engine.sites().find(&session.site)?.batch_size;
    let size = asked.unwrap_or_else(|| of_site.unwrap_or(found.batch_size).min(found.batch_size));
    console.remark("sync.unreadable", &[("operation", plain(operation)), ("size", size.to_string())]);
    Ok(())
}

/// The submission whose work is done again.
fn follows(arguments: &SyncArguments) -> Option<SubmissionOrigin> {
    arguments.like.map(|submission| SubmissionOrigin { submission, relation: Relation::Again })
}

/// Findings stop the run: nothing is sent, and nothing is written down.
fn stopped(view: &ImportView, (found, missing): (&[Finding], &[String]), site: &str, json: bool, console: &Console) {
    if json {
        for finding in found {
            console.json(&findings::json(finding, console));
        }
        console.json(&nothing_sent(view, site));
    } else {
        findings::show(found, console);
        for field in missing {
            console.remark("check.missing", &[("field", plain(field))]);
        }
    }
}

/// Why nothing was sent, and what to do.
fn remark_stopped(view: &ImportView, attendance: &Attendance<'_>, console: &Console) {
    let counts = &view.totals;
    let key = match attendance {
        _ if counts.ready_rows == 0 => "sync.nothing-ready",
        Attendance::Person => "sync.stopped",
        Attendance::Watch { .. } => "watch.stopped",
    };
    console.remark(key, &[("rows", counts.error_rows.to_string()), ("ready", counts.ready_rows.to_string())]);
}

/// Rows stop the run, and were told: likewise.
fn print_unsent(view: &ImportView, site: &str, json: bool, console: &Console) {
    if json {
        console.json(&nothing_sent(view, site));
    }
}

/// The summary of a plan that there isn't.
fn nothing_sent(view: &ImportView, site: &str) -> Value {
    let mut line = total(&ResultCounts { pending: view.totals.rows, ..ResultCounts::default() }, site, &[]);
    line["operation"] = json!(common(view.steps.iter().map(|step| &step.operation)));
    if is_several(&view.steps) {
        line["submissions"] = json!([]);
        line["plan"] = Value::Null;
    }
    line
}

/// Step by step: every row that somebody must look at, and what stands in the way.
pub(super) fn print_submission(
    engine: &Engine,
    plan: &PlanView,
    errors: &RowErrors,
    json: bool,
    console: &Console,
) -> Result<(), Failure> {
    for view in &plan.submissions {
        if json {
            results::json_rows(engine, view, console)?;
        } else {
            results::show(engine, view, errors, console)?;
        }
        if is_several(&plan.submissions) {
            if json { console.json(&step(view)) } else { console.line("") }
        }
        if let Some(problem) = &view.problem {
            console.problem(problem);
        }
        let readable = engine
            .sites()
            .contract(&view.site)?
            .operation(&view.operation)
            .is_none_or(|operation| operation.read_back.is_some());
        if view.counts.unconfirmed > 0 {
            let places = [("submission", view.id.to_string()), ("rows", view.counts.unconfirmed.to_string())];
            console.remark(if readable { "decide.look-again" } else { "decide.see-totals" }, &places);
        }
    }
    let pending: u32 = plan.submissions.iter().map(|view| view.counts.pending).sum();
    if plan.submissions.first().is_some_and(ending::needs_approval) {
        console.remark("sync.approval", &[("submission", plan.id.to_string()), ("rows", pending.to_string())]);
        return Ok(());
    }
    let tried = |view: &SubmissionView| {
        view.counts.pending > 0 && view.trial.is_some() && view.state == SubmissionState::Paused
    };
    if pending > 0 {
        let key = if plan.submissions.iter().any(tried) { "sync.trial" } else { "sync.resume" };
        console.remark(key, &[("submission", plan.id.to_string()), ("rows", pending.to_string())]);
    }
    Ok(())
}

/// A step's summary.
fn step(view: &SubmissionView) -> Value {
    let mut line = results::summary(view);
    line["sheet"] = json!(view.sheet);
    line["waiting"] = json!(view.waiting);
    line
}

/// Into a copy of the planner's workbook where that can be had; a text file has no room for it.
fn write_report(
    engine: &Engine,
    plan: PlanId,
    original: Option<&Original>,
    report: &Path,
    console: &Console,
) -> Result<(), Failure> {
    let saved =
        engine.submissions().export_results(plan.first(), original.filter(|original| original.is_package()), report)?;
    console.remark("sync.report", &[("file", plain(&saved.path))]);
    Ok(())
}

/// The last line of all, and how the program ends.
pub(super) fn close(plan: &PlanView, interrupted: bool, json: bool, console: &Console) -> ExitStatus {
    if json {
        console.json(&plan_line(plan));
    }
    ending(plan, interrupted)
}

/// The sums of all steps.
fn plan_line(plan: &PlanView) -> Value {
    let site = plan.submissions.first().map(|view| view.site.clone()).unwrap_or_default();
    let mut line = total(&sum(plan), &site, &plan.submissions);
    if is_several(&plan.submissions) {
        line["submissions"] = plan.submissions.iter().map(|view| json!(view.id)).collect();
        line["plan"] = json!(plan.id);
    }
    line
}

fn sum(plan: &PlanView) -> ResultCounts {
    let mut sum = ResultCounts::default();
    for counts in plan.submissions.iter().map(|view| view.counts) {
        sum.pending += counts.pending;
        sum.sending += counts.sending;
        sum.accepted += counts.accepted;
        sum.rejected += counts.rejected;
        sum.unconfirmed += counts.unconfirmed;
        sum.skipped += counts.skipped;
    }
    sum
}

/// As a submission's summary, over all of them.
fn total(counts: &ResultCounts, site: &str, submissions: &[SubmissionView]) -> Value {
    let pending = counts.pending + counts.sending;
    json!({
        "submission": common(submissions.iter().map(|view| view.id)),
        "operation": common(submissions.iter().map(|view| &view.operation)),
        "site": site,
        "total": counts.accepted + counts.rejected + counts.unconfirmed + counts.skipped + pending,
        "accepted": counts.accepted,
        "rejected": counts.rejected,
        "unconfirmed": counts.unconfirmed,
        "inDoubt": counts.unconfirmed,
        "skipped": counts.skipped,
        "notLinked": submissions.iter().map(|view| view.not_linked).sum::<u32>(),
        "pending": pending,
        "batches": submissions.iter().map(|view| view.batches).sum::<u32>(),
        "requests": submissions.iter().map(|view| view.requests).sum::<u32>(),
        "seconds": submissions.iter().map(|view| view.seconds).sum::<f64>(),
    })
}

/// The worst of the steps. What waits for a rejected row is pending because of that, and nobody interrupted it.
fn ending(plan: &PlanView, interrupted: bool) -> ExitStatus {
    let of_step = |(before, view): (usize, &SubmissionView)| {
        let unhindered = view.problem.is_none() && view.counts.sending == 0;
        if before > 0 && unhindered && !interrupted && view.requests == 0 && view.counts.pending > view.waiting {
            // An earlier step ended the plan, and says how.
            return ExitStatus::Done;
        }
        if unhindered && view.waiting > 0 && view.counts.pending == view.waiting {
            let mut settled = view.clone();
            settled.counts.rejected += std::mem::take(&mut settled.counts.pending);
            return ending::of_submission(&settled, false);
        }
        ending::of_submission(view, interrupted)
    };
    plan.submissions.iter().enumerate().map(of_step).max_by_key(|ending| rank(*ending)).unwrap_or(ExitStatus::Done)
}

/// Doubt outweighs everything but the person's own interruption.
pub(super) fn rank(ending: ExitStatus) -> u8 {
    match ending {
        ExitStatus::Done => 0,
        ExitStatus::Rejected => 1,
        ExitStatus::Usage => 2,
        ExitStatus::Unreachable => 3,
        ExitStatus::SignIn => 4,
        ExitStatus::Unconfirmed => 5,
        ExitStatus::Interrupted => 6,
    }
}
