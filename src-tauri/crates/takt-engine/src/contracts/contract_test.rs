//! Compares a live site to its contract, and learns differences from the responses. Sends each read whose required
//! values are known, and a few more reads to learn the paging. Never writes.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use serde::Serialize;
use serde_json::Value;
use takt_browse::{BrowseQuery, request::ListRequest};
use takt_client::{Canceller, Client, Pagination, ReadRequest, RetryPolicy};
use takt_contract::{
    Contract, Deviation, Field, Operation, OperationKind, ParameterPlace, ProvenanceLevel,
    form::{CountPlace, Paging, ValueForm, at_path},
    overlay::{FieldOverlay, OperationOverlay, Overlay, PagingOverlay},
};
use takt_core::{Code, Problem, blocking::run_blocking};
use takt_openapi::{
    comparison::{DifferenceKind, OperationDifference, compare_contracts},
    observation::{
        DetectedPaging, Evidence, EvidenceKind, Observation, ResponseSample, detect_paging, observe_batch_response,
        observe_samples,
    },
};
use takt_sites::SiteConnection;

use super::site_contracts::{Contracts, PendingContract};

/// The number of rows that are read per list. A sample keeps the test quick.
const ROWS_PER_LIST: u32 = 20;
/// The maximum number of additional requests to learn a site's paging.
const MAX_PAGING_REQUESTS: u32 = 8;
/// The source of a learned contract version.
const LEARNED_SOURCE: &str = "answers";

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
    /// The number of sent requests, including those that learn the paging.
    pub requests: u32,
    /// True if no read got a response, for example because the address is wrong.
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

/// The result of comparing a response to the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "lowercase")]
pub enum TestOutcome {
    Fits,
    /// Members have other names or types, or are new.
    Differs,
    /// The service didn't respond or refused, or its response is unreadable.
    Failed,
    /// The operation writes, or needs unknown values.
    Skipped,
}

impl ContractTest {
    /// Returns true if nothing differs and nothing failed.
    #[must_use]
    pub fn matches_contract(&self) -> bool {
        !self.operations.iter().any(|test| matches!(test.outcome, TestOutcome::Differs | TestOutcome::Failed))
    }
}

/// A response of a tested read.
struct ProbedResponse {
    operation: String,
    request: ListRequest,
    body: Value,
    rows: u32,
    /// True if the response has the contract's page members.
    has_page_members: bool,
}

/// The site that is tested, with the number of requests.
struct SiteProbe<'a> {
    client: Client,
    canceller: &'a Canceller,
    requests: u32,
}

/// The paging that was learned for a list.
struct ListPaging {
    operation: String,
    /// The page members of the response without parameters.
    detected: DetectedPaging,
    paging: Paging,
}

/// A list whose response describes pages differently from the contract.
struct UnknownPaging<'a> {
    operation: &'a Operation,
    response: &'a ProbedResponse,
    detected: DetectedPaging,
}

impl Contracts {
    /// Sends each read once, and compares its response to the contract in force. The learned changes can be applied
    /// with [`Contracts::apply_preview`].
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site, or no user is signed in.
    /// - A [journal code](takt_core::problem#journal-codes): the contract in force can't be read.
    pub async fn test(&self, site: &str, canceller: &Canceller) -> Result<ContractTest, Problem> {
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, site).await?;
        let (sites, name) = (Arc::clone(&self.sites), site.to_owned());
        let (zone, in_force) = run_blocking(move || Ok((sites.time_zone(&name)?, sites.overlay(&name)?))).await?;
        let mut probe = SiteProbe { client, canceller, requests: 0 };
        let (mut operations, mut responses) = (Vec::new(), Vec::new());
        for operation in contract.operations() {
            let Some(request) = request_without_values(&contract, operation) else {
                operations.push(OperationTest::skipped(operation));
                continue;
            };
            operations.push(probe.test_operation(site, operation, request, &mut responses).await?);
        }
        let mut learned = observe_responses(&responses, &contract)?;
        let observed = contract.with_overlay(&learned.overlay, &zone);
        for operation in contract.operations() {
            let Some(request) = request_with_values(&contract, operation, &observed, &responses) else { continue };
            let test = probe.test_operation(site, operation, request, &mut responses).await?;
            operations.iter_mut().filter(|known| known.id == test.id).for_each(|known| known.clone_from(&test));
            learned = observe_responses(&responses, &contract)?;
        }
        probe.learn_paging(&contract, &responses, &mut learned).await;
        let observed = contract.with_overlay(&learned.overlay, &zone);
        let differences = compare_contracts(&contract, &observed);
        // A member with a learned name or form isn't a misfit. A value of another type is a misfit.
        let typed = contract.with_overlay(&with_known_types(&learned.overlay, &contract), &zone);
        for test in &mut operations {
            let differs = |difference: &OperationDifference| {
                difference.id == test.id && difference.kind != DifferenceKind::Confirmed
            };
            let response = responses.iter().rfind(|response| response.operation == test.id);
            test.misfits = response.and_then(|response| find_misfits(&typed, response)).unwrap_or_default();
            if test.outcome == TestOutcome::Fits && (differences.iter().any(differs) || !test.misfits.is_empty()) {
                test.outcome = TestOutcome::Differs;
            }
        }
        let overlay = in_force.merge(&learned.overlay);
        let pending = PendingContract { source: LEARNED_SOURCE.to_owned(), bytes: Vec::new(), overlay };
        let nothing_came = responses.is_empty();
        if nothing_came {
            self.lock_pending().remove(site);
        } else {
            self.lock_pending().insert(site.to_owned(), pending);
        }
        let Observation { evidence, .. } = learned;
        Ok(ContractTest { operations, differences, evidence, requests: probe.requests, nothing_came })
    }
}

