//! `takt contract test`: compares a live site with its contract, and adopts what the responses show.

use serde_json::json;
use takt_engine::{
    Canceller,
    contract::Evidence,
    contracts::{ContractTest, TestOutcome, junit},
    system::write_file,
};

use super::{contract_differences::print_differences, paging_test};
use crate::{
    arguments::ContractTestArguments,
    console::{Console, plain},
    ending::{ExitStatus, Failure},
    session::Session,
};

pub(super) async fn run(
    arguments: &ContractTestArguments,
    site: &str,
    console: &Console,
) -> Result<ExitStatus, Failure> {
    let session = Session::open(Some(site), console).await?;
    let contracts = session.engine.contracts();
    let test = contracts.test(site, &Canceller::new()).await?;
    print_test(&test, arguments.json, console);
    if !arguments.take {
        let paging = contracts.test_paging(site, &Canceller::new()).await?;
        paging_test::print_paging(&paging, arguments.json, console);
        if let Some(file) = &arguments.junit {
            write_file(file, junit(&test, &paging, site).as_bytes())?;
        }
        return Ok(if test.fits() && paging.fits() { ExitStatus::Done } else { ExitStatus::Rejected });
    }
    if test.nothing_came {
        return Ok(ExitStatus::Rejected);
    }
    let version = contracts.take(site)?;
    console.remark("contract.taken", &[("site", plain(site)), ("version", version.to_string())]);
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
            console.json(&line);
        }
        print_evidence(&test.evidence, true, console);
        print_differences(&test.differences, true, console);
        console.json(&json!({ "type": "summary", "requests": test.requests }));
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
    console.table(&rows);
    for problem in test.operations.iter().filter_map(|operation| operation.problem.as_ref()) {
        console.problem(problem);
    }
    for operation in test.operations.iter().filter(|operation| !operation.misfits.is_empty()) {
        console.line(&operation.id);
        for misfit in &operation.misfits {
            let parameters = [
                ("member", plain(&misfit.member)),
                ("expected", plain(&misfit.expected)),
                ("found", plain(&misfit.found)),
            ];
            console.line(&format!("  {}", console.texts.text("contract.misfit", &parameters)));
        }
    }
    print_differences(&test.differences, false, console);
    print_evidence(&test.evidence, false, console);
    if test.nothing_came {
        console.remark("contract.nothing-came", &[]);
    }
    console.remark("contract.requests", &[("requests", test.requests.to_string())]);
}

/// Prints the evidence, grouped by the operation that it is about.
pub(super) fn print_evidence(evidence: &[Evidence], as_json: bool, console: &Console) {
    let mut operation = "";
    for evidence in evidence {
        if as_json {
            let mut line = json!(evidence);
            line["type"] = json!("evidence");
            console.json(&line);
            continue;
        }
        if evidence.operation != operation {
            operation = &evidence.operation;
            console.line(operation);
        }
        let kind = json!(evidence.kind);
        let parameters = [
            ("name", plain(&evidence.name)),
            ("field", evidence.field.clone()),
            ("count", evidence.count.to_string()),
            ("of", evidence.of.to_string()),
        ];
        let text = console.texts.text(&format!("contract.evidence.{}", kind.as_str().unwrap_or_default()), &parameters);
        console.line(&format!("  {text}"));
    }
}
