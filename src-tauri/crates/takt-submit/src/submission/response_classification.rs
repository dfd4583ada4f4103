//! What one answer, or its absence, means for the rows of a request and for what comes next.
//!
//! The rule behind all of it: rows go back to `pending` only where it is sure that nothing was applied, they are `accepted`
//! or `rejected` only by the service's word, and everything else is `unconfirmed`.

use std::time::Duration;

use takt_client::{Answer, ClientError, Delivery, Refusal};
use takt_journal::{Outcome, RowResult, attempt::OutcomeClass, item::StoredItem};

use super::{
    draft::Target,
    evidence::after_refusal,
    result_matching::{all, all_unconfirmed, outcomes, said},
    result_reason::ResultReason,
};

/// Characters of an answer that are kept.
const MAX_ANSWER_LENGTH: usize = 4_000;

/// What the runner does after a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextAction {
    GoOn,
    /// The service wants the same rows later.
    Later(Option<Duration>),
    /// The rows are pending again, in smaller requests.
    Smaller,
    /// Rows are unconfirmed; after several of these a person is asked. `smaller` where the size may be to blame.
    Failed {
        smaller: bool,
    },
    /// Nothing more can be sent until a person has done something.
    Interrupt,
}

/// What the response to one request means.
#[derive(Debug)]
pub(super) struct ResponseClassification {
    /// One per item.
    pub(super) outcomes: Vec<Outcome>,
    pub(super) class: OutcomeClass,
    pub(super) status: Option<u16>,
    /// As the client measured it; absent where no answer came.
    pub(super) milliseconds: Option<u32>,
    pub(super) log_id: Option<String>,
    /// The beginning of an answer that wasn't a plain yes.
    pub(super) answer: Option<String>,
    pub(super) next_action: NextAction,
    /// What a person is told where it is interrupted or waits.
    pub(super) error: Option<ClientError>,
}

/// Classifies the response to a request, or its absence.
pub(super) fn classify(
    target: &Target,
    items: &[StoredItem],
    result: Result<Answer, ClientError>,
) -> ResponseClassification {
    let mut classification = match result {
        Ok(answer) => answered(target, items, &answer),
        Err(error) => failed(items, error),
    };
    for (item, outcome) in items.iter().zip(&mut classification.outcomes) {
        weigh_refusal(item, outcome);
    }
    classification
}

/// A refusal says nothing of an earlier attempt whose effect isn't known: the item may be refused because that one was applied.
fn weigh_refusal(item: &StoredItem, outcome: &mut Outcome) {
    if outcome.result == RowResult::Rejected {
        outcome.result = after_refusal(item.unknown_attempts);
        if outcome.result == RowResult::Unconfirmed {
            outcome.reasons.insert(0, ResultReason::RefusedAfterUnknown.reason());
        }
    }
}

fn answered(target: &Target, items: &[StoredItem], answer: &Answer) -> ResponseClassification {
    let outcomes = outcomes(target, items, answer.status, &answer.body);
    let unconfirmed = outcomes.iter().any(|outcome| outcome.result == RowResult::Unconfirmed);
    let nothing = outcomes.iter().all(|outcome| outcome.result == RowResult::Unconfirmed);
    let reason = "it isn't the contract's answer to these items";
    let plain = outcomes.iter().all(|outcome| outcome.result == RowResult::Accepted);
    let answer_text = (!plain).then(|| beginning(&answer.body));
    ResponseClassification {
        outcomes,
        class: if nothing { OutcomeClass::Unknown } else { OutcomeClass::Answered },
        status: Some(answer.status),
        milliseconds: Some(answer.milliseconds),
        log_id: None,
        answer: answer_text,
        next_action: if unconfirmed { NextAction::Failed { smaller: false } } else { NextAction::GoOn },
        error: unconfirmed.then(|| answer.not_understood(reason.to_owned())),
    }
}

fn failed(items: &[StoredItem], error: ClientError) -> ResponseClassification {
    let (outcomes, class, next_action) = match (&error, error.delivery()) {
        (ClientError::Refused(refusal), _) => refused(items, refusal),
        (_, Delivery::NotSent) => (all(items, RowResult::Pending, &[]), OutcomeClass::NotSent, NextAction::Interrupt),
        (_, Delivery::Answered(status)) => {
            let reason = ResultReason::NotUnderstood(status);
            (all_unconfirmed(items, &reason), OutcomeClass::Unknown, NextAction::Failed { smaller: false })
        }
        (_, Delivery::Unknown) => {
            let late = matches!(error, ClientError::TimedOut(_));
            let reason = if late { ResultReason::TimedOut } else { ResultReason::ConnectionLost };
            (all_unconfirmed(items, &reason), OutcomeClass::Unknown, NextAction::Failed { smaller: late })
        }
    };
    let milliseconds = match &error {
        ClientError::Refused(refusal) => Some(refusal.milliseconds),
        _ => None,
    };
    let answer = match &error {
        ClientError::Refused(refusal) => Some(beginning(refusal.body.as_bytes())),
        ClientError::NotUnderstood { body, .. } => Some(beginning(body.as_bytes())),
        _ => None,
    };
    let answer = answer.filter(|answer| !answer.is_empty());
    let log_id = error.log_id().map(str::to_owned);
    let status = error.status();
    ResponseClassification { outcomes, class, status, milliseconds, log_id, answer, next_action, error: Some(error) }
}

/// As much of an answer as is kept.
fn beginning(body: &[u8]) -> String {
    // A character has four bytes at most; the rest needn't be looked at.
    let head = body.get(..MAX_ANSWER_LENGTH * 4).unwrap_or(body);
    String::from_utf8_lossy(head).chars().take(MAX_ANSWER_LENGTH).collect()
}

