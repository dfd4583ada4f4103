//! Tests whether the pages of a live site are consistent, and reads its rate limit. Never writes.

use serde::Serialize;
use serde_json::Value;
use takt_browse::request::ListRequest;
use takt_client::{Canceller, Client, Pagination, RetryPolicy};
use takt_contract::{Operation, form::at_path};
use takt_core::{Code, Problem};
use takt_sites::{IgnoredHeader, SiteConnection, ignored_headers};

use super::{contract_test::request_without_values, site_contracts::Contracts};

/// The requested number of rows per page. It's small, so that most lists have a second page.
const ROWS_PER_PAGE: u32 = 5;

/// The result of testing the pages of a live site.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct PagingTest {
    pub lists: Vec<ListPages>,
    /// `None` if the service states no limit.
    pub limit: Option<StatedLimit>,
    /// Headers with invalid values.
    pub ignored_headers: Vec<IgnoredHeader>,
    pub requests: u32,
}

/// The rate limit in the service's last response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct StatedLimit {
    pub limit: u32,
    pub remaining: u32,
}

/// The result of reading a list's first two pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct ListPages {
    pub operation: String,
    pub finding: PagingFinding,
    pub problem: Option<Problem>,
}

/// Whether two pages are consistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "kebab-case")]
pub enum PagingFinding {
    AddsUp,
    /// All rows are on the first page.
    OnePage,
    /// The responses contain no number of rows or pages.
    NoCounts,
    /// A page contained more rows than requested.
    TooManyRows,
    /// The second page equals the first one.
    SamePage,
    /// The second page states another total.
    TotalChanges,
    /// The number of pages doesn't match the total.
    PagesDisagree,
    /// A page has fewer rows than the total implies.
    RowsMissing,
    Failed,
}

impl PagingFinding {
    /// Returns true if nothing indicates that reading all pages loses or repeats rows.
    #[must_use]
    pub fn is_good(self) -> bool {
        matches!(self, Self::AddsUp | Self::OnePage | Self::NoCounts)
    }
}

impl PagingTest {
    /// Returns true if all lists are consistent and all headers are valid.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        self.lists.iter().all(|list| list.finding.is_good()) && self.ignored_headers.is_empty()
    }
}

/// A page's rows as received, and its counts.
struct Page {
    rows: Vec<Value>,
    counts: Pagination,
}

impl Contracts {
    /// Reads the first two pages of each paged list that needs no input.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: no site has this name.
    /// - A [client code](takt_core::problem#client-codes): there is no client for the site, or no user is signed in.
    /// - A [journal code](takt_core::problem#journal-codes): the contract in force can't be read.
    pub async fn test_paging(&self, site: &str, canceller: &Canceller) -> Result<PagingTest, Problem> {
        let SiteConnection { client, contract, .. } = SiteConnection::connect(&self.sites, site).await?;
        let (mut lists, mut requests) = (Vec::new(), 0);
        for operation in contract.operations().iter().filter(|operation| operation.paged) {
            let Some(request) = request_without_values(&contract, operation) else { continue };
            let pages = read_two_pages(&client, operation, &request, canceller, &mut requests).await;
            let (finding, problem) = match pages {
                Ok((first, second)) => (compare_pages(&first, second.as_ref()), None),
                Err(problem) if problem.code == Code::SignInNeeded => return Err(problem),
                Err(problem) => (PagingFinding::Failed, Some(problem)),
            };
            lists.push(ListPages { operation: operation.id.clone(), finding, problem });
        }
        let limit = client.rate_limit().map(|limit| StatedLimit { limit: limit.limit, remaining: limit.remaining });
        Ok(PagingTest { lists, limit, ignored_headers: ignored_headers(&client), requests })
    }
}

/// Reads the first page, and the second one if there is one.
async fn read_two_pages(
    client: &Client,
    operation: &Operation,
    request: &ListRequest,
    canceller: &Canceller,
    requests: &mut u32,
) -> Result<(Page, Option<Page>), Problem> {
    let first = read_page(client, operation, request, 1, canceller).await?;
    *requests += 1;
    if first.rows.len() < ROWS_PER_PAGE as usize || first.counts.total.is_some_and(|total| total <= ROWS_PER_PAGE) {
        return Ok((first, None));
    }
    *requests += 1;
    let second = read_page(client, operation, request, 2, canceller).await?;
    Ok((first, Some(second)))
}