/// Learns from the response to a single row.
impl Contracts {
    /// Compares the response to a single row to the contract in force. Returns an empty list if they agree. The learned
    /// changes can be applied with [`Contracts::apply_preview`].
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name, or its contract has no such operation.
    /// - [`Code::AnswerNotUnderstood`]: the response isn't JSON.
    /// - A [journal code](takt_core::problem#journal-codes): the contract in force can't be read.
    pub fn learn_reply(&self, site: &str, operation: &str, answer: &str) -> Result<Vec<Evidence>, Problem> {
        let contract = self.sites.contract(site)?;
        let unknown = || Problem::new(Code::Unknown).parameter("what", operation);
        let known = contract.operation(operation).ok_or_else(unknown)?;
        let answer = serde_json::from_str(answer.trim_start_matches('\u{feff}'))
            .map_err(|error| Problem::new(Code::AnswerNotUnderstood).details(error))?;
        let Some(Observation { mut overlay, evidence }) = observe_batch_response(known, &answer, &contract) else {
            return Ok(Vec::new());
        };
        // A document or the user may have set the operation's address, so its provenance is kept.
        if known.provenance.level != ProvenanceLevel::Assumed {
            overlay.operations.iter_mut().for_each(|one| one.provenance.clone_from(&known.provenance));
        }
        let overlay = self.sites.overlay(site)?.merge(&overlay);
        let pending = PendingContract { source: LEARNED_SOURCE.to_owned(), bytes: Vec::new(), overlay };
        self.lock_pending().insert(site.to_owned(), pending);
        Ok(evidence)
    }
}

fn observe_responses(responses: &[ProbedResponse], contract: &Contract) -> Result<Observation, Problem> {
    let samples: Vec<ResponseSample<'_>> = responses
        .iter()
        .filter_map(|ProbedResponse { operation, body, .. }| {
            Some(ResponseSample { operation: contract.operation(operation)?, body })
        })
        .collect();
    observe_samples(&samples, contract).map_err(|error| Problem::new(Code::AnswerNotUnderstood).details(error))
}

impl SiteProbe<'_> {
    async fn test_operation(
        &mut self,
        site: &str,
        operation: &Operation,
        request: ListRequest,
        responses: &mut Vec<ProbedResponse>,
    ) -> Result<OperationTest, Problem> {
        let question = request.page_request(1, ROWS_PER_LIST);
        let (test, response) = self.send_read(operation, request, &question).await;
        if test.problem.as_ref().is_some_and(|problem| problem.code == Code::SignInNeeded) {
            return Err(Problem::new(Code::SignInNeeded).parameter("site", site));
        }
        responses.extend(response);
        Ok(test)
    }

    async fn send_read(
        &mut self,
        operation: &Operation,
        request: ListRequest,
        question: &ReadRequest,
    ) -> (OperationTest, Option<ProbedResponse>) {
        self.requests += 1;
        let test = OperationTest::skipped(operation);
        let site = self.client.access().name.clone();
        let answer = match self.client.read(question, RetryPolicy::SINGLE_READ, self.canceller).await {
            Ok(answer) => answer,
            Err(error) => {
                let status = error.status();
                let problem = Some(Problem::from_client_error(&site, error));
                return (OperationTest { outcome: TestOutcome::Failed, status, problem, ..test }, None);
            }
        };
        let (status, milliseconds) = (Some(answer.status), Some(answer.milliseconds));
        let has_page_members = answer.pagination(&operation.paging) != Pagination::default();
        let body = answer.json();
        let rows = request.parse_rows(answer).await.ok().and_then(|rows| u32::try_from(rows.len()).ok());
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
                let problem = Some(Problem::from_client_error(&site, error));
                (OperationTest { outcome: TestOutcome::Failed, status, milliseconds, problem, ..test }, None)
            }
        }
    }
}