fn refused(items: &[StoredItem], refusal: &Refusal) -> (Vec<Outcome>, OutcomeClass, NextAction) {
    let pending = || all(items, RowResult::Pending, &[]);
    match refusal.status {
        // Nothing of the request was applied; its reasons can't be told apart by item.
        400 | 409 | 412 | 422 => (rejected(items, &refusal.reasons), OutcomeClass::Refused, NextAction::GoOn),
        413 if items.len() > 1 => (pending(), OutcomeClass::Deferred, NextAction::Smaller),
        413 => (
            all(items, RowResult::Rejected, &[ResultReason::TooLarge.reason()]),
            OutcomeClass::Refused,
            NextAction::GoOn,
        ),
        425 | 429 => (pending(), OutcomeClass::Deferred, NextAction::Later(refusal.retry_after)),
        // A request that took too long to arrive may have arrived all the same.
        408 => (
            all_unconfirmed(items, &ResultReason::TimedOut),
            OutcomeClass::Unknown,
            NextAction::Failed { smaller: true },
        ),
        // Of a 401 the client has already tried another token.
        401..=499 => (pending(), OutcomeClass::Refused, NextAction::Interrupt),
        500..=599 => {
            let log_id = refusal.log_id.clone();
            let mut reasons = vec![ResultReason::ServiceFailed { status: refusal.status, log_id }.reason()];
            reasons.extend(said(&refusal.reasons));
            // A gateway's timeout is a timeout.
            let smaller = refusal.status == 504;
            (all(items, RowResult::Unconfirmed, &reasons), OutcomeClass::Unknown, NextAction::Failed { smaller })
        }
        status => {
            let reason = ResultReason::UnknownStatus(status);
            (all_unconfirmed(items, &reason), OutcomeClass::Unknown, NextAction::Failed { smaller: false })
        }
    }
}

fn rejected(items: &[StoredItem], reasons: &[String]) -> Vec<Outcome> {
    let mut reasons = said(reasons);
    if reasons.is_empty() {
        reasons.push(ResultReason::NoReason.reason());
    }
    all(items, RowResult::Rejected, &reasons)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn items(count: u32) -> Vec<StoredItem> {
        (1..=count)
            .map(|number| StoredItem {
                number,
                key: number.to_string(),
                body: json!({ "code": number.to_string() }).to_string(),
                unknown_attempts: 0,
            })
            .collect()
    }

    fn refusal(status: u16, count: u32) -> ResponseClassification {
        let refusal = Refusal {
            can_say_absent: false,
            status,
            reasons: vec!["because".to_owned()],
            log_id: (status == 500).then(|| "L-7".to_owned()),
            retry_after: (status == 429).then(|| Duration::from_secs(3)),
            limit: None,
            body: String::new(),
            milliseconds: 4,
        };
        classify(&Target::of_tests(&["code"]), &items(count), Err(ClientError::Refused(Box::new(refusal))))
    }

    fn result(classification: &ResponseClassification) -> RowResult {
        let first = classification.outcomes[0].result;
        assert!(classification.outcomes.iter().all(|outcome| outcome.result == first));
        first
    }

    #[test]
    fn every_status_has_its_meaning() {
        let table = [
            (400, RowResult::Rejected, NextAction::GoOn),
            (401, RowResult::Pending, NextAction::Interrupt),
            (403, RowResult::Pending, NextAction::Interrupt),
            (404, RowResult::Pending, NextAction::Interrupt),
            (405, RowResult::Pending, NextAction::Interrupt),
            (408, RowResult::Unconfirmed, NextAction::Failed { smaller: true }),
            (412, RowResult::Rejected, NextAction::GoOn),
            (413, RowResult::Pending, NextAction::Smaller),
            (429, RowResult::Pending, NextAction::Later(Some(Duration::from_secs(3)))),
            (302, RowResult::Unconfirmed, NextAction::Failed { smaller: false }),
            (500, RowResult::Unconfirmed, NextAction::Failed { smaller: false }),
            (502, RowResult::Unconfirmed, NextAction::Failed { smaller: false }),
            (503, RowResult::Unconfirmed, NextAction::Failed { smaller: false }),
            (504, RowResult::Unconfirmed, NextAction::Failed { smaller: true }),
        ];
        for (status, expected, next_action) in table {
            let classification = refusal(status, 3);
            assert_eq!((status, result(&classification), classification.next_action), (status, expected, next_action));
            assert_eq!(classification.outcomes.len(), 3);
        }
        assert_eq!(result(&refusal(413, 1)), RowResult::Rejected);
        assert_eq!(refusal(500, 1).log_id.as_deref(), Some("L-7"));
    }

    #[test]
    fn what_never_left_stays_pending_and_what_got_lost_is_unconfirmed() {
        let never = classify(&Target::of_tests(&[]), &items(2), Err(ClientError::Unreachable("refused".to_owned())));
        assert_eq!(
            (result(&never), never.next_action, never.class),
            (RowResult::Pending, NextAction::Interrupt, OutcomeClass::NotSent)
        );
        let lost = classify(&Target::of_tests(&[]), &items(2), Err(ClientError::Lost("reset".to_owned())));
        assert_eq!((result(&lost), lost.next_action), (RowResult::Unconfirmed, NextAction::Failed { smaller: false }));
        let late = classify(&Target::of_tests(&[]), &items(2), Err(ClientError::TimedOut("reading".to_owned())));
        assert_eq!((result(&late), late.next_action), (RowResult::Unconfirmed, NextAction::Failed { smaller: true }));
    }
}
