//! A live site held against its contract: each read that needs nothing is asked once. Nothing is ever written.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use takt_browse::{BrowseQuery, request::ReadRequest};
use takt_client::{Canceller, Client, Pagination, ReadQuestion, RetryPolicy};
use takt_contract::{
    Contract, Deviation, Field, Operation, OperationKind, ParameterPlace,
    form::{ValueForm, at_path},
    overlay::{FieldOverlay, Overlay},
};
use takt_core::{Code, Problem};
use takt_openapi::{
    comparison::{DifferenceKind, OperationDifference, compare},
    observation::{Evidence, Observation, Sample, observe},
};

use super::{Contracts, PendingContract};

/// Rows that are asked for of each list.
pub(super) const ROWS: u32 = 20;
/// What the source of a learned version says.
pub(super) const SOURCE: &str = "answers";

/// A site held against its contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct ContractTest {
    pub operations: Vec<OperationTest>,
    /// What the answers show otherwise than the contract in force says.
    pub differences: Vec<OperationDifference>,
    /// By what in the answers each of them is known.
    pub evidence: Vec<Evidence>,
    /// Requests that were sent.
    pub requests: u32,
    /// True where no read has an answer: its address may be another one, to be set by hand.
    pub nothing_came: bool,
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
    /// Values in the rows that the contract's types, forms and bounds don't allow, one for each field.
    pub misfits: Vec<Deviation>,
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

/// An answer that came.
pub(super) struct Answered {
    pub(super) operation: String,
    pub(super) request: ReadRequest,
    pub(super) body: Value,
    pub(super) rows: u32,
    /// Whether it says of pages what the contract has.
    pub(super) tells_pages: bool,
}

/// A site that is asked, and how often.
pub(super) struct Asking<'a> {
    pub(super) client: Client,
    pub(super) canceller: &'a Canceller,
    pub(super) requests: u32,
}

impl Contracts {
    /// Asks each read once, and says what its answer shows otherwise than the contract in force. What was learned can be taken
    /// afterwards ([`Contracts::take`]).
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site, or no person is signed in.
    /// - A [journal code](takt_core::problem#journal-codes): the contract in force can't be read.
    pub async fn test(&self, site: &str, canceller: &Canceller) -> Result<ContractTest, Problem> {
        let contract = self.sites.contract(site)?;
        let mut asking = Asking { client: self.sites.client(site)?, canceller, requests: 0 };
        let (mut operations, mut answers) = (Vec::new(), Vec::new());
        for operation in contract.operations() {
            let Some(request) = bare_request(&contract, operation) else {
                operations.push(OperationTest::skipped(operation));
                continue;
            };
            operations.push(asking.operation(site, operation, request, &mut answers).await?);
        }
        let mut learned = observation(&answers, &contract)?;
        let zone = self.sites.time_zone(site);
        let seen = contract.with_overlay(&learned.overlay, &zone);
        for operation in contract.operations() {
            let Some(request) = request_with_values(&contract, operation, &seen, &answers) else { continue };
            let test = asking.operation(site, operation, request, &mut answers).await?;
            operations.iter_mut().filter(|known| known.id == test.id).for_each(|known| known.clone_from(&test));
            learned = observation(&answers, &contract)?;
        }
        asking.learn_pages(&contract, &answers, &mut learned).await;
        let seen = contract.with_overlay(&learned.overlay, &zone);
        let differences = compare(&contract, &seen);
        // What was learned of names and forms is no misfit, a value of another type is one.
        let typed = contract.with_overlay(&without_types(&learned.overlay, &contract), &zone);
        for test in &mut operations {
            let differs = |difference: &OperationDifference| {
                difference.id == test.id && difference.kind != DifferenceKind::Confirmed
            };
            let answered = answers.iter().rfind(|answered| answered.operation == test.id);
            test.misfits = answered.and_then(|answered| misfits(&typed, answered)).unwrap_or_default();
            if test.outcome == TestOutcome::Fits && (differences.iter().any(differs) || !test.misfits.is_empty()) {
                test.outcome = TestOutcome::Differs;
            }
        }
        let overlay = self.sites.overlay(site)?.merged(&learned.overlay);
        let pending = PendingContract { source: SOURCE.to_owned(), bytes: Vec::new(), overlay };
        let nothing_came = answers.is_empty();
        if nothing_came {
            self.pending().remove(site);
        } else {
            self.pending().insert(site.to_owned(), pending);
        }
        let Observation { evidence, .. } = learned;
        Ok(ContractTest { operations, differences, evidence, requests: asking.requests, nothing_came })
    }
}

