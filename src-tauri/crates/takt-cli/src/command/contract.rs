//! `takt contract`: what sites say otherwise than the built-in contract.

use std::path::Path;

use serde_json::{Value, json};
use takt_engine::{
    Engine,
    contract::{AssumptionDifference, DifferenceKind, MatchCandidate, MatchDecision, OperationDifference},
    contracts::{ContractDifferences, ContractEffect, ContractPreview, DocumentPlace, MatchChoice, MatchTarget},
};

use super::{contract_set, contract_test, operations::contract_at};
use crate::{
    arguments::{ContractCommand, ContractFileArguments, LearnAnswerArguments},
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    session::{self, Session},
};

/// Requests that are looked through.
const MAX_REQUESTS: u32 = 20;

pub(super) async fn run(
    command: ContractCommand,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let engine = match &command {
        ContractCommand::Test(arguments) => return contract_test::run(arguments, needed(site)?, console).await,
        ContractCommand::Set(arguments) => return contract_set::run(arguments, needed(site)?, console).await,
        ContractCommand::Check(arguments) | ContractCommand::Take(arguments) if arguments.file.is_none() => {
            let session = Session::open(Some(needed(site)?), console).await?;
            return run_here(command, &session.engine, site, console).await;
        }
        _ => session::engine(console)?,
    };
    run_here(command, &engine, site, console).await
}

async fn run_here(
    command: ContractCommand,
    engine: &Engine,
    site: Option<&str>,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    match command {
        ContractCommand::Test(_) | ContractCommand::Set(_) => Ok(ExitStatus::Done),
        ContractCommand::LearnAnswer(arguments) => learn_answer(engine, &arguments, needed(site)?, console),
        ContractCommand::Show => {
            console.line(&format!("{:#}", takt_engine::contracts::document(&*contract_at(engine, site)?)));
            Ok(ExitStatus::Done)
        }
        ContractCommand::Check(arguments) => check(engine, &arguments, site, console).await,
        ContractCommand::Take(arguments) => take(engine, &arguments, needed(site)?, console).await,
        ContractCommand::Diff { first, second, json } => {
            print_all_differences(&differences(engine, site, &first, &second)?, json, console);
            Ok(ExitStatus::Done)
        }
        ContractCommand::Versions { json } => versions(engine, needed(site)?, json, console),
        ContractCommand::Restore { number } => {
            let site = needed(site)?;
            let version = engine.contracts().restore(site, number)?;
            console.remark("contract.taken", &[("site", plain(site)), ("version", version.to_string())]);
            Ok(ExitStatus::Done)
        }
    }
}

/// Only a request with one row shows whose result is whose.
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

fn needed(site: Option<&str>) -> Result<&str, Failure> {
    site.ok_or_else(|| Failure::Usage("contract.needs-site", Vec::new()))
}

/// Of two documents, or of two versions of a site's contract.
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
    let choices = arguments.matches.iter().map(choice).collect::<Result<Vec<_>, _>>()?;
    let place = match (&arguments.file, &arguments.address) {
        (Some(file), _) => DocumentPlace::File(file.clone()),
        (None, Some(address)) => DocumentPlace::Address(address.clone()),
        (None, None) => DocumentPlace::UsualAddresses,
    };
    Ok(engine.contracts().preview_place(site, &place, &choices).await?)
}

/// Where it was found, for whoever didn't name it.
fn print_source(preview: &ContractPreview, arguments: &ContractFileArguments, console: &Console) {
    if arguments.file.is_none() {
        console.remark("contract.found-at", &[("address", plain(&preview.source))]);
    }
}

/// `METHOD:PATH`, or nothing for none.
fn choice((operation, target): &(String, String)) -> Result<MatchChoice, Failure> {
    let target = if target.is_empty() {
        None
    } else {
        let (method, path) = target
            .split_once(':')
            .ok_or_else(|| Failure::Usage("contract.not-a-target", vec![("target", plain(target))]))?;
        Some(MatchTarget { method: method.to_uppercase(), path: path.to_owned() })
    };
    Ok(MatchChoice { operation: operation.clone(), target })
}

