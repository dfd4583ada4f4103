//! `takt contract set`: edits a site's contract by hand, or tests an edit with one request.

use std::path::Path;

use serde_json::json;
use takt_engine::{
    Canceller, Engine,
    contract::{
        BatchForm, CodeName, CountPlace, FieldPlace, IndexMember, Operation, OperationKind, Scalar, SuccessMember,
    },
    contract::{Paging, PagingOverlay, without_byte_order_mark},
    contracts::{AssumptionEdit, FieldEdit, OperationEdit, SingleAnswer, SingleRequest, ValueType},
};

use super::contract_differences::print_all_differences;
use crate::{
    arguments::{ContractSetArguments, PagesArguments, RequestPart, ResultsArguments},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    session::{self, Session},
};

pub(super) async fn run(
    arguments: &ContractSetArguments,
    site: &str,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    if arguments.test {
        let session = Session::open(Some(site), console).await?;
        return test_edit(&session, arguments, site, console).await;
    }
    let engine = session::open_local_engine(console)?;
    if !arguments.assumptions.is_empty() {
        let assumptions = arguments.assumptions.iter().map(|(id, value)| parse_assumption(id, value));
        let assumptions = assumptions.collect::<Result<Vec<_>, _>>()?;
        let before = engine.sites().contract(site)?;
        let version = engine.contracts().replace_assumptions(site, &assumptions)?;
        print_all_differences(&engine.contracts().changes_since(site, &before)?, arguments.json, console);
        console.print_remark("contract.taken", &[("site", sanitize(site)), ("version", version.to_string())]);
        return Ok(ExitStatus::Done);
    }
    let edits = build_edits(&engine, arguments, site)?;
    let before = engine.sites().contract(site)?;
    let version = engine.contracts().edit(site, &edits)?;
    print_all_differences(&engine.contracts().changes_since(site, &before)?, arguments.json, console);
    console.print_remark("contract.taken", &[("site", sanitize(site)), ("version", version.to_string())]);
    Ok(ExitStatus::Done)
}

fn parse_assumption(id: &str, value: &str) -> Result<AssumptionEdit, Failure> {
    let value = serde_json::from_str(value);
    let value = value.map_err(|_| Failure::Usage("contract.not-json", vec![("assumption", sanitize(id))]))?;
    Ok(AssumptionEdit { id: id.to_owned(), value })
}

async fn test_edit(
    session: &Session,
    arguments: &ContractSetArguments,
    site: &str,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let edit = build_edits(&session.engine, arguments, site)?.pop().unwrap_or_default();
    let request = SingleRequest { edit, parameters: arguments.filters.iter().cloned().collect() };
    let answer = session.engine.contracts().send_single_request(site, &request, &Canceller::new()).await?;
    print_answer(&answer, arguments.json, console);
    Ok(if answer.problem.is_none() { ExitStatus::Done } else { ExitStatus::Rejected })
}

fn print_answer(answer: &SingleAnswer, as_json: bool, console: &Console) {
    if as_json {
        return console.print_json(&json!(answer));
    }
    answer.body.lines().for_each(|line| console.print_line(&sanitize(line)));
    if let Some(problem) = &answer.problem {
        console.print_problem(problem);
    }
    if let (Some(status), Some(rows)) = (answer.status, answer.rows) {
        console.print_remark("contract.answered", &[("status", status.to_string()), ("rows", rows.to_string())]);
    }
}

fn invalid_setting(text: &str) -> Failure {
    Failure::Usage("contract.not-a-setting", vec![("text", sanitize(text))])
}

fn build_edits(engine: &Engine, arguments: &ContractSetArguments, site: &str) -> Result<Vec<OperationEdit>, Failure> {
    let paths = arguments.at.iter().map(|(operation, target)| {
        let (method, path) = target.split_once(':').ok_or_else(|| invalid_setting(target))?;
        let (method, path) = (Some(method.to_owned()), Some(path.to_owned()));
        Ok(OperationEdit { operation: operation.clone(), method, path, ..OperationEdit::default() })
    });
    let mut edits = paths.collect::<Result<Vec<_>, Failure>>()?;
    if let Some(file) = &arguments.edits {
        edits.extend(read_edits(file)?);
    }
    if let Some(id) = &arguments.operation {
        let contract = engine.sites().contract(site)?;
        let unknown = || Failure::Usage("contract.no-operation", vec![("operation", sanitize(id))]);
        edits.push(build_edit(contract.operation(id).ok_or_else(unknown)?, arguments)?);
    }
    Ok(edits)
}

/// Reads edits from a JSON file. A byte order mark is skipped.
fn read_edits(file: &Path) -> Result<Vec<OperationEdit>, Failure> {
    let wrong = |cause: String| Failure::Usage("contract.edits-unreadable", vec![("cause", sanitize(&cause))]);
    let text = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_slice(without_byte_order_mark(&text)).map_err(|error| wrong(error.to_string()))
}

fn build_edit(operation: &Operation, arguments: &ContractSetArguments) -> Result<OperationEdit, Failure> {
    let results = &arguments.results;
    Ok(OperationEdit {
        operation: operation.id.clone(),
        method: arguments.method.clone(),
        path: arguments.path.clone(),
        list: arguments.list.clone(),
        asks_in_body: arguments.filters_in.map(|place| place == RequestPart::Body),
        paging: (!arguments.pages.is_empty()).then(|| build_paging(operation, &arguments.pages)),
        batch: if results.is_empty() { None } else { Some(build_batch_form(operation, results)?) },
        fields: build_field_edits(operation, arguments)?,
    })
}

