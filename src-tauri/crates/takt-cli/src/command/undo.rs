//! `takt undo`: lists the rows that can be restored, then restores their values from before a submission.

use serde_json::json;
use takt_engine::submission::{ClaimChoice, UndoView};

use crate::{
    arguments::UndoArguments,
    command::plan_progress,
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    findings::RowErrors,
    results,
    session::{self, Interruption, Session},
};

/// The maximum number of rows in text output. JSON lists all known rows.
const MAX_PRINTED_ROWS: usize = 20;

pub(super) async fn run(arguments: &UndoArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let site = session::open_local_engine(console)?.submissions().view(arguments.submission)?.site;
    let session = Session::open(Some(&site), console).await?;
    let plan = session.engine.submissions().preview_undo(arguments.submission).await?;
    if arguments.json {
        console.print_json(&json!({ "undo": plan }));
    } else {
        print_undo_plan(&plan, console);
    }
    if plan.restored > 0 && !arguments.yes {
        match console.ask("undo.ask", &[("rows", plan.restored.to_string()), ("site", sanitize(&site))]) {
            Some(true) => {}
            Some(false) => return Ok(ExitStatus::Interrupted),
            None => return Err(Failure::Usage("sync.not-a-terminal", Vec::new())),
        }
    }
    let confirmed = session.confirm_site(console)?;
    let claimed = if arguments.skip_claimed { ClaimChoice::LeaveOut } else { ClaimChoice::Refuse };
    let mut interruption = Interruption::listen()?;
    let changes = session.engine.submissions().subscribe();
    let plan = session.engine.submissions().undo(arguments.submission, confirmed.as_deref(), claimed).await?;
    let (plan, interrupted) =
        plan_progress::wait_for_plan(&session.engine, plan.id, changes, &mut interruption, console).await?;
    results::print_plan_results(&session.engine, &plan, &RowErrors::new(), arguments.json, console)?;
    Ok(results::print_summary(&plan, interrupted, arguments.json, console))
}

fn print_undo_plan(plan: &UndoView, console: &Console) {
    let counts = [
        ("undo.restored", plan.restored),
        ("undo.same", plan.same),
        ("undo.changed-since", plan.changed_since),
        ("undo.created", plan.created),
        ("undo.deleted", plan.deleted),
        ("undo.unknown", plan.unknown),
    ];
    for (key, rows) in counts.into_iter().filter(|(_, rows)| *rows > 0) {
        console.print_text(key, &[("rows", rows.to_string())]);
    }
    if let Some(workbook) = &plan.workbook {
        console.print_text("undo.workbook", &[("file", sanitize(workbook))]);
    }
    let rows = plan
        .unrestored_rows
        .iter()
        .take(MAX_PRINTED_ROWS)
        .map(|row| vec![format!("  {} {}", row.sheet, row.row), row.key.clone(), row.reasons.join("; ")]);
    console.print_table(&rows.collect::<Vec<_>>());
    let more = plan.unrestored_rows.len().saturating_sub(MAX_PRINTED_ROWS);
    if more > 0 {
        console.print_text("more", &[("count", more.to_string())]);
    }
}