/// Learns the page parameters, the first page's number and the page size by reading pages.
///
/// Lists whose responses describe pages in the same way are paged in the same way. Only one of them is tried.
impl SiteProbe<'_> {
    /// Learns the paging of lists, and adds it to `learned`.
    async fn learn_paging(&mut self, contract: &Contract, responses: &[ProbedResponse], learned: &mut Observation) {
        let max_requests = self.requests + MAX_PAGING_REQUESTS;
        let mut candidates: Vec<UnknownPaging<'_>> = Vec::new();
        for response in responses {
            let operation = contract.operation(&response.operation).filter(|one| one.kind == OperationKind::Read);
            let Some(operation) = operation.filter(|one| one.paged && !response.has_page_members) else { continue };
            let rows = count_rows(response, &learned.overlay, operation);
            match detect_paging(&response.body) {
                Some(detected) => candidates.push(UnknownPaging { operation, response, detected }),
                None if rows > ROWS_PER_LIST => {
                    let kind = EvidenceKind::NoPages;
                    learned.evidence.push(Evidence::for_operation(&operation.id, kind, "", rows, ROWS_PER_LIST));
                    set_paging(&mut learned.overlay, operation, None);
                }
                None => {}
            }
        }
        // The list with the most rows is the best to try.
        candidates.sort_by_key(|other| Reverse(count_rows(other.response, &learned.overlay, other.operation)));
        let mut tried: Vec<ListPaging> = Vec::new();
        for other in &candidates {
            if let Some(like) = tried.iter().find(|tried| has_same_paging(&tried.detected, &other.detected)) {
                let paging = copy_paging(like, &other.detected);
                let kind = EvidenceKind::SamePages;
                let evidence = Evidence::for_operation(&other.operation.id, kind, &like.operation, paging.rows, 0);
                learned.evidence.push(evidence);
                set_paging(&mut learned.overlay, other.operation, Some(paging));
            } else if let Some(tried_pages) = self.try_pages(other, learned, max_requests).await {
                set_paging(&mut learned.overlay, other.operation, Some(tried_pages.paging.clone()));
                tried.push(tried_pages);
            }
        }
    }

    /// Reads without parameters to learn the first page's number and size, then reads the second page.
    async fn try_pages(
        &mut self,
        other: &UnknownPaging<'_>,
        learned: &mut Observation,
        max_requests: u32,
    ) -> Option<ListPaging> {
        let bare = self.read_pages(other, &[]).await?;
        let rows = bare.size.filter(|size| *size > 0)?;
        let first = bare.current?;
        for (page, limit) in other.detected.parameters.clone() {
            if self.requests >= max_requests {
                return None;
            }
            let fewer = (rows / 2).max(1);
            let mut query = vec![(page.clone(), first + 1)];
            query.extend(limit.clone().map(|limit| (limit, fewer)));
            let Some(second) = self.read_pages(other, &query).await else { continue };
            if second.current != Some(first + 1) {
                continue;
            }
            let limit = limit.filter(|_| second.size == Some(fewer));
            let mut add_evidence = |kind, name: &str, number| {
                learned.evidence.push(Evidence::for_operation(&other.operation.id, kind, name, number, 0));
            };
            add_evidence(EvidenceKind::PageParameter, &page, first + 1);
            add_evidence(EvidenceKind::FirstPage, "", first);
            add_evidence(EvidenceKind::PageSize, "", rows);
            if let Some(limit) = &limit {
                add_evidence(EvidenceKind::PageSizeParameter, limit, fewer);
            }
            if let Some(CountPlace::Member(total)) = &bare.paging.total {
                add_evidence(EvidenceKind::Total, total, 0);
            }
            let in_body = other.operation.paging.in_body;
            let paging = Paging { page, limit, first, rows, in_body, ..bare.paging.clone() };
            return Some(ListPaging { operation: other.operation.id.clone(), detected: bare, paging });
        }
        None
    }

    async fn read_pages(&mut self, other: &UnknownPaging<'_>, parameters: &[(String, u32)]) -> Option<DetectedPaging> {
        self.requests += 1;
        let request = &other.response.request;
        let mut question = request.read_request.clone();
        for (name, number) in parameters {
            if other.operation.paging.in_body {
                question.set_in_body(name, (*number).into());
            } else {
                question.query.push((name.clone(), number.to_string()));
            }
        }
        let answer = self.client.read(&question, RetryPolicy::SINGLE_READ, self.canceller).await.ok()?;
        detect_paging(&answer.json().ok()?)
    }
}

