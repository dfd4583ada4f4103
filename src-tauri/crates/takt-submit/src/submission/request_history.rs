//! What was sent, as it can be looked at again: rows by key, requests, and what a request carried.

use takt_journal::{
    SubmissionId,
    attempt::{AttemptRecord, OutcomeClass},
};

use super::{ResultPage, Submissions, dispatch, draft::Target};
use takt_core::{Code, Problem, RowResult};

use crate::submission::{RequestBody, RequestClass, RequestPage, SentRequest};

/// Characters of a body that are shown; the rest is only counted.
const MAX_BODY_LENGTH: usize = 200_000;

impl Submissions {
    /// Rows whose key or reasons hold a text, or whose number it is.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the rows can't be read.
    pub fn rows_found(
        &self,
        id: SubmissionId,
        result: Option<RowResult>,
        text: &str,
        offset: u32,
        limit: u32,
    ) -> Result<ResultPage, Problem> {
        let text = text.trim();
        if text.is_empty() {
            return self.result_rows(id, result, offset, limit);
        }
        let page = self.shared.journal.rows().search(id, result, text, offset, limit)?;
        Ok(self.page(&page, offset))
    }

    /// Newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn requests(&self, id: SubmissionId, offset: u32, limit: u32) -> Result<RequestPage, Problem> {
        let (total, kept) = self.shared.journal.requests().page(id, offset, limit)?;
        Ok(RequestPage { total, offset, requests: kept.into_iter().map(view).collect() })
    }

    /// The body as it was sent, made again from its items.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission or no such request of it, or the contract doesn't know its
    ///   operation any more.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn request_body(&self, id: SubmissionId, number: u32) -> Result<RequestBody, Problem> {
        let shared = &self.shared;
        let record = shared.journal.submission(id)?;
        let target = Target::find(&*shared.sites.contract(&record.site)?, &record.operation)?;
        let kept = shared.journal.requests().get(id, number)?;
        let kept = kept.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", format!("{id}/{number}")))?;
        let whole = dispatch::body(&target, &shared.journal.requests().items_of(id, &kept)?);
        let exact = dispatch::hash(&whole) == kept.wire_hash;
        let body: String = whole.chars().take(MAX_BODY_LENGTH).collect();
        Ok(RequestBody {
            method: target.method,
            path: target.path,
            characters: u32::try_from(whole.chars().count()).unwrap_or(u32::MAX),
            body,
            exact,
        })
    }

    /// The person who sends from here.
    pub fn person(&self) -> &str {
        &self.shared.person
    }
}

pub(crate) fn view(kept: AttemptRecord) -> SentRequest {
    SentRequest {
        number: kept.batch,
        started: kept.started.to_string(),
        ended: kept.ended.map(|ended| ended.to_string()),
        class: kept.class.map(class),
        status: kept.status,
        milliseconds: kept.milliseconds,
        items: kept.items,
        rows: kept.rows,
        counts: kept.counts,
        log_id: kept.log_id,
        answer: kept.answer,
    }
}

fn class(kept: OutcomeClass) -> RequestClass {
    match kept {
        OutcomeClass::Answered => RequestClass::Answered,
        OutcomeClass::Refused => RequestClass::Refused,
        OutcomeClass::Deferred => RequestClass::Deferred,
        OutcomeClass::NotSent => RequestClass::NotSent,
        OutcomeClass::Unknown => RequestClass::Unknown,
    }
}
