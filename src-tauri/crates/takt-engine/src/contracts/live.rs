//! Compares a live site to its contract. Each read that needs no input is sent once, and nothing is ever written.

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;
use serde_json::Value;
use takt_browse::{BrowseQuery, request::ReadRequest};
use takt_client::{Canceller, Client, Pagination, ReadQuestion, RetryPolicy};
use takt_contract::{
    Contract, Deviation, Field, Operation, OperationKind, ParameterPlace,
    form::{ValueForm, at_path},
    overlay::{FieldOverlay, Overlay},
};
use takt_core::{Code, Problem, blocking::run_blocking};
use takt_openapi::{
    comparison::{DifferenceKind, OperationDifference, compare},
    observation::{Evidence, Observation, Sample, observe},
};
use takt_sites::SiteConnection;

use super::site_contracts::{Contracts, PendingContract};

/// The number of rows requested from each list.
pub(super) const ROWS: u32 = 20;
/// The source of a learned contract version.
pub(super) const SOURCE: &str = "answers";

/// The result of comparing a site to its contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ContractTest {
    pub operations: Vec<OperationTest>,
    /// The differences between the responses and the contract in force.
    pub differences: Vec<OperationDifference>,
    /// The parts of the responses that prove the differences.
    pub evidence: Vec<Evidence>,
    /// The number of requests sent.
    pub requests: u32,
    /// True if no read got a response. The address may be wrong, and can be set manually.
    pub nothing_came: bool,
}

/// The result of one operation's read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct OperationTest {
    pub id: String,
    pub outcome: TestOutcome,
    /// `None` if nothing was sent or received.
    pub status: Option<u16>,
    /// `None` if the response has no list at the contract's path.
    pub rows: Option<u32>,
    /// The time from the first byte sent to the last one received.
    pub milliseconds: Option<u32>,
    pub problem: Option<Problem>,
    /// Values in the rows that violate the contract's types, forms or limits, one per field.
    pub misfits: Vec<Deviation>,
}

/// How a response fits the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum TestOutcome {
    Fits,
    /// Members have other names or types, or are new.
    Differs,
    /// The service refused, or its response is unreadable.
    Failed,
    /// The operation writes, or needs unknown values.
    Skipped,
}

impl ContractTest {
    /// Returns true if nothing differs and nothing failed.
    #[must_use]
    pub fn fits(&self) -> bool {
        !self.operations.iter().any(|test| matches!(test.outcome, TestOutcome::Differs | TestOutcome::Failed))
    }
}

/// A response of a tested read.
pub(super) struct ProbedResponse {
    pub(super) operation: String,
    pub(super) request: ReadRequest,
    pub(super) body: Value,
    pub(super) rows: u32,
    /// True if the response has the contract's page members.
    pub(super) has_page_members: bool,
}

/// The site that is tested, with the number of requests.
pub(super) struct SiteProbe<'a> {
    pub(super) client: Client,
    pub(super) canceller: &'a Canceller,
    pub(super) requests: u32,
}