/// Returns the values of a response that don't fit the contract, or `None` if there is no list.
fn find_misfits(contract: &Contract, response: &ProbedResponse) -> Option<Vec<Deviation>> {
    let shape = contract.operation(&response.operation)?.answer.as_ref()?;
    Some(shape.find_value_deviations(at_path(&response.body, &shape.member)?.as_array()?))
}

/// Returns the learned overlay, with the contract's types for known fields.
fn with_known_types(learned: &Overlay, contract: &Contract) -> Overlay {
    let mut learned = learned.clone();
    for operation in &mut learned.operations {
        let known = contract.operation(&operation.id).and_then(|known| known.answer.as_ref());
        if let (Some(answer), Some(known)) = (&mut operation.answer, known) {
            drop_learned_types(&mut answer.fields, &known.fields);
        }
    }
    learned
}

fn drop_learned_types(fields: &mut [FieldOverlay], known: &[Field]) {
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
        drop_learned_types(&mut field.fields, &known.fields);
    }
}

/// Returns the operation's read, or `None` if it needs input.
pub(super) fn request_without_values(contract: &Contract, operation: &Operation) -> Option<ListRequest> {
    if !operation.reads_without_input() {
        return None;
    }
    let query = BrowseQuery { operation: operation.id.clone(), parameters: BTreeMap::new() };
    ListRequest::new(contract, &query).ok()
}

/// Returns a read with required values from the rows of other responses, by the parameters' names.
fn request_with_values(
    contract: &Contract,
    operation: &Operation,
    observed: &Contract,
    responses: &[ProbedResponse],
) -> Option<ListRequest> {
    let required: Vec<&str> = operation
        .parameters
        .iter()
        .filter(|one| one.required || one.place == ParameterPlace::Path)
        .map(|one| one.name.as_str())
        .collect();
    if operation.kind != OperationKind::Read || required.is_empty() {
        return None;
    }
    let value = |name: &str| responses.iter().find_map(|response| value_in_rows(observed, response, name));
    let parameters = required.into_iter().map(|name| Some((name.to_owned(), value(name)?))).collect::<Option<_>>()?;
    ListRequest::new(contract, &BrowseQuery { operation: operation.id.clone(), parameters }).ok()
}

/// Returns the first value of a field in a response.
fn value_in_rows(observed: &Contract, response: &ProbedResponse, name: &str) -> Option<String> {
    let shape = observed.operation(&response.operation)?.answer.as_ref()?;
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

/// Returns the number of rows in the learned list, or else in the contract's list.
fn count_rows(response: &ProbedResponse, learned: &Overlay, operation: &Operation) -> u32 {
    let learned_operation = learned.operations.iter().find(|one| one.id == operation.id);
    let list = learned_operation.and_then(|one| one.answer.as_ref()?.member.as_deref());
    let rows = list.and_then(|list| at_path(&response.body, list)?.as_array().map(Vec::len));
    rows.map_or(response.rows, |rows| u32::try_from(rows).unwrap_or(u32::MAX))
}

fn has_same_paging(tried: &DetectedPaging, other: &DetectedPaging) -> bool {
    tried.parameters == other.parameters && tried.paging == other.paging
}

fn copy_paging(tried: &ListPaging, other: &DetectedPaging) -> Paging {
    let DetectedPaging { paging, .. } = other.clone();
    let Paging { page, limit, first, rows, in_body, .. } = tried.paging.clone();
    Paging { page, limit, first, rows, in_body, ..paging }
}

/// Sets an operation's paging, and keeps its provenance.
fn set_paging(learned: &mut Overlay, operation: &Operation, paging: Option<Paging>) {
    let paging = Some(PagingOverlay { paging });
    match learned.operations.iter_mut().find(|one| one.id == operation.id) {
        Some(known) => known.paging = paging,
        None => learned
            .operations
            .push(OperationOverlay { paging, ..OperationOverlay::new(&operation.id, operation.provenance.clone()) }),
    }
}
