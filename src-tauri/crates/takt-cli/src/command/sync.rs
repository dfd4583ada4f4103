//! `takt sync`: sends a workbook's rows step by step, and prints the result of each.

use std::path::Path;

use serde_json::json;
use takt_engine::{
    Engine,
    import::{ImportView, Original},
    submission::{ImportToSend, PlanId, Relation, SendOptions, SubmissionOrigin, SubmissionView},
};

use crate::{
    arguments::SyncArguments,
    command::{
        import, plan_progress,
        preview::{self, PreviewDecision},
        row_claims, steps,
    },
    console::{Console, sanitize},
    exit_codes::{self, ExitStatus, Failure},
    findings, results,
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
    let _lock =
        if session.is_practice() { None } else { Some(engine.submissions().sent_files().lock(&session.site, file)?) };
    let view = match arguments.like {
        Some(like) => import::open_like(engine, &session.site, &arguments.import, like, console)?,
        None => import::open(engine, Some(&session.site), &arguments.import, arguments.to.as_deref(), console)?,
    };
    // A copy of the file with another name may be sent at the same time.
    let _content_lock = if session.is_practice() {
        None
    } else {
        Some(engine.submissions().sent_files().lock_content(&session.site, file, &view.hash)?)
    };
    if arguments.if_changed
        && let Some(earlier) = engine.submissions().sent_files().find_same_import(&session.site, &view)?
    {
        return report_unchanged(engine, &earlier, arguments.json, console);
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
        if arguments.json {
            findings.iter().for_each(|finding| console.print_json(&findings::finding_json(finding, console)));
            console.print_json(&results::unsent_json(&view, &session.site));
        } else {
            findings::print_findings(&findings, console);
            for field in &missing {
                console.print_remark("check.missing", &[("field", sanitize(field))]);
            }
        }
        print_stop_reason(&view, &prompting, console);
        return Ok(SyncResult::unsent(ExitStatus::Rejected));
    }
    let preview_decision = preview::preview_before_sending(arguments, session, &view, console).await?;
    if let PreviewDecision::Stopped(status) = preview_decision {
        // The preview has printed the rows.
        if arguments.json {
            console.print_json(&results::unsent_json(&view, &session.site));
        }
        return Ok(SyncResult::unsent(status));
    }
    for step in view.steps_to_send() {
        warn_about_untried_form(session, &step.operation, arguments.trial, console)?;
        warn_about_unreadable_rows(session, &step.operation, arguments.batch_size, console)?;
    }
    if !arguments.yes {
        let parameters = [("rows", counts.ready_rows.to_string()), ("site", sanitize(&session.site))];
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
            follows: submission_origin(arguments),
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
    results::print_plan_results(engine, &plan, &errors, arguments.json, console)?;
    let report = arguments
        .report
        .as_ref()
        .map_or(Ok(()), |report| write_report(engine, plan.id, original.as_ref(), report, console));
    let mut status = results::print_summary(&plan, interrupted, arguments.json, console);
    // The results are printed in any case, because rerunning the command would send the rows again.
    if let Err(failure) = report {
        let failed = console.print_failure(&failure);
        status = status.worse_of(failed);
    }
    Ok(SyncResult { status, plan: Some(plan.id), interrupted })
}

/// Reports that the same file was sent before. Its rejected rows were reported then, so only open rows affect the
/// status.
fn report_unchanged(
    engine: &Engine,
    earlier: &SubmissionView,
    json: bool,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let plan = engine.submissions().plan(earlier.id)?;
    let parameters = [("file", sanitize(&earlier.file)), ("submission", plan.id.to_string())];
    console.print_remark("sync.unchanged", &parameters);
    let sum = plan.counts();
    if sum.pending > 0 {
        console.print_remark("sync.resume", &[("submission", plan.id.to_string()), ("rows", sum.pending.to_string())]);
    }
    if json {
        let mut line = results::plan_json(&plan);
        line["unchanged"] = json!(true);
        console.print_json(&line);
    }
    Ok(if plan.is_settled() { ExitStatus::Done } else { exit_codes::status_of_plan(&plan, false) })
}

/// Prints the mappings' changes and the results of checks. Returns the required fields that no column fills.
fn print_sheets(engine: &Engine, view: &ImportView, console: &Console) -> Result<Vec<String>, Failure> {
    let mut missing = Vec::new();
    steps::for_each_sheet(engine, view, |_, sheet| {
        findings::print_fixes(sheet, console);
        findings::print_reference_checks(sheet, console);
        missing.extend_from_slice(&sheet.missing);
        Ok(())
    })?;
    Ok(missing)
}

/// Warns that no item was sent in the operation's form, which was only learned from its read. A trial run is safer.
fn warn_about_untried_form(
    session: &Session,
    operation: &str,
    trial: Option<u32>,
    console: &Console,
) -> Result<(), Failure> {
    let contract = session.engine.sites().contract(&session.site)?;
    if trial.is_none() && contract.operation(operation).is_some_and(|operation| operation.untried) {
        console.print_remark("sync.untried", &[("operation", sanitize(operation)), ("site", sanitize(&session.site))]);
    }
    Ok(())
}

/// Warns that the service can't return the operation's rows. The user must decide about unconfirmed rows.
fn warn_about_unreadable_rows(
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
    console.print_remark("sync.unreadable", &[("operation", sanitize(operation)), ("size", size.to_string())]);
    Ok(())
}

/// Returns the submission that `--like` names as the origin.
fn submission_origin(arguments: &SyncArguments) -> Option<SubmissionOrigin> {
    arguments.like.map(|submission| SubmissionOrigin { submission, relation: Relation::Again })
}

/// Prints the reason why nothing was sent, and the next step.
fn print_stop_reason(view: &ImportView, prompting: &Prompting<'_>, console: &Console) {
    let counts = &view.totals;
    let key = match prompting {
        _ if counts.ready_rows == 0 => "sync.nothing-ready",
        Prompting::Interactive => "sync.stopped",
        Prompting::Watch { .. } => "watch.stopped",
    };
    console.print_remark(key, &[("rows", counts.error_rows.to_string()), ("ready", counts.ready_rows.to_string())]);
}

/// Refuses a report over the file that is sent, or in a folder that doesn't exist, before anything is sent.
fn check_report(report: &Path, file: &Path) -> Result<(), Failure> {
    let parameters = || vec![("file", sanitize(&report.display().to_string()))];
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
    console.print_remark("sync.report", &[("file", sanitize(&saved.path))]);
    Ok(())
}