impl Contracts {
    /// Sends each read once, and compares its response to the contract in force. The learned changes can be applied
    /// with [`Contracts::take`].
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site, or no user is signed in.
    /// - A [journal code](takt_core::problem#journal-codes): the contract in force can't be read.
    pub async fn test(&self, site: &str, canceller: &Canceller) -> Result<ContractTest, Problem> {
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, site).await?;
        let (sites, name) = (Arc::clone(&self.sites), site.to_owned());
        let (zone, in_force) = run_blocking(move || Ok((sites.time_zone(&name), sites.overlay(&name)?))).await?;
        let mut probe = SiteProbe { client, canceller, requests: 0 };
        let (mut operations, mut responses) = (Vec::new(), Vec::new());
        for operation in contract.operations() {
            let Some(request) = bare_request(&contract, operation) else {
                operations.push(OperationTest::skipped(operation));
                continue;
            };
            operations.push(probe.test_operation(site, operation, request, &mut responses).await?);
        }
        let mut learned = observation(&responses, &contract)?;
        let seen = contract.with_overlay(&learned.overlay, &zone);
        for operation in contract.operations() {
            let Some(request) = request_with_values(&contract, operation, &seen, &responses) else { continue };
            let test = probe.test_operation(site, operation, request, &mut responses).await?;
            operations.iter_mut().filter(|known| known.id == test.id).for_each(|known| known.clone_from(&test));
            learned = observation(&responses, &contract)?;
        }
        probe.learn_pages(&contract, &responses, &mut learned).await;
        let seen = contract.with_overlay(&learned.overlay, &zone);
        let differences = compare(&contract, &seen);
        // A member with a learned name or form isn't a misfit. A value of another type is one.
        let typed = contract.with_overlay(&without_types(&learned.overlay, &contract), &zone);
        for test in &mut operations {
            let differs = |difference: &OperationDifference| {
                difference.id == test.id && difference.kind != DifferenceKind::Confirmed
            };
            let response = responses.iter().rfind(|response| response.operation == test.id);
            test.misfits = response.and_then(|response| misfits(&typed, response)).unwrap_or_default();
            if test.outcome == TestOutcome::Fits && (differences.iter().any(differs) || !test.misfits.is_empty()) {
                test.outcome = TestOutcome::Differs;
            }
        }
        let overlay = in_force.merged(&learned.overlay);
        let pending = PendingContract { source: SOURCE.to_owned(), bytes: Vec::new(), overlay };
        let nothing_came = responses.is_empty();
        if nothing_came {
            self.pending().remove(site);
        } else {
            self.pending().insert(site.to_owned(), pending);
        }
        let Observation { evidence, .. } = learned;
        Ok(ContractTest { operations, differences, evidence, requests: probe.requests, nothing_came })
    }
}

fn observation(responses: &[ProbedResponse], contract: &Contract) -> Result<Observation, Problem> {
    let samples: Vec<Sample<'_>> = responses
        .iter()
        .filter_map(|ProbedResponse { operation, body, .. }| {
            Some(Sample { operation: contract.operation(operation)?, body })
        })
        .collect();
    observe(&samples, contract).map_err(|error| Problem::new(Code::AnswerNotUnderstood).details(error))
}

impl SiteProbe<'_> {
    async fn test_operation(
        &mut self,
        site: &str,
        operation: &Operation,
        request: ReadRequest,
        responses: &mut Vec<ProbedResponse>,
    ) -> Result<OperationTest, Problem> {
        let question = request.question_of_page(1, ROWS);
        let (test, response) = self.ask(operation, request, &question).await;
        if test.problem.as_ref().is_some_and(|problem| problem.code == Code::SignInNeeded) {
            return Err(Problem::new(Code::SignInNeeded).parameter("site", site));
        }
        responses.extend(response);
        Ok(test)
    }

    async fn ask(
        &mut self,
        operation: &Operation,
        request: ReadRequest,
        question: &ReadQuestion,
    ) -> (OperationTest, Option<ProbedResponse>) {
        self.requests += 1;
        let test = OperationTest::skipped(operation);
        let site = self.client.access().name.clone();
        let answer = match self.client.read(question, RetryPolicy::PERSON, self.canceller).await {
            Ok(answer) => answer,
            Err(error) => {
                let status = error.status();
                let problem = Some(Problem::of_client(&site, error));
                return (OperationTest { outcome: TestOutcome::Failed, status, problem, ..test }, None);
            }
        };
        let (status, milliseconds) = (Some(answer.status), Some(answer.milliseconds));
        let has_page_members = answer.pagination(&operation.paging) != Pagination::default();
        let body = answer.json();
        let rows = request.rows(answer).await.ok().and_then(|rows| u32::try_from(rows.len()).ok());
        match body {
            Ok(body) => {
                let outcome = if rows.is_some() { TestOutcome::Fits } else { TestOutcome::Differs };
                let response = ProbedResponse {
                    operation: operation.id.clone(),
                    request,
                    body,
                    rows: rows.unwrap_or_default(),
                    has_page_members,
                };
                (OperationTest { outcome, status, milliseconds, rows, ..test }, Some(response))
            }
            Err(error) => {
                let problem = Some(Problem::of_client(&site, error));
                (OperationTest { outcome: TestOutcome::Failed, status, milliseconds, problem, ..test }, None)
            }
        }
    }
}

