//! `takt sync`: sends a workbook's rows step by step, and prints the result of each.

use std::path::Path;

use serde_json::{Value, json};
use takt_engine::{
    Engine,
    import::{Finding, ImportView, Original},
    submission::{
        ImportToSend, PlanId, PlanView, Relation, ResultCounts, SendOptions, SubmissionOrigin, SubmissionState,
        SubmissionView,
    },
};

use crate::{
    arguments::SyncArguments,
    command::{
        import, plan_progress,
        preview::{self, PreviewDecision},
        row_claims, steps,
    },
    console::{Console, common, is_several, plain},
    exit_codes::{self, ExitStatus, Failure},
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
    // A practice plant exists only for the command that started it, so no other run can send there.
    let _lock = if session.is_practice() { None } else { Some(engine.submissions().lock_file(&session.site, file)?) };
    let view = match arguments.like {
        Some(like) => import::open_like(engine, &session.site, &arguments.import, like, console)?,
        None => import::open(engine, Some(&session.site), &arguments.import, arguments.to.as_deref(), console)?,
    };
    // A copy of the file with another name may be sent at the same time.
    let _content_lock = if session.is_practice() {
        None
    } else {
        Some(engine.submissions().lock_content(&session.site, file, &view.hash)?)
    };
    if arguments.if_changed
        && let Some(earlier) = engine.submissions().find_by_file(&session.site, &view.hash)?
    {
        return unchanged(engine, &earlier, arguments.json, console);
    }
    let sent = send(&session, view, arguments, Prompting::Interactive, console).await?;
    Ok(sent.status)
}

/// Determines how prompts are answered and which interruptions are received.
pub(super) enum Prompting<'a> {
    /// Prompts are answered at the terminal or by options.
    Interactive,
    /// `takt watch` never prompts. The user has confirmed a production site at its start.
    Watch { confirmed: Option<String>, interruption: &'a mut Interruption },
}

/// The outcome of sending a workbook.
pub(super) struct SyncResult {
    pub(super) status: ExitStatus,
    /// The sent plan. `None` if nothing was sent, and then the import is still open.
    pub(super) plan: Option<PlanId>,
    /// True if the user interrupted the plan.
    pub(super) interrupted: bool,
}

impl SyncResult {
    fn unsent(status: ExitStatus) -> Self {
        Self { status, plan: None, interrupted: false }
    }
}

