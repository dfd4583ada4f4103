//! `takt retry`: sends the rejected rows again, unchanged or from a corrected file.

use takt_engine::{
    import::SiteItems,
    submission::{SendOptions, SubmissionId, SubmissionRequest},
};

use crate::{
    arguments::{ImportArguments, RetryArguments},
    command::{import, plan_progress, sync},
    console::{Console, plain},
    exit_codes::{ExitStatus, Failure},
    findings::{self, RowErrors},
    session::{self, Interruption, Session},
};

pub(super) async fn run(arguments: &RetryArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let site = session::engine(console)?.submissions().view(arguments.submission)?.site;
    let session = Session::open(Some(&site), console).await?;
    let (mut errors, mut corrected) = (RowErrors::new(), None);
    if let Some(file) = &arguments.file {
        let import = ImportArguments {
            file: file.clone(),
            sheet: None,
            order: Vec::new(),
            mapping: Vec::new(),
            reading: arguments.reading.clone(),
        };
        let (set, found) = read_corrected(&session, arguments.submission, &import, console)?;
        (errors, corrected) = (found, Some(set));
    }
    let request = session.engine.submissions().retry(arguments.submission, corrected)?;
    let items = || request.steps.iter().flat_map(|step| &step.set.items);
    let rows = |blocked| items().filter(|item| item.blocked == blocked).map(|item| item.rows.len()).sum();
    let (blocked_rows, ready_rows): (usize, usize) = (rows(true), rows(false));
    let parameters = [("rows", blocked_rows.to_string()), ("ready", ready_rows.to_string())];
    if ready_rows == 0 || (blocked_rows > 0 && !arguments.skip_errors) {
        for ((sheet, row), reasons) in &errors {
            console.line(&plain(&format!("  {sheet} {row}  {}", reasons.join("; "))));
        }
        console.remark(if ready_rows == 0 { "sync.nothing-ready" } else { "sync.stopped" }, &parameters);
        return Ok(ExitStatus::Rejected);
    }
    if !arguments.yes {
        match console.ask("sync.ask", &[("rows", ready_rows.to_string()), ("site", plain(&site))]) {
            Some(true) => {}
            Some(false) => return Ok(ExitStatus::Interrupted),
            None => return Err(Failure::Usage("sync.not-a-terminal", Vec::new())),
        }
    }
    let confirmed = session.confirm_site(console)?;
    let mut interruption = Interruption::listen()?;
    let changes = session.engine.submissions().subscribe();
    let options = SendOptions { skip_blocked: arguments.skip_errors, confirmed, ..request.options };
    let request = SubmissionRequest { options, ..request };
    let plan = session.engine.submissions().submit(request).await?;
    let (plan, interrupted) =
        plan_progress::wait_for_plan(&session.engine, plan.id, changes, &mut interruption, console).await?;
    sync::print_submission(&session.engine, &plan, &errors, arguments.json, console)?;
    Ok(sync::print_summary(&plan, interrupted, arguments.json, console))
}

/// Reads the corrected file with the mapping of the submission. Returns its items and the errors of rejected rows.
fn read_corrected(
    session: &Session,
    id: SubmissionId,
    import: &ImportArguments,
    console: &Console,
) -> Result<(SiteItems, RowErrors), Failure> {
    let engine = &session.engine;
    let view = import::open_like(engine, &session.site, import, id, console)?;
    // The engine excludes all other rows, so their errors aren't listed.
    let view = engine.history().fix_rejected(view.id, id)?;
    let errors = findings::errors_by_row(&engine.imports().findings(view.id)?, console);
    let set = engine.previews().items_for(view.id, &session.site, None)?;
    engine.imports().close(view.id);
    Ok((set, errors))
}