/// Returns the values of a response that don't fit the contract, or `None` if there is no list.
fn misfits(contract: &Contract, response: &ProbedResponse) -> Option<Vec<Deviation>> {
    let shape = contract.operation(&response.operation)?.answer.as_ref()?;
    Some(shape.find_deviations(at_path(&response.body, &shape.member)?.as_array()?))
}

/// Returns the learned overlay, with the contract's types for known fields.
fn without_types(learned: &Overlay, contract: &Contract) -> Overlay {
    let mut learned = learned.clone();
    for operation in &mut learned.operations {
        let known = contract.operation(&operation.id).and_then(|known| known.answer.as_ref());
        if let (Some(answer), Some(known)) = (&mut operation.answer, known) {
            keep_types(&mut answer.fields, &known.fields);
        }
    }
    learned
}

fn keep_types(fields: &mut [FieldOverlay], known: &[Field]) {
    for field in fields {
        let Some(known) = known.iter().find(|known| known.name == field.name) else { continue };
        // Drops a learned kind or form that changes the field's type, such as a number for a date-time or a duration.
        let is_of_other_type = match &field.form {
            None
            | Some(ValueForm::AsIs | ValueForm::Epoch { .. } | ValueForm::DurationNumber { .. } | ValueForm::Quoted) => {
                true
            }
            Some(_) => false,
        };
        if is_of_other_type {
            (field.kind, field.form) = (None, None);
        }
        keep_types(&mut field.fields, &known.fields);
    }
}

/// Returns a read that needs no input.
pub(super) fn bare_request(contract: &Contract, operation: &Operation) -> Option<ReadRequest> {
    if !operation.reads_without_input() {
        return None;
    }
    let query = BrowseQuery { operation: operation.id.clone(), parameters: BTreeMap::new() };
    ReadRequest::new(contract, &query).ok()
}

/// Returns a read with required values from the rows of other responses, by the parameters' names.
fn request_with_values(
    contract: &Contract,
    operation: &Operation,
    seen: &Contract,
    responses: &[ProbedResponse],
) -> Option<ReadRequest> {
    let required: Vec<&str> = operation
        .parameters
        .iter()
        .filter(|one| one.required || one.place == ParameterPlace::Path)
        .map(|one| one.name.as_str())
        .collect();
    if operation.kind != OperationKind::Read || required.is_empty() {
        return None;
    }
    let value = |name: &str| responses.iter().find_map(|response| value_in_rows(seen, response, name));
    let parameters = required.into_iter().map(|name| Some((name.to_owned(), value(name)?))).collect::<Option<_>>()?;
    ReadRequest::new(contract, &BrowseQuery { operation: operation.id.clone(), parameters }).ok()
}

/// Returns the first value of a field in a response.
fn value_in_rows(seen: &Contract, response: &ProbedResponse, name: &str) -> Option<String> {
    let shape = seen.operation(&response.operation)?.answer.as_ref()?;
    let field = shape.fields.iter().find(|field| field.name == name)?;
    let rows = at_path(&response.body, &shape.member)?.as_array()?;
    rows.iter().find_map(|row| match row.get(field.wire_name())? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

impl OperationTest {
    fn skipped(operation: &Operation) -> Self {
        let id = operation.id.clone();
        Self {
            id,
            outcome: TestOutcome::Skipped,
            status: None,
            rows: None,
            milliseconds: None,
            problem: None,
            misfits: Vec::new(),
        }
    }
}
