//! Walking through a paged list. The service's page counts are claims: the walk ends whatever they say.

use serde_json::Value;

use crate::{Canceller, Client, ClientError};

/// Rows per page: the most that the specification allows.
const ROWS_PER_PAGE: usize = 100;
/// Two million rows; what holds more isn't read as a whole.
const MOST_PAGES: u32 = 20_000;

/// One page of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    pub rows: Vec<Value>,
    pub progress: WalkProgress,
}

/// How far a walk has come: rows of total, page of pages. The service may say neither.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WalkProgress {
    pub rows: u32,
    pub total: Option<u32>,
    pub page: u32,
    pub pages: Option<u32>,
}

/// A walk that stands before its next page.
#[derive(Debug)]
pub struct Pages {
    client: Client,
    path: String,
    query: Vec<(String, String)>,
    member: String,
    progress: WalkProgress,
    last: Vec<Value>,
    ended: bool,
}

impl Pages {
    pub(crate) fn new(client: Client, path: &str, query: &[(String, String)], member: &str) -> Self {
        Self {
            client,
            path: path.to_owned(),
            query: query.to_vec(),
            member: member.to_owned(),
            progress: WalkProgress::default(),
            last: Vec::new(),
            ended: false,
        }
    }

    /// The next page, or nothing after the last one. Waits for the rate limit; `canceller` ends that too.
    pub async fn next(&mut self, canceller: &Canceller) -> Result<Option<Page>, ClientError> {
        if self.ended {
            return Ok(None);
        }
        let page = self.progress.page + 1;
        let answer = self.read(page, canceller).await?;
        if page > MOST_PAGES {
            return Err(answer.not_understood(format!("the list has more than {MOST_PAGES} pages")));
        }
        let said = answer.pagination;
        if let Some(current) = said.current.filter(|current| *current != page) {
            return Err(answer.not_understood(format!("page {page} was asked for and page {current} came")));
        }
        let Some(Value::Array(rows)) = answer.json()?.get_mut(&self.member).map(Value::take) else {
            return Err(answer.not_understood(format!("there is no list `{}`", self.member)));
        };
        if !rows.is_empty() && rows == self.last {
            return Err(answer.not_understood(format!("page {page} is the same as the one before")));
        }
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        self.progress =
            WalkProgress { rows: self.progress.rows.saturating_add(count), total: said.total, page, pages: said.pages };
        self.ended = page >= MOST_PAGES
            || rows.is_empty()
            || said.pages.map_or(rows.len() < ROWS_PER_PAGE, |pages| page >= pages);
        self.last.clone_from(&rows);
        Ok(Some(Page { rows, progress: self.progress }))
    }

    async fn read(&self, page: u32, canceller: &Canceller) -> Result<crate::Answer, ClientError> {
        let mut query = self.query.clone();
        query.push(("page".to_owned(), page.to_string()));
        query.push(("limit".to_owned(), ROWS_PER_PAGE.to_string()));
        self.client.get_patiently(&self.path, &query, canceller).await
    }
}
