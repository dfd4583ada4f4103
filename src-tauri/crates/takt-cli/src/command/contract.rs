//! `takt contract`: a site's contract compared with the built-in one, its versions, and changes to it.

use std::path::Path;

use serde_json::json;
use takt_engine::{
    Engine,
    contract::{MatchCandidate, MatchDecision},
    contracts::{ContractDifferences, ContractEffect, ContractPreview, DocumentPlace, MatchChoice, MatchTarget},
};

use super::{
    contract_differences::{print_all_differences, print_assumptions, print_differences},
    contract_set, contract_test,
    operations::contract_at,
};
use crate::{
    arguments::{ContractCommand, ContractFileArguments, LearnAnswerArguments},
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    session::{self, Session},
};

/// The requests of a submission that are searched.
const MAX_REQUESTS: u32 = 20;

pub(super) async fn run(
    command: ContractCommand,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let engine = match &command {
        ContractCommand::Test(arguments) => return contract_test::run(arguments, require_site(site)?, console).await,
        ContractCommand::Set(arguments) => return contract_set::run(arguments, require_site(site)?, console).await,
        ContractCommand::Check(arguments) | ContractCommand::Take(arguments) if arguments.file.is_none() => {
            let session = Session::open(Some(require_site(site)?), console).await?;
            return run_with_engine(command, &session.engine, site, console).await;
        }
        _ => session::engine(console)?,
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
            console.line(&format!("{:#}", takt_engine::contracts::document(&*contract_at(engine, site)?)));
            Ok(ExitStatus::Done)
        }
        ContractCommand::Check(arguments) => check_document(engine, &arguments, site, console).await,
        ContractCommand::Take(arguments) => adopt(engine, &arguments, require_site(site)?, console).await,
        ContractCommand::Diff { first, second, json } => {
            print_all_differences(&differences(engine, site, &first, &second)?, json, console);
            Ok(ExitStatus::Done)
        }
        ContractCommand::Versions { json } => list_versions(engine, require_site(site)?, json, console),
        ContractCommand::Restore { number } => {
            let site = require_site(site)?;
            let version = engine.contracts().restore(site, number)?;
            console.remark("contract.taken", &[("site", plain(site)), ("version", version.to_string())]);
            Ok(ExitStatus::Done)
        }
    }
}

/// Learns from the response to a request with one row, since only there it is clear to which row the result belongs.
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
    contract_test::print_evidence(&evidence, arguments.json, console);
    if evidence.is_empty() {
        console.remark("contract.answer-shows-nothing", &[]);
        return Ok(ExitStatus::Rejected);
    }
    if arguments.take {
        let version = engine.contracts().take(site)?;
        console.remark("contract.taken", &[("site", plain(site)), ("version", version.to_string())]);
    }
    Ok(ExitStatus::Done)
}

fn require_site(site: Option<&str>) -> Result<&str, Failure> {
    site.ok_or_else(|| Failure::Usage("contract.needs-site", Vec::new()))
}

/// Compares two documents, or two versions of a site's contract.
fn differences(
    engine: &Engine,
    site: Option<&str>,
    first: &Path,
    second: &Path,
) -> Result<ContractDifferences, Failure> {
    let version = |path: &Path| path.to_str().and_then(|text| text.parse::<u32>().ok());
    Ok(match (site, version(first), version(second)) {
        (Some(site), Some(first), Some(second)) => engine.contracts().compare_versions(site, first, second)?,
        _ => engine.contracts().compare_files(first, second)?,
    })
}

async fn preview(
    engine: &Engine,
    arguments: &ContractFileArguments,
    site: Option<&str>,
) -> Result<ContractPreview, Failure> {
    let choices = arguments.matches.iter().map(|(operation, target)| parse_choice(operation, target));
    let choices = choices.collect::<Result<Vec<_>, _>>()?;
    let place = match (&arguments.file, &arguments.address) {
        (Some(file), _) => DocumentPlace::File(file.clone()),
        (None, Some(address)) => DocumentPlace::Address(address.clone()),
        (None, None) => DocumentPlace::UsualAddresses,
    };
    Ok(engine.contracts().preview_place(site, &place, &choices).await?)
}

