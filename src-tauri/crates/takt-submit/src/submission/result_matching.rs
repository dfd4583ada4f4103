//! Whether a batch's answer can be believed, item by item.
//!
//! A result counts for an item only where it stands in the item's place *and* repeats the item's key. Of such a result
//! `success` decides, nothing else: how a reason looks, and what stands beside it, changes nothing. Whatever the answer
//! leaves open is unconfirmed: never accepted, and never rejected.

use serde_json::{Map, Value};
use takt_contract::wire::{BatchFault, BatchReading, ResultReading};
use takt_journal::{Outcome, Reason, RowResult, item::StoredItem};

use super::{members::members, result_reason::ResultReason};

/// Bounds on what the service says about one item.
const MOST_REASONS: usize = 20;
const LONGEST_REASON: usize = 1_000;
/// Characters of a foreign key that are shown.
const LONGEST_KEY: usize = 120;

/// One outcome per item, in the order of the request.
pub(super) fn outcomes(key: &[String], items: &[StoredItem], status: u16, body: &[u8]) -> Vec<Outcome> {
    let answer = match BatchReading::of(body) {
        Ok(answer) => answer,
        Err(BatchFault::NotJson) => return all_unconfirmed(items, &ResultReason::NotUnderstood(status)),
        Err(BatchFault::NotAsSpecified(member)) => {
            return all_unconfirmed(items, &ResultReason::NotAsSpecified { status, member });
        }
    };
    if let Some(reason) = whole(items.len(), &answer) {
        return all_unconfirmed(items, &reason);
    }
    let mut results = answer.results.iter();
    items.iter().map(|item| one(key, item, results.next())).collect()
}

pub(super) fn all_unconfirmed(items: &[StoredItem], reason: &ResultReason) -> Vec<Outcome> {
    let reasons = vec![reason.reason()];
    all(items, RowResult::Unconfirmed, &reasons)
}

pub(super) fn all(items: &[StoredItem], result: RowResult, reasons: &[Reason]) -> Vec<Outcome> {
    items.iter().map(|item| Outcome { item: item.number, result, reasons: reasons.to_vec() }).collect()
}

/// The service's words, bounded.
pub(super) fn said(words: &[String]) -> Vec<Reason> {
    words.iter().take(MOST_REASONS).map(|word| Reason::Said(word.chars().take(LONGEST_REASON).collect())).collect()
}

/// What makes the whole answer unbelievable.
fn whole(sent: usize, answer: &BatchReading) -> Option<ResultReason> {
    let (total, success, error) = (answer.total_items, answer.success_count, answer.error_count);
    let results = answer.results.len();
    if results > sent {
        return Some(ResultReason::ResultsExtra { sent, results });
    }
    let adds_up = i64::try_from(sent) == Ok(total) && success.checked_add(error) == Some(total);
    let successes = answer.results.iter().filter(|result| result.success == Some(true)).count();
    // With results missing or unclear the statistics can't be held against them.
    let unclear = results < sent || answer.results.iter().any(|result| result.success.is_none());
    let agrees = unclear || i64::try_from(successes) == Ok(success);
    (!(adds_up && agrees)).then_some(ResultReason::WrongCounts { sent, total, success, error })
}

fn one(key: &[String], item: &StoredItem, result: Option<&ResultReading>) -> Outcome {
    let Some(result) = result else { return unconfirmed(item, &ResultReason::ResultMissing) };
    let Some(success) = result.success else {
        return unconfirmed(item, &ResultReason::SuccessUnclear(result.success_text.clone()));
    };
    let sent = members(key, &item.body);
    let same = key.iter().all(|field| part(sent.get(field)) == part(result.key.get(field)));
    if !same {
        return unconfirmed(item, &ResultReason::OtherKey(shown(key, &result.key)));
    }
    let (result, mut reasons) =
        if success { (RowResult::Accepted, Vec::new()) } else { (RowResult::Rejected, said(&result.reasons)) };
    if result == RowResult::Rejected && reasons.is_empty() {
        reasons.push(ResultReason::NoReason.reason());
    }
    Outcome { item: item.number, result, reasons }
}

fn unconfirmed(item: &StoredItem, reason: &ResultReason) -> Outcome {
    Outcome { item: item.number, result: RowResult::Unconfirmed, reasons: vec![reason.reason()] }
}

/// A key's part for comparison. A service may leave out, empty or null what the item doesn't have, and write a whole
/// number as 7 or 7.0; anything else must be the same.
fn part(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => match number.as_f64() {
            Some(float) if number.as_i64().is_none() && float.fract() == 0.0 && float.abs() < 1e15 => {
                format!("{float:.0}")
            }
            _ => number.to_string(),
        },
        Some(other) => other.to_string(),
    }
}

