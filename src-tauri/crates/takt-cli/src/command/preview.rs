//! `takt preview`: prints the changes that sending a workbook would make at a site. `takt sync` previews them before
//! sending, too.

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Engine, Problem,
    contract::OperationKind,
    import::ImportView,
    preview::{ConflictChoice, PreviewChoice, PreviewKind, PreviewView},
};

use crate::{
    arguments::{ImportArguments, SyncArguments},
    command::{import, steps},
    console::{Console, common_value, sanitize},
    exit_codes::{ExitStatus, Failure},
    findings,
    preview_output::{self, PreviewOutput},
    progress::PreviewBar,
    session::Session,
};

pub(super) async fn run(
    arguments: &ImportArguments,
    to: Option<&str>,
    json: bool,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let session = Session::open(site, console).await?;
    let engine = &session.engine;
    let view = import::open(engine, Some(&session.site), arguments, to, console)?;
    let view = steps::check_against_site(engine, &view, Some(&session.site), None).await?;
    steps::for_each_sheet(engine, &view, |_, sheet| {
        findings::print_reference_checks(sheet, console);
        Ok(())
    })?;
    let preview = make_preview(&session, &view, console).await?;
    let output = if json { PreviewOutput::Json } else { PreviewOutput::Text };
    preview_output::print_rows(engine, &preview, None, output, console)?;
    if json {
        console.print_json(&summary(&preview, console));
    }
    for problem in preview.steps.iter().filter_map(|step| step.problem.as_ref()) {
        console.print_problem(problem);
    }
    Ok(exit_status(&preview))
}

/// Returns the last JSON line, with totals, steps and alarms.
fn summary(preview: &PreviewView, console: &Console) -> Value {
    let counts = preview.counts;
    let steps: Vec<Value> = preview.steps.iter().map(|step| preview_output::step_json(step, console)).collect();
    let alarms: Vec<Value> = preview.steps.iter().flat_map(|step| preview_output::alarms_json(step, console)).collect();
    json!({
        "file": preview.file,
        "site": preview.site,
        "operation": common_value(preview.steps.iter().map(|step| &step.operation)),
        "total": counts.total(),
        "new": counts.new,
        "changed": counts.changed,
        "same": counts.same,
        "notLinked": counts.not_linked,
        "conflict": counts.conflict,
        "unknown": counts.unknown,
        "blocked": counts.blocked,
        "alarms": alarms,
        "steps": steps,
        "requests": preview.steps.iter().map(|step| step.requests).sum::<u32>(),
        "seconds": preview.seconds,
    })
}

/// Returns the exit status. Rows that can't be sent have the same effect as rejected rows. A list that couldn't be read
/// determines the status by its problem.
fn exit_status(preview: &PreviewView) -> ExitStatus {
    let problem = preview.steps.iter().find_map(|step| step.problem.as_ref());
    match problem {
        Some(problem) => crate::exit_codes::status_of_problem(problem.code),
        None if preview.counts.blocked + preview.counts.conflict + preview.counts.not_linked > 0 => {
            ExitStatus::Rejected
        }
        None => ExitStatus::Done,
    }
}

/// The outcome of the preview before `takt sync` sends rows.
pub(super) enum PreviewDecision {
    /// No preview was made, so rows are sent without choices.
    NoPreview,
    Continue(PreviewChoice),
    /// Nothing is sent, and the command ends with this exit status. The reason has been printed.
    Stopped(ExitStatus),
}

impl PreviewDecision {
    /// Returns the choices for the previewed rows, or `None` without a preview.
    pub(super) fn choice(&self) -> Option<PreviewChoice> {
        match self {
            Self::Continue(choice) => Some(*choice),
            Self::NoPreview | Self::Stopped(_) => None,
        }
    }
}

