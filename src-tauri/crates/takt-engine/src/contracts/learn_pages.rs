//! Learns the paging of lists by trying it: the page parameters, the first page's number, and the page size.
//!
//! Lists whose responses describe pages in the same way are paged in the same way. Only one of them is tried.

use takt_client::RetryPolicy;
use takt_contract::{
    Contract, Operation, OperationKind,
    form::{CountPlace, Paging},
    overlay::{OperationOverlay, Overlay, PagingOverlay},
};
use takt_openapi::observation::{Evidence, EvidenceKind, Observation, SeenPages, seen_pages};

use super::live::{ProbedResponse, ROWS, SiteProbe};

/// The most requests to a site for trying.
const MAX_REQUESTS: u32 = 8;

/// The paging found for a list.
struct TriedPages {
    operation: String,
    /// The page members of the response without parameters.
    seen: SeenPages,
    paging: Paging,
}

/// A list whose response describes pages differently from the contract.
struct UnknownPaging<'a> {
    operation: &'a Operation,
    response: &'a ProbedResponse,
    seen: SeenPages,
}

impl SiteProbe<'_> {
    /// Learns the paging of lists, and adds it to `learned`.
    pub(super) async fn learn_pages(
        &mut self,
        contract: &Contract,
        responses: &[ProbedResponse],
        learned: &mut Observation,
    ) {
        let max_requests = self.requests + MAX_REQUESTS;
        let mut candidates: Vec<UnknownPaging<'_>> = Vec::new();
        for response in responses {
            let operation = contract.operation(&response.operation).filter(|one| one.kind == OperationKind::Read);
            let Some(operation) = operation.filter(|one| one.paged && !response.has_page_members) else { continue };
            let rows = rows_of(response, &learned.overlay, operation);
            match seen_pages(&response.body) {
                Some(seen) => candidates.push(UnknownPaging { operation, response, seen }),
                None if rows > ROWS => {
                    let kind = EvidenceKind::NoPages;
                    learned.evidence.push(Evidence::of_operation(&operation.id, kind, "", rows, ROWS));
                    set_paging(&mut learned.overlay, operation, None);
                }
                None => {}
            }
        }
        // The list with the most rows is the best to try.
        candidates.sort_by_key(|other| std::cmp::Reverse(rows_of(other.response, &learned.overlay, other.operation)));
        let mut tried: Vec<TriedPages> = Vec::new();
        for other in &candidates {
            if let Some(like) = tried.iter().find(|tried| has_same_paging(&tried.seen, &other.seen)) {
                let paging = same_pages(like, &other.seen);
                let kind = EvidenceKind::SamePages;
                let evidence = Evidence::of_operation(&other.operation.id, kind, &like.operation, paging.rows, 0);
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
    ) -> Option<TriedPages> {
        let bare = self.pages_at(other, &[]).await?;
        let rows = bare.size.filter(|size| *size > 0)?;
        let first = bare.current?;
        for (page, limit) in other.seen.parameters.clone() {
            if self.requests >= max_requests {
                return None;
            }
            let fewer = (rows / 2).max(1);
            let mut query = vec![(page.clone(), first + 1)];
            query.extend(limit.clone().map(|limit| (limit, fewer)));
            let Some(second) = self.pages_at(other, &query).await else { continue };
            if second.current != Some(first + 1) {
                continue;
            }
            let limit = limit.filter(|_| second.size == Some(fewer));
            let mut add_evidence = |kind, name: &str, number| {
                learned.evidence.push(Evidence::of_operation(&other.operation.id, kind, name, number, 0));
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
            return Some(TriedPages { operation: other.operation.id.clone(), seen: bare, paging });
        }
        None
    }

    async fn pages_at(&mut self, other: &UnknownPaging<'_>, more: &[(String, u32)]) -> Option<SeenPages> {
        self.requests += 1;
        let request = &other.response.request;
        let mut question = request.question.clone();
        for (name, number) in more {
            if other.operation.paging.in_body {
                question.set_in_body(name, (*number).into());
            } else {
                question.query.push((name.clone(), number.to_string()));
            }
        }
        let answer = self.client.read(&question, RetryPolicy::PERSON, self.canceller).await.ok()?;
        seen_pages(&answer.json().ok()?)
    }
}

/// Returns the number of rows in the list that was found.
fn rows_of(response: &ProbedResponse, learned: &Overlay, operation: &Operation) -> u32 {
    let learned_operation = learned.operations.iter().find(|one| one.id == operation.id);
    let list = learned_operation.and_then(|one| one.answer.as_ref()?.member.as_deref());
    let rows = list.and_then(|list| takt_contract::form::at_path(&response.body, list)?.as_array().map(Vec::len));
    rows.map_or(response.rows, |rows| u32::try_from(rows).unwrap_or(u32::MAX))
}

fn has_same_paging(tried: &SeenPages, other: &SeenPages) -> bool {
    tried.parameters == other.parameters && tried.paging == other.paging
}

fn same_pages(tried: &TriedPages, other: &SeenPages) -> Paging {
    let SeenPages { paging, .. } = other.clone();
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
