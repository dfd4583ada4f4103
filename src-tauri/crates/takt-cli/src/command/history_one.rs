//! `takt history SUBMISSION`: totals, rows, requests, the body of a request, and results as a workbook.

use std::path::Path;

use serde_json::json;
use takt_engine::{
    Engine, Problem,
    shop_floor::RowQuery,
    submission::{ResultRow, SentRequest, SubmissionId, SubmissionView},
};

use crate::{
    arguments::HistoryArguments,
    command::approve,
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    findings::RowErrors,
    results,
};

const PAGE_SIZE: u32 = 1_000;

pub(super) async fn run(
    engine: &Engine,
    id: SubmissionId,
    arguments: &HistoryArguments,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let view = engine.submissions().view(id)?;
    if let Some(number) = arguments.body {
        let body = engine.submissions().request_body(id, number)?;
        console.remark("history.body", &[("method", body.method), ("path", body.path)]);
        console.line(&plain(&body.body));
        return Ok(ExitStatus::Done);
    }
    if let Some(out) = &arguments.out {
        return save(engine, &view, arguments.workbook.as_deref(), out, console);
    }
    let find = arguments.find.as_deref().unwrap_or_default();
    let rows = arguments.rows || !find.is_empty();
    if arguments.json {
        if rows {
            each_row_with_events(engine, id, find, console).await?;
        }
        if arguments.requests {
            each_request(engine, id, |request| console.json(request))?;
        }
        console.json(&submission_json(engine, &view)?);
        return Ok(ExitStatus::Done);
    }
    if rows {
        let mut lines = Vec::new();
        each_row(engine, id, find, |row| lines.push(results::cells(row, &RowErrors::new(), Some(console))))?;
        console.table(&lines);
    }
    if arguments.requests {
        print_requests(engine, id, console)?;
    }
    if !rows && !arguments.requests {
        results::show(engine, &view, &RowErrors::new(), console)?;
        let parameters = [("person", plain(&view.person)), ("started", results::table_time(&view.started))];
        console.status("history.by", &parameters);
        if let Some(approval) = &view.approval {
            approve::print_approval(&view, approval, console);
        }
        if let Some(purged) = &view.purged {
            console.status("history.purged", &[("at", results::table_time(purged))]);
        }
        for other in engine.history().submission_context(id)?.chain.iter().filter(|other| other.id != id) {
            let parameters = [("submission", other.id.to_string()), ("started", results::table_time(&other.started))];
            console.status(results::relation(&view, other), &parameters);
        }
    }
    Ok(ExitStatus::Done)
}

/// Saves results to a copy of the user's workbook if it is given again, else to a new workbook.
fn save(
    engine: &Engine,
    view: &SubmissionView,
    workbook: Option<&Path>,
    out: &Path,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let saved = match workbook {
        Some(workbook) => engine.history().return_results(view.id, workbook, out)?,
        None => engine.submissions().export_results(view.id, None, out)?,
    };
    console.remark("sync.report", &[("file", plain(&saved.path))]);
    Ok(ExitStatus::Done)
}

fn submission_json(engine: &Engine, view: &SubmissionView) -> Result<serde_json::Value, Problem> {
    let story = engine.history().submission_context(view.id)?;
    let mut record = results::record(view);
    let mapping = story.mapping.as_deref().map(serde_json::from_str::<serde_json::Value>);
    record["mapping"] = mapping.transpose().ok().flatten().unwrap_or_default();
    record["chain"] = story
        .chain
        .iter()
        .map(|other| json!({ "submission": other.id, "follows": other.follows, "relation": other.relation }))
        .collect();
    Ok(record)
}

fn print_requests(engine: &Engine, id: SubmissionId, console: &Console) -> Result<(), Problem> {
    let heads =
        ["request", "started", "status", "milliseconds", "rows", "accepted", "rejected", "unconfirmed", "log-id"];
    let mut lines = vec![heads.map(|head| console.texts.text(&format!("history.{head}"), &[])).to_vec()];
    each_request(engine, id, |request| {
        let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
        lines.push(vec![
            request.number.to_string(),
            results::table_time(&request.started),
            number(request.status.map(u32::from)),
            number(request.milliseconds),
            request.rows.to_string(),
            request.counts.accepted.to_string(),
            request.counts.rejected.to_string(),
            request.counts.unconfirmed.to_string(),
            request.log_id.clone().unwrap_or_default(),
        ]);
    })?;
    console.table(&lines);
    Ok(())
}

fn each_row(engine: &Engine, id: SubmissionId, find: &str, mut visit: impl FnMut(&ResultRow)) -> Result<(), Problem> {
    let mut offset = 0;
    loop {
        let page = engine.submissions().rows_found(id, None, find, offset, PAGE_SIZE)?;
        page.rows.iter().for_each(&mut visit);
        offset += PAGE_SIZE;
        if offset >= page.total {
            return Ok(());
        }
    }
}

/// Prints every row as JSON, with the events that named its order since it was sent.
async fn each_row_with_events(engine: &Engine, id: SubmissionId, find: &str, console: &Console) -> Result<(), Problem> {
    let mut offset = 0;
    loop {
        let page = engine.submissions().rows_found(id, None, find, offset, PAGE_SIZE)?;
        let queries: Vec<_> = page.rows.iter().map(|row| RowQuery { key: row.key.clone(), batch: row.batch }).collect();
        let mut events = engine.floor().row_events(id, &queries).await?.unwrap_or_default().into_iter();
        for row in &page.rows {
            let mut record = results::row_json(row);
            if let Some(events) = events.next() {
                record["events"] = json!(events);
            }
            console.json(&record);
        }
        offset += PAGE_SIZE;
        if offset >= page.total {
            return Ok(());
        }
    }
}

fn each_request(engine: &Engine, id: SubmissionId, mut visit: impl FnMut(&SentRequest)) -> Result<(), Problem> {
    let mut offset = 0;
    loop {
        let page = engine.submissions().requests(id, offset, PAGE_SIZE)?;
        page.requests.iter().for_each(&mut visit);
        offset += PAGE_SIZE;
        if offset >= page.total {
            return Ok(());
        }
    }
}