/// Sends an opened workbook unless errors, the preview or the user prevent it. Prints the result of each row.
pub(super) async fn send(
    session: &Session,
    view: ImportView,
    arguments: &SyncArguments,
    prompting: Prompting<'_>,
    console: &Console,
) -> Result<SyncResult, Failure> {
    let (engine, imports) = (&session.engine, session.engine.imports());
    if let Some(report) = &arguments.report {
        check_report(report, &arguments.import.file)?;
    }
    let view = if arguments.without_lookup {
        view
    } else {
        steps::check_against_site(engine, &view, Some(&session.site), None).await?
    };
    if !arguments.json {
        steps::print_order(&view.steps, console);
    }
    let missing = print_sheets(engine, &view, console)?;
    let findings = imports.findings(view.id)?;
    let counts = view.totals;
    if counts.ready_rows == 0 || (counts.error_rows > 0 && !arguments.skip_errors) {
        print_findings(&view, &findings, &missing, &session.site, arguments.json, console);
        remark_stopped(&view, &prompting, console);
        return Ok(SyncResult::unsent(ExitStatus::Rejected));
    }
    let preview_decision = preview::before_sending(arguments, session, &view, console).await?;
    if let PreviewDecision::Stopped(status) = preview_decision {
        print_unsent(&view, &session.site, arguments.json, console);
        return Ok(SyncResult::unsent(status));
    }
    for step in steps::steps_to_send(&view) {
        print_untried(session, &step.operation, arguments.trial, console)?;
        print_unreadable(session, &step.operation, arguments.batch_size, console)?;
    }
    if !arguments.yes {
        let parameters = [("rows", counts.ready_rows.to_string()), ("site", plain(&session.site))];
        match console.ask("sync.ask", &parameters) {
            Some(true) => {}
            Some(false) => return Ok(SyncResult::unsent(ExitStatus::Interrupted)),
            None => return Err(Failure::Usage("sync.not-a-terminal", Vec::new())),
        }
    }
    let mut own_interruption = None;
    let (confirmed, interruption) = match prompting {
        Prompting::Interactive => (session.confirm_site(console)?, own_interruption.insert(Interruption::listen()?)),
        Prompting::Watch { confirmed, interruption } => (confirmed, interruption),
    };
    // Sending closes the import, so the original is loaded before if a report needs it.
    let original = arguments.report.as_ref().map(|_| imports.original(view.id)).transpose()?;
    let changes = engine.submissions().subscribe();
    let submitted = row_claims::retry_while_claimed(arguments.claimed, interruption, console, async || {
        let import = ImportToSend {
            import: view.id,
            site: session.site.clone(),
            preview: preview_decision.choice(),
            // Closing the import frees the memory of a large sheet.
            close: true,
        };
        let options = SendOptions {
            skip_blocked: arguments.skip_errors,
            batch_size: arguments.batch_size,
            follows: origin(arguments),
            trial: arguments.trial,
            confirmed: confirmed.clone(),
            leave_unconfirmed: arguments.leave_unconfirmed,
            claimed: arguments.claimed.into(),
        };
        Ok(engine.submissions().send(import, options).await?)
    });
    let Some(plan) = submitted.await? else {
        return Ok(SyncResult::unsent(ExitStatus::Interrupted));
    };
    let (plan, interrupted) = plan_progress::wait_for_plan(engine, plan.id, changes, interruption, console).await?;
    let errors = findings::errors_by_row(&findings, console);
    print_submission(engine, &plan, &errors, arguments.json, console)?;
    let report = arguments
        .report
        .as_ref()
        .map_or(Ok(()), |report| write_report(engine, plan.id, original.as_ref(), report, console));
    let mut status = print_summary(&plan, interrupted, arguments.json, console);
    // The results are printed in any case, because rerunning the command would send the rows again.
    if let Err(failure) = report {
        let failed = console.failed(&failure);
        status = if severity(failed) > severity(status) { failed } else { status };
    }
    Ok(SyncResult { status, plan: Some(plan.id), interrupted })
}

/// Reports that the same file was sent before. Its rejected rows were reported then, so only open rows affect the
/// status.
fn unchanged(engine: &Engine, earlier: &SubmissionView, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let plan = engine.submissions().plan(earlier.id)?;
    let parameters = [("file", plain(&earlier.file)), ("submission", plan.id.to_string())];
    console.remark("sync.unchanged", &parameters);
    let sum = sum_counts(&plan);
    if sum.pending > 0 {
        console.remark("sync.resume", &[("submission", plan.id.to_string()), ("rows", sum.pending.to_string())]);
    }
    if json {
        let mut line = plan_json(&plan);
        line["unchanged"] = json!(true);
        console.json(&line);
    }
    let is_settled = sum.pending + sum.sending + sum.unconfirmed == 0;
    Ok(if is_settled { ExitStatus::Done } else { exit_status(&plan, false) })
}

/// Prints the mappings' changes and the results of checks. Returns the required fields that no column fills.
fn print_sheets(engine: &Engine, view: &ImportView, console: &Console) -> Result<Vec<String>, Failure> {
    let mut missing = Vec::new();
    steps::each_sheet(engine, view, |_, sheet| {
        findings::print_fixes(sheet, console);
        findings::print_reference_checks(sheet, console);
        missing.extend_from_slice(&sheet.missing);
        Ok(())
    })?;
    Ok(missing)
}

