//! `takt history`: lists past submissions, newest first. `history_one` shows a single one.

use takt_engine::{history::HistoryQuery, submission::SubmissionView};

use super::{comparison, handover, history_one};
use crate::{
    arguments::HistoryArguments,
    console::Console,
    ending::{ExitStatus, Failure},
    results, session,
};

/// The submissions that text output lists. JSON lists all of them.
const MAX_SHOWN: u32 = 50;
const PAGE_SIZE: u32 = 500;

pub(super) async fn run(
    arguments: &HistoryArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let engine = session::engine(console)?;
    if let Some(submission) = arguments.submission {
        if let Some(other) = arguments.compare {
            return comparison::run(&engine, submission, other, arguments.json, console);
        }
        return history_one::run(&engine, submission, arguments, console).await;
    }
    let query = HistoryQuery {
        text: arguments.find.clone(),
        site: site.map(str::to_owned),
        unconfirmed: arguments.unconfirmed,
        since: arguments.since.as_deref().map(handover::parse_start).transpose()?,
        ..HistoryQuery::default()
    };
    if arguments.json {
        let mut offset = 0;
        loop {
            let list = engine.history().list(&query, offset, PAGE_SIZE)?;
            list.submissions.iter().for_each(|view| console.json(&results::record(view)));
            offset += PAGE_SIZE;
            if offset >= list.total {
                return Ok(ExitStatus::Done);
            }
        }
    }
    let list = engine.history().list(&query, 0, MAX_SHOWN)?;
    if list.submissions.is_empty() {
        let key = if query == HistoryQuery::default() { "history.none" } else { "history.nothing-found" };
        console.status(key, &[]);
        return Ok(ExitStatus::Done);
    }
    console.table(&table(&list.submissions, console));
    let more = list.total.saturating_sub(MAX_SHOWN);
    if more > 0 {
        console.status("more", &[("count", more.to_string())]);
    }
    Ok(ExitStatus::Done)
}

fn table(submissions: &[SubmissionView], console: &Console) -> Vec<Vec<String>> {
    let heads = [
        "submission",
        "started",
        "person",
        "state",
        "operation",
        "site",
        "file",
        "total",
        "accepted",
        "rejected",
        "unconfirmed",
        "pending",
    ];
    let mut rows = vec![heads.map(|head| console.texts.text(&format!("history.{head}"), &[])).to_vec()];
    rows.extend(submissions.iter().map(|view| {
        vec![
            view.id.to_string(),
            results::table_time(&view.started),
            view.person.clone(),
            results::state_text(view.state, console),
            view.operation.clone(),
            view.site.clone(),
            view.file.clone(),
            view.total.to_string(),
            view.counts.accepted.to_string(),
            view.counts.rejected.to_string(),
            view.counts.unconfirmed.to_string(),
            (view.counts.pending + view.counts.sending).to_string(),
        ]
    }));
    rows
}
