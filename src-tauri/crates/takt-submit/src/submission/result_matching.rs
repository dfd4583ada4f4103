//! Matches the results of a batch response to its items, and decides which results can be trusted.
//!
//! A result applies to an item only if it has the item's position or number *and* repeats the item's key. Then only
//! `success` decides. Items without a clear result are unconfirmed, never accepted or rejected.

use std::{borrow::Cow, collections::HashMap};

use serde_json::Value;
use takt_contract::{
    form::BatchForm,
    wire::{BatchFault, ParsedBatchResponse, ParsedItemResult},
};
use takt_journal::{Outcome, Reason, RowResult, item::StoredItem};

use super::{change_operation::ChangeOperation, json_members::read_members};
use crate::result_reason::ResultReason;

/// Limits per item: the number of reasons, and the length of each in characters.
const MAX_REASONS: usize = 20;
const MAX_REASON_LENGTH: usize = 1_000;
/// The shown characters of another key.
const MAX_KEY_LENGTH: usize = 120;

/// Returns one outcome per item, in the order of the request.
pub(super) fn match_results(target: &ChangeOperation, items: &[StoredItem], status: u16, body: &[u8]) -> Vec<Outcome> {
    let response = match ParsedBatchResponse::read(&target.batch, &target.shape, body) {
        Ok(response) if response.accepts_all => return uniform_outcomes(items, RowResult::Accepted, &[]),
        Ok(response) => response,
        Err(BatchFault::NotJson) => return unconfirmed_outcomes(items, &ResultReason::NotUnderstood(status)),
        Err(BatchFault::NotAsSpecified(member)) => {
            return unconfirmed_outcomes(items, &ResultReason::NotAsSpecified { status, member });
        }
    };
    if let Some(reason) = response_fault(&target.batch, items.len(), &response) {
        return unconfirmed_outcomes(items, &reason);
    }
    let results = ResultsByItem::new(target, items, &response.results);
    items
        .iter()
        .enumerate()
        .map(|(index, item)| item_outcome(target, item, &results.result(index), results.is_uniform))
        .collect()
}

pub(super) fn unconfirmed_outcomes(items: &[StoredItem], reason: &ResultReason) -> Vec<Outcome> {
    let reasons = vec![reason.to_reason()];
    uniform_outcomes(items, RowResult::Unconfirmed, &reasons)
}

pub(super) fn uniform_outcomes(items: &[StoredItem], result: RowResult, reasons: &[Reason]) -> Vec<Outcome> {
    items.iter().map(|item| Outcome { item: item.number, result, reasons: reasons.to_vec() }).collect()
}

/// Converts the service's reasons, with limited number and length.
pub(super) fn service_reasons(words: &[String]) -> Vec<Reason> {
    words.iter().take(MAX_REASONS).map(|word| Reason::Said(word.chars().take(MAX_REASON_LENGTH).collect())).collect()
}

/// Returns the fault that makes the whole response untrustworthy, if any.
fn response_fault(form: &BatchForm, sent: usize, response: &ParsedBatchResponse) -> Option<ResultReason> {
    let results = response.results.len();
    if results > sent {
        return Some(ResultReason::ResultsExtra { sent, results });
    }
    let count = |wanted: bool| response.results.iter().filter(|result| result.success == Some(wanted)).count();
    let (successes, errors) = (count(true), count(false));
    let unlisted = if form.only_failures { sent - results } else { 0 };
    // The counts can be compared only if every sent item has a clear result.
    let unclear = response.results.iter().any(|result| result.success.is_none());
    let unclear = unclear || (!form.only_failures && results < sent);
    let matches = |count: usize, stated: Option<i64>| stated.is_none_or(|stated| i64::try_from(count) == Ok(stated));
    let adds_up = matches(sent, response.total_items)
        && match (response.success_count, response.error_count) {
            (Some(success), Some(error)) => {
                success.checked_add(error).is_some_and(|sum| i64::try_from(sent) == Ok(sum))
            }
            _ => true,
        };
    let agrees =
        unclear || (matches(successes + unlisted, response.success_count) && matches(errors, response.error_count));
    let stated = |count: Option<i64>| count.unwrap_or_default();
    (!(adds_up && agrees)).then(|| ResultReason::WrongCounts {
        sent,
        total: stated(response.total_items),
        success: stated(response.success_count),
        error: stated(response.error_count),
    })
}

/// The results of a response, assigned to its items.
struct ResultsByItem<'a> {
    by_item: Vec<Option<&'a ParsedItemResult>>,
    /// The meaning of a missing result.
    unlisted: Unlisted,
    /// Whether every item has a result and all are the same. Then their order doesn't matter.
    is_uniform: bool,
}

