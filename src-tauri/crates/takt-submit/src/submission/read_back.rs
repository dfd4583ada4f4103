//! Resolves unconfirmed rows by reading their data from the service.
//!
//! [`SubmissionReadBack`] reads, and `evidence` decides what that proves. Rows without proof stay unconfirmed with the
//! reason, and the user decides about them. Rows that would be pending again stay unconfirmed while a colleague sends
//! the same keys. Nothing is sent from here.

use std::{collections::HashSet, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::{Map, Value};
use takt_client::{Canceller, Client};
use takt_journal::{
    CLAIMED_UNCONFIRMED, Change, ItemDetail, Journal, JournalError, Outcome, Reason, RowResult, Run, SubmissionId,
    SubmissionRecord, Team,
    attempt::{AttemptRecord, OutcomeClass},
};

use super::{
    change_operation::ChangeOperation,
    evidence::{Conclusion, Evidence, PriorState, ReadBackEvidence},
    submissions_state::SubmissionsState,
};
use crate::result_reason::{
    CONTAINER_MISSING, CONTRADICTORY_CODE, KEY_CHANGED, LOST_ITEMS_CODE, MALFORMED_CODE, NOT_READABLE,
    REFUSED_AFTER_UNKNOWN, REFUSED_CODE, ResultReason, UNTRUSTED_RESPONSE_CODES, WRONG_TOTAL, coded_reason,
    fault_reason,
};
use takt_browse::read_back::{ReadBack, ReadBackFault, ReadBackItem, ReadBackResult, ServiceItem, key_text};
use takt_core::Problem;
use takt_core::blocking::run_blocking;
use takt_sites::SiteConnection;
/// The items that are read back together.
const PAGE_SIZE: u32 = 5_000;
/// Only the newest submissions are searched for deleted rows.
const MAX_SUBMISSIONS: u32 = 50;
/// The differences listed per item, and the shown characters of a value.
const MAX_DIFFERENCES: usize = 5;
const MAX_VALUE_LENGTH: usize = 80;
/// The attempts from which the service's response time is determined.
const MAX_ATTEMPTS: u32 = 200;
/// A request without a response may still be processed for this multiple of the slowest response time.
const SLOWEST_FACTOR: u32 = 3;
const MAX_REQUEST_TIME: Duration = Duration::from_secs(30);
/// The assumed time of an abandoned request if no earlier request shows the service's response time. Connecting alone
/// may take ten seconds.
const DEFAULT_REQUEST_TIME: Duration = Duration::from_secs(12);

/// The codes of evidence, which each read-back replaces.
const FOUND_CODE: &str = "found-by-reading-back";
const GONE_CODE: &str = "found-gone";
const OTHER_VALUES_CODE: &str = "holds-other";
const ABSENT_CODE: &str = "found-absent";
const AS_BEFORE_CODE: &str = "found-as-before";
const STILL_PRESENT_CODE: &str = "found-still-there";
/// The list shows only a part of the key, so its row may belong to another item.
const SIMILAR_ROW_CODE: &str = "found-one-like-it";
const PRIOR_STATE_UNKNOWN_CODE: &str = "gone-before-unknown";
const READ_BACK_CODES: [&str; 16] = [
    FOUND_CODE,
    GONE_CODE,
    OTHER_VALUES_CODE,
    NOT_READABLE,
    ABSENT_CODE,
    AS_BEFORE_CODE,
    STILL_PRESENT_CODE,
    SIMILAR_ROW_CODE,
    PRIOR_STATE_UNKNOWN_CODE,
    MALFORMED_CODE,
    WRONG_TOTAL,
    CONTRADICTORY_CODE,
    CONTAINER_MISSING,
    REFUSED_CODE,
    LOST_ITEMS_CODE,
    CLAIMED_UNCONFIRMED,
];
/// The code for a deleted item that was missing before and after, so nothing was deleted.
const NOTHING_DELETED_CODE: &str = "was-not-there";

/// Reads the service's state of a submission's items.
#[derive(Debug, Clone)]
pub(super) struct SubmissionReadBack {
    pub(super) read_back: ReadBack,
    deletes: bool,
    /// Whether an item may be sent again without additional effects.
    is_repeatable: bool,
    /// Whether a row shows the whole key of an item.
    is_key_complete: bool,
    key: Vec<String>,
    site: String,
    client: Client,
}

/// The result of a read-back, in items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ReadBackCounts {
    pub(super) settled: u32,
    pub(super) to_resend: u32,
    pub(super) unconfirmed: u32,
    /// The items that stay unconfirmed because the read proved nothing but may do so next time.
    pub(super) inconclusive: u32,
}

