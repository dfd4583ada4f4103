//! `takt history`, `takt handover` and `takt bundle`: past submissions, the workbook for the next shift, and the
//! support bundle.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp, civil::DateTime, tz::TimeZone};
use serde_json::json;
use takt_engine::{
    Engine, Problem,
    history::{BundleChoice, HistoryQuery},
    rehearsal::{RehearsalComparison, Rehearsals},
    shop_floor::RowQuery,
    submission::{ResultRow, SentRequest, SubmissionId, SubmissionView},
};

use super::approve;
use crate::{
    arguments::{BundleArguments, HandoverArguments, HistoryArguments},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    findings::RowErrors,
    results, session,
};

/// The maximum number of submissions in text output. JSON lists all of them.
const MAX_PRINTED_SUBMISSIONS: u32 = 50;
const PAGE_SIZE: u32 = 500;
/// The number of rows or requests per read.
const ENTRIES_PER_PAGE: u32 = 1_000;
const SHIFT_HOURS: i64 = 8;

pub(super) async fn run(
    arguments: &HistoryArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    if let Some(submission) = arguments.submission {
        if let Some(other) = arguments.compare {
            return compare(&engine, submission, other, arguments.json, console);
        }
        return show_submission(&engine, submission, arguments, console).await;
    }
    let query = HistoryQuery {
        text: arguments.find.clone(),
        site: site.map(str::to_owned),
        unconfirmed: arguments.unconfirmed,
        since: arguments.since.as_deref().map(|text| parse_start(text, (engine.inbox().clock)())).transpose()?,
        ..HistoryQuery::default()
    };
    if arguments.json {
        let mut offset = 0;
        loop {
            let list = engine.history().list(&query, offset, PAGE_SIZE)?;
            list.submissions.iter().for_each(|view| console.print_json(&results::record_json(view)));
            offset += PAGE_SIZE;
            if offset >= list.total {
                return Ok(ExitStatus::Done);
            }
        }
    }
    let list = engine.history().list(&query, 0, MAX_PRINTED_SUBMISSIONS)?;
    if list.submissions.is_empty() {
        let key = if query == HistoryQuery::default() { "history.none" } else { "history.nothing-found" };
        console.print_text(key, &[]);
        return Ok(ExitStatus::Done);
    }
    console.print_table(&submission_table(&list.submissions, console));
    let more = list.total.saturating_sub(MAX_PRINTED_SUBMISSIONS);
    if more > 0 {
        console.print_text("more", &[("count", more.to_string())]);
    }
    Ok(ExitStatus::Done)
}