/// Prints where the document was found, unless it was given as a file.
fn print_source(preview: &ContractPreview, arguments: &ContractFileArguments, console: &Console) {
    if arguments.file.is_none() {
        console.remark("contract.found-at", &[("address", plain(&preview.source))]);
    }
}

/// Parses `METHOD:PATH`, or nothing for no operation.
fn parse_choice(operation: &str, target: &str) -> Result<MatchChoice, Failure> {
    let target = if target.is_empty() {
        None
    } else {
        let (method, path) = target
            .split_once(':')
            .ok_or_else(|| Failure::Usage("contract.not-a-target", vec![("target", plain(target))]))?;
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
    let preview = preview(engine, arguments, site).await?;
    print_source(&preview, arguments, console);
    print_matches(&preview, arguments.json, console);
    print_differences(&preview.differences, arguments.json, console);
    print_assumptions(&preview.assumptions, arguments.json, console);
    print_effects(&preview.effects, arguments.json, console);
    Ok(if preview.is_complete() { ExitStatus::Done } else { ExitStatus::Rejected })
}

async fn adopt(
    engine: &Engine,
    arguments: &ContractFileArguments,
    site: &str,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    adopt_file(engine, arguments, site, console).await.map(|_| ExitStatus::Done)
}

/// Uses a document as a site's contract, and prints what it doesn't cover. Returns the version's number.
pub(super) async fn adopt_file(
    engine: &Engine,
    arguments: &ContractFileArguments,
    site: &str,
    console: &Console,
) -> Result<u32, Failure> {
    let preview = preview(engine, arguments, Some(site)).await?;
    print_source(&preview, arguments, console);
    print_matches(&preview, arguments.json, console);
    print_assumptions(&preview.assumptions, arguments.json, console);
    print_effects(&preview.effects, arguments.json, console);
    let version = engine.contracts().take(site)?;
    console.remark("contract.taken", &[("site", plain(site)), ("version", version.to_string())]);
    Ok(version)
}

fn print_matches(preview: &ContractPreview, json: bool, console: &Console) {
    let target = |candidate: &MatchCandidate| format!("{} {}", candidate.method, candidate.path);
    if json {
        for matched in &preview.matches {
            let mut line = json!(matched);
            line["type"] = json!("match");
            console.json(&line);
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
        rows.push(vec![matched.operation.clone(), plain(&shown), score]);
    }
    console.table(&rows);
    let count = |decision: MatchDecision| {
        preview.matches.iter().filter(|matched| matched.decision == decision).count().to_string()
    };
    let parameters = [
        ("matched", count(MatchDecision::Matched)),
        ("ask", count(MatchDecision::Ask)),
        ("missing", count(MatchDecision::Missing)),
    ];
    console.remark("contract.matched", &parameters);
}

/// Prints the user's mappings and pictures that the new contract affects.
fn print_effects(effects: &[ContractEffect], json: bool, console: &Console) {
    for effect in effects {
        if json {
            let mut line = json!(effect);
            line["type"] = json!("effect");
            console.json(&line);
            continue;
        }
        let pictures: Vec<String> =
            effect.pictures.iter().map(|names| console.texts.language.named(names).to_owned()).collect();
        let parameters = [
            ("operation", plain(&effect.operation)),
            ("mappings", effect.mappings.to_string()),
            ("pictures", plain(&pictures.join(", "))),
        ];
        if effect.mappings > 0 {
            console.status("contract.touches-mappings", &parameters);
        }
        if !pictures.is_empty() {
            console.status("contract.loses-pictures", &parameters);
        }
    }
}

fn list_versions(engine: &Engine, site: &str, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
    let versions = engine.contracts().versions(site)?;
    if json {
        versions.iter().for_each(|version| console.json(&json!(version)));
        return Ok(ExitStatus::Done);
    }
    let text = |key: &str| console.texts.text(key, &[]);
    let mut rows =
        vec![vec![text("contract.version"), text("contract.at"), text("contract.person"), text("contract.source")]];
    rows.extend(
        versions.into_iter().map(|version| {
            vec![version.number.to_string(), version.at, plain(&version.person), plain(&version.source)]
        }),
    );
    console.table(&rows);
    Ok(ExitStatus::Done)
}
