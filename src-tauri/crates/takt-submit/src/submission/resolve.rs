//! Doubt is resolved by reading back, not guessed: what the service holds of rows that were sent without a believable answer.
//!
//! `evidence` decides what a read-back proves. What it proves nothing of stays unconfirmed, with the reason, and a person decides; so does
//! what would be pending again while a colleague is sending the same. Nothing is sent from here.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::{Map, Value};
use takt_client::{Canceller, Client};
use takt_journal::{
    CLAIMED_UNCONFIRMED, Change, ItemDetail, Journal, JournalError, Outcome, Reason, RowResult, Run, SubmissionId,
    Team,
    attempt::{AttemptRecord, OutcomeClass},
};

use super::{
    Shared, deleted_rows,
    draft::Target,
    evidence::{Before, Conclusion, Evidence, ReadBackEvidence},
    result_reason::{
        CONTAINER_MISSING, CONTRADICTORY, KEY_CHANGED, LOST_ITEMS, MALFORMED, REFUSED, REFUSED_AFTER_UNKNOWN,
        ResultReason, UNBELIEVABLE_RESPONSE, UNTOLD, WRONG_TOTAL, because, fault_reason,
    },
};
use takt_browse::read_back::{ReadBack, ReadBackFault, ReadBackItem, ReadBackResult, ServiceItem, text};
use takt_core::Problem;
use takt_core::blocking::run_blocking;

/// Items that are read back together.
const AT_ONCE: u32 = 5_000;
/// Differences that are told of one item, and characters of a value in them.
const MAX_DIFFERENCES: usize = 5;
const MAX_VALUE_LENGTH: usize = 80;
/// Attempts that are looked at for the service's own pace.
const LOOKED_AT: u32 = 200;
/// A request whose answer was lost may still be at work for so many times as long as the slowest that was answered took.
const TIMES: u32 = 3;
const MAX_REQUEST_TIME: Duration = Duration::from_secs(30);
/// How long an abandoned request may take, where no earlier one shows the service's pace. Connecting alone may take ten seconds.
const DEFAULT_REQUEST_TIME: Duration = Duration::from_secs(12);

/// The codes of evidence; told again with each look.
const FOUND: &str = "found-by-reading-back";
const GONE: &str = "found-gone";
const OTHER: &str = "holds-other";
const ABSENT: &str = "found-absent";
const AS_BEFORE: &str = "found-as-before";
const STILL_THERE: &str = "found-still-there";
/// The list shows a part of the key only: what it shows may be another item.
const ONE_LIKE_IT: &str = "found-one-like-it";
const BEFORE_UNKNOWN: &str = "gone-before-unknown";
const EVIDENCE: [&str; 16] = [
    FOUND,
    GONE,
    OTHER,
    UNTOLD,
    ABSENT,
    AS_BEFORE,
    STILL_THERE,
    ONE_LIKE_IT,
    BEFORE_UNKNOWN,
    MALFORMED,
    WRONG_TOTAL,
    CONTRADICTORY,
    CONTAINER_MISSING,
    REFUSED,
    LOST_ITEMS,
    CLAIMED_UNCONFIRMED,
];
/// What a delete found missing before and after: nothing was deleted.
const WAS_NOT_THERE: &str = "was-not-there";

/// Where a submission's rows are read back.
#[derive(Debug, Clone)]
pub(super) struct SubmissionReadBack {
    pub(super) read_back: ReadBack,
    deletes: bool,
    /// Whether an item may be sent once more without doing more than the first time.
    is_repeatable: bool,
    /// True if a row shows the whole key of an item.
    whole_key: bool,
    key: Vec<String>,
    site: String,
    client: Client,
}

/// What came of a look, in items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ReadBackCounts {
    pub(super) settled: u32,
    pub(super) again: u32,
    pub(super) open: u32,
    /// Of those that stay open: the read proved nothing, and may prove more the next time.
    pub(super) inconclusive: u32,
}

