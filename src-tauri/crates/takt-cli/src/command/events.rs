//! `takt events`: lists and exports received events, and shows one of them.

use std::path::Path;

use serde_json::{Value, json};
use takt_engine::{
    Canceller, ExportFormat,
    inbox::{AnsweredBy, EventAnswer, EventDetail, EventLine, EventQuery, EventState, SignatureState},
};

use crate::{
    arguments::{EventFormat, EventsArguments},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    session::{Interruption, Session},
};

/// The maximum number of listed events without `--limit`.
const DEFAULT_LIMIT: u32 = 100;

pub(super) async fn run(
    arguments: EventsArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    // Received events are stored locally, so no connection is needed.
    let session = Session::open_local(site, console)?;
    if let Some(event) = arguments.event {
        let scope = session.engine.inbox().scope_of(site);
        let detail = session.engine.inbox().get(scope, event).await?;
        if arguments.json {
            console.print_json(&event_json(&detail))
        } else {
            print_detail(&detail, console)
        }
        return Ok(ExitStatus::Done);
    }
    let query = arguments.filter.query(session.engine.inbox().scope_of(site).map(str::to_owned));
    if let Some(format) = arguments.format {
        return write(&session, &query, arguments.limit, format, arguments.out.as_deref(), console).await;
    }
    let list = session.engine.inbox().list(&query, 0, arguments.limit.unwrap_or(DEFAULT_LIMIT)).await?;
    for row in &list.rows {
        print_event(&session, row, arguments.json, console).await?;
    }
    if !arguments.json {
        let (shown, total) = (list.rows.len().to_string(), list.total.to_string());
        console.print_remark("events.total", &[("shown", shown), ("total", total)]);
    }
    if list.unread > 0 {
        console.print_remark("events.unread", &[("count", list.unread.to_string())]);
    }
    Ok(ExitStatus::Done)
}

/// Writes the matching events to a file. Without a file, writes CSV or JSON lines to standard output.
async fn write(
    session: &Session,
    query: &EventQuery,
    limit: Option<u32>,
    format: EventFormat,
    file: Option<&Path>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let export_format = match format {
        EventFormat::Xlsx => ExportFormat::Xlsx,
        EventFormat::Csv => ExportFormat::Csv,
        EventFormat::Json => ExportFormat::Json,
    };
    let Some(file) = file.filter(|file| file.as_os_str() != "-") else {
        if export_format == ExportFormat::Xlsx {
            return Err(Failure::Usage("events.needs-file", Vec::new()));
        }
        session.engine.inbox().stream(query, limit, export_format, &mut console.stdout_writer()).await?;
        return Ok(ExitStatus::Done);
    };
    let mut interruption = Interruption::listen()?;
    let canceller = Canceller::new();
    let mut writing =
        std::pin::pin!(session.engine.inbox().export(query, limit, export_format, file, &canceller, |_| ()));
    let written = tokio::select! {
        written = &mut writing => written?,
        () = interruption.next() => {
            canceller.cancel();
            let _ = writing.await;
            return Ok(ExitStatus::Interrupted);
        }
    };
    console.print_remark("events.written", &[("count", written.to_string()), ("file", file.display().to_string())]);
    Ok(ExitStatus::Done)
}

/// Prints one event as a line of text or JSON.
pub(super) async fn print_event(
    session: &Session,
    row: &EventLine,
    as_json: bool,
    console: &Console,
) -> Result<(), Failure> {
    if as_json {
        console.print_json(&event_json(&session.engine.inbox().get(Some(&row.site), i64::from(row.id)).await?));
    } else {
        console.print_line(&sanitize(&event_text(row, console)));
    }
    Ok(())
}

fn event_text(row: &EventLine, console: &Console) -> String {
    let name = row.name.clone().unwrap_or_else(|| match row.kind {
        Some(kind) => kind.to_string(),
        None => console.texts.text(&format!("events.state.{}", <&str>::from(row.state)), &[]),
    });
    let mut parts = vec![format!("#{}", row.id), row.received.clone(), name];
    parts.extend([&row.station, &row.order, &row.description].into_iter().flatten().cloned());
    if matches!(row.state, EventState::Odd | EventState::Unknown) {
        parts.push(console.texts.text(&format!("events.state.{}", <&str>::from(row.state)), &[]));
    }
    if !matches!(row.signed, SignatureState::Unchecked | SignatureState::Valid) {
        parts.push(console.texts.text(&format!("events.signed.{}", <&str>::from(row.signed)), &[]));
    }
    if row.copies > 0 {
        parts.push(console.texts.text("events.copies", &[("count", row.copies.to_string())]));
    }
    if let Some(allowed) = row.allowed {
        parts.push(console.texts.text(if allowed { "answers.allowed" } else { "answers.refused" }, &[]));
    }
    parts.extend(row.answered_by.map(|by| console.texts.text(answered_by_key(by), &[])));
    parts.join("  ")
}

/// Returns the key of the text for the source of an answer.
fn answered_by_key(by: AnsweredBy) -> &'static str {
    match by {
        AnsweredBy::Rule => "answers.by.rule",
        AnsweredBy::Default => "answers.by.default",
        AnsweredBy::Failure => "answers.by.failure",
        AnsweredBy::Slow => "answers.by.slow",
    }
}

fn print_detail(detail: &EventDetail, console: &Console) {
    console.print_line(&sanitize(&event_text(&detail.line, console)));
    for (name, value) in &detail.headers {
        console.print_line(&sanitize(&format!("{name}: {value}")));
    }
    console.print_line("");
    let pretty = serde_json::from_str::<Value>(&detail.body).and_then(|value| serde_json::to_string_pretty(&value));
    let body = pretty.unwrap_or_else(|_| detail.body.clone());
    body.lines().for_each(|line| console.print_line(&sanitize(line)));
    if let Some(answer) = &detail.answer {
        print_answer(answer, console);
    }
    if let Some(oddity) = &detail.oddity {
        console.print_remark("events.oddity", &[("reason", sanitize(oddity))]);
    }
}

/// Prints the messages of the answer, and the rules that produced them.
fn print_answer(answer: &EventAnswer, console: &Console) {
    console.print_line("");
    for error in &answer.errors {
        console.print_line(&sanitize(error));
    }
    for spoke in &answer.spoke {
        console.print_line(&sanitize(&format!("{}: {}", spoke.name, spoke.when)));
    }
    for failure in &answer.failed {
        console.print_line(&sanitize(&format!("{}: {}", failure.name, failure.fault.text(&console.texts.engine))));
    }
    console.print_remark(
        "answers.took",
        &[("milliseconds", answer.milliseconds.to_string()), ("version", answer.version.to_string())],
    );
}

/// Returns the event as JSON. The body is a JSON value if it can be parsed, otherwise text.
fn event_json(detail: &EventDetail) -> Value {
    let body = serde_json::from_str(&detail.body).unwrap_or_else(|_| json!(detail.body));
    let mut record = json!(detail.line);
    record["body"] = body;
    record["bytes"] = json!(detail.bytes);
    record["headers"] = json!(detail.headers);
    record["oddity"] = json!(detail.oddity);
    record["answer"] = json!(detail.answer);
    record
}