/// Collects the edits of fields. All arguments about the same field become one edit.
fn build_field_edits(operation: &Operation, arguments: &ContractSetArguments) -> Result<Vec<FieldEdit>, Failure> {
    let place = match operation.kind {
        OperationKind::Sync | OperationKind::Delete => FieldPlace::Request,
        OperationKind::Read | OperationKind::Query => FieldPlace::Answer,
    };
    let mut fields: Vec<FieldEdit> = Vec::new();
    let lists = [
        (place, &arguments.fields, false),
        (FieldPlace::Parameter, &arguments.parameters, false),
        (place, &arguments.added_fields, true),
        (FieldPlace::Parameter, &arguments.added_parameters, true),
    ];
    for (place, list, added) in lists {
        for (name, value) in list {
            let (wire, value_type) =
                value.split_once(':').map_or((value.as_str(), None), |(wire, word)| (wire, Some(word)));
            let typed = |word| ValueType::parse(word).ok_or_else(|| invalid_setting(word));
            let value_type = value_type.map(typed).transpose()?;
            let field = field_edit(&mut fields, place, name);
            field.wire = Some(wire.to_owned()).filter(|wire| !wire.is_empty());
            field.value_type = value_type;
            field.added |= added;
        }
    }
    for (name, value) in &arguments.codes {
        field_edit(&mut fields, place, name).codes = Some(parse_codes(value)?);
    }
    arguments.required.iter().for_each(|name| field_edit(&mut fields, place, name).required = Some(true));
    arguments.optional.iter().for_each(|name| field_edit(&mut fields, place, name).required = Some(false));
    arguments.without.iter().for_each(|name| field_edit(&mut fields, place, name).gone = true);
    Ok(fields)
}

fn field_edit<'a>(fields: &'a mut Vec<FieldEdit>, place: FieldPlace, path: &str) -> &'a mut FieldEdit {
    let at = fields.iter().position(|field| field.place == place && field.path == path).unwrap_or_else(|| {
        fields.push(FieldEdit::new(place, path));
        fields.len() - 1
    });
    &mut fields[at]
}

fn parse_codes(text: &str) -> Result<Vec<CodeName>, Failure> {
    let code = |value: &str| {
        let (name, value) =
            value.rsplit_once(':').filter(|(name, _)| !name.is_empty()).ok_or_else(|| invalid_setting(value))?;
        Ok(CodeName { name: name.to_owned(), wire: parse_scalar(value) })
    };
    text.split(',').filter(|value| !value.is_empty()).map(code).collect()
}

/// Parses `true` or `false`, a number, or otherwise text.
fn parse_scalar(text: &str) -> Scalar {
    match text {
        "true" => Scalar::Bool(true),
        "false" => Scalar::Bool(false),
        _ => text.parse().map_or_else(|_| Scalar::Text(text.to_owned()), Scalar::Number),
    }
}

fn build_paging(operation: &Operation, arguments: &PagesArguments) -> PagingOverlay {
    if arguments.no_pages {
        return PagingOverlay { paging: None };
    }
    let Paging { page, limit, first, rows, counts_rows, in_body, total, pages, current } = operation.paging.clone();
    let count_place = |text: &String| match text.strip_prefix("header:") {
        Some(name) => CountPlace::Header(name.to_owned()),
        None => CountPlace::Member(text.clone()),
    };
    let renamed = arguments.page.is_some();
    let paging = Paging {
        page: arguments.page.clone().unwrap_or(page),
        limit: arguments.page_size.clone().or(limit.filter(|_| !renamed)),
        first: arguments.first_page.unwrap_or(first),
        rows: arguments.page_rows.unwrap_or(rows),
        counts_rows,
        in_body,
        total: arguments.total.as_ref().map(count_place).or(total),
        pages: arguments.page_count.as_ref().map(count_place).or(pages),
        current,
    };
    PagingOverlay { paging: Some(paging) }
}

fn build_batch_form(operation: &Operation, arguments: &ResultsArguments) -> Result<BatchForm, Failure> {
    let mut form = operation.batch.clone();
    if let Some(results) = &arguments.results {
        form.results.clone_from(results);
    }
    if arguments.only_failures {
        (form.only_failures, form.success) = (true, None);
    }
    if let Some((name, values)) = &arguments.success {
        let (yes, no) = values.split_once(':').unwrap_or((values, ""));
        let scalars = |text: &str| text.split(',').filter(|value| !value.is_empty()).map(parse_scalar).collect();
        form.success = Some(SuccessMember { name: name.clone(), accepted: scalars(yes), rejected: scalars(no) });
        form.only_failures = false;
    }
    if let Some(reasons) = &arguments.reasons {
        form.reasons.clone_from(reasons);
    }
    if let Some(index) = &arguments.index {
        let (name, first) = index.split_once(':').unwrap_or((index, "0"));
        form.index =
            Some(IndexMember { name: name.to_owned(), first: first.parse().map_err(|_| invalid_setting(index))? });
    }
    if let Some(counts) = &arguments.counts {
        let mut names = counts.split(',').map(|name| Some(name.to_owned()).filter(|name| !name.is_empty()));
        form.total = names.next().flatten();
        form.accepted = names.next().flatten();
        form.rejected = names.next().flatten();
    }
    form.lacks_key |= arguments.without_keys;
    form.empty_accepts |= arguments.empty_accepts;
    Ok(form)
}