impl SubmissionReadBack {
    /// Absent where the operation has no read side.
    pub(super) fn of(shared: &Shared, operation: &str, target: &Target, site: &str, client: &Client) -> Option<Self> {
        let contract = shared.sites.contract(site);
        let contract =
            contract.inspect_err(|problem| tracing::warn!(%problem, "the site's contract couldn't be read")).ok()?;
        let read_back = ReadBack::of(&contract, operation)?.at_site(&shared.sites, site);
        let (deletes, key) = (target.deletes, target.key.clone());
        let whole_key = read_back.shows_whole_key(&key);
        let is_repeatable = contract.operation(operation).is_some_and(|operation| operation.is_repeatable)
            && !read_back.adds_parts_without_key();
        Some(Self { read_back, deletes, is_repeatable, whole_key, key, site: site.to_owned(), client: client.clone() })
    }

    /// Reads back what is unconfirmed and settles what it can, up to the first reading that fails.
    pub(super) async fn find_out(&self, shared: &Arc<Shared>, run: &Arc<Run>) -> Result<ReadBackCounts, Problem> {
        let (mut told, mut after, id) = (ReadBackCounts::default(), 0, run.submission());
        loop {
            let kept = Arc::clone(shared);
            let items = run_blocking(move || {
                Ok(kept.journal.rows().item_details(id, RowResult::Unconfirmed, after, AT_ONCE)?)
            })
            .await?;
            let Some(last) = items.last() else { return Ok(told) };
            after = last.number;
            shared.failpoints.pass("read-back-asked");
            let expected = self.expected(shared, id, &items).await?;
            let found = self.read_with_neighbors(&items, &expected).await;
            let mut found = found.map_err(Problem::about_unconfirmed)?;
            self.doubt_lost(&items, &mut found);
            shared.failpoints.pass("read-back-answered");
            let at = (shared.clock)();
            let outcomes: Vec<Outcome> =
                items.iter().zip(&found).map(|(item, found)| self.judge(item, found, at)).collect();
            told.add(&outcomes);
            told.inconclusive += count_inconclusive(&found);
            let (kept, run) = (Arc::clone(shared), Arc::clone(run));
            let held_back = run_blocking(move || Ok(kept.journal.decisions().resolve(&run, &outcomes)?)).await?;
            told.again = told.again.saturating_sub(held_back);
            told.open += held_back;
            shared.failpoints.pass("read-back-written");
        }
    }

    /// What the service holds of these items, in their order.
    pub(super) async fn read(&self, items: &[ItemDetail]) -> Result<Vec<ServiceItem>, Problem> {
        self.read_with_neighbors(items, &[]).await
    }

    async fn read_with_neighbors(
        &self,
        items: &[ItemDetail],
        expected: &[Vec<String>],
    ) -> Result<Vec<ServiceItem>, Problem> {
        let read = self.results(&self.read_back, items, expected).await?;
        Ok(read.into_iter().map(|result| result.item).collect())
    }

    /// What the service holds of items that are to be deleted, with some of the rows beside each.
    pub(super) async fn read_before_delete(&self, items: &[ItemDetail]) -> Result<Vec<ReadBackResult>, Problem> {
        self.results(&self.read_back.clone().with_neighbors(), items, &[]).await
    }

    async fn results(
        &self,
        read_back: &ReadBack,
        items: &[ItemDetail],
        expected: &[Vec<String>],
    ) -> Result<Vec<ReadBackResult>, Problem> {
        let asked: Vec<ReadBackItem<'_>> = items.iter().map(|item| ReadBackItem { body: &item.body }).collect();
        let read = read_back.read_with_neighbors(&self.client, (&asked, expected), &Canceller::new()).await;
        read.map_err(|error| Problem::of_read_back(&self.site, error))
    }

    /// The problem of a read that proves nothing.
    pub(super) fn problem_of(&self, fault: ReadBackFault) -> Problem {
        Problem::of_read_back(&self.site, fault.into())
    }

