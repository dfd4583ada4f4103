//! The results of plans, submissions and rows, as text or JSON lines.

use serde_json::{Value, json};
use takt_engine::{
    Engine, Problem,
    import::ImportView,
    item::RowResult,
    submission::{PlanView, Relation, ResultCounts, ResultRow, SubmissionState, SubmissionView},
};

use crate::{
    console::{Console, common_value, is_several, sanitize},
    exit_codes::{self, ExitStatus, Failure},
    findings::RowErrors,
};

/// The maximum number of rows per result in text output. JSON lists all rejected and unconfirmed rows.
const MAX_PRINTED_ROWS: u32 = 20;
const MAX_PRINTED_ACCEPTED_ROWS: u32 = 5;
const PAGE_SIZE: u32 = 1_000;

/// Returns the last JSON line of `sync --json`, which is also the base of [`record_json`].
pub(crate) fn summary_json(view: &SubmissionView) -> Value {
    json!({
        "submission": view.id,
        "operation": view.operation,
        "site": view.site,
        "total": view.total,
        "accepted": view.counts.accepted,
        "rejected": view.counts.rejected,
        "unconfirmed": view.counts.unconfirmed,
        // Version 0.1 named `unconfirmed` like this, and scripts may still read it.
        "inDoubt": view.counts.unconfirmed,
        "skipped": view.counts.skipped,
        "notLinked": view.not_linked,
        "pending": view.counts.pending + view.counts.sending,
        "batches": view.batches,
        "requests": view.requests,
        "seconds": view.seconds,
    })
}

/// Returns a line of `history --json`.
pub(crate) fn record_json(view: &SubmissionView) -> Value {
    let mut record = summary_json(view);
    record["state"] = json!(view.state);
    record["follows"] = json!(view.follows);
    record["relation"] = json!(view.relation);
    record["started"] = json!(view.started);
    record["ended"] = json!(view.ended);
    record["file"] = json!(view.file);
    record["hash"] = json!(view.hash);
    record["sheet"] = json!(view.sheet);
    record["person"] = json!(view.person);
    record["plan"] = json!(view.plan);
    record["problem"] = json!(view.problem.as_ref().map(|problem| problem.code));
    record
}

/// Returns the JSON summary of a step.
fn step_json(view: &SubmissionView) -> Value {
    let mut line = summary_json(view);
    line["sheet"] = json!(view.sheet);
    line["waiting"] = json!(view.waiting);
    line
}

/// Returns the totals of all steps, and for several steps also the plan and its submissions.
pub(crate) fn plan_json(plan: &PlanView) -> Value {
    let site = plan.submissions.first().map(|view| view.site.clone()).unwrap_or_default();
    let mut line = totals_json(&plan.counts(), &site, &plan.submissions);
    if is_several(&plan.submissions) {
        line["submissions"] = plan.submissions.iter().map(|view| json!(view.id)).collect();
        line["plan"] = json!(plan.id);
    }
    line
}

/// Returns the summary of a run that sent nothing. All rows but the excluded ones are pending.
pub(crate) fn unsent_json(view: &ImportView, site: &str) -> Value {
    let mut line = totals_json(
        &ResultCounts { pending: view.totals.rows - view.totals.excluded, ..ResultCounts::default() },
        site,
        &[],
    );
    line["operation"] = json!(common_value(view.steps.iter().map(|step| &step.operation)));
    if is_several(&view.steps) {
        line["submissions"] = json!([]);
        line["plan"] = Value::Null;
    }
    line
}

/// Returns totals in the form of a submission's JSON summary.
fn totals_json(counts: &ResultCounts, site: &str, submissions: &[SubmissionView]) -> Value {
    let pending = counts.pending + counts.sending;
    json!({
        "submission": common_value(submissions.iter().map(|view| view.id)),
        "operation": common_value(submissions.iter().map(|view| &view.operation)),
        "site": site,
        "total": counts.total(),
        "accepted": counts.accepted,
        "rejected": counts.rejected,
        "unconfirmed": counts.unconfirmed,
        "inDoubt": counts.unconfirmed,
        "skipped": counts.skipped,
        "notLinked": submissions.iter().map(|view| view.not_linked).sum::<u32>(),
        "pending": pending,
        "batches": submissions.iter().map(|view| view.batches).sum::<u32>(),
        "requests": submissions.iter().map(|view| view.requests).sum::<u32>(),
        "seconds": submissions.iter().fold(0.0, |sum, view| sum + view.seconds),
    })
}