enum Unlisted {
    Missing,
    Accepted,
    /// A failure names no known item, so it may belong to any.
    Unclear,
}

/// The result that a response contains for one item.
enum ItemResult<'a> {
    Listed(&'a ParsedItemResult),
    Unlisted(&'a Unlisted),
}

impl<'a> ResultsByItem<'a> {
    fn new(target: &ChangeOperation, items: &[StoredItem], results: &'a [ParsedItemResult]) -> Self {
        let only_failures = target.batch.only_failures;
        let keys: HashMap<Vec<String>, usize> = if only_failures && target.batch.index.is_none() {
            items.iter().enumerate().map(|(index, item)| (read_sent_key(&target.key, item), index)).collect()
        } else {
            HashMap::new()
        };
        let mut by_item = vec![None; items.len()];
        let mut is_ambiguous = false;
        for (order, result) in results.iter().enumerate() {
            let index = match (&target.batch.index, only_failures) {
                (Some(_), _) => result.index,
                (None, true) => keys.get(&read_result_key(&target.key, result)).copied(),
                (None, false) => Some(order),
            };
            // If an item has two results, or a result has no item, the items without a result are uncertain.
            let slot = index.and_then(|index| by_item.get_mut(index));
            is_ambiguous |= slot.is_none_or(|slot| slot.replace(result).is_some());
        }
        let unlisted = match (only_failures, is_ambiguous) {
            (_, true) => Unlisted::Unclear,
            (true, false) => Unlisted::Accepted,
            (false, false) => Unlisted::Missing,
        };
        let first = results.first().and_then(|result| result.success);
        let is_uniform = results.len() == items.len() && results.iter().all(|result| result.success == first);
        Self { by_item, unlisted, is_uniform }
    }

    fn result(&self, index: usize) -> ItemResult<'_> {
        let listed = self.by_item.get(index).copied().flatten();
        listed.map_or(ItemResult::Unlisted(&self.unlisted), ItemResult::Listed)
    }
}

fn read_sent_key(key: &[String], item: &StoredItem) -> Vec<String> {
    let sent = read_members(key, &item.body);
    sent.iter().map(|value| key_part(value.as_ref()).into_owned()).collect()
}

fn read_result_key(key: &[String], result: &ParsedItemResult) -> Vec<String> {
    key.iter().map(|field| key_part(result.member(field)).into_owned()).collect()
}

fn item_outcome(target: &ChangeOperation, item: &StoredItem, result: &ItemResult<'_>, is_uniform: bool) -> Outcome {
    let result = match result {
        ItemResult::Listed(result) => result,
        ItemResult::Unlisted(Unlisted::Accepted) => {
            return Outcome { item: item.number, result: RowResult::Accepted, reasons: Vec::new() };
        }
        ItemResult::Unlisted(Unlisted::Missing | Unlisted::Unclear) => {
            return unconfirmed_outcome(item, &ResultReason::ResultMissing);
        }
    };
    let Some(success) = result.success else {
        return unconfirmed_outcome(item, &ResultReason::SuccessUnclear(result.success_text.clone()));
    };
    if !repeats_key(target, item, result, is_uniform) {
        return unconfirmed_outcome(item, &key_mismatch_reason(target, item, result));
    }
    let (result, mut reasons) = if success {
        (RowResult::Accepted, Vec::new())
    } else {
        (RowResult::Rejected, service_reasons(&result.reasons))
    };
    if result == RowResult::Rejected && reasons.is_empty() {
        reasons.push(ResultReason::NoReason.to_reason());
    }
    Outcome { item: item.number, result, reasons }
}

/// Returns whether a result repeats the item's key. A numbered result may omit parts of the key, and so may equal
/// results if the contract allows it.
fn repeats_key(target: &ChangeOperation, item: &StoredItem, result: &ParsedItemResult, is_uniform: bool) -> bool {
    let sent = read_members(&target.key, &item.body);
    let may_lack = target.batch.index.is_some() || (target.batch.lacks_key && is_uniform);
    target.key.iter().zip(&sent).all(|(field, sent)| {
        let (sent, repeated) = (key_part(sent.as_ref()), key_part(result.member(field)));
        sent == repeated || (may_lack && repeated.is_empty())
    })
}