    /// The rows that were beside each item before it was deleted, without those that were deleted from here.
    async fn expected(
        &self,
        shared: &Arc<Shared>,
        id: SubmissionId,
        items: &[ItemDetail],
    ) -> Result<Vec<Vec<String>>, Problem> {
        let mut expected: Vec<Vec<String>> = items.iter().map(|item| item.neighbors.clone()).collect();
        if !self.deletes || expected.iter().all(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let (kept, read_back) = (Arc::clone(shared), self.read_back.clone());
        let deleted = run_blocking(move || Ok(deleted_rows::deleted_here(&kept.journal, &read_back, id)?)).await?;
        for (item, expected) in items.iter().zip(&mut expected) {
            let (list, _) = self.read_back.place_of(&item.body);
            expected.retain(|key| !deleted.contains(&(list.clone(), key.clone())));
        }
        Ok(expected)
    }

    /// Items that were there and that nobody here deleted are missing: then the list doesn't prove that any item is absent.
    fn doubt_lost(&self, items: &[ItemDetail], found: &mut [ServiceItem]) {
        let is_lost = |(item, found): (&ItemDetail, &ServiceItem)| {
            before(item, false) == Before::Held && *found == ServiceItem::Absent
        };
        if self.deletes || !items.iter().zip(found.iter()).any(is_lost) {
            return;
        }
        for found in found.iter_mut().filter(|found| **found == ServiceItem::Absent) {
            *found = ServiceItem::Inconclusive(ReadBackFault::LostItems);
        }
    }

    fn judge(&self, item: &ItemDetail, found: &ServiceItem, at: Timestamp) -> Outcome {
        let at = ("at", said(at));
        let (read_back, shown) = self.shown(item, found, &at);
        let before = before(item, self.deletes);
        let evidence = Evidence {
            deletes: self.deletes,
            whole_key: self.whole_key,
            before,
            unknown_attempts: item.unknown_attempts,
            refused: has_reason(item, &[REFUSED_AFTER_UNKNOWN]),
            answered: has_reason(item, &UNBELIEVABLE_RESPONSE),
            key_changed: has_reason(item, &[KEY_CHANGED]),
            read_back,
        };
        let mut reasons: Vec<Reason> = item.reasons.iter().filter(|reason| !is_evidence(reason)).cloned().collect();
        let result = match evidence.conclude() {
            Conclusion::Accepted => RowResult::Accepted,
            Conclusion::Rejected => {
                // The earlier attempt had no effect, so the refusal stands, in the service's own words.
                reasons.retain(|reason| matches!(reason, Reason::Said(_)));
                RowResult::Rejected
            }
            Conclusion::SendAgain => RowResult::Pending,
            Conclusion::Unconfirmed => RowResult::Unconfirmed,
        };
        reasons.extend(match (result, read_back, before) {
            (RowResult::Accepted, ReadBackEvidence::Absent, _) => vec![because(GONE, [at])],
            (RowResult::Rejected, ReadBackEvidence::Absent, Before::Absent) if self.deletes => {
                vec![because(WAS_NOT_THERE, [at])]
            }
            (RowResult::Rejected, _, _) if reasons.is_empty() => vec![ResultReason::NoReason.reason()],
            (RowResult::Unconfirmed, ReadBackEvidence::Absent, Before::Unknown) if self.deletes => {
                vec![because(BEFORE_UNKNOWN, [at])]
            }
            _ => shown,
        });
        Outcome { item: item.number, result, reasons }
    }

    /// What a read-back shows of an item, and how people are told.
    fn shown(
        &self,
        item: &ItemDetail,
        found: &ServiceItem,
        at: &(&'static str, String),
    ) -> (ReadBackEvidence, Vec<Reason>) {
        let told = |code| vec![because(code, [at.clone()])];
        match found {
            ServiceItem::Inconclusive(fault) => (ReadBackEvidence::Nothing, vec![fault_reason(*fault)]),
            // It was there before, so this status doesn't say that what is in it is gone.
            ServiceItem::ContainerMissing(status) if before(item, self.deletes) == Before::Held => {
                (ReadBackEvidence::Nothing, vec![because(CONTAINER_MISSING, [("status", status.to_string())])])
            }
            ServiceItem::Absent | ServiceItem::ContainerMissing(_) => (ReadBackEvidence::Absent, told(ABSENT)),
            ServiceItem::Holds(_) if self.deletes => {
                (ReadBackEvidence::Present, told(if self.whole_key { STILL_THERE } else { ONE_LIKE_IT }))
            }
            ServiceItem::Holds(held) if !self.decides(&item.body, held) => {
                (ReadBackEvidence::Nothing, vec![fault_reason(ReadBackFault::NotShown)])
            }
            ServiceItem::Holds(held) if self.read_back.same(&item.body, held) => {
                (ReadBackEvidence::AsSent, told(FOUND))
            }
            ServiceItem::Holds(held) if self.is_before(item, held) => {
                let known = item.before.is_some();
                let shown = if known { told(AS_BEFORE) } else { self.differences(item, held, at) };
                (ReadBackEvidence::AsBefore, shown)
            }
            ServiceItem::Holds(held) => (ReadBackEvidence::Present, self.differences(item, held, at)),
        }
    }

    /// True where something of what was sent can be seen, beside the key by which it was found.
    fn decides(&self, sent: &Value, held: &Value) -> bool {
        let members = sent.as_object().into_iter().flatten();
        let mut others = members.map(|(name, _)| name).filter(|name| !self.key.contains(name)).peekable();
        others.peek().is_none() || others.any(|name| held.get(name).is_some())
    }

    /// True if the service holds what was sent as it was before. If that isn't known, whatever it holds is taken for it where the
    /// contract says that an item may be sent again: then that is right in either case.
    fn is_before(&self, item: &ItemDetail, held: &Value) -> bool {
        let Some(before) = &item.before else { return self.is_repeatable && item.change != Some(Change::New) };
        let fields = item.body.as_object().into_iter().flatten().map(|(name, _)| name);
        let as_before: Map<String, Value> =
            fields.map(|name| (name.clone(), before.get(name).cloned().unwrap_or_default())).collect();
        self.read_back.same_state(&Value::Object(as_before), held)
    }

    fn differences(&self, item: &ItemDetail, held: &Value, at: &(&'static str, String)) -> Vec<Reason> {
        let differences = self.read_back.differences(&item.body, held);
        let told = differences.into_iter().take(MAX_DIFFERENCES).map(|difference| {
            let places = [
                ("field", difference.field),
                ("sent", shown(&difference.sent)),
                ("held", shown(&difference.service_value)),
                at.clone(),
            ];
            because(OTHER, places)
        });
        told.collect()
    }
}

/// What the service held of an item before its first attempt.
fn before(item: &ItemDetail, deletes: bool) -> Before {
    match (&item.before, item.change) {
        (Some(_), _) => Before::Held,
        (None, Some(Change::Same)) if deletes => Before::Absent,
        (None, Some(Change::New)) if !deletes => Before::Absent,
        (None, _) => Before::Unknown,
    }
}

fn has_reason(item: &ItemDetail, codes: &[&str]) -> bool {
    item.reasons.iter().any(|reason| matches!(reason, Reason::Because { code, .. } if codes.contains(&code.as_str())))
}

/// Items whose read may prove more if it is repeated.
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
                RowResult::Pending => &mut self.again,
                _ => &mut self.open,
            } += 1;
        }
    }
}