async fn check(
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

async fn take(
    engine: &Engine,
    arguments: &ContractFileArguments,
    site: &str,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    take_file(engine, arguments, site, console).await.map(|_| ExitStatus::Done)
}

/// Takes a document for a site; what it doesn't cover is said.
pub(super) async fn take_file(
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
        for found in &preview.matches {
            let mut line = json!(found);
            line["type"] = json!("match");
            console.json(&line);
        }
        return;
    }
    let text = |key: &str| console.texts.text(key, &[]);
    let mut rows = vec![vec![text("operations.id"), text("contract.in-document"), text("contract.score")]];
    for found in &preview.matches {
        let best = found.best.as_ref().filter(|_| found.decision != MatchDecision::Missing);
        let shown = match (best, found.decision) {
            (Some(best), MatchDecision::Ask) => format!("{}?", target(best)),
            (Some(best), _) => target(best),
            (None, _) => text("contract.missing"),
        };
        let score = best.map_or_else(String::new, |best| format!("{:.2}", best.score));
        rows.push(vec![found.operation.clone(), plain(&shown), score]);
    }
    console.table(&rows);
    let count =
        |decision: MatchDecision| preview.matches.iter().filter(|found| found.decision == decision).count().to_string();
    let places = [
        ("matched", count(MatchDecision::Matched)),
        ("ask", count(MatchDecision::Ask)),
        ("missing", count(MatchDecision::Missing)),
    ];
    console.remark("contract.matched", &places);
}

pub(super) fn print_differences(differences: &[OperationDifference], json: bool, console: &Console) {
    if json {
        for difference in differences {
            let mut line = json!(difference);
            line["type"] = json!("difference");
            console.json(&line);
        }
        return;
    }
    for difference in differences {
        let parts = difference.parts.iter().map(|part| {
            let (before, after) = (plain(&part.before), plain(&part.after));
            format!("  {}: {before} → {after}", json!(part.part).as_str().unwrap_or_default())
        });
        let count = |kind: DifferenceKind| difference.fields.iter().filter(|field| field.kind == kind).count();
        let places = [
            ("operation", plain(&difference.id)),
            ("added", count(DifferenceKind::Added).to_string()),
            ("changed", count(DifferenceKind::Changed).to_string()),
            ("gone", count(DifferenceKind::Gone).to_string()),
        ];
        console.status("contract.difference", &places);
        parts.for_each(|part| console.line(&part));
    }
}

pub(super) fn print_all_differences(differences: &ContractDifferences, json: bool, console: &Console) {
    print_differences(&differences.operations, json, console);
    print_assumptions(&differences.assumptions, json, console);
}

/// Prints each changed assumption with its values before and afterwards.
fn print_assumptions(differences: &[AssumptionDifference], json: bool, console: &Console) {
    for difference in differences {
        if json {
            let mut line = json!(difference);
            line["type"] = json!("assumption");
            console.json(&line);
            continue;
        }
        let value = |value: &Option<Value>| value.as_ref().map(|value| plain(&value.to_string())).unwrap_or_default();
        console.status(
            "contract.assumption",
            &[("assumption", plain(&difference.id)), ("subject", plain(&difference.subject))],
        );
        console.line(&format!("  {} → {}", value(&difference.before), value(&difference.after)));
    }
}

/// What a person already has that doesn't stay as it is.
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
        let places = [
            ("operation", plain(&effect.operation)),
            ("mappings", effect.mappings.to_string()),
            ("pictures", plain(&pictures.join(", "))),
        ];
        if effect.mappings > 0 {
            console.status("contract.touches-mappings", &places);
        }
        if !pictures.is_empty() {
            console.status("contract.loses-pictures", &places);
        }
    }
}

fn versions(engine: &Engine, site: &str, json: bool, console: &Console) -> Result<ExitStatus, Failure> {
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
