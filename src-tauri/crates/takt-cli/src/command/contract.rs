//! `takt contract`: compares a site's contract with the built-in one and with the live site, lists its versions, and
//! changes it.

use std::path::Path;

use serde_json::json;
use takt_engine::{
    Canceller, Engine,
    contract::{Evidence, MatchCandidate, MatchDecision},
    contracts::{
        ContractDifferences, ContractEffect, ContractPreview, ContractTest, DocumentLocation, MatchChoice, MatchTarget,
        PagingFinding, PagingTest, TestOutcome, format_junit,
    },
    system::write_file,
};

use super::{
    contract_differences::{print_all_differences, print_assumptions, print_differences},
    contract_set,
    operations::contract_at,
};
use crate::{
    arguments::{ContractCommand, ContractFileArguments, ContractTestArguments, LearnAnswerArguments},
    console::{Console, sanitize},
    exit_codes::{ExitStatus, Failure},
    session::{self, Session},
};

/// The maximum number of a submission's requests that are searched for a response to learn from.
const MAX_REQUESTS: u32 = 20;

pub(super) async fn run(
    command: ContractCommand,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let engine = match &command {
        ContractCommand::Test(arguments) => return test_site(arguments, require_site(site)?, console).await,
        ContractCommand::Set(arguments) => return contract_set::run(arguments, require_site(site)?, console).await,
        ContractCommand::Check(arguments) | ContractCommand::Take(arguments) if arguments.file.is_none() => {
            let session = Session::open(Some(require_site(site)?), console).await?;
            return run_with_engine(command, &session.engine, site, console).await;
        }
        _ => session::open_local_engine(console)?,
    };
    run_with_engine(command, &engine, site, console).await
}

async fn run_with_engine(
    command: ContractCommand,
    engine: &Engine,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    match command {
        ContractCommand::Test(_) | ContractCommand::Set(_) => Ok(ExitStatus::Done),
        ContractCommand::LearnAnswer(arguments) => learn_answer(engine, &arguments, require_site(site)?, console),
        ContractCommand::Show => {
            console.print_line(&format!("{:#}", takt_engine::contracts::export_openapi(&*contract_at(engine, site)?)));
            Ok(ExitStatus::Done)
        }
        ContractCommand::Check(arguments) => check_document(engine, &arguments, site, console).await,
        ContractCommand::Take(arguments) => run_take(engine, &arguments, require_site(site)?, console).await,
        ContractCommand::Diff { first, second, json } => {
            print_all_differences(&compare(engine, site, &first, &second)?, json, console);
            Ok(ExitStatus::Done)
        }
        ContractCommand::Versions { json } => list_versions(engine, require_site(site)?, json, console),
        ContractCommand::Restore { number } => {
            let site = require_site(site)?;
            let version = engine.contracts().restore(site, number)?;
            console.print_remark("contract.taken", &[("site", sanitize(site)), ("version", version.to_string())]);
            Ok(ExitStatus::Done)
        }
    }
}

/// Learns from the response to a request with one row. With more rows, a result couldn't be assigned to its row.
fn learn_answer(
    engine: &Engine,
    arguments: &LearnAnswerArguments,
    site: &str,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let id = arguments.submission;
    let record = engine.submissions().view(id)?;
    let requests = engine.submissions().requests(id, 0, MAX_REQUESTS)?.requests;
    let answer = requests.into_iter().filter(|request| request.items == 1).find_map(|request| request.answer);
    let evidence = match answer {
        Some(answer) => engine.contracts().learn_reply(site, &record.operation, &answer)?,
        None => Vec::new(),
    };
    print_evidence(&evidence, arguments.json, console);
    if evidence.is_empty() {
        console.print_remark("contract.answer-shows-nothing", &[]);
        return Ok(ExitStatus::Rejected);
    }
    if arguments.take {
        let version = engine.contracts().apply_preview(site)?;
        console.print_remark("contract.taken", &[("site", sanitize(site)), ("version", version.to_string())]);
    }
    Ok(ExitStatus::Done)
}

