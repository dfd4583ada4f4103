//! Whether a batch's answer can be believed, item by item.
//!
//! A result counts for an item only where it stands in the item's place *and* repeats the item's key. Of such a result
//! `success` decides, nothing else: how a reason looks, and what stands beside it, changes nothing. Whatever the answer
//! leaves open is in doubt: never accepted, and never rejected.

use serde_json::{Map, Value};
use takt_contract::wire::{BatchFault, BatchReading, ResultReading};
use takt_journal::{Fate, Outcome, Reason, StoredItem};

use super::{doubt::Doubt, members::members};

/// Bounds on what the service says about one item.
const MOST_REASONS: usize = 20;
const LONGEST_REASON: usize = 1_000;
/// Characters of a foreign key that are shown.
const LONGEST_KEY: usize = 120;

/// One outcome per item, in the order of the request.
pub(super) fn outcomes(key: &[String], items: &[StoredItem], status: u16, body: &[u8]) -> Vec<Outcome> {
    let answer = match BatchReading::of(body) {
        Ok(answer) => answer,
        Err(BatchFault::NotJson) => return all_in_doubt(items, &Doubt::NotUnderstood(status)),
        Err(BatchFault::NotAsSpecified(member)) => {
            return all_in_doubt(items, &Doubt::NotAsSpecified { status, member });
        }
    };
    if let Some(doubt) = whole(items.len(), &answer) {
        return all_in_doubt(items, &doubt);
    }
    let mut results = answer.results.iter();
    items.iter().map(|item| one(key, item, results.next())).collect()
}

pub(super) fn all_in_doubt(items: &[StoredItem], doubt: &Doubt) -> Vec<Outcome> {
    let reasons = vec![doubt.reason()];
    all(items, Fate::InDoubt, &reasons)
}

pub(super) fn all(items: &[StoredItem], fate: Fate, reasons: &[Reason]) -> Vec<Outcome> {
    items.iter().map(|item| Outcome { item: item.number, fate, reasons: reasons.to_vec() }).collect()
}

/// The service's words, bounded.
pub(super) fn said(words: &[String]) -> Vec<Reason> {
    words.iter().take(MOST_REASONS).map(|word| Reason::Said(word.chars().take(LONGEST_REASON).collect())).collect()
}

/// What makes the whole answer unbelievable.
fn whole(sent: usize, answer: &BatchReading) -> Option<Doubt> {
    let (total, success, error) = (answer.total_items, answer.success_count, answer.error_count);
    let results = answer.results.len();
    if results > sent {
        return Some(Doubt::ResultsExtra { sent, results });
    }
    let adds_up = i64::try_from(sent) == Ok(total) && success.checked_add(error) == Some(total);
    let successes = answer.results.iter().filter(|result| result.success == Some(true)).count();
    // With results missing or unclear the statistics can't be held against them.
    let unclear = results < sent || answer.results.iter().any(|result| result.success.is_none());
    let agrees = unclear || i64::try_from(successes) == Ok(success);
    (!(adds_up && agrees)).then_some(Doubt::WrongCounts { sent, total, success, error })
}

fn one(key: &[String], item: &StoredItem, result: Option<&ResultReading>) -> Outcome {
    let Some(result) = result else { return doubtful(item, &Doubt::ResultMissing) };
    let Some(success) = result.success else {
        return doubtful(item, &Doubt::SuccessUnclear(result.success_text.clone()));
    };
    let sent = members(key, &item.body);
    let same = key.iter().all(|field| part(sent.get(field)) == part(result.key.get(field)));
    if !same {
        return doubtful(item, &Doubt::OtherKey(shown(key, &result.key)));
    }
    let (fate, mut reasons) =
        if success { (Fate::Accepted, Vec::new()) } else { (Fate::Rejected, said(&result.reasons)) };
    if fate == Fate::Rejected && reasons.is_empty() {
        reasons.push(Doubt::NoReason.reason());
    }
    Outcome { item: item.number, fate, reasons }
}