fn submission_table(submissions: &[SubmissionView], console: &Console) -> Vec<Vec<String>> {
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
            results::format_time(&view.started),
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

/// Shows one submission: its totals, rows, requests or the body of a request. It can also save its results.
async fn show_submission(
    engine: &Engine,
    id: SubmissionId,
    arguments: &HistoryArguments,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let view = engine.submissions().view(id)?;
    if let Some(number) = arguments.body {
        let body = engine.submissions().request_body(id, number)?;
        console.print_remark("history.body", &[("method", body.method), ("path", body.path)]);
        console.print_line(&sanitize(&body.body));
        return Ok(ExitStatus::Done);
    }
    if let Some(out) = &arguments.out {
        return save_results(engine, &view, arguments.workbook.as_deref(), out, console);
    }
    let find = arguments.find.as_deref().unwrap_or_default();
    let rows = arguments.rows || !find.is_empty();
    if arguments.json {
        if rows {
            print_rows_with_events(engine, id, find, console).await?;
        }
        if arguments.requests {
            for_each_request(engine, id, |request| console.print_json(request))?;
        }
        console.print_json(&submission_json(engine, &view)?);
        return Ok(ExitStatus::Done);
    }
    if rows {
        let mut lines = Vec::new();
        for_each_row(engine, id, find, |row| lines.push(results::row_cells(row, &RowErrors::new(), Some(console))))?;
        console.print_table(&lines);
    }
    if arguments.requests {
        print_requests(engine, id, console)?;
    }
    if !rows && !arguments.requests {
        results::print_results(engine, &view, &RowErrors::new(), console)?;
        let parameters = [("person", sanitize(&view.person)), ("started", results::format_time(&view.started))];
        console.print_text("history.by", &parameters);
        if let Some(approval) = &view.approval {
            approve::print_approval(&view, approval, console);
        }
        if let Some(purged) = &view.purged {
            console.print_text("history.purged", &[("at", results::format_time(purged))]);
        }
        for other in engine.history().submission_context(id)?.chain.iter().filter(|other| other.id != id) {
            let parameters = [("submission", other.id.to_string()), ("started", results::format_time(&other.started))];
            console.print_text(results::relation_key(&view, other), &parameters);
        }
    }
    Ok(ExitStatus::Done)
}

/// Saves results to a copy of the user's workbook if the user names it, otherwise to a new workbook.
fn save_results(
    engine: &Engine,
    view: &SubmissionView,
    workbook: Option<&Path>,
    out: &Path,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let saved = match workbook {
        Some(workbook) => engine.history().save_results_in_sent_workbook(view.id, workbook, out)?,
        None => engine.submissions().export_results(view.id, None, out)?,
    };
    console.print_remark("sync.report", &[("file", sanitize(&saved.path))]);
    Ok(ExitStatus::Done)
}

fn submission_json(engine: &Engine, view: &SubmissionView) -> Result<serde_json::Value, Problem> {
    let story = engine.history().submission_context(view.id)?;
    let mut record = results::record_json(view);
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
    for_each_request(engine, id, |request| {
        let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
        lines.push(vec![
            request.number.to_string(),
            results::format_time(&request.started),
            number(request.status.map(u32::from)),
            number(request.milliseconds),
            request.rows.to_string(),
            request.counts.accepted.to_string(),
            request.counts.rejected.to_string(),
            request.counts.unconfirmed.to_string(),
            request.log_id.clone().unwrap_or_default(),
        ]);
    })?;
    console.print_table(&lines);
    Ok(())
}

fn for_each_row(
    engine: &Engine,
    id: SubmissionId,
    find: &str,
    mut visit: impl FnMut(&ResultRow),
) -> Result<(), Problem> {
    let mut offset = 0;
    loop {
        let page = engine.submissions().search_rows(id, None, find, offset, ENTRIES_PER_PAGE)?;
        page.rows.iter().for_each(&mut visit);
        offset += ENTRIES_PER_PAGE;
        if offset >= page.total {
            return Ok(());
        }
    }
}

/// Prints every row as JSON, with the events about its order since the row was sent.
async fn print_rows_with_events(
    engine: &Engine,
    id: SubmissionId,
    find: &str,
    console: &Console,
) -> Result<(), Problem> {
    let mut offset = 0;
    loop {
        let page = engine.submissions().search_rows(id, None, find, offset, ENTRIES_PER_PAGE)?;
        let queries: Vec<_> = page.rows.iter().map(|row| RowQuery { key: row.key.clone(), batch: row.batch }).collect();
        let mut events = engine.floor().row_events(id, &queries).await?.unwrap_or_default().into_iter();
        for row in &page.rows {
            let mut record = results::row_json(row);
            if let Some(events) = events.next() {
                record["events"] = json!(events);
            }
            console.print_json(&record);
        }
        offset += ENTRIES_PER_PAGE;
        if offset >= page.total {
            return Ok(());
        }
    }
}

fn for_each_request(engine: &Engine, id: SubmissionId, mut visit: impl FnMut(&SentRequest)) -> Result<(), Problem> {
    let mut offset = 0;
    loop {
        let page = engine.submissions().requests(id, offset, ENTRIES_PER_PAGE)?;
        page.requests.iter().for_each(&mut visit);
        offset += ENTRIES_PER_PAGE;
        if offset >= page.total {
            return Ok(());
        }
    }
}

/// Compares a rehearsal with the real submission, row by row.
fn compare(
    engine: &Engine,
    submission: SubmissionId,
    other: Option<SubmissionId>,
    as_json: bool,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let comparison = Rehearsals::new(engine).compare(submission, other)?;
    if as_json {
        for difference in &comparison.differences {
            let (rehearsed, real) = (results::row_json(&difference.rehearsed), results::row_json(&difference.real));
            console.print_json(&json!({ "key": difference.key, "rehearsed": rehearsed, "real": real }));
        }
        let RehearsalComparison { rehearsal, real, same_file, same, different, only_rehearsed, only_real, .. } =
            &comparison;
        console.print_json(&json!({
            "rehearsal": rehearsal.id,
            "real": real.id,
            "operation": real.operation,
            "sameFile": same_file,
            "same": same,
            "different": different,
            "onlyRehearsed": only_rehearsed,
            "onlyReal": only_real,
        }));
        return Ok(ExitStatus::Done);
    }
    if !comparison.same_file {
        console.print_remark("compare.other-file", &[]);
    }
    if !comparison.differences.is_empty() {
        console.print_table(&comparison_table(&comparison, console));
    }
    let parameters = [
        ("rehearsal", comparison.rehearsal.id.to_string()),
        ("real", comparison.real.id.to_string()),
        ("same", comparison.same.to_string()),
        ("different", comparison.different.to_string()),
    ];
    console.print_text("compare.summary", &parameters);
    if comparison.only_rehearsed + comparison.only_real > 0 {
        let parameters =
            [("rehearsed", comparison.only_rehearsed.to_string()), ("real", comparison.only_real.to_string())];
        console.print_text("compare.only", &parameters);
    }
    Ok(ExitStatus::Done)
}

fn comparison_table(comparison: &RehearsalComparison, console: &Console) -> Vec<Vec<String>> {
    let heads = ["key", "rehearsed", "reasons", "real", "reasons"];
    let mut rows = vec![heads.map(|head| console.texts.text(&format!("compare.heads.{head}"), &[])).to_vec()];
    let result_cells =
        |row: &ResultRow| [console.texts.engine.result_text(row.result).to_owned(), sanitize(&row.reasons.join("; "))];
    rows.extend(comparison.differences.iter().map(|difference| {
        let key = [sanitize(&difference.key)];
        key.into_iter().chain(result_cells(&difference.rehearsed)).chain(result_cells(&difference.real)).collect()
    }));
    rows
}

/// Saves the workbook for the next shift. Without a start, it begins eight hours ago.
pub(super) fn save_handover(arguments: HandoverArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let engine = session::open_local_engine(console)?;
    let now = (engine.inbox().clock)();
    let since = match arguments.since {
        Some(text) => parse_start(&text, now)?,
        None => hours_before(now, SHIFT_HOURS),
    };
    let out = arguments.out.unwrap_or_else(|| PathBuf::from("handover.xlsx"));
    let runs = engine.history().save_handover(&since, &TimeZone::system(), &out)?;
    console
        .print_remark("handover.done", &[("file", sanitize(&out.display().to_string())), ("runs", runs.to_string())]);
    Ok(ExitStatus::Done)
}

/// Saves the support bundle.
pub(super) fn save_bundle(arguments: BundleArguments, console: &Console) -> Result<ExitStatus, Failure> {
    let choice = BundleChoice { submissions: arguments.submissions, addresses: arguments.addresses };
    let out = arguments.out.unwrap_or_else(|| PathBuf::from("takt-support.zip"));
    session::open_engine_with_keychain(console)?.history().save_bundle(&choice, &out)?;
    console.print_remark("bundle.done", &[("file", sanitize(&out.display().to_string()))]);
    Ok(ExitStatus::Done)
}

/// Parses the start of a period. It is a date or date-time, in local time unless it has an offset, or a number of hours
/// before `now` such as `8h`.
fn parse_start(text: &str, now: Timestamp) -> Result<String, Failure> {
    let text = text.trim();
    if let Some(hours) = text.strip_suffix('h').and_then(|hours| hours.parse::<i64>().ok()).filter(|hours| *hours >= 0)
    {
        return Ok(hours_before(now, hours.min(24 * 366)));
    }
    // If the clock skips or repeats a local time, the earlier moment is used, so that the period isn't too short.
    let local = |at: DateTime| TimeZone::system().to_ambiguous_timestamp(at).earlier().ok();
    let date = || text.parse::<jiff::civil::Date>().ok().map(|date| date.to_datetime(jiff::civil::Time::midnight()));
    let found = text.parse::<Timestamp>().ok();
    let found = found.or_else(|| text.parse::<DateTime>().ok().or_else(date).and_then(local));
    found.map(|at| at.to_string()).ok_or_else(|| Failure::Usage("history.no-date", vec![("text", sanitize(text))]))
}

fn hours_before(now: Timestamp, hours: i64) -> String {
    now.checked_sub(SignedDuration::from_hours(hours)).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_people_write_them() {
        let start = |text| parse_start(text, "2026-11-22T14:30:00Z".parse().unwrap());
        assert_eq!(start("2026-11-22T06:00:00+01:00").unwrap(), "2026-11-22T05:00:00Z");
        assert_eq!(start("8h").unwrap(), "2026-11-22T06:30:00Z");
        for local in ["2026-11-22", "2026-11-22 06:00", "2026-11-22T06:00:30"] {
            assert!(start(local).unwrap().ends_with('Z'), "{local}");
        }
        assert!(start("yesterday").is_err() && start("-3h").is_err());
    }
}