impl SubmissionReadBack {
    /// Creates the reader. Returns `None` if the operation can't be read back.
    pub(super) fn for_operation(
        shared: &SubmissionsState,
        operation: &str,
        target: &ChangeOperation,
        connection: &SiteConnection,
    ) -> Option<Self> {
        let SiteConnection { site, contract, time_zone, client } = connection;
        let read_back = ReadBack::for_operation(contract, operation)?.with_site(&shared.sites, site, time_zone);
        let (deletes, key) = (target.deletes, target.key.clone());
        let is_key_complete = read_back.shows_whole_key(&key);
        let is_repeatable = contract.operation(operation).is_some_and(|operation| operation.is_repeatable)
            && !read_back.adds_parts_without_key();
        Some(Self {
            read_back,
            deletes,
            is_repeatable,
            is_key_complete,
            key,
            site: site.clone(),
            client: client.clone(),
        })
    }

    /// Reads back the unconfirmed items and settles those with proof, up to the first read that fails.
    pub(super) async fn resolve_unconfirmed(
        &self,
        shared: &Arc<SubmissionsState>,
        run: &Arc<Run>,
    ) -> Result<ReadBackCounts, Problem> {
        let (mut counts, mut after, id) = (ReadBackCounts::default(), 0, run.submission());
        loop {
            let reading = Arc::clone(shared);
            let items = run_blocking(move || {
                Ok(reading.journal.rows().item_details(id, RowResult::Unconfirmed, after, PAGE_SIZE)?)
            })
            .await?;
            let Some(last) = items.last() else { return Ok(counts) };
            after = last.number;
            shared.failpoints.pass("read-back-asked");
            let expected = self.load_expected_neighbors(shared, id, &items).await?;
            let read = self.read_with_neighbors(&items, &expected).await;
            let mut service_items = read.map_err(Problem::with_unconfirmed_texts)?;
            self.mark_lost_items(&items, &mut service_items);
            shared.failpoints.pass("read-back-answered");
            let at = (shared.clock)();
            let outcomes: Vec<Outcome> =
                items.iter().zip(&service_items).map(|(item, found)| self.decide_outcome(item, found, at)).collect();
            counts.add(&outcomes);
            counts.inconclusive += count_inconclusive(&service_items);
            let (writing, run) = (Arc::clone(shared), Arc::clone(run));
            let claimed = run_blocking(move || Ok(writing.journal.decisions().resolve(&run, &outcomes)?)).await?;
            counts.to_resend = counts.to_resend.saturating_sub(claimed);
            counts.unconfirmed += claimed;
            shared.failpoints.pass("read-back-written");
        }
    }

    /// Returns the service's data for these items, in their order.
    pub(super) async fn read(&self, items: &[ItemDetail]) -> Result<Vec<ServiceItem>, Problem> {
        self.read_with_neighbors(items, &[]).await
    }

    async fn read_with_neighbors(
        &self,
        items: &[ItemDetail],
        expected: &[Vec<String>],
    ) -> Result<Vec<ServiceItem>, Problem> {
        let read = self.read_results(&self.read_back, items, expected).await?;
        Ok(read.into_iter().map(|result| result.item).collect())
    }

    /// Returns the service's data for items to delete, with some neighboring rows of each item.
    pub(super) async fn read_before_delete(&self, items: &[ItemDetail]) -> Result<Vec<ReadBackResult>, Problem> {
        self.read_results(&self.read_back.clone().with_neighbors(), items, &[]).await
    }

