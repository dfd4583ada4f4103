//! `takt retry`: sends the rejected rows again, unchanged or from a corrected file.

use takt_engine::{
    import::{Finding, ImportView},
    submission::{ImportToSend, Relation, SendOptions, SubmissionId, SubmissionOrigin, SubmissionRequest},
};

use crate::{
    arguments::{ImportArguments, RetryArguments},
    command::{import, plan_progress, row_claims},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    findings::{self, RowErrors},
    results,
    session::{self, Interruption, Session},
};

pub(super) async fn run(arguments: &RetryArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let site = session::open_local_engine(console)?.submissions().view(arguments.submission)?.site;
    let session = Session::open(Some(&site), console).await?;
    let submissions = session.engine.submissions();
    let rows = match &arguments.file {
        None => RowsToRetry::stored(submissions.create_retry(arguments.submission)?),
        Some(file) => {
            let import = ImportArguments {
                file: file.clone(),
                sheet: None,
                order: Vec::new(),
                mapping: Vec::new(),
                reading: arguments.reading.clone(),
            };
            read_corrected(&session, arguments.submission, &import, console)?
        }
    };
    let parameters = [("rows", rows.blocked.to_string()), ("ready", rows.ready.to_string())];
    if rows.ready == 0 || (rows.blocked > 0 && !arguments.skip_errors) {
        rows.print_errors(&site, arguments.json, console);
        console.print_remark(if rows.ready == 0 { "sync.nothing-ready" } else { "sync.stopped" }, &parameters);
        return Ok(ExitStatus::Rejected);
    }
    if !arguments.yes {
        match console.ask("sync.ask", &[("rows", rows.ready.to_string()), ("site", sanitize(&site))]) {
            Some(true) => {}
            Some(false) => return Ok(ExitStatus::Interrupted),
            None => return Err(Failure::Usage("sync.not-a-terminal", Vec::new())),
        }
    }
    let confirmed = session.confirm_site(console)?;
    let mut interruption = Interruption::listen()?;
    let changes = submissions.subscribe();
    let options = SendOptions {
        skip_blocked: arguments.skip_errors,
        follows: Some(SubmissionOrigin { submission: arguments.submission, relation: Relation::Retry }),
        confirmed,
        claimed: arguments.claimed.into(),
        ..SendOptions::default()
    };
    let sent = row_claims::retry_while_claimed(arguments.claimed, &mut interruption, console, async || {
        let options = options.clone();
        Ok(match &rows.source {
            RowSource::Stored(request) => submissions.submit(SubmissionRequest { options, ..request.clone() }).await?,
            RowSource::Corrected { view, .. } => {
                let import = ImportToSend { import: view.id, site: site.clone(), preview: None, close: true };
                submissions.send(import, options).await?
            }
        })
    });
    let Some(plan) = sent.await? else { return Ok(ExitStatus::Interrupted) };
    let (plan, interrupted) =
        plan_progress::wait_for_plan(&session.engine, plan.id, changes, &mut interruption, console).await?;
    results::print_plan_results(&session.engine, &plan, &rows.errors, arguments.json, console)?;
    Ok(results::print_summary(&plan, interrupted, arguments.json, console))
}

/// The rejected rows to send again.
struct RowsToRetry {
    source: RowSource,
    /// The number of rows that can be sent.
    ready: usize,
    /// The number of rows with errors.
    blocked: usize,
    errors: RowErrors,
}

enum RowSource {
    Stored(SubmissionRequest),
    /// The corrected file. Other rows than the rejected ones are excluded.
    Corrected {
        view: Box<ImportView>,
        findings: Vec<Finding>,
    },
}

impl RowsToRetry {
    fn stored(request: SubmissionRequest) -> Self {
        let ready = request.steps.iter().flat_map(|step| &step.set.items).map(|item| item.rows.len()).sum();
        Self { source: RowSource::Stored(request), ready, blocked: 0, errors: RowErrors::new() }
    }

    /// Prints the errors because of which nothing is sent. Stored rows have no errors.
    fn print_errors(&self, site: &str, json: bool, console: &Console) {
        let RowSource::Corrected { view, findings } = &self.source else { return };
        if json {
            findings.iter().for_each(|finding| console.print_json(&findings::finding_json(finding, console)));
            console.print_json(&results::unsent_json(view, site));
        } else {
            for ((sheet, row), reasons) in &self.errors {
                console.print_line(&sanitize(&format!("  {sheet} {row}  {}", reasons.join("; "))));
            }
        }
    }
}

/// Reads the corrected file with the mapping of the submission, and excludes all rows but the rejected ones.
fn read_corrected(
    session: &Session,
    id: SubmissionId,
    import: &ImportArguments,
    console: &Console,
) -> Result<RowsToRetry, Failure> {
    let engine = &session.engine;
    let view = import::open_like(engine, &session.site, import, id, console)?;
    // The engine excludes all other rows, so their errors aren't listed.
    let view = Box::new(engine.history().limit_to_rejected_rows(view.id, id)?);
    let findings = engine.imports().findings(view.id)?;
    let errors = findings::errors_by_row(&findings, console);
    let (ready, blocked) = (view.totals.ready_rows as usize, view.totals.error_rows as usize);
    Ok(RowsToRetry { source: RowSource::Corrected { view, findings }, ready, blocked, errors })
}