/// Returns one row as a JSON line, with the member names of version 0.1 as well.
pub(crate) fn row_json(row: &ResultRow) -> Value {
    let former_result = json!(if row.result == RowResult::Unconfirmed { "inDoubt".into() } else { json!(row.result) });
    json!({
        "sheet": row.sheet,
        "row": row.row,
        "key": row.key,
        "result": row.result,
        // Version 0.1 named `result` like this, and scripts may still read it.
        "fate": former_result,
        "notLinked": row.not_linked,
        "reasons": row.reasons,
    })
}

/// Formats a timestamp for a table: day and time in UTC, without fractions of a second.
pub(crate) fn format_time(at: &str) -> String {
    at.chars().take(19).collect::<String>().replace('T', " ")
}

/// Returns the key of the text for the relation between another submission and this one.
pub(crate) fn relation_key(view: &SubmissionView, other: &SubmissionView) -> &'static str {
    let (back, relation) = match (view.follows == Some(other.id), view.relation) {
        (true, relation) => (true, relation),
        (false, _) => (false, other.relation),
    };
    match (relation, back) {
        (Some(Relation::Retry), true) => "history.retries",
        (Some(Relation::Again), true) => "history.repeats",
        (Some(Relation::Undo), true) => "history.undoes",
        (Some(Relation::Retry), false) => "history.retried",
        (Some(Relation::Again), false) => "history.repeated",
        (Some(Relation::Undo), false) => "history.undone",
        (None, _) => "history.begun",
    }
}

/// Prints a JSON line for each row that is rejected, unconfirmed or not linked. Pending rows are printed if they wait
/// for other rows.
pub(crate) fn print_json_rows(engine: &Engine, view: &SubmissionView, console: &Console) -> Result<(), Problem> {
    let not_linked = Some(RowResult::Skipped).filter(|_| view.not_linked > 0);
    let waiting = Some(RowResult::Pending).filter(|_| view.waiting > 0);
    for result in [RowResult::Rejected, RowResult::Unconfirmed].into_iter().chain(not_linked).chain(waiting) {
        let mut offset = 0;
        loop {
            let page = engine.submissions().result_rows(view.id, Some(result), offset, PAGE_SIZE)?;
            let is_listed = |row: &&ResultRow| match result {
                RowResult::Pending => !row.reasons.is_empty(),
                RowResult::Skipped => row.not_linked,
                _ => true,
            };
            page.rows.iter().filter(is_listed).for_each(|row| console.print_json(&row_json(row)));
            offset += PAGE_SIZE;
            if offset >= page.total {
                break;
            }
        }
    }
    Ok(())
}

/// Prints the totals, then the rows by result. Rows that need attention come first.
pub(crate) fn print_results(
    engine: &Engine,
    view: &SubmissionView,
    errors: &RowErrors,
    console: &Console,
) -> Result<(), Problem> {
    console.print_line(&sanitize(&format!("{} → {}  {} {}", view.operation, view.site, view.file, view.sheet)));
    print_totals(view, console);
    for result in
        [RowResult::Unconfirmed, RowResult::Rejected, RowResult::Skipped, RowResult::Pending, RowResult::Accepted]
    {
        let limit = if result == RowResult::Accepted { MAX_PRINTED_ACCEPTED_ROWS } else { MAX_PRINTED_ROWS };
        let page = engine.submissions().result_rows(view.id, Some(result), 0, limit)?;
        if page.rows.is_empty() {
            continue;
        }
        console.print_line("");
        console.print_line(&format!(
            "{} {} ({})",
            result_mark(result),
            console.texts.engine.result_text(result),
            page.total
        ));
        console.print_table(&page.rows.iter().map(|row| row_cells(row, errors, None)).collect::<Vec<_>>());
        let more = page.total.saturating_sub(limit);
        if more > 0 {
            console.print_text("more", &[("count", more.to_string())]);
        }
    }
    Ok(())
}