/// Returns why a result with another key isn't trusted.
fn key_mismatch_reason(target: &ChangeOperation, item: &StoredItem, result: &ParsedItemResult) -> ResultReason {
    let (sent, returned) = (read_sent_key(&target.key, item), read_result_key(&target.key, result));
    let is_similar = |(sent, returned): (&String, &String)| is_same_folded(sent, returned);
    if sent.iter().zip(&returned).all(is_similar) {
        return ResultReason::KeyChanged { sent: join_key(&sent), returned: join_key(&returned) };
    }
    ResultReason::OtherKey(join_key(&returned))
}

/// Returns whether two keys differ only in case, spaces and punctuation, or leading zeros.
fn is_same_folded(one: &str, other: &str) -> bool {
    fold_key(one) == fold_key(other)
}

fn fold_key(key: &str) -> String {
    let mut folded = String::with_capacity(key.len());
    let mut in_number = false;
    for character in key.chars().flat_map(char::to_lowercase).filter(|character| character.is_alphanumeric()) {
        let leading_zero = character == '0' && !in_number;
        in_number = character.is_ascii_digit() && !leading_zero;
        if !leading_zero {
            folded.push(character);
        }
    }
    folded
}

fn unconfirmed_outcome(item: &StoredItem, reason: &ResultReason) -> Outcome {
    Outcome { item: item.number, result: RowResult::Unconfirmed, reasons: vec![reason.to_reason()] }
}

/// Returns a key's part for comparison. A service may omit, empty or null missing parts, and write a whole number as 7
/// or 7.0. Everything else must be equal.
fn key_part(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(Value::Number(number)) => Cow::Owned(match number.as_f64() {
            Some(float) if number.as_i64().is_none() && float.fract() == 0.0 && float.abs() < 1e15 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        }),
        Some(other) => Cow::Owned(other.to_string()),
    }
}

