//! Pages of lists, tried out: which parameters turn them, from which number on, and how many rows a page has.
//!
//! Lists whose answers tell alike of pages are asked for alike: one of them is tried, and the others follow it.

use takt_client::RetryPolicy;
use takt_contract::{
    Contract, Operation, OperationKind,
    form::{CountPlace, Paging},
    overlay::{OperationOverlay, Overlay, PagingOverlay},
};
use takt_openapi::observation::{Evidence, EvidenceKind, Observation, SeenPages, seen_pages};

use super::live::{Answered, Asking, ROWS};

/// Requests that trying out may take at a site.
const MAX_REQUESTS: u32 = 8;

/// What was found out about a list.
struct TriedPages {
    operation: String,
    /// Of the answer without parameters.
    seen: SeenPages,
    paging: Paging,
}

/// A list whose answer doesn't tell of pages as the contract has it.
struct OtherPages<'a> {
    operation: &'a Operation,
    answered: &'a Answered,
    seen: SeenPages,
}

impl Asking<'_> {
    /// Adds what is found out about pages to what was learned.
    pub(super) async fn learn_pages(&mut self, contract: &Contract, answers: &[Answered], learned: &mut Observation) {
        let most = self.requests + MAX_REQUESTS;
        let mut others: Vec<OtherPages<'_>> = Vec::new();
        for answered in answers {
            let operation = contract.operation(&answered.operation).filter(|one| one.kind == OperationKind::Read);
            let Some(operation) = operation.filter(|one| one.paged && !answered.tells_pages) else { continue };
            let rows = rows_of(answered, &learned.overlay, operation);
            match seen_pages(&answered.body) {
                Some(seen) => others.push(OtherPages { operation, answered, seen }),
                None if rows > ROWS => {
                    let kind = EvidenceKind::NoPages;
                    learned.evidence.push(Evidence::of_operation(&operation.id, kind, "", (rows, ROWS)));
                    set(&mut learned.overlay, operation, None);
                }
                None => {}
            }
        }
        // The list with the most rows tells the most.
        others.sort_by_key(|other| std::cmp::Reverse(rows_of(other.answered, &learned.overlay, other.operation)));
        let mut tried: Vec<TriedPages> = Vec::new();
        for other in &others {
            if let Some(like) = tried.iter().find(|tried| alike(&tried.seen, &other.seen)) {
                let paging = same_pages(like, &other.seen);
                let kind = EvidenceKind::SamePages;
                let of = Evidence::of_operation(&other.operation.id, kind, &like.operation, (paging.rows, 0));
                learned.evidence.push(of);
                set(&mut learned.overlay, other.operation, Some(paging));
            } else if let Some(found) = self.try_pages(other, learned, most).await {
                set(&mut learned.overlay, other.operation, Some(found.paging.clone()));
                tried.push(found);
            }
        }
    }

    /// Asks without any parameter, which shows the first page's number and size, and then for the page behind it.
    async fn try_pages(&mut self, other: &OtherPages<'_>, learned: &mut Observation, most: u32) -> Option<TriedPages> {
        let bare = self.pages_at(other, &[]).await?;
        let rows = bare.size.filter(|size| *size > 0)?;
        let first = bare.current?;
        for (page, limit) in other.seen.parameters.clone() {
            if self.requests >= most {
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
            let mut tell = |kind, name: &str, number| {
                learned.evidence.push(Evidence::of_operation(&other.operation.id, kind, name, (number, 0)));
            };
            tell(EvidenceKind::PageParameter, &page, first + 1);
            tell(EvidenceKind::FirstPage, "", first);
            tell(EvidenceKind::PageSize, "", rows);
            if let Some(limit) = &limit {
                tell(EvidenceKind::PageSizeParameter, limit, fewer);
            }
            if let Some(CountPlace::Member(total)) = &bare.paging.total {
                tell(EvidenceKind::Total, total, 0);
            }
            let in_body = other.operation.paging.in_body;
            let paging = Paging { page, limit, first, rows, in_body, ..bare.paging.clone() };
            return Some(TriedPages { operation: other.operation.id.clone(), seen: bare, paging });
        }
        None
    }

    async fn pages_at(&mut self, other: &OtherPages<'_>, more: &[(String, u32)]) -> Option<SeenPages> {
        self.requests += 1;
        let request = &other.answered.request;
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

/// Rows that came, in the list that was found.
fn rows_of(answered: &Answered, learned: &Overlay, operation: &Operation) -> u32 {
    let found = learned.operations.iter().find(|one| one.id == operation.id);
    let list = found.and_then(|one| one.answer.as_ref()?.member.as_deref());
    let rows = list.and_then(|list| takt_contract::form::at_path(&answered.body, list)?.as_array().map(Vec::len));
    rows.map_or(answered.rows, |rows| u32::try_from(rows).unwrap_or(u32::MAX))
}

fn alike(tried: &SeenPages, other: &SeenPages) -> bool {
    tried.parameters == other.parameters && tried.paging == other.paging
}

fn same_pages(tried: &TriedPages, other: &SeenPages) -> Paging {
    let SeenPages { paging, .. } = other.clone();
    let Paging { page, limit, first, rows, in_body, .. } = tried.paging.clone();
    Paging { page, limit, first, rows, in_body, ..paging }
}

/// Who said before where the operation is keeps the word.
fn set(learned: &mut Overlay, operation: &Operation, paging: Option<Paging>) {
    let paging = Some(PagingOverlay { paging });
    match learned.operations.iter_mut().find(|one| one.id == operation.id) {
        Some(known) => known.paging = paging,
        None => learned
            .operations
            .push(OperationOverlay { paging, ..OperationOverlay::new(&operation.id, operation.provenance.clone()) }),
    }
}