    async fn read_results(
        &self,
        read_back: &ReadBack,
        items: &[ItemDetail],
        expected: &[Vec<String>],
    ) -> Result<Vec<ReadBackResult>, Problem> {
        let asked: Vec<ReadBackItem<'_>> = items.iter().map(|item| ReadBackItem { body: &item.body }).collect();
        let read = read_back.read_with_neighbors(&self.client, &asked, expected, &Canceller::new()).await;
        read.map_err(|error| Problem::from_read_back_error(&self.site, error))
    }

    /// Returns the problem of a read that proves nothing.
    pub(super) fn fault_problem(&self, fault: ReadBackFault) -> Problem {
        Problem::from_read_back_error(&self.site, fault.into())
    }

    /// Returns the rows next to each item before its deletion, without those that submissions of this journal deleted.
    async fn load_expected_neighbors(
        &self,
        shared: &Arc<SubmissionsState>,
        id: SubmissionId,
        items: &[ItemDetail],
    ) -> Result<Vec<Vec<String>>, Problem> {
        let mut expected: Vec<Vec<String>> = items.iter().map(|item| item.neighbors.clone()).collect();
        if !self.deletes || expected.iter().all(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let (reading, read_back) = (Arc::clone(shared), self.read_back.clone());
        let deleted = run_blocking(move || Ok(load_deleted_rows(&reading.journal, &read_back, id)?)).await?;
        for (item, expected) in items.iter().zip(&mut expected) {
            let (list, _) = self.read_back.identity_in_list(&item.body);
            expected.retain(|key| !deleted.contains(&(list.clone(), key.clone())));
        }
        Ok(expected)
    }

    /// Marks absent items as inconclusive if one of them existed before. Then the list may have lost rows.
    fn mark_lost_items(&self, items: &[ItemDetail], found: &mut [ServiceItem]) {
        let is_lost = |(item, found): (&ItemDetail, &ServiceItem)| {
            prior_state(item, false) == PriorState::Present && *found == ServiceItem::Absent
        };
        if self.deletes || !items.iter().zip(found.iter()).any(is_lost) {
            return;
        }
        for found in found.iter_mut().filter(|found| **found == ServiceItem::Absent) {
            *found = ServiceItem::Inconclusive(ReadBackFault::LostItems);
        }
    }

    fn decide_outcome(&self, item: &ItemDetail, found: &ServiceItem, at: Timestamp) -> Outcome {
        let at = ("at", format_time(at));
        let (read_back, shown_reasons) = self.read_back_evidence(item, found, &at);
        let prior = prior_state(item, self.deletes);
        let evidence = Evidence {
            deletes: self.deletes,
            is_key_complete: self.is_key_complete,
            prior,
            unknown_attempts: item.unknown_attempts,
            is_refused: has_reason(item, &[REFUSED_AFTER_UNKNOWN]),
            has_untrusted_response: has_reason(item, &UNTRUSTED_RESPONSE_CODES),
            key_changed: has_reason(item, &[KEY_CHANGED]),
            read_back,
        };
        let mut reasons: Vec<Reason> =
            item.reasons.iter().filter(|reason| !is_read_back_reason(reason)).cloned().collect();
        let result = match evidence.conclude() {
            Conclusion::Accepted => RowResult::Accepted,
            Conclusion::Rejected => {
                // The earlier attempt had no effect, so the refusal is valid, with the service's reasons.
                reasons.retain(|reason| matches!(reason, Reason::Said(_)));
                RowResult::Rejected
            }
            Conclusion::SendAgain => RowResult::Pending,
            Conclusion::Unconfirmed => RowResult::Unconfirmed,
        };
        reasons.extend(match (result, read_back, prior) {
            (RowResult::Accepted, ReadBackEvidence::Absent, _) => vec![coded_reason(GONE_CODE, [at])],
            (RowResult::Rejected, ReadBackEvidence::Absent, PriorState::Absent) if self.deletes => {
                vec![coded_reason(NOTHING_DELETED_CODE, [at])]
            }
            (RowResult::Rejected, _, _) if reasons.is_empty() => vec![ResultReason::NoReason.to_reason()],
            (RowResult::Unconfirmed, ReadBackEvidence::Absent, PriorState::Unknown) if self.deletes => {
                vec![coded_reason(PRIOR_STATE_UNKNOWN_CODE, [at])]
            }
            _ => shown_reasons,
        });
        Outcome { item: item.number, result, reasons }
    }

    /// Returns the evidence of a read-back about an item, and the reasons for the user.
    fn read_back_evidence(
        &self,
        item: &ItemDetail,
        found: &ServiceItem,
        at: &(&'static str, String),
    ) -> (ReadBackEvidence, Vec<Reason>) {
        let reason = |code| vec![coded_reason(code, [at.clone()])];
        match found {
            ServiceItem::Inconclusive(fault) => (ReadBackEvidence::Inconclusive, vec![fault_reason(*fault)]),
            // The item existed before, so this status doesn't prove that the container's content is gone.
            ServiceItem::ContainerMissing(status) if prior_state(item, self.deletes) == PriorState::Present => (
                ReadBackEvidence::Inconclusive,
                vec![coded_reason(CONTAINER_MISSING, [("status", status.to_string())])],
            ),
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => (ReadBackEvidence::Absent, reason(ABSENT_CODE)),
            ServiceItem::Present(_) if self.deletes => (
                ReadBackEvidence::Present,
                reason(if self.is_key_complete { STILL_PRESENT_CODE } else { SIMILAR_ROW_CODE }),
            ),
            ServiceItem::Present(existing) if !self.shows_sent_value(&item.body, existing) => {
                (ReadBackEvidence::Inconclusive, vec![fault_reason(ReadBackFault::NotShown)])
            }
            ServiceItem::Present(existing) if self.read_back.matches_stored(&item.body, existing) => {
                (ReadBackEvidence::AsSent, reason(FOUND_CODE))
            }
            ServiceItem::Present(existing) if self.is_unchanged(item, existing) => {
                let known = item.before.is_some();
                let reasons = if known { reason(AS_BEFORE_CODE) } else { self.difference_reasons(item, existing, at) };
                (ReadBackEvidence::AsBefore, reasons)
            }
            ServiceItem::Present(existing) => (ReadBackEvidence::Present, self.difference_reasons(item, existing, at)),
        }
    }

    /// Returns whether the service shows any sent value in addition to the key.
    fn shows_sent_value(&self, sent: &Value, existing: &Value) -> bool {
        let members = sent.as_object().into_iter().flatten();
        let mut values = members.map(|(name, _)| name).filter(|name| !self.key.contains(name)).peekable();
        values.peek().is_none() || values.any(|name| existing.get(name).is_some())
    }

    /// Returns whether the service still has the item's values from before.
    ///
    /// If these aren't known, returns true if the contract allows the item to be sent again, because that is harmless.
    /// A new item is never unchanged.
    fn is_unchanged(&self, item: &ItemDetail, existing: &Value) -> bool {
        let Some(before) = &item.before else { return self.is_repeatable && item.change != Some(Change::New) };
        let fields = item.body.as_object().into_iter().flatten().map(|(name, _)| name);
        let as_before: Map<String, Value> =
            fields.map(|name| (name.clone(), before.get(name).cloned().unwrap_or_default())).collect();
        self.read_back.is_same_state(&Value::Object(as_before), existing)
    }

    fn difference_reasons(&self, item: &ItemDetail, existing: &Value, at: &(&'static str, String)) -> Vec<Reason> {
        let differences = self.read_back.differences(&item.body, existing);
        let reasons = differences.into_iter().take(MAX_DIFFERENCES).map(|difference| {
            let parameters = [
                ("field", difference.field),
                ("sent", format_value(&difference.sent)),
                ("held", format_value(&difference.service_value)),
                at.clone(),
            ];
            coded_reason(OTHER_VALUES_CODE, parameters)
        });
        reasons.collect()
    }
}

/// Returns the state of an item on the service before its first attempt.
fn prior_state(item: &ItemDetail, deletes: bool) -> PriorState {
    match (&item.before, item.change) {
        (Some(_), _) => PriorState::Present,
        (None, Some(Change::Same)) if deletes => PriorState::Absent,
        (None, Some(Change::New)) if !deletes => PriorState::Absent,
        (None, _) => PriorState::Unknown,
    }
}

fn has_reason(item: &ItemDetail, codes: &[&str]) -> bool {
    item.reasons.iter().any(|reason| matches!(reason, Reason::Because { code, .. } if codes.contains(&code.as_str())))
}

/// Counts the items whose read may prove more if it is repeated.
fn count_inconclusive(found: &[ServiceItem]) -> u32 {
    let is_transient = |item: &&ServiceItem| {
        matches!(item, ServiceItem::Inconclusive(fault) if fault.is_transient())
            || matches!(item, ServiceItem::ContainerMissing(_))
    };
    u32::try_from(found.iter().filter(is_transient).count()).unwrap_or(u32::MAX)
}

impl ReadBackCounts {
    fn add(&mut self, outcomes: &[Outcome]) {
        for outcome in outcomes {
            *match outcome.result {
                RowResult::Accepted | RowResult::Rejected => &mut self.settled,
                RowResult::Pending => &mut self.to_resend,
                _ => &mut self.unconfirmed,
            } += 1;
        }
    }
}

/// The identity of a row: the values that its list was filtered by, and its key.
type RowKey = (Vec<String>, String);

/// Returns the rows that this and similar submissions to the same site have deleted, or may have deleted.
///
/// If another row next to a deleted item is missing from a list, the list lost rows and proves nothing.
fn load_deleted_rows(
    journal: &Journal,
    read_back: &ReadBack,
    id: SubmissionId,
) -> Result<HashSet<RowKey>, JournalError> {
    let record = journal.submission(id)?;
    let is_similar = |other: &SubmissionRecord| {
        other.id != id && other.site == record.site && other.operation == record.operation && other.purged.is_none()
    };
    let similar = journal.submissions(0, MAX_SUBMISSIONS)?.into_iter().filter(is_similar).map(|other| other.id);
    let mut deleted = HashSet::new();
    for submission in similar.chain([id]) {
        for result in [RowResult::Accepted, RowResult::Unconfirmed, RowResult::Sending] {
            let mut after = 0;
            loop {
                let items = journal.rows().item_details(submission, result, after, PAGE_SIZE)?;
                let Some(last) = items.last() else { break };
                after = last.number;
                deleted.extend(items.iter().filter_map(|item| {
                    let (list, key) = read_back.identity_in_list(&item.body);
                    Some((list, key?))
                }));
            }
        }
    }
    Ok(deleted)
}

/// Returns the wait until a read-back is reliable.
///
/// A request without a response may still be processed, and its items would be sent twice. `min_delay` is the minimum
/// wait after such a request.
pub(super) fn read_back_delay(
    journal: &Journal,
    id: SubmissionId,
    now: Timestamp,
    min_delay: Duration,
) -> Result<Duration, JournalError> {
    let attempts = journal.requests().attempts(id, MAX_ATTEMPTS)?;
    Ok(delay_after_attempts(&attempts, now, min_delay, Team::from_journal(journal).is_some()))
}

/// Returns the wait for the request that may be processed longest.
fn delay_after_attempts(attempts: &[AttemptRecord], now: Timestamp, min_delay: Duration, is_team: bool) -> Duration {
    let lost = |attempt: &&AttemptRecord| {
        attempt.class == Some(OutcomeClass::Unknown) && attempt.status.is_none_or(|status| status >= 300)
    };
    let answered = attempts.iter().filter(|attempt| attempt.class == Some(OutcomeClass::Answered));
    let slowest = answered.filter_map(|attempt| attempt.milliseconds).max();
    let until = attempts
        .iter()
        .filter(lost)
        .filter_map(|attempt| reliable_read_back_time(attempt, slowest, min_delay, is_team))
        .max();
    until.map_or(Duration::ZERO, |until| Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

/// Returns the time from which a read-back is reliable after this attempt.
///
/// A killed process or a disconnected desk may have sent its request just before it ended, so the wait after such an
/// attempt is longer. A disconnected desk may even still be connecting to the service.
fn reliable_read_back_time(
    attempt: &AttemptRecord,
    slowest: Option<u32>,
    min_delay: Duration,
    is_team: bool,
) -> Option<Timestamp> {
    let ended = attempt.ended?;
    let was_abandoned = attempt.status.is_none() && attempt.milliseconds == Some(0);
    let pace = slowest.map(|slowest| {
        (Duration::from_millis(slowest.into()) * SLOWEST_FACTOR)
            .clamp(min_delay.min(MAX_REQUEST_TIME), MAX_REQUEST_TIME)
    });
    let by_pace = ended.saturating_add(pace.unwrap_or(min_delay)).ok()?;
    let by_start = match (was_abandoned, is_team, pace) {
        (true, true, None) => ended.saturating_add(DEFAULT_REQUEST_TIME),
        (true, true, Some(_)) | (true, false, None) => attempt.started.saturating_add(DEFAULT_REQUEST_TIME),
        _ => return Some(by_pace),
    };
    Some(by_pace.max(by_start.ok()?))
}

/// Formats a value for the user, with a limited length.
pub(super) fn format_value(value: &Value) -> String {
    let text = key_text(value);
    if text.is_empty() { "–".to_owned() } else { text.chars().take(MAX_VALUE_LENGTH).collect() }
}

/// Formats a time for reasons.
pub(super) fn format_time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// Returns whether the reason is from an earlier read-back.
fn is_read_back_reason(reason: &Reason) -> bool {
    matches!(reason, Reason::Because { code, .. } if READ_BACK_CODES.contains(&code.as_str()))
}

#[cfg(test)]
mod tests {
    use takt_journal::ResultCounts;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_790_000_000 + second).unwrap()
    }

    fn attempt(class: OutcomeClass, milliseconds: u32, started: i64, ended: i64) -> AttemptRecord {
        AttemptRecord {
            batch: 1,
            started: at(started),
            wire_hash: String::new(),
            items: 1,
            rows: 1,
            counts: ResultCounts::default(),
            ended: Some(at(ended)),
            class: Some(class),
            status: None,
            milliseconds: Some(milliseconds),
            log_id: None,
            numbers: "1".to_owned(),
            answer: None,
        }
    }

    fn seconds(attempts: &[AttemptRecord], now: i64, is_team: bool) -> u64 {
        delay_after_attempts(attempts, at(now), Duration::from_secs(1), is_team).as_secs()
    }

    #[test]
    fn read_back_waits_for_lost_requests() {
        let (answered, lost) = (OutcomeClass::Answered, OutcomeClass::Unknown);
        assert_eq!(seconds(&[attempt(answered, 900, 0, 1)], 1, true), 0, "nothing was lost");
        // Canceled while waiting for a response: three times the service's response time.
        let cut = attempt(lost, 20, 10, 11);
        assert_eq!(seconds(std::slice::from_ref(&cut), 11, false), 1);
        assert_eq!(seconds(&[attempt(answered, 2_000, 0, 2), cut], 12, false), 5);
        // Left open by a killed process, with unknown and known response time.
        let left = attempt(lost, 0, 10, 13);
        assert_eq!(seconds(std::slice::from_ref(&left), 13, false), 9, "since it began");
        assert_eq!(seconds(std::slice::from_ref(&left), 30, false), 0);
        assert_eq!(seconds(&[attempt(answered, 500, 0, 1), left.clone()], 13, false), 1);
        // Left open by a desk that may still be running.
        assert_eq!(seconds(std::slice::from_ref(&left), 13, true), 12, "since it was taken up");
        assert_eq!(seconds(&[attempt(answered, 500, 0, 1), left], 13, true), 9);
    }
}