/// Warns that no item was sent in the operation's form, which was only learned from its read. A trial run is safer.
fn print_untried(session: &Session, operation: &str, trial: Option<u32>, console: &Console) -> Result<(), Failure> {
    let contract = session.engine.sites().contract(&session.site)?;
    if trial.is_none() && contract.operation(operation).is_some_and(|operation| operation.untried) {
        console.remark("sync.untried", &[("operation", plain(operation)), ("site", plain(&session.site))]);
    }
    Ok(())
}

/// Warns that the service can't return the operation's rows. The user must decide about unconfirmed rows.
fn print_unreadable(
    session: &Session,
    operation: &str,
    batch_size: Option<u32>,
    console: &Console,
) -> Result<(), Failure> {
    let contract = session.engine.sites().contract(&session.site)?;
    if contract.operation(operation).is_none_or(|operation| operation.read_back.is_some()) {
        return Ok(());
    }
    let size = session.engine.submissions().batch_size(&session.site, operation, batch_size)?;
    console.remark("sync.unreadable", &[("operation", plain(operation)), ("size", size.to_string())]);
    Ok(())
}

/// Returns the submission that `--like` names as the origin.
fn origin(arguments: &SyncArguments) -> Option<SubmissionOrigin> {
    arguments.like.map(|submission| SubmissionOrigin { submission, relation: Relation::Again })
}

/// Prints the findings because of which nothing is sent or recorded.
fn print_findings(
    view: &ImportView,
    findings: &[Finding],
    missing: &[String],
    site: &str,
    json: bool,
    console: &Console,
) {
    if json {
        for finding in findings {
            console.json(&findings::finding_json(finding, console));
        }
        console.json(&nothing_sent(view, site));
    } else {
        findings::print_findings(findings, console);
        for field in missing {
            console.remark("check.missing", &[("field", plain(field))]);
        }
    }
}

/// Prints why nothing was sent, and the next step.
fn remark_stopped(view: &ImportView, prompting: &Prompting<'_>, console: &Console) {
    let counts = &view.totals;
    let key = match prompting {
        _ if counts.ready_rows == 0 => "sync.nothing-ready",
        Prompting::Interactive => "sync.stopped",
        Prompting::Watch { .. } => "watch.stopped",
    };
    console.remark(key, &[("rows", counts.error_rows.to_string()), ("ready", counts.ready_rows.to_string())]);
}

/// Prints the JSON summary of a run that the preview stopped. The preview has printed the rows.
fn print_unsent(view: &ImportView, site: &str, json: bool, console: &Console) {
    if json {
        console.json(&nothing_sent(view, site));
    }
}

/// Returns the summary of a run that sent nothing. All rows are pending.
fn nothing_sent(view: &ImportView, site: &str) -> Value {
    let mut line = totals_json(&ResultCounts { pending: view.totals.rows, ..ResultCounts::default() }, site, &[]);
    line["operation"] = json!(common(view.steps.iter().map(|step| &step.operation)));
    if is_several(&view.steps) {
        line["submissions"] = json!([]);
        line["plan"] = Value::Null;
    }
    line
}

/// Prints the results of every step, and the problems that stopped the plan.
pub(super) fn print_submission(
    engine: &Engine,
    plan: &PlanView,
    errors: &RowErrors,
    json: bool,
    console: &Console,
) -> Result<(), Failure> {
    for view in &plan.submissions {
        if json {
            results::print_json_rows(engine, view, console)?;
        } else {
            results::print_results(engine, view, errors, console)?;
        }
        if is_several(&plan.submissions) {
            if json { console.json(&step_json(view)) } else { console.line("") }
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
            let parameters = [("submission", view.id.to_string()), ("rows", view.counts.unconfirmed.to_string())];
            console.remark(if readable { "decide.look-again" } else { "decide.see-totals" }, &parameters);
        }
    }
    let pending: u32 = plan.submissions.iter().map(|view| view.counts.pending).sum();
    if plan.submissions.first().is_some_and(exit_codes::needs_approval) {
        console.remark("sync.approval", &[("submission", plan.id.to_string()), ("rows", pending.to_string())]);
        return Ok(());
    }
    let is_trial = |view: &SubmissionView| {
        view.counts.pending > 0 && view.trial.is_some() && view.state == SubmissionState::Paused
    };
    if pending > 0 {
        let key = if plan.submissions.iter().any(is_trial) { "sync.trial" } else { "sync.resume" };
        console.remark(key, &[("submission", plan.id.to_string()), ("rows", pending.to_string())]);
    }
    Ok(())
}