/// How long to wait before a look can be believed: a request whose answer never came may still be at work, and what isn't
/// there yet would be sent a second time. It is `shortest` at least.
pub(super) fn settling(
    journal: &Journal,
    id: SubmissionId,
    now: Timestamp,
    shortest: Duration,
) -> Result<Duration, JournalError> {
    let attempts = journal.requests().attempts(id, LOOKED_AT)?;
    Ok(patience(&attempts, now, shortest, Team::of(journal).is_some()))
}

/// From when on a look can be believed, for the request that takes longest.
fn patience(attempts: &[AttemptRecord], now: Timestamp, shortest: Duration, is_team: bool) -> Duration {
    let lost = |attempt: &&AttemptRecord| {
        attempt.class == Some(OutcomeClass::Unknown) && attempt.status.is_none_or(|status| status >= 300)
    };
    let answered = attempts.iter().filter(|attempt| attempt.class == Some(OutcomeClass::Answered));
    let slowest = answered.filter_map(|attempt| attempt.milliseconds).max();
    let until =
        attempts.iter().filter(lost).filter_map(|attempt| believable(attempt, slowest, shortest, is_team)).max();
    until.map_or(Duration::ZERO, |until| Duration::try_from(until.duration_since(now)).unwrap_or_default())
}

/// A request that was left by a process that died, or by a desk that lost its session, may have left just before, and how long this service
/// takes may not be known yet. Such a desk may also live on and be about to connect.
fn believable(attempt: &AttemptRecord, slowest: Option<u32>, shortest: Duration, is_team: bool) -> Option<Timestamp> {
    let ended = attempt.ended?;
    let was_left = attempt.status.is_none() && attempt.milliseconds == Some(0);
    let pace = slowest.map(|slowest| {
        (Duration::from_millis(slowest.into()) * TIMES).clamp(shortest.min(MAX_REQUEST_TIME), MAX_REQUEST_TIME)
    });
    let by_pace = ended.saturating_add(pace.unwrap_or(shortest)).ok()?;
    let by_start = match (was_left, is_team, pace) {
        (true, true, None) => ended.saturating_add(DEFAULT_REQUEST_TIME),
        (true, true, Some(_)) | (true, false, None) => attempt.started.saturating_add(DEFAULT_REQUEST_TIME),
        _ => return Some(by_pace),
    };
    Some(by_pace.max(by_start.ok()?))
}