fn require_site(site: Option<&str>) -> Result<&str, Failure> {
    site.ok_or_else(|| Failure::Usage("contract.needs-site", Vec::new()))
}

/// Compares two documents, or two versions of a site's contract.
fn compare(engine: &Engine, site: Option<&str>, first: &Path, second: &Path) -> Result<ContractDifferences, Failure> {
    let version = |path: &Path| path.to_str().and_then(|text| text.parse::<u32>().ok());
    Ok(match (site, version(first), version(second)) {
        (Some(site), Some(first), Some(second)) => engine.contracts().compare_versions(site, first, second)?,
        _ => engine.contracts().compare_files(first, second)?,
    })
}

async fn preview_document(
    engine: &Engine,
    arguments: &ContractFileArguments,
    site: Option<&str>,
) -> Result<ContractPreview, Failure> {
    let choices = arguments.matches.iter().map(|(operation, target)| parse_choice(operation, target));
    let choices = choices.collect::<Result<Vec<_>, _>>()?;
    let place = match (&arguments.file, &arguments.address) {
        (Some(file), _) => DocumentLocation::File(file.clone()),
        (None, Some(address)) => DocumentLocation::Address(address.clone()),
        (None, None) => DocumentLocation::UsualAddresses,
    };
    Ok(engine.contracts().preview_location(site, &place, &choices).await?)
}

/// Prints the address at which the document was found. Prints nothing for a file.
fn print_source(preview: &ContractPreview, arguments: &ContractFileArguments, console: &Console) {
    if arguments.file.is_none() {
        console.print_remark("contract.found-at", &[("address", sanitize(&preview.source))]);
    }
}

/// Parses `METHOD:PATH`. An empty text means that the document has no such operation.
fn parse_choice(operation: &str, target: &str) -> Result<MatchChoice, Failure> {
    let target = if target.is_empty() {
        None
    } else {
        let (method, path) = target
            .split_once(':')
            .ok_or_else(|| Failure::Usage("contract.not-a-target", vec![("target", sanitize(target))]))?;
        Some(MatchTarget { method: method.to_uppercase(), path: path.to_owned() })
    };
    Ok(MatchChoice { operation: operation.to_owned(), target })
}

async fn check_document(
    engine: &Engine,
    arguments: &ContractFileArguments,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let preview = preview_document(engine, arguments, site).await?;
    print_source(&preview, arguments, console);
    print_matches(&preview, arguments.json, console);
    print_differences(&preview.differences, arguments.json, console);
    print_assumptions(&preview.assumptions, arguments.json, console);
    print_effects(&preview.effects, arguments.json, console);
    Ok(if preview.is_complete() { ExitStatus::Done } else { ExitStatus::Rejected })
}

async fn run_take(
    engine: &Engine,
    arguments: &ContractFileArguments,
    site: &str,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    adopt_document(engine, arguments, site, console).await.map(|_| ExitStatus::Done)
}

/// Uses a document as a site's contract, and prints what it doesn't cover. Returns the version's number.
pub(super) async fn adopt_document(
    engine: &Engine,
    arguments: &ContractFileArguments,
    site: &str,
    console: &Console,
) -> Result<u32, Failure> {
    let preview = preview_document(engine, arguments, Some(site)).await?;
    print_source(&preview, arguments, console);
    print_matches(&preview, arguments.json, console);
    print_assumptions(&preview.assumptions, arguments.json, console);
    print_effects(&preview.effects, arguments.json, console);
    let version = engine.contracts().apply_preview(site)?;
    console.print_remark("contract.taken", &[("site", sanitize(site)), ("version", version.to_string())]);
    Ok(version)
}

