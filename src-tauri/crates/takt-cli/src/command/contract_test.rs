//! `takt contract test`: a live site held against its contract, and what its answers show taken.

use std::path::Path;

use serde_json::json;
use takt_engine::{
    Canceller,
    contracts::{ContractTest, OperationTest, TestOutcome},
    system::write_file,
};

use super::contract::print_differences;
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
    print(&test, arguments.json, console);
    if let Some(file) = &arguments.junit {
        write_junit(&test, site, file)?;
    }
    if !arguments.take {
        return Ok(if test.fits() { ExitStatus::Done } else { ExitStatus::Rejected });
    }
    let version = contracts.take(site)?;
    console.remark("contract.taken", &[("site", plain(site)), ("version", version.to_string())]);
    Ok(ExitStatus::Done)
}

fn word(outcome: TestOutcome) -> String {
    json!(outcome).as_str().unwrap_or_default().to_owned()
}

fn print(test: &ContractTest, as_json: bool, console: &Console) {
    if as_json {
        for operation in &test.operations {
            let mut line = json!(operation);
            line["type"] = json!("operation");
            console.json(&line);
        }
        print_differences(&test.differences, true, console);
        return;
    }
    let text = |key: &str| console.texts.text(key, &[]);
    let mut rows =
        vec![vec![text("operations.id"), text("contract.outcome"), text("contract.status"), text("contract.rows")]];
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    rows.extend(test.operations.iter().map(|operation| {
        let outcome = text(&format!("contract.outcome.{}", word(operation.outcome)));
        vec![operation.id.clone(), outcome, number(operation.status.map(u32::from)), number(operation.rows)]
    }));
    console.table(&rows);
    for problem in test.operations.iter().filter_map(|operation| operation.problem.as_ref()) {
        console.problem(problem);
    }
    print_differences(&test.differences, false, console);
    console.remark("contract.requests", &[("requests", test.requests.to_string())]);
}

/// A test case for each operation that was asked.
fn write_junit(test: &ContractTest, site: &str, file: &Path) -> Result<(), Failure> {
    let count = |outcome: TestOutcome| test.operations.iter().filter(|operation| operation.outcome == outcome).count();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        escaped(site),
        test.operations.len(),
        count(TestOutcome::Differs),
        count(TestOutcome::Failed),
        count(TestOutcome::Skipped),
    );
    test.operations.iter().for_each(|operation| xml.push_str(&case(operation, test)));
    xml.push_str("</testsuite>\n");
    Ok(write_file(file, xml.as_bytes())?)
}

fn case(operation: &OperationTest, test: &ContractTest) -> String {
    let seconds = f64::from(operation.milliseconds.unwrap_or_default()) / 1000.0;
    let inside = match operation.outcome {
        TestOutcome::Fits => String::new(),
        TestOutcome::Skipped => "<skipped/>".to_owned(),
        TestOutcome::Failed => {
            let title = operation.problem.as_ref().map(|problem| problem.message.clone()).unwrap_or_default();
            format!("<error message=\"{}\"/>", escaped(&title))
        }
        TestOutcome::Differs => {
            let difference = test.differences.iter().find(|difference| difference.id == operation.id);
            let text = difference.map(|difference| json!(difference).to_string()).unwrap_or_default();
            format!("<failure message=\"contract\">{}</failure>", escaped(&text))
        }
    };
    format!("  <testcase name=\"{}\" time=\"{seconds}\">{inside}</testcase>\n", escaped(&operation.id))
}

fn escaped(text: &str) -> String {
    let plain = plain(text);
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