/// Previews the changes before they are sent. If lists can't be read, prints a remark. Then only deletes and
/// `--skip-conflicts` stop the run.
pub(super) async fn preview_before_sending(
    arguments: &SyncArguments,
    session: &Session,
    view: &ImportView,
    console: &Console,
) -> Result<PreviewDecision, Failure> {
    if arguments.no_preview || arguments.without_lookup {
        return Ok(PreviewDecision::NoPreview);
    }
    let engine: &Engine = &session.engine;
    let preview = match make_preview(session, view, console).await {
        Ok(preview) => preview,
        Err(problem) => {
            print_unread_lists(&problem, console);
            let rows = deleted_rows(session, view)?;
            if rows > 0 && !arguments.send_unchecked {
                return Ok(stop_unchecked_delete(rows, Some(&problem), console));
            }
            return Ok(if arguments.skip_conflicts {
                stop_unknown_conflicts(console)
            } else {
                PreviewDecision::NoPreview
            });
        }
    };
    if !arguments.json {
        preview_output::print_totals(&preview, console);
    }
    preview_output::print_alarms(&preview, console);
    preview
        .steps
        .iter()
        .filter_map(|step| step.problem.as_ref())
        .for_each(|problem| print_unread_lists(problem, console));
    if arguments.skip_conflicts && preview.steps.iter().any(|step| step.problem.is_some()) {
        return Ok(stop_unknown_conflicts(console));
    }
    let unknown_deletes = preview.steps.iter().filter(|step| step.deletes && step.counts.unknown > 0);
    let rows: u32 = unknown_deletes.clone().map(|step| step.counts.unknown).sum();
    if rows > 0 && !arguments.send_unchecked {
        return Ok(stop_unchecked_delete(
            rows,
            unknown_deletes.clone().find_map(|step| step.problem.as_ref()),
            console,
        ));
    }
    let conflicts = match (arguments.send_conflicts, arguments.skip_conflicts) {
        (true, _) => ConflictChoice::Send,
        (false, true) => ConflictChoice::Skip,
        (false, false) => ConflictChoice::Stop,
    };
    if preview.counts.conflict > 0 && conflicts == ConflictChoice::Skip {
        console.print_remark("preview.conflicts-skipped", &[("rows", preview.counts.conflict.to_string())]);
    }
    if preview.counts.conflict > 0 && conflicts == ConflictChoice::Stop {
        let output = if arguments.json { PreviewOutput::Json } else { PreviewOutput::Notes };
        preview_output::print_rows(engine, &preview, Some(PreviewKind::Conflict), output, console)?;
        console.print_remark("preview.stopped", &[("rows", preview.counts.conflict.to_string())]);
        return Ok(PreviewDecision::Stopped(ExitStatus::Rejected));
    }
    let (send_same, send_unchecked) = (arguments.send_same, arguments.send_unchecked);
    Ok(PreviewDecision::Continue(PreviewChoice { send_same, send_unchecked, conflicts }))
}

/// Returns the number of ready rows if any step deletes, otherwise 0.
fn deleted_rows(session: &Session, view: &ImportView) -> Result<u32, Failure> {
    let contract = session.engine.sites().contract(&session.site)?;
    let deletes = |operation: &str| {
        contract.operation(operation).is_some_and(|operation| operation.kind == OperationKind::Delete)
    };
    let rows = if view.steps_to_send().any(|step| deletes(&step.operation)) { view.totals.ready_rows } else { 0 };
    Ok(rows)
}

/// Stops, since deleting rows without a comparison requires an option.
fn stop_unchecked_delete(rows: u32, problem: Option<&Problem>, console: &Console) -> PreviewDecision {
    console.print_remark("preview.unchecked", &[("rows", rows.to_string())]);
    PreviewDecision::Stopped(
        problem.map_or(ExitStatus::Rejected, |problem| crate::exit_codes::status_of_problem(problem.code)),
    )
}

/// Stops, since conflicts that couldn't be determined can't be skipped.
fn stop_unknown_conflicts(console: &Console) -> PreviewDecision {
    console.print_remark("preview.conflicts-unknown", &[]);
    PreviewDecision::Stopped(ExitStatus::Rejected)
}

/// Reads the site's values for the rows, with a progress bar.
async fn make_preview(session: &Session, view: &ImportView, console: &Console) -> Result<PreviewView, Problem> {
    let bar = PreviewBar::new(console);
    session.engine.previews().compare(&session.site, view.id, &Canceller::new(), |progress| bar.show(&progress)).await
}

fn print_unread_lists(problem: &Problem, console: &Console) {
    let title = console.texts.engine.problem_title(problem.code, &problem.parameters);
    console.print_remark("preview.unread", &[("problem", sanitize(&title))]);
}