fn join_key(key: &[String]) -> String {
    let parts: Vec<&str> = key.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    parts.join(" · ").chars().take(MAX_KEY_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use takt_contract::form::IndexMember;

    use super::*;

    fn items() -> Vec<StoredItem> {
        let item = |number, code: &str| StoredItem {
            number,
            key: code.to_owned(),
            body: json!({ "code": code, "operationCode": "010", "quantity": 4 }).to_string(),
            unknown_attempts: 0,
        };
        vec![item(11, "A"), item(12, "B"), item(13, "C")]
    }

    fn results(response: &Value) -> Vec<(u32, RowResult)> {
        match_with(&ChangeOperation::for_tests(&["code", "operationCode"]), response)
    }

    fn match_with(target: &ChangeOperation, response: &Value) -> Vec<(u32, RowResult)> {
        let outcomes = match_results(target, &items(), 200, response.to_string().as_bytes());
        outcomes.into_iter().map(|outcome| (outcome.item, outcome.result)).collect()
    }

    fn result(code: &str, success: bool) -> Value {
        json!({ "code": code, "operationCode": "010", "success": success })
    }

    fn response(counts: [i64; 3], results: &[Value]) -> Value {
        json!({ "totalItems": counts[0], "successCount": counts[1], "errorCount": counts[2], "results": results })
    }

    #[test]
    fn success_decides_item_by_item() {
        let results = results(&response([3, 2, 1], &[result("A", true), result("B", false), result("C", true)]));
        assert_eq!(results, [(11, RowResult::Accepted), (12, RowResult::Rejected), (13, RowResult::Accepted)]);
    }

    #[test]
    fn a_missing_result_leaves_shifted_results_unconfirmed() {
        let results = results(&response([3, 3, 0], &[result("A", true), result("C", true)]));
        assert_eq!(results, [(11, RowResult::Accepted), (12, RowResult::Unconfirmed), (13, RowResult::Unconfirmed)]);
    }

    #[test]
    fn reordered_results_are_not_believed() {
        let results = results(&response([3, 3, 0], &[result("C", true), result("B", true), result("A", true)]));
        assert_eq!(results, [(11, RowResult::Unconfirmed), (12, RowResult::Accepted), (13, RowResult::Unconfirmed)]);
    }

    #[test]
    fn statistics_must_add_up() {
        let good = [result("A", true), result("B", true), result("C", true)];
        for counts in [[4, 3, 0], [3, 3, 1], [3, 2, 1], [2, 2, 0], [3, -1, 4], [i64::MAX, i64::MAX, i64::MAX]] {
            let results = results(&response(counts, &good));
            assert!(results.iter().all(|(_, result)| *result == RowResult::Unconfirmed), "{counts:?}: {results:?}");
        }
        let extra = [&good[..], &[result("D", true)]].concat();
        assert!(results(&response([3, 3, 0], &extra)).iter().all(|(_, result)| *result == RowResult::Unconfirmed));
    }

    #[test]
    fn responses_of_another_form_leave_items_unconfirmed() {
        for body in [json!(null), json!([]), json!({ "data": [] }), json!({ "totalItems": 3, "results": [] })] {
            assert!(results(&body).iter().all(|(_, result)| *result == RowResult::Unconfirmed), "{body}");
        }
        let unsure = json!({ "code": "A", "operationCode": "010", "success": "yes" });
        assert!(results(&response([3, 3, 0], &[unsure])).iter().all(|(_, result)| *result == RowResult::Unconfirmed));
    }

    #[test]
    fn a_result_that_is_odd_leaves_the_others_alone() {
        let unsure = json!({ "code": "B", "operationCode": "010", "success": "true" });
        let results = results(&response([3, 2, 1], &[result("A", true), unsure, result("C", false)]));
        assert_eq!(results, [(11, RowResult::Accepted), (12, RowResult::Unconfirmed), (13, RowResult::Rejected)]);
    }

    #[test]
    fn reasons_decide_nothing() {
        for errors in [json!(null), json!("no"), json!([{ "message": "no" }]), json!({ "code": ["no"] }), json!([[1]])]
        {
            let refused = json!({ "code": "B", "operationCode": "010", "success": false, "errors": errors });
            let results = results(&response([3, 2, 1], &[result("A", true), refused, result("C", true)]));
            assert_eq!(
                results,
                [(11, RowResult::Accepted), (12, RowResult::Rejected), (13, RowResult::Accepted)],
                "{errors}"
            );
        }
    }

    #[test]
    fn the_same_key_has_several_spellings() {
        assert_eq!(key_part(Some(&json!(7))), key_part(Some(&json!(7.0))));
        assert_eq!(key_part(None), key_part(Some(&json!(null))));
        assert_eq!(key_part(Some(&json!(""))), key_part(None));
        assert_ne!(key_part(Some(&json!("007"))), key_part(Some(&json!(7))));
        assert_ne!(key_part(Some(&json!("a"))), key_part(Some(&json!("A"))));
        assert_ne!(
            key_part(Some(&json!(9_007_199_254_740_993_i64))),
            key_part(Some(&json!(9_007_199_254_740_992_i64)))
        );
    }

    fn failures(index: bool) -> ChangeOperation {
        let mut target = ChangeOperation::for_tests(&["code", "operationCode"]);
        target.batch = BatchForm {
            results: "failures".to_owned(),
            only_failures: true,
            index: index.then(|| IndexMember { name: "row".to_owned(), first: 0 }),
            reasons: vec!["why".to_owned()],
            total: Some("total".to_owned()),
            rejected: Some("failed".to_owned()),
            ..BatchForm::default()
        };
        target
    }

    fn shown_results(target: &ChangeOperation, failed: i64, failures: &Value) -> Vec<RowResult> {
        let response = json!({ "total": 3, "failed": failed, "failures": failures });
        match_with(target, &response).into_iter().map(|(_, result)| result).collect()
    }

    #[test]
    fn items_missing_among_the_failures_are_accepted() {
        let (accepted, rejected) = (RowResult::Accepted, RowResult::Rejected);
        let by_key = shown_results(&failures(false), 1, &json!([{ "code": "B", "operationCode": "010", "why": "no" }]));
        assert_eq!(by_key, [accepted, rejected, accepted]);
        let by_index = shown_results(&failures(true), 1, &json!([{ "row": 2 }]));
        assert_eq!(by_index, [accepted, accepted, rejected]);
        assert_eq!(shown_results(&failures(true), 0, &json!([])), [accepted; 3]);
    }

    #[test]
    fn a_failure_without_its_item_leaves_the_others_unconfirmed() {
        let (rejected, unconfirmed) = (RowResult::Rejected, RowResult::Unconfirmed);
        for lost in [json!([{ "row": 9 }]), json!([{ "row": "x" }]), json!([{ "why": "no" }])] {
            assert_eq!(shown_results(&failures(true), 1, &lost), [unconfirmed; 3], "{lost}");
        }
        let other = json!([{ "code": "Z", "operationCode": "010" }]);
        assert_eq!(shown_results(&failures(false), 1, &other), [unconfirmed; 3]);
        let twice = json!([{ "row": 1 }, { "row": 1 }]);
        assert_eq!(shown_results(&failures(true), 2, &twice), [unconfirmed, rejected, unconfirmed]);
        let contradicts = json!([{ "row": 0, "code": "B" }]);
        assert_eq!(shown_results(&failures(true), 1, &contradicts)[0], unconfirmed);
        assert_eq!(shown_results(&failures(true), 2, &json!([{ "row": 1 }])), [unconfirmed; 3], "the counts disagree");
    }
}