fn print_matches(preview: &ContractPreview, json: bool, console: &Console) {
    let target = |candidate: &MatchCandidate| format!("{} {}", candidate.method, candidate.path);
    if json {
        for matched in &preview.matches {
            let mut line = json!(matched);
            line["type"] = json!("match");
            console.print_json(&line);
        }
        return;
    }
    let text = |key: &str| console.texts.text(key, &[]);
    let mut rows = vec![vec![text("operations.id"), text("contract.in-document"), text("contract.score")]];
    for matched in &preview.matches {
        let best = matched.best.as_ref().filter(|_| matched.decision != MatchDecision::Missing);
        let shown = match (best, matched.decision) {
            (Some(best), MatchDecision::Ask) => format!("{}?", target(best)),
            (Some(best), _) => target(best),
            (None, _) => text("contract.missing"),
        };
        let score = best.map_or_else(String::new, |best| format!("{:.2}", best.score));
        rows.push(vec![matched.operation.clone(), sanitize(&shown), score]);
    }
    console.print_table(&rows);
    let count = |decision: MatchDecision| {
        preview.matches.iter().filter(|matched| matched.decision == decision).count().to_string()
    };
    let parameters = [
        ("matched", count(MatchDecision::Matched)),
        ("ask", count(MatchDecision::Ask)),
        ("missing", count(MatchDecision::Missing)),
    ];
    console.print_remark("contract.matched", &parameters);
}

/// Prints the user's mappings and pictures that the new contract affects.
fn print_effects(effects: &[ContractEffect], json: bool, console: &Console) {
    for effect in effects {
        if json {
            let mut line = json!(effect);
            line["type"] = json!("effect");
            console.print_json(&line);
            continue;
        }
        let pictures: Vec<String> =
            effect.pictures.iter().map(|names| console.texts.language.localized_name(names).to_owned()).collect();
        let parameters = [
            ("operation", sanitize(&effect.operation)),
            ("mappings", effect.mappings.to_string()),
            ("pictures", sanitize(&pictures.join(", "))),
        ];
        if effect.mappings > 0 {
            console.print_text("contract.touches-mappings", &parameters);
        }
        if !pictures.is_empty() {
            console.print_text("contract.loses-pictures", &parameters);
        }
    }
}

fn list_versions(engine: &Engine, site: &str, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let versions = engine.contracts().versions(site)?;
    if json {
        versions.iter().for_each(|version| console.print_json(&json!(version)));
        return Ok(ExitStatus::Done);
    }
    let text = |key: &str| console.texts.text(key, &[]);
    let mut rows =
        vec![vec![text("contract.version"), text("contract.at"), text("contract.person"), text("contract.source")]];
    rows.extend(versions.into_iter().map(|version| {
        vec![version.number.to_string(), version.at, sanitize(&version.person), sanitize(&version.source)]
    }));
    console.print_table(&rows);
    Ok(ExitStatus::Done)
}

/// Compares a live site with its contract. With `--take`, adopts the changes that the responses suggest.
async fn test_site(arguments: &ContractTestArguments, site: &str, console: &Console) -> Result<ExitStatus, Failure> {
    let session = Session::open(Some(site), console).await?;
    let contracts = session.engine.contracts();
    let test = contracts.test(site, &Canceller::new()).await?;
    print_test(&test, arguments.json, console);
    if !arguments.take {
        let paging = contracts.test_paging(site, &Canceller::new()).await?;
        print_paging(&paging, arguments.json, console);
        if let Some(file) = &arguments.junit {
            write_file(file, format_junit(&test, &paging, site).as_bytes())?;
        }
        return Ok(if test.matches_contract() && paging.is_consistent() {
            ExitStatus::Done
        } else {
            ExitStatus::Rejected
        });
    }
    if test.nothing_came {
        return Ok(ExitStatus::Rejected);
    }
    let version = contracts.apply_preview(site)?;
    console.print_remark("contract.taken", &[("site", sanitize(site)), ("version", version.to_string())]);
    Ok(ExitStatus::Done)
}

fn outcome_name(outcome: TestOutcome) -> String {
    json!(outcome).as_str().unwrap_or_default().to_owned()
}

