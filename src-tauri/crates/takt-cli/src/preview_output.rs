//! Change previews as text and as JSON lines.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use takt_engine::{
    Engine, Problem,
    contract::{Field, Operation, parse_ticks},
    preview::{
        AlarmKind, PreviewAlarm, PreviewCounts, PreviewField, PreviewFilter, PreviewKind, PreviewRow, PreviewStep,
        PreviewView,
    },
};

use crate::{
    console::{Console, is_several, sanitize},
    findings::{RowErrors, errors_by_row},
    list_table::{format_duration, ticks_to_seconds},
};

/// The maximum number of rows per step in text output. JSON lists all rows.
const MAX_PRINTED_ROWS: u32 = 50;
const PAGE_SIZE: u32 = 1_000;
/// The maximum number of errors that are listed for a row.
const MAX_REASONS: usize = 2;

/// The format of a preview, and the stream to which it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PreviewOutput {
    /// Totals, alarms and rows on standard output.
    Text,
    /// Rows on standard error.
    Notes,
    /// One JSON line per row on standard output.
    Json,
}

/// Prints rows of all steps. Without `kind`, prints all rows except unchanged ones.
pub(crate) fn print_rows(
    engine: &Engine,
    preview: &PreviewView,
    kind: Option<PreviewKind>,
    output: PreviewOutput,
    console: &Console,
) -> Result<(), Problem> {
    if output == PreviewOutput::Text {
        print_totals(preview, console);
        print_alarms(preview, console);
    }
    let contract = engine.sites().contract(&preview.site)?;
    let explains = output != PreviewOutput::Json && preview.counts.blocked > 0;
    let findings = if explains { engine.imports().findings(preview.import)? } else { Vec::new() };
    let errors = errors_by_row(&findings, console);
    let filter = PreviewFilter { kind, ..PreviewFilter::default() };
    for (index, step) in (0..).zip(&preview.steps) {
        let operation = contract.operation(&step.operation);
        let mut offset = 0;
        loop {
            let limit = if output == PreviewOutput::Json { PAGE_SIZE } else { MAX_PRINTED_ROWS };
            let mut page = engine.previews().rows(preview.import, index, &filter, offset, limit)?;
            offset += u32::try_from(page.rows.len()).unwrap_or(u32::MAX);
            page.rows.iter_mut().for_each(|row| add_reasons(row, &errors));
            print_page(&page.rows, operation, NewRows::ByKey, output, console);
            if output != PreviewOutput::Json && page.total > offset {
                console.print_remark("preview.more", &[("rows", (page.total - offset).to_string())]);
            }
            if output != PreviewOutput::Json || page.rows.is_empty() || offset >= page.total {
                break;
            }
        }
    }
    Ok(())
}

/// Adds the first errors to a row that can't be sent.
fn add_reasons(row: &mut PreviewRow, errors: &RowErrors) {
    if row.kind != PreviewKind::Blocked || row.reason.is_some() {
        return;
    }
    let numbers = (row.row.get()..).take(row.rows as usize);
    let of_row = numbers.filter_map(|number| errors.get(&(row.sheet.clone(), number))).flatten();
    let first: Vec<&str> = of_row.take(MAX_REASONS).map(String::as_str).collect();
    row.reason = Some(first.join("; ")).filter(|reason| !reason.is_empty());
}

/// The details that are printed for new rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewRows {
    /// Only the key, since the user has the file.
    ByKey,
    /// All fields, since a user who reviews another user's submission doesn't have the file.
    AllFields,
}

/// Prints rows with their changes. The operation's fields determine how values are formatted.
pub(crate) fn print_page(
    rows: &[PreviewRow],
    operation: Option<&Operation>,
    new: NewRows,
    output: PreviewOutput,
    console: &Console,
) {
    let lines = |row| row_lines(row, operation, new, console);
    match output {
        PreviewOutput::Json => rows.iter().for_each(|row| console.print_json(&row_json(row))),
        PreviewOutput::Text => console.print_table(&rows.iter().flat_map(lines).collect::<Vec<_>>()),
        PreviewOutput::Notes => {
            rows.iter().flat_map(lines).for_each(|line| console.print_note(&sanitize(&line.join("  "))));
        }
    }
}