fn doubtful(item: &StoredItem, doubt: &Doubt) -> Outcome {
    Outcome { item: item.number, fate: Fate::InDoubt, reasons: vec![doubt.reason()] }
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

    fn fates(answer: &Value) -> Vec<(u32, Fate)> {
        let key = ["code".to_owned(), "operationCode".to_owned()];
        let outcomes = outcomes(&key, &items(), 200, answer.to_string().as_bytes());
        outcomes.into_iter().map(|outcome| (outcome.item, outcome.fate)).collect()
    }

    fn result(code: &str, success: bool) -> Value {
        json!({ "code": code, "operationCode": "010", "success": success })
    }

    fn answer(counts: [i64; 3], results: &[Value]) -> Value {
        json!({ "totalItems": counts[0], "successCount": counts[1], "errorCount": counts[2], "results": results })
    }

    #[test]
    fn success_decides_item_by_item() {
        let fates = fates(&answer([3, 2, 1], &[result("A", true), result("B", false), result("C", true)]));
        assert_eq!(fates, [(11, Fate::Accepted), (12, Fate::Rejected), (13, Fate::Accepted)]);
    }

    #[test]
    fn a_missing_result_casts_doubt_on_what_it_moves() {
        let fates = fates(&answer([3, 3, 0], &[result("A", true), result("C", true)]));
        assert_eq!(fates, [(11, Fate::Accepted), (12, Fate::InDoubt), (13, Fate::InDoubt)]);
    }

    #[test]
    fn reordered_results_are_not_believed() {
        let fates = fates(&answer([3, 3, 0], &[result("C", true), result("B", true), result("A", true)]));
        assert_eq!(fates, [(11, Fate::InDoubt), (12, Fate::Accepted), (13, Fate::InDoubt)]);
    }

    #[test]
    fn statistics_must_add_up() {
        let good = [result("A", true), result("B", true), result("C", true)];
        for counts in [[4, 3, 0], [3, 3, 1], [3, 2, 1], [2, 2, 0], [3, -1, 4], [i64::MAX, i64::MAX, i64::MAX]] {
            let fates = fates(&answer(counts, &good));
            assert!(fates.iter().all(|(_, fate)| *fate == Fate::InDoubt), "{counts:?}: {fates:?}");
        }
        let extra = [&good[..], &[result("D", true)]].concat();
        assert!(fates(&answer([3, 3, 0], &extra)).iter().all(|(_, fate)| *fate == Fate::InDoubt));
    }

    #[test]
    fn what_is_no_batch_answer_is_in_doubt() {
        for body in [json!(null), json!([]), json!({ "data": [] }), json!({ "totalItems": 3, "results": [] })] {
            assert!(fates(&body).iter().all(|(_, fate)| *fate == Fate::InDoubt), "{body}");
        }
        let unsure = json!({ "code": "A", "operationCode": "010", "success": "yes" });
        assert!(fates(&answer([3, 3, 0], &[unsure])).iter().all(|(_, fate)| *fate == Fate::InDoubt));
    }

    #[test]
    fn a_result_that_is_odd_leaves_the_others_alone() {
        let unsure = json!({ "code": "B", "operationCode": "010", "success": "true" });
        let fates = fates(&answer([3, 2, 1], &[result("A", true), unsure, result("C", false)]));
        assert_eq!(fates, [(11, Fate::Accepted), (12, Fate::InDoubt), (13, Fate::Rejected)]);
    }

    #[test]
    fn reasons_decide_nothing() {
        for errors in [json!(null), json!("no"), json!([{ "message": "no" }]), json!({ "code": ["no"] }), json!([[1]])]
        {
            let refused = json!({ "code": "B", "operationCode": "010", "success": false, "errors": errors });
            let fates = fates(&answer([3, 2, 1], &[result("A", true), refused, result("C", true)]));
            assert_eq!(fates, [(11, Fate::Accepted), (12, Fate::Rejected), (13, Fate::Accepted)], "{errors}");
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