fn print_test(test: &ContractTest, as_json: bool, console: &Console) {
    if as_json {
        for operation in &test.operations {
            let mut line = json!(operation);
            line["type"] = json!("operation");
            console.print_json(&line);
        }
        print_evidence(&test.evidence, true, console);
        print_differences(&test.differences, true, console);
        console.print_json(&json!({ "type": "summary", "requests": test.requests }));
        return;
    }
    let text = |key: &str| console.texts.text(key, &[]);
    let mut rows =
        vec![vec![text("operations.id"), text("contract.outcome"), text("contract.status"), text("contract.rows")]];
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    rows.extend(test.operations.iter().map(|operation| {
        let outcome = text(&format!("contract.outcome.{}", outcome_name(operation.outcome)));
        vec![operation.id.clone(), outcome, number(operation.status.map(u32::from)), number(operation.rows)]
    }));
    console.print_table(&rows);
    for problem in test.operations.iter().filter_map(|operation| operation.problem.as_ref()) {
        console.print_problem(problem);
    }
    for operation in test.operations.iter().filter(|operation| !operation.misfits.is_empty()) {
        console.print_line(&operation.id);
        for misfit in &operation.misfits {
            let parameters = [
                ("member", sanitize(&misfit.member)),
                ("expected", sanitize(&misfit.expected)),
                ("found", sanitize(&misfit.found)),
            ];
            console.print_line(&format!("  {}", console.texts.text("contract.misfit", &parameters)));
        }
    }
    print_differences(&test.differences, false, console);
    print_evidence(&test.evidence, false, console);
    if test.nothing_came {
        console.print_remark("contract.nothing-came", &[]);
    }
    console.print_remark("contract.requests", &[("requests", test.requests.to_string())]);
}

/// Prints the evidence, grouped by operation.
fn print_evidence(evidence: &[Evidence], as_json: bool, console: &Console) {
    let mut operation = "";
    for evidence in evidence {
        if as_json {
            let mut line = json!(evidence);
            line["type"] = json!("evidence");
            console.print_json(&line);
            continue;
        }
        if evidence.operation != operation {
            operation = &evidence.operation;
            console.print_line(operation);
        }
        let kind = json!(evidence.kind);
        let parameters = [
            ("name", sanitize(&evidence.name)),
            ("field", evidence.field.clone()),
            ("count", evidence.count.to_string()),
            ("of", evidence.of.to_string()),
        ];
        let text = console.texts.text(&format!("contract.evidence.{}", kind.as_str().unwrap_or_default()), &parameters);
        console.print_line(&format!("  {text}"));
    }
}

/// Prints the test's results about the pages of lists and about limits.
fn print_paging(test: &PagingTest, as_json: bool, console: &Console) {
    if as_json {
        for list in &test.lists {
            let mut line = json!(list);
            line["type"] = json!("pages");
            console.print_json(&line);
        }
        console.print_json(&json!({
            "type": "limit", "limit": test.limit, "ignoredHeaders": test.ignored_headers, "requests": test.requests
        }));
        return;
    }
    let good = test.lists.iter().filter(|list| list.finding.is_good()).count();
    let parameters =
        [("lists", good.to_string()), ("all", test.lists.len().to_string()), ("requests", test.requests.to_string())];
    console.print_remark("contract.pages-add-up", &parameters);
    for list in test.lists.iter().filter(|list| !list.finding.is_good()) {
        let parameters = [("operation", sanitize(&list.operation))];
        console.print_text(&format!("contract.pages.{}", finding_name(list.finding)), &parameters);
        list.problem.iter().for_each(|problem| console.print_problem(problem));
    }
    match test.limit {
        Some(limit) => {
            let parameters = [("limit", limit.limit.to_string()), ("remaining", limit.remaining.to_string())];
            console.print_remark("contract.limit", &parameters);
        }
        None => console.print_remark("contract.no-limit", &[]),
    }
    for header in &test.ignored_headers {
        console
            .print_text("contract.odd-header", &[("name", sanitize(&header.name)), ("value", sanitize(&header.value))]);
    }
}

fn finding_name(finding: PagingFinding) -> String {
    json!(finding).as_str().unwrap_or_default().to_owned()
}