async fn read_page(
    client: &Client,
    operation: &Operation,
    request: &ListRequest,
    number: u32,
    canceller: &Canceller,
) -> Result<Page, Problem> {
    let client_problem = |error| Problem::from_client_error(&client.access().name, error);
    let question = request.page_request(number, ROWS_PER_PAGE);
    let answer = client.read(&question, RetryPolicy::SINGLE_READ, canceller).await.map_err(client_problem)?;
    let (counts, body) = (answer.pagination(&operation.paging), answer.json().map_err(client_problem)?);
    let member = operation.answer.as_ref().map_or("", |shape| shape.member.as_str());
    let rows = at_path(&body, member).and_then(Value::as_array).cloned().unwrap_or_default();
    Ok(Page { rows, counts })
}

fn compare_pages(first: &Page, second: Option<&Page>) -> PagingFinding {
    let max_rows = ROWS_PER_PAGE as usize;
    if first.rows.len() > max_rows || second.is_some_and(|second| second.rows.len() > max_rows) {
        return PagingFinding::TooManyRows;
    }
    let Pagination { total, pages, .. } = first.counts;
    if total.is_none() && pages.is_none() && second.is_none() {
        return PagingFinding::OnePage;
    }
    if let (Some(total), Some(pages)) = (total, pages)
        && pages != total.div_ceil(ROWS_PER_PAGE)
    {
        return PagingFinding::PagesDisagree;
    }
    let expected_rows = |before: u32| total.map_or(0, |total| total.saturating_sub(before).min(ROWS_PER_PAGE)) as usize;
    if first.rows.len() < expected_rows(0) {
        return PagingFinding::RowsMissing;
    }
    let Some(second) = second else { return PagingFinding::OnePage };
    if !second.rows.is_empty() && second.rows == first.rows {
        return PagingFinding::SamePage;
    }
    if second.counts.total != total {
        return PagingFinding::TotalChanges;
    }
    match total {
        None => PagingFinding::NoCounts,
        Some(_) if second.rows.len() < expected_rows(ROWS_PER_PAGE) => PagingFinding::RowsMissing,
        Some(_) => PagingFinding::AddsUp,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn page(rows: std::ops::Range<u32>, total: Option<u32>, pages: Option<u32>) -> Page {
        Page {
            rows: rows.map(|row| json!({ "code": row })).collect(),
            counts: Pagination { total, pages, current: None },
        }
    }

    #[test]
    fn pages_add_up_or_it_is_said_why_not() {
        let compare = |first: Page, second: Option<Page>| compare_pages(&first, second.as_ref());
        assert_eq!(compare(page(0..5, Some(8), Some(2)), Some(page(5..8, Some(8), Some(2)))), PagingFinding::AddsUp);
        assert_eq!(compare(page(0..3, Some(3), Some(1)), None), PagingFinding::OnePage);
        assert_eq!(compare(page(0..3, None, None), None), PagingFinding::OnePage);
        assert_eq!(compare(page(0..5, None, None), Some(page(5..8, None, None))), PagingFinding::NoCounts);
        assert_eq!(compare(page(0..9, Some(9), None), None), PagingFinding::TooManyRows);
        assert_eq!(compare(page(0..5, Some(9), None), Some(page(0..5, Some(9), None))), PagingFinding::SamePage);
        assert_eq!(compare(page(0..5, Some(9), None), Some(page(5..9, Some(4), None))), PagingFinding::TotalChanges);
        assert_eq!(
            compare(page(0..5, Some(9), Some(3)), Some(page(5..9, Some(9), Some(3)))),
            PagingFinding::PagesDisagree
        );
        assert_eq!(compare(page(0..5, Some(20), None), Some(page(5..8, Some(20), None))), PagingFinding::RowsMissing);
        assert_eq!(compare(page(0..2, Some(4), None), None), PagingFinding::RowsMissing);
    }
}
