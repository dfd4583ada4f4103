//! A live site held against its contract: each read that needs nothing is asked once. Nothing is ever written.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use takt_browse::{BrowseQuery, request::ReadRequest};
use takt_client::{Canceller, Client, RetryPolicy};
use takt_contract::{Contract, Operation, OperationKind, ParameterPlace};
use takt_core::{Code, Problem};
use takt_openapi::{
    comparison::{DifferenceKind, OperationDifference, compare},
    observation::{Sample, observe},
};

use super::{Contracts, PendingContract};

/// Rows that are asked for of each list.
const ROWS: u32 = 20;
/// What the source of a learned version says.
const SOURCE: &str = "answers";

/// A site held against its contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ContractTest {
    pub operations: Vec<OperationTest>,
    /// What the answers show otherwise than the contract in force says.
    pub differences: Vec<OperationDifference>,
    /// Requests that were sent.
    pub requests: u32,
}

/// What one operation's answer was like.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OperationTest {
    pub id: String,
    pub outcome: TestOutcome,
    /// Absent where nothing was asked, or nothing came.
    pub status: Option<u16>,
    /// Absent where the answer has no list where the contract has it.
    pub rows: Option<u32>,
    /// From the first byte sent to the last received.
    pub milliseconds: Option<u32>,
    pub problem: Option<Problem>,
}

/// How an answer fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum TestOutcome {
    Fits,
    /// Members are called otherwise, came, or have another type.
    Differs,
    /// The service refused, or its answer can't be read.
    Failed,
    /// It changes something, or needs what Takt doesn't know.
    Skipped,
}

impl ContractTest {
    /// Whether nothing differs and nothing failed.
    #[must_use]
    pub fn fits(&self) -> bool {
        !self.operations.iter().any(|test| matches!(test.outcome, TestOutcome::Differs | TestOutcome::Failed))
    }
}

impl Contracts {
    /// Asks each read once, and says what its answer shows otherwise than the contract in force. What was learned can be taken
    /// afterwards ([`Contracts::take`]).
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site, or nobody is signed in.
    /// - A [journal code](takt_core::problem#journal-codes): the contract in force can't be read.
    pub async fn test(&self, site: &str, canceller: &Canceller) -> Result<ContractTest, Problem> {
        let (client, contract) = (self.sites.client(site)?, self.sites.contract(site)?);
        let (mut operations, mut answers, mut requests) = (Vec::new(), Vec::new(), 0);
        for operation in contract.operations() {
            let Some(request) = bare_request(&contract, operation) else {
                operations.push(OperationTest::skipped(operation));
                continue;
            };
            requests += 1;
            let (test, body) = ask(&client, operation, &request, canceller).await;
            if test.problem.as_ref().is_some_and(|problem| problem.code == Code::SignInNeeded) {
                return Err(Problem::new(Code::SignInNeeded).parameter("site", site));
            }
            answers.extend(body.map(|body| (operation, body)));
            operations.push(test);
        }
        let samples: Vec<Sample<'_>> = answers.iter().map(|(operation, body)| Sample { operation, body }).collect();
        let learned =
            observe(&samples, &contract).map_err(|error| Problem::new(Code::AnswerNotUnderstood).details(error))?;
        let after = contract.with_overlay(&learned, &self.sites.time_zone(site));
        let differences = compare(&contract, &after);
        for test in &mut operations {
            let differs = |difference: &OperationDifference| {
                difference.id == test.id && difference.kind != DifferenceKind::Confirmed
            };
            if test.outcome == TestOutcome::Fits && differences.iter().any(differs) {
                test.outcome = TestOutcome::Differs;
            }
        }
        let overlay = self.sites.overlay(site)?.merged(&learned);
        let pending = PendingContract { source: SOURCE.to_owned(), bytes: Vec::new(), overlay };
        self.pending().insert(site.to_owned(), pending);
        Ok(ContractTest { operations, differences, requests })
    }
}

/// A read that needs nothing from a person.
pub(super) fn bare_request(contract: &Contract, operation: &Operation) -> Option<ReadRequest> {
    let needs = operation.parameters.iter().any(|one| one.required || one.place == ParameterPlace::Path);
    if operation.kind != OperationKind::Read || needs {
        return None;
    }
    let query = BrowseQuery { operation: operation.id.clone(), parameters: BTreeMap::new() };
    ReadRequest::new(contract, &query).ok()
}

async fn ask(
    client: &Client,
    operation: &Operation,
    request: &ReadRequest,
    canceller: &Canceller,
) -> (OperationTest, Option<Value>) {
    let test = OperationTest::skipped(operation);
    let answer = client.read(&request.path, &request.query_of_page(1, ROWS), RetryPolicy::PERSON, canceller).await;
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            let status = error.status();
            let problem = Some(Problem::of_client(&client.access().name, error));
            return (OperationTest { outcome: TestOutcome::Failed, status, problem, ..test }, None);
        }
    };
    let (status, milliseconds) = (Some(answer.status), Some(answer.milliseconds));
    let body = answer.json();
    let rows = request.rows(answer).await.ok().and_then(|rows| u32::try_from(rows.len()).ok());
    match body {
        Ok(body) => {
            let outcome = if rows.is_some() { TestOutcome::Fits } else { TestOutcome::Differs };
            (OperationTest { outcome, status, milliseconds, rows, ..test }, Some(body))
        }
        Err(error) => {
            let problem = Some(Problem::of_client(&client.access().name, error));
            (OperationTest { outcome: TestOutcome::Failed, status, milliseconds, problem, ..test }, None)
        }
    }
}

impl OperationTest {
    fn skipped(operation: &Operation) -> Self {
        let id = operation.id.clone();
        Self { id, outcome: TestOutcome::Skipped, status: None, rows: None, milliseconds: None, problem: None }
    }
}
