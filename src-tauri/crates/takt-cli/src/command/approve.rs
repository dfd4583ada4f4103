//! `takt approve`: what waits for a second person, as that person sees it, and the decision.

use serde_json::{Value, json};
use takt_engine::{
    Engine,
    submission::{ApprovalDecision, ApprovalView, PlanView, SubmissionView},
};

use crate::{
    arguments::ApproveArguments,
    console::{Console, is_several, plain},
    ending::{ExitStatus, Failure},
    previews::{self, NewRows, PreviewOutput},
    results, session,
};

/// Rows that a person is shown of each step; a script gets all of them.
const MAX_SHOWN: u32 = 50;
const AT_ONCE: u32 = 1_000;

pub(super) async fn run(arguments: &ApproveArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::engine(console)?;
    if engine.maintenance().team().view()?.is_none() {
        return Err(Failure::Usage("team.none", Vec::new()));
    }
    let Some(id) = arguments.submission else { return list(&engine, arguments.json, console) };
    let plan = engine.submissions().plan(id)?;
    let Some((first, approval)) = asked(&plan) else {
        return Err(Failure::Usage("approve.not-needed", vec![("submission", id.to_string())]));
    };
    if approval.decision.is_some() {
        return Ok(told(first, approval, arguments.json, console));
    }
    show(&engine, &plan, arguments.json, console)?;
    let decision = if arguments.decline { ApprovalDecision::Declined } else { ApprovalDecision::Approved };
    if !arguments.yes {
        let key = if arguments.decline { "approve.ask-decline" } else { "approve.ask" };
        let places = [("rows", approval.rows.to_string()), ("site", plain(&first.site))];
        match console.ask(key, &places) {
            Some(true) => {}
            Some(false) => return Ok(ExitStatus::Interrupted),
            None => return Err(Failure::Usage("approve.not-a-terminal", Vec::new())),
        }
    }
    let note = arguments.note.as_deref().unwrap_or_default();
    let plan = engine.submissions().decide_approval(id, decision, note).await?;
    match asked(&plan) {
        Some((first, approval)) => Ok(told(first, approval, arguments.json, console)),
        None => Ok(ExitStatus::Done),
    }
}

fn asked(plan: &PlanView) -> Option<(&SubmissionView, &ApprovalView)> {
    plan.submissions.first().and_then(|first| Some((first, first.approval.as_ref()?)))
}

/// Everything that waits.
fn list(engine: &Engine, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let waiting = engine.submissions().waiting_for_approval()?;
    let waiting: Vec<_> = waiting.iter().filter_map(|view| Some((view, view.approval.as_ref()?))).collect();
    if json {
        waiting.iter().for_each(|(view, approval)| console.json(&line(view, approval)));
        return Ok(ExitStatus::Done);
    }
    if waiting.is_empty() {
        console.line(&console.texts.text("approve.none", &[]));
    }
    for (view, approval) in waiting {
        console.line(&sentence(view, approval, console));
    }
    Ok(ExitStatus::Done)
}

fn sentence(view: &SubmissionView, approval: &ApprovalView, console: &Console) -> String {
    let key = if approval.deletes { "approve.waits-delete" } else { "approve.waits" };
    let places = [
        ("submission", view.id.to_string()),
        ("rows", approval.rows.to_string()),
        ("site", plain(&view.site)),
        ("operation", plain(&view.operation)),
        ("person", plain(&approval.asked_by)),
        ("file", plain(&view.file)),
        ("at", results::moment(&approval.asked)),
    ];
    console.texts.text(key, &places)
}

/// What each row would change, as whoever asked saw it.
fn show(engine: &Engine, plan: &PlanView, json: bool, console: &Console) -> Result<(), Failure> {
    if let Some((first, approval)) = asked(plan).filter(|_| !json) {
        console.line(&sentence(first, approval, console));
    }
    let output = if json { PreviewOutput::Json } else { PreviewOutput::Text };
    for step in &plan.submissions {
        if is_several(&plan.submissions) && !json {
            console.line(&plain(&format!("{} · {}", step.sheet, step.operation)));
        }
        show_rows(engine, step, output, console)?;
    }
    Ok(())
}

fn show_rows(engine: &Engine, step: &SubmissionView, output: PreviewOutput, console: &Console) -> Result<(), Failure> {
    let (mut after, mut shown) = (0, 0);
    let contract = engine.sites().contract(&step.site)?;
    let operation = contract.operation(&step.operation);
    loop {
        let most = if output == PreviewOutput::Json { AT_ONCE } else { MAX_SHOWN };
        let page = engine.submissions().approval_rows(step.id, after, most)?;
        if output == PreviewOutput::Text && after == 0 {
            previews::counts(page.counts, console);
        }
        previews::page(&page.rows, operation, NewRows::Whole, output, console);
        shown += page.rows.iter().map(|row| row.rows).sum::<u32>();
        match page.next {
            Some(next) if output == PreviewOutput::Json => after = next,
            Some(_) => {
                let rows = step.counts.pending.saturating_sub(shown);
                console.remark("preview.more", &[("rows", rows.to_string())]);
                return Ok(());
            }
            None => return Ok(()),
        }
    }
}

/// What was decided, and what follows.
fn told(view: &SubmissionView, approval: &ApprovalView, json: bool, console: &Console) -> ExitStatus {
    if json {
        console.json(&line(view, approval));
    } else {
        print(view, approval, console);
    }
    if approval.decision == Some(ApprovalDecision::Approved) && view.counts.pending > 0 {
        console.remark("approve.resume", &[("submission", view.id.to_string())]);
    }
    ExitStatus::Done
}

/// Who asked, or who decided, and what that person had to say.
pub(super) fn print(view: &SubmissionView, approval: &ApprovalView, console: &Console) {
    let key = match approval.decision {
        Some(ApprovalDecision::Approved) => "approve.approved",
        Some(ApprovalDecision::Declined) => "approve.declined",
        None => return console.line(&sentence(view, approval, console)),
    };
    let person = approval.decided_by.as_deref().unwrap_or_default();
    console.status(key, &[("submission", view.id.to_string()), ("person", plain(person))]);
    if !approval.note.is_empty() {
        console.line(&plain(&format!("  {}", approval.note)));
    }
}

fn line(view: &SubmissionView, approval: &ApprovalView) -> Value {
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