/// Returns the number of rows of each kind with the kind's name.
fn counts_by_kind(counts: PreviewCounts) -> [(&'static str, u32); 7] {
    [
        (kind_name(PreviewKind::New), counts.new),
        (kind_name(PreviewKind::Changed), counts.changed),
        (kind_name(PreviewKind::Same), counts.same),
        (kind_name(PreviewKind::NotLinked), counts.not_linked),
        (kind_name(PreviewKind::Conflict), counts.conflict),
        (kind_name(PreviewKind::Unknown), counts.unknown),
        (kind_name(PreviewKind::Blocked), counts.blocked),
    ]
}

/// Prints the number of rows of each kind on one line. Omits kinds without rows.
pub(crate) fn print_counts(counts: PreviewCounts, console: &Console) {
    let kinds = counts_by_kind(counts).into_iter().filter(|(_, rows)| *rows > 0);
    let parts = kinds.map(|(kind, rows)| format!("{} {rows}", console.texts.text(&format!("preview.{kind}"), &[])));
    console.print_line(&parts.collect::<Vec<_>>().join(" · "));
}

/// Prints the number of rows of each kind as a table, by sheet. Only deletes can have rows that aren't linked.
pub(crate) fn print_totals(preview: &PreviewView, console: &Console) {
    let text = |key: &str| console.texts.text(key, &[]);
    let is_shown = |kind: &str| kind != kind_name(PreviewKind::NotLinked) || preview.counts.not_linked > 0;
    let kinds = counts_by_kind(preview.counts).into_iter().map(|(kind, _)| kind).filter(|kind| is_shown(kind));
    let only_deletes = preview.steps.iter().all(|step| step.deletes);
    let word =
        |kind: &'static str| if only_deletes && kind == kind_name(PreviewKind::Changed) { "deleted" } else { kind };
    let heading = ["sheet", "operation"].into_iter().chain(kinds.map(word));
    let heading = heading.map(|kind| text(&format!("preview.{kind}")));
    let mut rows: Vec<Vec<String>> = vec![heading.collect()];
    for step in &preview.steps {
        let numbers = counts_by_kind(step.counts).into_iter().filter(|(kind, _)| is_shown(kind));
        let names = [step.sheet.clone(), step.operation.clone()].into_iter();
        rows.push(names.chain(numbers.map(|(_, number)| number.to_string())).collect());
    }
    console.print_table(&rows);
    for step in preview.steps.iter().filter(|step| step.list.is_none()) {
        console.print_remark("preview.not-shown", &[("operation", sanitize(&step.operation))]);
    }
    for step in preview.steps.iter().filter(|step| !step.unshown_key.is_empty()) {
        let parameters = [("operation", sanitize(&step.operation)), ("fields", sanitize(&step.unshown_key.join(", ")))];
        console.print_remark("preview.unshown-key", &parameters);
    }
}

/// Prints alarms to standard error, so that they appear before the confirmation prompt.
pub(crate) fn print_alarms(preview: &PreviewView, console: &Console) {
    for step in &preview.steps {
        for alarm in &step.alarms {
            let front = if is_several(&preview.steps) { format!("{}: ", step.sheet) } else { String::new() };
            console.print_note(&sanitize(&format!("! {front}{}", alarm_text(alarm, console))));
        }
    }
}

fn alarm_text(alarm: &PreviewAlarm, console: &Console) -> String {
    let number = alarm.number.trim_start_matches('-');
    let span = (alarm.kind == AlarmKind::DatesMoved).then(|| parse_ticks(number)).flatten();
    let number = span.map_or_else(
        || number.to_owned(),
        |ticks| console.texts.engine.format_days_or_duration(ticks_to_seconds(ticks)),
    );
    let parameters = BTreeMap::from([
        ("field".to_owned(), alarm.field.clone()),
        ("rows".to_owned(), alarm.rows.to_string()),
        ("of".to_owned(), alarm.of.to_string()),
        ("number".to_owned(), number),
    ]);
    alarm.kind.format_text(&parameters, &console.texts.engine)
}

/// Returns one line per changed field. Only the first line contains the row's sheet, number and key.
fn row_lines(row: &PreviewRow, operation: Option<&Operation>, new: NewRows, console: &Console) -> Vec<Vec<String>> {
    // A row with old values only is deleted.
    let deletes = row.kind == PreviewKind::Changed && row.fields.iter().all(|field| field.new.is_null());
    let kind = if deletes { "deleted" } else { kind_name(row.kind) };
    let kind = console.texts.text(&format!("preview.{kind}"), &[]);
    let first = vec![row.sheet.clone(), row.row.to_string(), row.key.clone(), kind];
    let line = |(at, field): (usize, &PreviewField)| {
        let described = operation.and_then(|operation| contract_field(operation, &field.field));
        let shown = |value| value_text(value, described, console);
        let front = if at == 0 { first.clone() } else { vec![String::new(); 4] };
        let change = if deletes {
            format!("{}: {}", field.field, shown(&field.old))
        } else {
            format!("{}: {} → {}", field.field, shown(&field.old), shown(&field.new))
        };
        front.into_iter().chain([change]).collect()
    };
    let has_one_line = row.fields.is_empty() || (row.kind == PreviewKind::New && new == NewRows::ByKey);
    if let Some(reason) = row.reason.as_ref().filter(|_| row.fields.is_empty()) {
        return vec![[first, vec![reason.clone()]].concat()];
    }
    if has_one_line { vec![first] } else { row.fields.iter().enumerate().map(line).collect() }
}

/// Returns the contract's field at a path such as `laborPredictedTime` or `rawMaterials[M-1].quantity`.
fn contract_field<'o>(operation: &'o Operation, path: &str) -> Option<&'o Field> {
    let fields = &operation.request.as_ref()?.fields;
    let Some((list, rest)) = path.split_once('[') else { return find_field(fields, path) };
    find_field(&find_field(fields, list)?.fields, rest.rsplit_once("].")?.1)
}