/// Prints the results of every step, and the problems that stopped the plan.
pub(crate) fn print_plan_results(
    engine: &Engine,
    plan: &PlanView,
    errors: &RowErrors,
    json: bool,
    console: &Console,
) -> Result<(), Failure> {
    for view in &plan.submissions {
        if json {
            print_json_rows(engine, view, console)?;
        } else {
            print_results(engine, view, errors, console)?;
        }
        if is_several(&plan.submissions) {
            if json { console.print_json(&step_json(view)) } else { console.print_line("") }
        }
        if let Some(problem) = &view.problem {
            console.print_problem(problem);
        }
        let readable = engine
            .sites()
            .contract(&view.site)?
            .operation(&view.operation)
            .is_none_or(|operation| operation.read_back.is_some());
        if view.counts.unconfirmed > 0 {
            let parameters = [("submission", view.id.to_string()), ("rows", view.counts.unconfirmed.to_string())];
            console.print_remark(if readable { "decide.look-again" } else { "decide.see-totals" }, &parameters);
        }
    }
    let pending = plan.counts().pending;
    if plan.submissions.first().is_some_and(SubmissionView::needs_approval) {
        console.print_remark("sync.approval", &[("submission", plan.id.to_string()), ("rows", pending.to_string())]);
        return Ok(());
    }
    let is_trial = |view: &SubmissionView| {
        view.counts.pending > 0 && view.trial.is_some() && view.state == SubmissionState::Paused
    };
    if pending > 0 {
        let key = if plan.submissions.iter().any(is_trial) { "sync.trial" } else { "sync.resume" };
        console.print_remark(key, &[("submission", plan.id.to_string()), ("rows", pending.to_string())]);
    }
    Ok(())
}

/// Prints the last JSON line, with the totals of all steps, and returns the exit status.
pub(crate) fn print_summary(plan: &PlanView, interrupted: bool, json: bool, console: &Console) -> ExitStatus {
    if json {
        console.print_json(&plan_json(plan));
    }
    exit_codes::status_of_plan(plan, interrupted)
}

fn print_totals(view: &SubmissionView, console: &Console) {
    let counts = &view.counts;
    let all = [
        (RowResult::Accepted, counts.accepted),
        (RowResult::Rejected, counts.rejected),
        (RowResult::Unconfirmed, counts.unconfirmed),
        (RowResult::Skipped, counts.skipped),
        (RowResult::Pending, counts.pending + counts.sending),
    ];
    for (result, count) in all {
        console.print_line(&format!(
            "{count:>8}  {} {}",
            result_mark(result),
            console.texts.engine.result_text(result)
        ));
    }
    let parameters = [
        ("total", view.total.to_string()),
        ("requests", view.requests.to_string()),
        ("time", console.texts.engine.format_duration(view.seconds.ceil())),
        ("submission", view.id.to_string()),
    ];
    console.print_text("sync.total", &parameters);
    if view.not_linked > 0 {
        console.print_text("sync.not-linked", &[("rows", view.not_linked.to_string())]);
    }
}

/// Returns the cells of one row: its sheet, Excel's row number, key and reasons.
pub(crate) fn row_cells(row: &ResultRow, errors: &RowErrors, with_result: Option<&Console>) -> Vec<String> {
    // For a skipped row, the findings are more precise than the journal's reason.
    let errors_of_row = errors.get(&(row.sheet.clone(), row.row.get())).filter(|_| row.result == RowResult::Skipped);
    let reasons = errors_of_row.unwrap_or(&row.reasons).join("; ");
    let location = format!("{} {}", row.sheet, row.row);
    match with_result {
        Some(console) => {
            vec![
                location,
                row.key.clone(),
                format!("{} {}", result_mark(row.result), console.texts.engine.result_text(row.result)),
                reasons,
            ]
        }
        None => vec![format!("  {location}"), row.key.clone(), reasons],
    }
}

pub(crate) fn state_text(state: SubmissionState, console: &Console) -> String {
    let key = match state {
        SubmissionState::Preparing => "state.preparing",
        SubmissionState::Running => "state.running",
        SubmissionState::Paused => "state.paused",
        SubmissionState::Stopped => "state.stopped",
        SubmissionState::Interrupted => "state.interrupted",
        SubmissionState::Finished => "state.finished",
    };
    console.texts.text(key, &[])
}

fn result_mark(result: RowResult) -> char {
    match result {
        RowResult::Pending => '○',
        RowResult::Sending => '◐',
        RowResult::Accepted => '●',
        RowResult::Rejected => '✕',
        RowResult::Unconfirmed => '?',
        RowResult::Skipped => '–',
    }
}
