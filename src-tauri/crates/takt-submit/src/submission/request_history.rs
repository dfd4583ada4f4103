//! The requests of a submission for the window and the command line, with their bodies.

use serde::{Deserialize, Serialize};
use takt_core::{Code, Problem};
use takt_journal::{
    ResultCounts, SubmissionId,
    attempt::{AttemptRecord, OutcomeClass},
};

use super::{change_operation::ChangeOperation, dispatch, submissions_state::Submissions};

/// The shown characters of a body. The rest is only counted.
const MAX_BODY_LENGTH: usize = 200_000;

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub enum RequestClass {
    /// The service processed the request and returned a result for each item.
    Answered,
    /// The service refused the whole request.
    Refused,
    /// The service asked for a retry later, or with fewer items.
    Deferred,
    /// The request wasn't sent.
    NotSent,
    /// It is unknown whether the service applied the request.
    Unknown,
}

/// A request of a submission, without its body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
#[serde(rename_all = "camelCase")]
pub struct SentRequest {
    /// 1-based.
    pub number: u32,
    /// ISO 8601 with Z.
    pub started: String,
    /// Absent while it is in flight.
    pub ended: Option<String>,
    pub class: Option<RequestClass>,
    pub status: Option<u16>,
    pub milliseconds: Option<u32>,
    pub items: u32,
    pub rows: u32,
    pub counts: ResultCounts,
    /// The service's log ID, if there is one.
    pub log_id: Option<String>,
    /// The beginning of a response that didn't accept everything. Not trusted.
    pub answer: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RequestPage {
    pub total: u32,
    pub offset: u32,
    /// The newest first.
    pub requests: Vec<SentRequest>,
}

/// The content of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(specta::Type))]
pub struct RequestBody {
    pub method: String,
    /// Relative to the site's base address.
    pub path: String,
    /// JSON, truncated to 200,000 characters.
    pub body: String,
    pub characters: u32,
    /// Whether the recreated body has the hash of the sent body.
    pub exact: bool,
}

impl Submissions {
    /// Returns a page of a submission's requests, the newest first.
    ///
    /// # Errors
    ///
    /// A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn requests(&self, id: SubmissionId, offset: u32, limit: u32) -> Result<RequestPage, Problem> {
        let (total, attempts) = self.shared.journal.requests().page(id, offset, limit)?;
        Ok(RequestPage { total, offset, requests: attempts.into_iter().map(sent_request).collect() })
    }

    /// Recreates a request's body from its items.
    ///
    /// # Errors
    ///
    /// - [`Code::Unknown`]: there is no such submission or request, or the contract no longer has its operation.
    /// - A [journal code](takt_core::problem#journal-codes): the journal can't be read.
    pub fn request_body(&self, id: SubmissionId, number: u32) -> Result<RequestBody, Problem> {
        let shared = &self.shared;
        let record = shared.journal.submission(id)?;
        let target = ChangeOperation::find(&*shared.sites.contract(&record.site)?, &record.operation)?;
        let attempt = shared.journal.requests().get(id, number)?;
        let attempt = attempt.ok_or_else(|| Problem::new(Code::Unknown).parameter("what", format!("{id}/{number}")))?;
        let full_body = dispatch::request_body(&target, &shared.journal.requests().items(id, &attempt)?);
        let exact = dispatch::sha256_hex(&full_body) == attempt.wire_hash;
        let body: String = full_body.chars().take(MAX_BODY_LENGTH).collect();
        Ok(RequestBody {
            method: target.method,
            path: target.path,
            characters: u32::try_from(full_body.chars().count()).unwrap_or(u32::MAX),
            body,
            exact,
        })
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