fn find_field<'o>(fields: &'o [Field], name: &str) -> Option<&'o Field> {
    fields.iter().find(|field| field.name == name)
}

fn value_text(value: &Value, field: Option<&Field>, console: &Console) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => {
            field.and_then(|field| format_duration(text, field, &console.texts)).unwrap_or_else(|| text.clone())
        }
        other => other.to_string(),
    }
}

fn kind_name(kind: PreviewKind) -> &'static str {
    match kind {
        PreviewKind::New => "new",
        PreviewKind::Changed => "changed",
        PreviewKind::Same => "same",
        PreviewKind::NotLinked => "not-linked",
        PreviewKind::Conflict => "conflict",
        PreviewKind::Unknown => "unknown",
        PreviewKind::Blocked => "blocked",
    }
}

fn row_json(row: &PreviewRow) -> Value {
    let field = |field: &PreviewField| {
        let mut line = json!({ "field": field.field, "old": field.old, "new": field.new });
        if let Some(conflict) = field.conflict {
            line["conflict"] = json!(conflict);
        }
        line
    };
    let mut line = json!({
        "sheet": row.sheet,
        "row": row.row,
        "key": row.key,
        "change": row.kind,
        "fields": row.fields.iter().map(field).collect::<Vec<_>>(),
    });
    if let Some(reason) = &row.reason {
        line["reason"] = json!(reason);
    }
    line
}

pub(crate) fn alarms_json(step: &PreviewStep, console: &Console) -> Vec<Value> {
    let line = |alarm: &PreviewAlarm| {
        json!({
            "sheet": step.sheet,
            "kind": alarm.kind,
            "field": alarm.field,
            "rows": alarm.rows,
            "of": alarm.of,
            "number": alarm.number,
            "message": alarm_text(alarm, console),
        })
    };
    step.alarms.iter().map(line).collect()
}

pub(crate) fn step_json(step: &PreviewStep, console: &Console) -> Value {
    let counts = step.counts;
    json!({
        "sheet": step.sheet,
        "operation": step.operation,
        "list": step.list,
        "problem": step.problem.as_ref().map(|problem| console.texts.engine.problem_title(problem.code, &problem.parameters)),
        "new": counts.new,
        "changed": counts.changed,
        "same": counts.same,
        "notLinked": counts.not_linked,
        "conflict": counts.conflict,
        "unknown": counts.unknown,
        "blocked": counts.blocked,
        "fields": step.fields.iter().map(|field| json!({ "field": field.field, "rows": field.rows })).collect::<Vec<_>>(),
        "requests": step.requests,
    })
}