fn shown(key: &[String], result: &Map<String, Value>) -> String {
    let parts: Vec<String> = key.iter().map(|field| part(result.get(field))).filter(|part| !part.is_empty()).collect();
    parts.join(" · ").chars().take(LONGEST_KEY).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn items() -> Vec<StoredItem> {
        let item = |number, code: &str| StoredItem {
            number,
            key: code.to_owned(),
            body: json!({ "code": code, "operationCode": "010", "quantity": 4 }).to_string(),
        };
        vec![item(11, "A"), item(12, "B"), item(13, "C")]
    }

    fn results(answer: &Value) -> Vec<(u32, RowResult)> {
        let key = ["code".to_owned(), "operationCode".to_owned()];
        let outcomes = outcomes(&key, &items(), 200, answer.to_string().as_bytes());
        outcomes.into_iter().map(|outcome| (outcome.item, outcome.result)).collect()
    }

    fn result(code: &str, success: bool) -> Value {
        json!({ "code": code, "operationCode": "010", "success": success })
    }

    fn answer(counts: [i64; 3], results: &[Value]) -> Value {
        json!({ "totalItems": counts[0], "successCount": counts[1], "errorCount": counts[2], "results": results })
    }

    #[test]
    fn success_decides_item_by_item() {
        let results = results(&answer([3, 2, 1], &[result("A", true), result("B", false), result("C", true)]));
        assert_eq!(results, [(11, RowResult::Accepted), (12, RowResult::Rejected), (13, RowResult::Accepted)]);
    }

    #[test]
    fn a_missing_result_leaves_unconfirmed_what_it_moves() {
        let results = results(&answer([3, 3, 0], &[result("A", true), result("C", true)]));
        assert_eq!(results, [(11, RowResult::Accepted), (12, RowResult::Unconfirmed), (13, RowResult::Unconfirmed)]);
    }

    #[test]
    fn reordered_results_are_not_believed() {
        let results = results(&answer([3, 3, 0], &[result("C", true), result("B", true), result("A", true)]));
        assert_eq!(results, [(11, RowResult::Unconfirmed), (12, RowResult::Accepted), (13, RowResult::Unconfirmed)]);
    }

    #[test]
    fn statistics_must_add_up() {
        let good = [result("A", true), result("B", true), result("C", true)];
        for counts in [[4, 3, 0], [3, 3, 1], [3, 2, 1], [2, 2, 0], [3, -1, 4], [i64::MAX, i64::MAX, i64::MAX]] {
            let results = results(&answer(counts, &good));
            assert!(results.iter().all(|(_, result)| *result == RowResult::Unconfirmed), "{counts:?}: {results:?}");
        }
        let extra = [&good[..], &[result("D", true)]].concat();
        assert!(results(&answer([3, 3, 0], &extra)).iter().all(|(_, result)| *result == RowResult::Unconfirmed));
    }

    #[test]
    fn what_is_no_batch_answer_is_unconfirmed() {
        for body in [json!(null), json!([]), json!({ "data": [] }), json!({ "totalItems": 3, "results": [] })] {
            assert!(results(&body).iter().all(|(_, result)| *result == RowResult::Unconfirmed), "{body}");
        }
        let unsure = json!({ "code": "A", "operationCode": "010", "success": "yes" });
        assert!(results(&answer([3, 3, 0], &[unsure])).iter().all(|(_, result)| *result == RowResult::Unconfirmed));
    }

    #[test]
    fn a_result_that_is_odd_leaves_the_others_alone() {
        let unsure = json!({ "code": "B", "operationCode": "010", "success": "true" });
        let results = results(&answer([3, 2, 1], &[result("A", true), unsure, result("C", false)]));
        assert_eq!(results, [(11, RowResult::Accepted), (12, RowResult::Unconfirmed), (13, RowResult::Rejected)]);
    }

    #[test]
    fn reasons_decide_nothing() {
        for errors in [json!(null), json!("no"), json!([{ "message": "no" }]), json!({ "code": ["no"] }), json!([[1]])]
        {
            let refused = json!({ "code": "B", "operationCode": "010", "success": false, "errors": errors });
            let results = results(&answer([3, 2, 1], &[result("A", true), refused, result("C", true)]));
            assert_eq!(
                results,
                [(11, RowResult::Accepted), (12, RowResult::Rejected), (13, RowResult::Accepted)],
                "{errors}"
            );
        }
    }

    #[test]
    fn the_same_key_has_several_spellings() {
        assert_eq!(part(Some(&json!(7))), part(Some(&json!(7.0))));
        assert_eq!(part(None), part(Some(&json!(null))));
        assert_eq!(part(Some(&json!(""))), part(None));
        assert_ne!(part(Some(&json!("007"))), part(Some(&json!(7))));
        assert_ne!(part(Some(&json!("a"))), part(Some(&json!("A"))));
        assert_ne!(part(Some(&json!(9_007_199_254_740_993_i64))), part(Some(&json!(9_007_199_254_740_992_i64))));
    }
}
