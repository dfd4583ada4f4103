//! `takt approve`: lists submissions that wait for approval, shows one, and decides about it.

use serde_json::{Value, json};
use takt_engine::{
    Engine,
    submission::{ApprovalDecision, ApprovalView, PlanView, SubmissionView},
};

use crate::{
    arguments::ApproveArguments,
    console::{Console, is_several, sanitize},
    exit_codes::{ExitStatus, Failure},
    preview_output::{self, NewRows, PreviewOutput},
    results, session,
};

/// The maximum number of rows per step in text output. JSON lists all rows.
const MAX_PRINTED_ROWS: u32 = 50;
const PAGE_SIZE: u32 = 1_000;

pub(super) async fn run(arguments: &ApproveArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    if engine.maintenance().team().view()?.is_none() {
        return Err(Failure::Usage("team.none", Vec::new()));
    }
    let Some(id) = arguments.submission else { return list_waiting_approvals(&engine, arguments.json, console) };
    let plan = engine.submissions().plan(id)?;
    let Some((first, approval)) = first_approval(&plan) else {
        return Err(Failure::Usage("approve.not-needed", vec![("submission", id.to_string())]));
    };
    if approval.decision.is_some() {
        return Ok(print_decision(first, approval, arguments.json, console));
    }
    print_plan(&engine, &plan, arguments.json, console)?;
    let decision = if arguments.decline { ApprovalDecision::Declined } else { ApprovalDecision::Approved };
    if !arguments.yes {
        let key = if arguments.decline { "approve.ask-decline" } else { "approve.ask" };
        let parameters = [("rows", approval.rows.to_string()), ("site", sanitize(&first.site))];
        match console.ask(key, &parameters) {
            Some(true) => {}
            Some(false) => return Ok(ExitStatus::Interrupted),
            None => return Err(Failure::Usage("approve.not-a-terminal", Vec::new())),
        }
    }
    let note = arguments.note.as_deref().unwrap_or_default();
    let plan = engine.submissions().decide_approval(id, decision, note).await?;
    match first_approval(&plan) {
        Some((first, approval)) => Ok(print_decision(first, approval, arguments.json, console)),
        None => Ok(ExitStatus::Done),
    }
}

fn first_approval(plan: &PlanView) -> Option<(&SubmissionView, &ApprovalView)> {
    plan.submissions.first().and_then(|first| Some((first, first.approval.as_ref()?)))
}

fn list_waiting_approvals(engine: &Engine, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let waiting = engine.submissions().waiting_for_approval()?;
    let waiting: Vec<_> = waiting.iter().filter_map(|view| Some((view, view.approval.as_ref()?))).collect();
    if json {
        waiting.iter().for_each(|(view, approval)| console.print_json(&approval_json(view, approval)));
        return Ok(ExitStatus::Done);
    }
    if waiting.is_empty() {
        console.print_line(&console.texts.text("approve.none", &[]));
    }
    for (view, approval) in waiting {
        console.print_line(&waiting_text(view, approval, console));
    }
    Ok(ExitStatus::Done)
}

fn waiting_text(view: &SubmissionView, approval: &ApprovalView, console: &Console) -> String {
    let key = if approval.deletes { "approve.waits-delete" } else { "approve.waits" };
    let parameters = [
        ("submission", view.id.to_string()),
        ("rows", approval.rows.to_string()),
        ("site", sanitize(&view.site)),
        ("operation", sanitize(&view.operation)),
        ("person", sanitize(&approval.asked_by)),
        ("file", sanitize(&view.file)),
        ("at", results::format_time(&approval.asked)),
    ];
    console.texts.text(key, &parameters)
}

/// Prints the changes of each row, as in the requester's preview.
fn print_plan(engine: &Engine, plan: &PlanView, json: bool, console: &Console) -> Result<(), Failure> {
    if let Some((first, approval)) = first_approval(plan).filter(|_| !json) {
        console.print_line(&waiting_text(first, approval, console));
    }
    let output = if json { PreviewOutput::Json } else { PreviewOutput::Text };
    for step in &plan.submissions {
        if is_several(&plan.submissions) && !json {
            console.print_line(&sanitize(&format!("{} · {}", step.sheet, step.operation)));
        }
        print_rows(engine, step, output, console)?;
    }
    Ok(())
}

fn print_rows(engine: &Engine, step: &SubmissionView, output: PreviewOutput, console: &Console) -> Result<(), Failure> {
    let (mut after, mut shown) = (0, 0);
    let contract = engine.sites().contract(&step.site)?;
    let operation = contract.operation(&step.operation);
    loop {
        let limit = if output == PreviewOutput::Json { PAGE_SIZE } else { MAX_PRINTED_ROWS };
        let page = engine.submissions().approval_rows(step.id, after, limit)?;
        if output == PreviewOutput::Text && after == 0 {
            preview_output::print_counts(page.counts, console);
        }
        preview_output::print_page(&page.rows, operation, NewRows::AllFields, output, console);
        shown += page.rows.iter().map(|row| row.rows).sum::<u32>();
        match page.next {
            Some(next) if output == PreviewOutput::Json => after = next,
            Some(_) => {
                let rows = step.counts.pending.saturating_sub(shown);
                console.print_remark("preview.more", &[("rows", rows.to_string())]);
                return Ok(());
            }
            None => return Ok(()),
        }
    }
}

/// Prints the decision and the next step.
fn print_decision(view: &SubmissionView, approval: &ApprovalView, json: bool, console: &Console) -> ExitStatus {
    if json {
        console.print_json(&approval_json(view, approval));
    } else {
        print_approval(view, approval, console);
    }
    if approval.decision == Some(ApprovalDecision::Approved) && view.counts.pending > 0 {
        console.print_remark("approve.resume", &[("submission", view.id.to_string())]);
    }
    ExitStatus::Done
}

/// Prints the request for approval. If it was decided, prints the decision and its note instead.
pub(super) fn print_approval(view: &SubmissionView, approval: &ApprovalView, console: &Console) {
    let key = match approval.decision {
        Some(ApprovalDecision::Approved) => "approve.approved",
        Some(ApprovalDecision::Declined) => "approve.declined",
        None => return console.print_line(&waiting_text(view, approval, console)),
    };
    let person = approval.decided_by.as_deref().unwrap_or_default();
    console.print_text(key, &[("submission", view.id.to_string()), ("person", sanitize(person))]);
    if !approval.note.is_empty() {
        console.print_line(&sanitize(&format!("  {}", approval.note)));
    }
}

fn approval_json(view: &SubmissionView, approval: &ApprovalView) -> Value {
    json!({
        "submission": view.id,
        "site": view.site,
        "operation": view.operation,
        "file": view.file,
        "rows": approval.rows,
        "deletes": approval.deletes,
        "asked": approval.asked,
        "askedBy": approval.asked_by,
        "decision": approval.decision,
        "decided": approval.decided,
        "decidedBy": approval.decided_by,
        "note": approval.note,
    })
}