/// Returns the JSON summary of a step.
fn step_json(view: &SubmissionView) -> Value {
    let mut line = results::summary_json(view);
    line["sheet"] = json!(view.sheet);
    line["waiting"] = json!(view.waiting);
    line
}

/// Refuses a report over the file that is sent, or in a folder that doesn't exist, before anything is sent.
fn check_report(report: &Path, file: &Path) -> Result<(), Failure> {
    let parameters = || vec![("file", plain(&report.display().to_string()))];
    if report.canonicalize().is_ok_and(|report| file.canonicalize().is_ok_and(|file| file == report)) {
        return Err(Failure::Usage("sync.report-is-input", parameters()));
    }
    let folder = report.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if folder.is_dir() && !report.is_dir() {
        Ok(())
    } else {
        Err(Failure::Usage("sync.no-report-folder", parameters()))
    }
}

/// Writes the results to a copy of the user's workbook, or to a new workbook if the original isn't a zip package.
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

/// Prints the last JSON line, with the totals of all steps, and returns the exit status.
pub(super) fn print_summary(plan: &PlanView, interrupted: bool, json: bool, console: &Console) -> ExitStatus {
    if json {
        console.json(&plan_json(plan));
    }
    exit_status(plan, interrupted)
}

/// Returns the totals of all steps, and for several steps also the plan and its submissions.
fn plan_json(plan: &PlanView) -> Value {
    let site = plan.submissions.first().map(|view| view.site.clone()).unwrap_or_default();
    let mut line = totals_json(&sum_counts(plan), &site, &plan.submissions);
    if is_several(&plan.submissions) {
        line["submissions"] = plan.submissions.iter().map(|view| json!(view.id)).collect();
        line["plan"] = json!(plan.id);
    }
    line
}

fn sum_counts(plan: &PlanView) -> ResultCounts {
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

/// Returns totals in the form of a submission's JSON summary.
fn totals_json(counts: &ResultCounts, site: &str, submissions: &[SubmissionView]) -> Value {
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

/// Returns the worst status of the steps. Rows that wait for a rejected row are treated as rejected, not as
/// interrupted.
fn exit_status(plan: &PlanView, interrupted: bool) -> ExitStatus {
    let step_status = |(index, view): (usize, &SubmissionView)| {
        let unhindered = view.problem.is_none() && view.counts.sending == 0;
        let is_held_up = plan.submissions.iter().take(index).any(|earlier| earlier.state != SubmissionState::Finished);
        if is_held_up && unhindered && !interrupted && view.requests == 0 && view.counts.pending > view.waiting {
            // An earlier step stopped the plan. That step's status is used.
            return ExitStatus::Done;
        }
        if unhindered && view.waiting > 0 && view.counts.pending == view.waiting {
            let mut settled = view.clone();
            settled.counts.rejected += std::mem::take(&mut settled.counts.pending);
            return exit_codes::status_of_submission(&settled, false);
        }
        exit_codes::status_of_submission(view, interrupted)
    };
    plan.submissions
        .iter()
        .enumerate()
        .map(step_status)
        .max_by_key(|status| severity(*status))
        .unwrap_or(ExitStatus::Done)
}

/// Returns the severity of a status. Unconfirmed rows are worse than everything except an interruption by the user.
pub(super) fn severity(status: ExitStatus) -> u8 {
    match status {
        ExitStatus::Done => 0,
        ExitStatus::Rejected => 1,
        ExitStatus::Usage => 2,
        ExitStatus::Unreachable => 3,
        ExitStatus::SignIn => 4,
        ExitStatus::Unconfirmed => 5,
        ExitStatus::Interrupted => 6,
    }
}
