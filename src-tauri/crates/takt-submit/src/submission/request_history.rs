//! The history of a submission: rows by key, requests, and request bodies.

use takt_journal::{
    SubmissionId,
    attempt::{AttemptRecord, OutcomeClass},
};

use super::{
    dispatch,
    request_view::{RequestBody, RequestClass, RequestPage, SentRequest},
    shared::Submissions,
    target::Target,
    view::ResultPage,
};
use takt_core::{Code, Problem, RowResult};

/// The shown characters of a body. The rest is only counted.
const MAX_BODY_LENGTH: usize = 200_000;

impl Submissions {
    /// Searches rows by a part of their key or reasons, or by their number.
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

    /// Returns a page of a submission's requests, the newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn requests(&self, id: SubmissionId, offset: u32, limit: u32) -> Result<RequestPage, Problem> {
        let (total, attempts) = self.shared.journal.requests().page(id, offset, limit)?;
        Ok(RequestPage { total, offset, requests: attempts.into_iter().map(sent_request).collect() })
    }

    /// Recreates a request's body from its items.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission or request, or the contract no longer has its operation.
    /// - A [journal code](takt_core::problem#journal-codes): they can't be read.
    pub fn request_body(&self, id: SubmissionId, number: u32) -> Result<RequestBody, Problem> {
        let shared = &self.shared;
        let record = shared.journal.submission(id)?;
        let target = Target::find(&*shared.sites.contract(&record.site)?, &record.operation)?;
        let attempt = shared.journal.requests().get(id, number)?;
        let attempt = attempt.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", format!("{id}/{number}")))?;
        let full_body = dispatch::request_body(&target, &shared.journal.requests().items_of(id, &attempt)?);
        let exact = dispatch::hash(&full_body) == attempt.wire_hash;
        let body: String = full_body.chars().take(MAX_BODY_LENGTH).collect();
        Ok(RequestBody {
            method: target.method,
            path: target.path,
            characters: u32::try_from(full_body.chars().count()).unwrap_or(u32::MAX),
            body,
            exact,
        })
    }

    /// Returns the name of the sending person.
    pub fn person(&self) -> &str {
        &self.shared.person
    }
}

pub(crate) fn sent_request(attempt: AttemptRecord) -> SentRequest {
    SentRequest {
        number: attempt.batch,
        started: attempt.started.to_string(),
        ended: attempt.ended.map(|ended| ended.to_string()),
        class: attempt.class.map(request_class),
        status: attempt.status,
        milliseconds: attempt.milliseconds,
        items: attempt.items,
        rows: attempt.rows,
        counts: attempt.counts,
        log_id: attempt.log_id,
        answer: attempt.answer,
    }
}

fn request_class(outcome_class: OutcomeClass) -> RequestClass {
    match outcome_class {
        OutcomeClass::Answered => RequestClass::Answered,
        OutcomeClass::Refused => RequestClass::Refused,
        OutcomeClass::Deferred => RequestClass::Deferred,
        OutcomeClass::NotSent => RequestClass::NotSent,
        OutcomeClass::Unknown => RequestClass::Unknown,
    }
}
