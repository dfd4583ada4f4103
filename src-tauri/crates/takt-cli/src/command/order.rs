//! `takt order`: prints all data about one order, list by list.

use serde_json::{Value, json};
use takt_engine::{
    Canceller, Engine, Problem,
    contract::Field,
    order::{OrderRows, OrderSubmission},
};

use crate::{
    console::Console,
    exit_codes::{ExitStatus, Failure},
    list_table::format_cell,
    session::Session,
};

pub(super) async fn run(
    code: &str,
    as_json: bool,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let session = Session::open(site, console).await?;
    let (engine, site) = (&session.engine, session.site.as_str());
    let mut context = None;
    let mut problems = 0;
    for part in engine.orders().lists().parts {
        let found = engine.orders().rows(site, code, &part.operation, context.as_ref(), &Canceller::new()).await;
        match found {
            Ok(found) if part.own => {
                print_list(engine, &part.operation, &found, as_json, console);
                if found.rows.is_empty() {
                    console.print_remark("order.unknown", &[("code", code.to_owned())]);
                    return Ok(ExitStatus::Usage);
                }
                context = found.order_dates;
            }
            Ok(found) => print_list(engine, &part.operation, &found, as_json, console),
            Err(problem) if part.own => return Err(problem.into()),
            // Other lists are printed even if one can't be read.
            Err(problem) => {
                problems += 1;
                print_failure(&part.operation, &problem, as_json, console);
            }
        }
    }
    let sent = engine.orders().submissions_about(site, code)?;
    if as_json {
        console.print_json(&json!({ "code": code, "submissions": sent, "problems": problems }));
    } else {
        print_submissions(&sent, console);
    }
    Ok(if problems > 0 { ExitStatus::Unreachable } else { ExitStatus::Done })
}

fn print_list(engine: &Engine, list: &str, found: &OrderRows, as_json: bool, console: &Console) {
    let rows = found.rows.rows(0..usize::MAX);
    if as_json {
        console.print_json(&json!({ "list": list, "asked": found.parameters, "rows": rows }));
        return;
    }
    console.print_text("order.list", &[("list", list.to_owned()), ("rows", rows.len().to_string())]);
    let fields = engine.sites().builtin_contract().operation(list).and_then(|operation| operation.answer.as_ref());
    let fields = fields.into_iter().flat_map(|shape| &shape.fields);
    let shown_fields: Vec<&Field> =
        fields.filter(|field| rows.iter().any(|row| !is_blank(&row[&field.name]))).collect();
    if !rows.is_empty() {
        let head = shown_fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        let texts = &console.texts;
        let lines = rows
            .iter()
            .map(|row| shown_fields.iter().map(|field| format_cell(row.get(&field.name), field, texts)).collect());
        console.print_table(&std::iter::once(head).chain(lines).collect::<Vec<_>>());
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.is_empty(),
        _ => false,
    }
}

fn print_failure(list: &str, problem: &Problem, as_json: bool, console: &Console) {
    if as_json {
        console.print_json(&json!({ "list": list, "problem": problem }));
    } else {
        console.print_text("order.failed", &[("list", list.to_owned())]);
        console.print_problem(problem);
    }
}

fn print_submissions(sent: &[OrderSubmission], console: &Console) {
    console.print_text("order.sent", &[("count", sent.len().to_string())]);
    let line = |one: &OrderSubmission| {
        let results =
            one.rows.iter().map(|row| format!("{} {}", row.key, console.texts.engine.result_text(row.result)));
        let view = &one.submission;
        vec![
            view.id.to_string(),
            view.started.clone(),
            view.operation.clone(),
            view.person.clone(),
            results.collect::<Vec<_>>().join(", "),
        ]
    };
    if !sent.is_empty() {
        console.print_table(&sent.iter().map(line).collect::<Vec<_>>());
    }
}