fn observation(answers: &[Answered], contract: &Contract) -> Result<Observation, Problem> {
    let samples: Vec<Sample<'_>> = answers
        .iter()
        .filter_map(|Answered { operation, body, .. }| Some(Sample { operation: contract.operation(operation)?, body }))
        .collect();
    observe(&samples, contract).map_err(|error| Problem::new(Code::AnswerNotUnderstood).details(error))
}

impl Asking<'_> {
    async fn operation(
        &mut self,
        site: &str,
        operation: &Operation,
        request: ReadRequest,
        answers: &mut Vec<Answered>,
    ) -> Result<OperationTest, Problem> {
        let question = request.question_of_page(1, ROWS);
        let (test, answered) = self.ask(operation, request, &question).await;
        if test.problem.as_ref().is_some_and(|problem| problem.code == Code::SignInNeeded) {
            return Err(Problem::new(Code::SignInNeeded).parameter("site", site));
        }
        answers.extend(answered);
        Ok(test)
    }

    async fn ask(
        &mut self,
        operation: &Operation,
        request: ReadRequest,
        question: &ReadQuestion,
    ) -> (OperationTest, Option<Answered>) {
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
        let tells_pages = answer.pagination(&operation.paging) != Pagination::default();
        let body = answer.json();
        let rows = request.rows(answer).await.ok().and_then(|rows| u32::try_from(rows.len()).ok());
        match body {
            Ok(body) => {
                let outcome = if rows.is_some() { TestOutcome::Fits } else { TestOutcome::Differs };
                let answered = Answered {
                    operation: operation.id.clone(),
                    request,
                    body,
                    rows: rows.unwrap_or_default(),
                    tells_pages,
                };
                (OperationTest { outcome, status, milliseconds, rows, ..test }, Some(answered))
            }
            Err(error) => {
                let problem = Some(Problem::of_client(&site, error));
                (OperationTest { outcome: TestOutcome::Failed, status, milliseconds, problem, ..test }, None)
            }
        }
    }
}

/// The values of an answer that don't fit the contract. Nothing where there is no list.
fn misfits(contract: &Contract, answered: &Answered) -> Option<Vec<Deviation>> {
    let shape = contract.operation(&answered.operation)?.answer.as_ref()?;
    Some(shape.misfits(at_path(&answered.body, &shape.member)?.as_array()?))
}

/// What was learned of answers, where known fields have the contract's types.
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
        // Another way to write the same type was learned, but a number is no date-time and no duration.
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

/// A read that needs nothing from a person.
pub(super) fn bare_request(contract: &Contract, operation: &Operation) -> Option<ReadRequest> {
    if !operation.reads_without_input() {
        return None;
    }
    let query = BrowseQuery { operation: operation.id.clone(), parameters: BTreeMap::new() };
    ReadRequest::new(contract, &query).ok()
}

/// A read that needs values which stand in the rows of another answer, under the names of its parameters.
fn request_with_values(
    contract: &Contract,
    operation: &Operation,
    seen: &Contract,
    answers: &[Answered],
) -> Option<ReadRequest> {
    let needed: Vec<&str> = operation
        .parameters
        .iter()
        .filter(|one| one.required || one.place == ParameterPlace::Path)
        .map(|one| one.name.as_str())
        .collect();
    if operation.kind != OperationKind::Read || needed.is_empty() {
        return None;
    }
    let value = |name: &str| answers.iter().find_map(|answered| value_in_rows(seen, answered, name));
    let parameters = needed.into_iter().map(|name| Some((name.to_owned(), value(name)?))).collect::<Option<_>>()?;
    ReadRequest::new(contract, &BrowseQuery { operation: operation.id.clone(), parameters }).ok()
}

/// The first value of a field in an answer.
fn value_in_rows(seen: &Contract, answered: &Answered, name: &str) -> Option<String> {
    let shape = seen.operation(&answered.operation)?.answer.as_ref()?;
    let field = shape.fields.iter().find(|field| field.name == name)?;
    let rows = at_path(&answered.body, &shape.member)?.as_array()?;
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
