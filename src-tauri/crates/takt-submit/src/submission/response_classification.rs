//! Classifies the response to a request, or its absence: the results of its rows, and the runner's next action.
//!
//! Rows are `pending` again only if it is certain that nothing was applied. They are `accepted` or `rejected` only by
//! the service's response. All others are `unconfirmed`.

use std::time::Duration;

use takt_client::{ClientError, Delivery, Refusal, ServiceResponse};
use takt_journal::{Outcome, RowResult, attempt::OutcomeClass, item::StoredItem};

use super::{
    change_operation::ChangeOperation,
    evidence::result_after_refusal,
    result_matching::{match_results, service_reasons, unconfirmed_outcomes, uniform_outcomes},
};
use crate::result_reason::ResultReason;

/// The stored characters of a response.
const MAX_RESPONSE_LENGTH: usize = 4_000;

/// The runner's next action after a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextAction {
    Continue,
    /// Retry the same rows later, after the wait that the service stated.
    RetryLater(Option<Duration>),
    /// Retry the rows in smaller requests.
    Shrink,
    /// Rows are unconfirmed. After several such responses the user is asked. `shrink` is true if the size may be
    /// the cause.
    Failed {
        shrink: bool,
    },
    /// Nothing more can be sent until the user acts.
    Interrupt,
}

/// The classification of the response to a request.
#[derive(Debug)]
pub(super) struct ResponseClassification {
    /// One per item.
    pub(super) outcomes: Vec<Outcome>,
    pub(super) class: OutcomeClass,
    pub(super) status: Option<u16>,
    /// As measured by the client. Absent without a response.
    pub(super) milliseconds: Option<u32>,
    pub(super) log_id: Option<String>,
    /// The beginning of a response that didn't accept everything.
    pub(super) response: Option<String>,
    pub(super) next_action: NextAction,
    /// The error for the user if the run is interrupted or waits.
    pub(super) error: Option<ClientError>,
}

/// Classifies the response to a request, or its absence.
pub(super) fn classify(
    target: &ChangeOperation,
    items: &[StoredItem],
    result: Result<ServiceResponse, ClientError>,
) -> ResponseClassification {
    let mut classification = match result {
        Ok(response) => classify_response(target, items, &response),
        Err(error) => classify_error(items, error),
    };
    for (item, outcome) in items.iter().zip(&mut classification.outcomes) {
        unconfirm_if_uncertain(item, outcome);
    }
    classification
}

/// Makes a rejected item unconfirmed if an earlier attempt had an unknown effect. That attempt may have caused the
/// refusal.
fn unconfirm_if_uncertain(item: &StoredItem, outcome: &mut Outcome) {
    if outcome.result == RowResult::Rejected {
        outcome.result = result_after_refusal(item.unknown_attempts);
        if outcome.result == RowResult::Unconfirmed {
            outcome.reasons.insert(0, ResultReason::RefusedAfterUnknown.to_reason());
        }
    }
}

fn classify_response(
    target: &ChangeOperation,
    items: &[StoredItem],
    response: &ServiceResponse,
) -> ResponseClassification {
    let outcomes = match_results(target, items, response.status, &response.body);
    let unconfirmed = outcomes.iter().any(|outcome| outcome.result == RowResult::Unconfirmed);
    let is_unknown = outcomes.iter().all(|outcome| outcome.result == RowResult::Unconfirmed);
    let reason = "it isn't the contract's answer to these items";
    let all_accepted = outcomes.iter().all(|outcome| outcome.result == RowResult::Accepted);
    let response_text = (!all_accepted).then(|| truncate(&response.body));
    ResponseClassification {
        outcomes,
        class: if is_unknown { OutcomeClass::Unknown } else { OutcomeClass::Answered },
        status: Some(response.status),
        milliseconds: Some(response.milliseconds),
        log_id: None,
        response: response_text,
        next_action: if unconfirmed { NextAction::Failed { shrink: false } } else { NextAction::Continue },
        error: unconfirmed.then(|| response.invalid_response_error(reason.to_owned())),
    }
}

fn classify_error(items: &[StoredItem], error: ClientError) -> ResponseClassification {
    let (outcomes, class, next_action) = match (&error, error.delivery()) {
        (ClientError::Refused(refusal), _) => classify_refusal(items, refusal),
        (_, Delivery::NotSent) => {
            (uniform_outcomes(items, RowResult::Pending, &[]), OutcomeClass::NotSent, NextAction::Interrupt)
        }
        (_, Delivery::Answered(status)) => {
            let reason = ResultReason::NotUnderstood(status);
            (unconfirmed_outcomes(items, &reason), OutcomeClass::Unknown, NextAction::Failed { shrink: false })
        }
        (_, Delivery::Unknown) => {
            let late = matches!(error, ClientError::TimedOut(_));
            let reason = if late { ResultReason::TimedOut } else { ResultReason::ConnectionLost };
            (unconfirmed_outcomes(items, &reason), OutcomeClass::Unknown, NextAction::Failed { shrink: late })
        }
    };
    let milliseconds = match &error {
        ClientError::Refused(refusal) => Some(refusal.milliseconds),
        _ => None,
    };
    let response = match &error {
        ClientError::Refused(refusal) => Some(truncate(refusal.body.as_bytes())),
        ClientError::NotUnderstood { body, .. } => Some(truncate(body.as_bytes())),
        _ => None,
    };
    let response = response.filter(|response| !response.is_empty());
    let log_id = error.log_id().map(str::to_owned);
    let status = error.status();
    ResponseClassification { outcomes, class, status, milliseconds, log_id, response, next_action, error: Some(error) }
}