/// A value as a person reads it, bounded.
pub(super) fn shown(value: &Value) -> String {
    let text = text(value);
    if text.is_empty() { "–".to_owned() } else { text.chars().take(MAX_VALUE_LENGTH).collect() }
}

/// A moment as reasons name it.
pub(super) fn said(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// What an earlier look had said.
fn is_evidence(reason: &Reason) -> bool {
    matches!(reason, Reason::Because { code, .. } if EVIDENCE.contains(&code.as_str()))
}

#[cfg(test)]
mod tests {
    use takt_journal::ResultCounts;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_790_000_000 + second).unwrap()
    }

    fn attempt(class: OutcomeClass, milliseconds: u32, (started, ended): (i64, i64)) -> AttemptRecord {
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
        patience(attempts, at(now), Duration::from_secs(1), is_team).as_secs()
    }

    #[test]
    fn a_look_is_believed_once_what_was_lost_cannot_be_at_work_any_more() {
        let (answered, lost) = (OutcomeClass::Answered, OutcomeClass::Unknown);
        assert_eq!(seconds(&[attempt(answered, 900, (0, 1))], 1, true), 0, "nothing was lost");
        // Cut while it was waited for: three times what the service takes.
        let cut = attempt(lost, 20, (10, 11));
        assert_eq!(seconds(std::slice::from_ref(&cut), 11, false), 1);
        assert_eq!(seconds(&[attempt(answered, 2_000, (0, 2)), cut], 12, false), 5);
        // Left by a process that died: how long the service takes isn't known, or is.
        let left = attempt(lost, 0, (10, 13));
        assert_eq!(seconds(std::slice::from_ref(&left), 13, false), 9, "since it began");
        assert_eq!(seconds(std::slice::from_ref(&left), 30, false), 0);
        assert_eq!(seconds(&[attempt(answered, 500, (0, 1)), left.clone()], 13, false), 1);
        // Left by a desk that may live on.
        assert_eq!(seconds(std::slice::from_ref(&left), 13, true), 12, "since it was taken up");
        assert_eq!(seconds(&[attempt(answered, 500, (0, 1)), left], 13, true), 9);
    }
}