/// Returns the stored beginning of a response.
fn truncate(body: &[u8]) -> String {
    // A character has at most four bytes, so the rest isn't needed.
    let head = body.get(..MAX_RESPONSE_LENGTH * 4).unwrap_or(body);
    String::from_utf8_lossy(head).chars().take(MAX_RESPONSE_LENGTH).collect()
}

fn classify_refusal(items: &[StoredItem], refusal: &Refusal) -> (Vec<Outcome>, OutcomeClass, NextAction) {
    let pending = || uniform_outcomes(items, RowResult::Pending, &[]);
    match refusal.status {
        // Nothing was applied. The reasons aren't given by item.
        400 | 409 | 412 | 422 => {
            (rejected_outcomes(items, &refusal.reasons), OutcomeClass::Refused, NextAction::Continue)
        }
        413 if items.len() > 1 => (pending(), OutcomeClass::Deferred, NextAction::Shrink),
        413 => (
            uniform_outcomes(items, RowResult::Rejected, &[ResultReason::TooLarge.to_reason()]),
            OutcomeClass::Refused,
            NextAction::Continue,
        ),
        425 | 429 => (pending(), OutcomeClass::Deferred, NextAction::RetryLater(refusal.retry_after)),
        // The request may have arrived, although it took too long.
        408 => (
            unconfirmed_outcomes(items, &ResultReason::TimedOut),
            OutcomeClass::Unknown,
            NextAction::Failed { shrink: true },
        ),
        // After a 401 the client has already tried a new token.
        401..=499 => (pending(), OutcomeClass::Refused, NextAction::Interrupt),
        500..=599 => {
            let log_id = refusal.log_id.clone();
            let mut reasons = vec![ResultReason::ServiceFailed { status: refusal.status, log_id }.to_reason()];
            reasons.extend(service_reasons(&refusal.reasons));
            // A gateway's timeout is treated as a timeout.
            let shrink = refusal.status == 504;
            (
                uniform_outcomes(items, RowResult::Unconfirmed, &reasons),
                OutcomeClass::Unknown,
                NextAction::Failed { shrink },
            )
        }
        status => {
            let reason = ResultReason::UnknownStatus(status);
            (unconfirmed_outcomes(items, &reason), OutcomeClass::Unknown, NextAction::Failed { shrink: false })
        }
    }
}

fn rejected_outcomes(items: &[StoredItem], reasons: &[String]) -> Vec<Outcome> {
    let mut reasons = service_reasons(reasons);
    if reasons.is_empty() {
        reasons.push(ResultReason::NoReason.to_reason());
    }
    uniform_outcomes(items, RowResult::Rejected, &reasons)
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

    fn classify_refusal(status: u16, count: u32) -> ResponseClassification {
        let refusal = Refusal {
            has_not_found_form: false,
            status,
            reasons: vec!["because".to_owned()],
            log_id: (status == 500).then(|| "L-7".to_owned()),
            retry_after: (status == 429).then(|| Duration::from_secs(3)),
            limit: None,
            body: String::new(),
            milliseconds: 4,
        };
        classify(&ChangeOperation::for_tests(&["code"]), &items(count), Err(ClientError::Refused(Box::new(refusal))))
    }

    fn result(classification: &ResponseClassification) -> RowResult {
        let first = classification.outcomes[0].result;
        assert!(classification.outcomes.iter().all(|outcome| outcome.result == first));
        first
    }

    #[test]
    fn every_status_has_its_meaning() {
        let table = [
            (400, RowResult::Rejected, NextAction::Continue),
            (401, RowResult::Pending, NextAction::Interrupt),
            (403, RowResult::Pending, NextAction::Interrupt),
            (404, RowResult::Pending, NextAction::Interrupt),
            (405, RowResult::Pending, NextAction::Interrupt),
            (408, RowResult::Unconfirmed, NextAction::Failed { shrink: true }),
            (412, RowResult::Rejected, NextAction::Continue),
            (413, RowResult::Pending, NextAction::Shrink),
            (429, RowResult::Pending, NextAction::RetryLater(Some(Duration::from_secs(3)))),
            (302, RowResult::Unconfirmed, NextAction::Failed { shrink: false }),
            (500, RowResult::Unconfirmed, NextAction::Failed { shrink: false }),
            (502, RowResult::Unconfirmed, NextAction::Failed { shrink: false }),
            (503, RowResult::Unconfirmed, NextAction::Failed { shrink: false }),
            (504, RowResult::Unconfirmed, NextAction::Failed { shrink: true }),
        ];
        for (status, expected, next_action) in table {
            let classification = classify_refusal(status, 3);
            assert_eq!((status, result(&classification), classification.next_action), (status, expected, next_action));
            assert_eq!(classification.outcomes.len(), 3);
        }
        assert_eq!(result(&classify_refusal(413, 1)), RowResult::Rejected);
        assert_eq!(classify_refusal(500, 1).log_id.as_deref(), Some("L-7"));
    }

    #[test]
    fn unsent_items_stay_pending_and_lost_ones_are_unconfirmed() {
        let never =
            classify(&ChangeOperation::for_tests(&[]), &items(2), Err(ClientError::Unreachable("refused".to_owned())));
        assert_eq!(
            (result(&never), never.next_action, never.class),
            (RowResult::Pending, NextAction::Interrupt, OutcomeClass::NotSent)
        );
        let lost = classify(&ChangeOperation::for_tests(&[]), &items(2), Err(ClientError::Lost("reset".to_owned())));
        assert_eq!((result(&lost), lost.next_action), (RowResult::Unconfirmed, NextAction::Failed { shrink: false }));
        let late =
            classify(&ChangeOperation::for_tests(&[]), &items(2), Err(ClientError::TimedOut("reading".to_owned())));
        assert_eq!((result(&late), late.next_action), (RowResult::Unconfirmed, NextAction::Failed { shrink: true }));
    }
}
