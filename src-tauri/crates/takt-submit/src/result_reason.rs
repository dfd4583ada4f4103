//! The reasons of results. Codes are defined here, texts in the language files (section `resultReason`).

use std::collections::BTreeMap;

use takt_browse::read_back::ReadBackFault;
use takt_client::ListFault;
use takt_core::{ItemError, Words};
use takt_journal::Reason;

/// The reason for an item's result if the service gave none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResultReason {
    /// No complete response within the request's timeout.
    TimedOut,
    /// The request was sent, then the connection broke or the response was cut off.
    ConnectionLost,
    /// The service, or a proxy, failed without stating whether it accepted the rows.
    ServiceFailed {
        status: u16,
        log_id: Option<String>,
    },
    /// A status that isn't in the contract and proves nothing.
    UnknownStatus(u16),
    /// A 2xx response whose body isn't JSON, for example a proxy's page.
    NotUnderstood(u16),
    /// A 2xx response in JSON that isn't the contract's batch response. `member` is the first deviation, or empty if
    /// the whole response deviates.
    NotAsSpecified {
        status: u16,
        member: String,
    },
    /// The item's `success` is neither true nor false. Contains the value.
    SuccessUnclear(String),
    WrongCounts {
        sent: usize,
        total: i64,
        success: i64,
        error: i64,
    },
    ResultsExtra {
        sent: usize,
        results: usize,
    },
    ResultMissing,
    /// The result at the item's position has another key.
    OtherKey(String),
    /// The result at the item's position repeats its key in another form, for example in upper case.
    KeyChanged {
        sent: String,
        returned: String,
    },
    /// Refused after an earlier attempt with an unknown effect.
    RefusedAfterUnknown,
    /// Rejected without a reason.
    NoReason,
    /// Rejected because a request with only this item is too large for the service.
    TooLarge,
}

impl ResultReason {
    pub(crate) fn to_reason(&self) -> Reason {
        let (code, parameters): (&str, Vec<(&str, String)>) = match self {
            Self::TimedOut => ("timed-out", vec![]),
            Self::ConnectionLost => ("connection-lost", vec![]),
            Self::ServiceFailed { status, log_id: None } => ("service-failed", vec![("status", status.to_string())]),
            Self::ServiceFailed { status, log_id: Some(log_id) } => {
                ("service-failed-logged", vec![("status", status.to_string()), ("logId", log_id.clone())])
            }
            Self::UnknownStatus(status) => ("unknown-status", vec![("status", status.to_string())]),
            Self::NotUnderstood(status) => ("not-understood", vec![("status", status.to_string())]),
            Self::NotAsSpecified { status, member } if member.is_empty() => {
                ("not-as-specified", vec![("status", status.to_string())])
            }
            Self::NotAsSpecified { status, member } => {
                ("member-not-as-specified", vec![("status", status.to_string()), ("member", member.clone())])
            }
            Self::SuccessUnclear(value) if value.is_empty() => ("success-missing", vec![]),
            Self::SuccessUnclear(value) => ("success-unclear", vec![("said", value.clone())]),
            Self::WrongCounts { sent, total, success, error } => (
                "wrong-counts",
                vec![
                    ("sent", sent.to_string()),
                    ("total", total.to_string()),
                    ("success", success.to_string()),
                    ("error", error.to_string()),
                ],
            ),
            Self::ResultsExtra { sent, results } => {
                ("results-extra", vec![("sent", sent.to_string()), ("results", results.to_string())])
            }
            Self::ResultMissing => ("result-missing", vec![]),
            Self::OtherKey(key) => ("other-key", vec![("key", key.clone())]),
            Self::KeyChanged { sent, returned } => {
                (KEY_CHANGED, vec![("sent", sent.clone()), ("returned", returned.clone())])
            }
            Self::RefusedAfterUnknown => (REFUSED_AFTER_UNKNOWN, vec![]),
            Self::NoReason => ("no-reason", vec![]),
            Self::TooLarge => ("too-large", vec![]),
        };
        let parameters = parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Reason::Because { code: code.to_owned(), parameters }
    }
}

/// The codes of reasons for responses that can't be trusted.
pub(crate) const UNTRUSTED_RESPONSE_CODES: [&str; 9] = [
    "not-as-specified",
    "member-not-as-specified",
    "success-missing",
    "success-unclear",
    "wrong-counts",
    "results-extra",
    "result-missing",
    "other-key",
    KEY_CHANGED,
];

/// The code of [`ResultReason::KeyChanged`].
pub(crate) const KEY_CHANGED: &str = "key-changed";
/// The code of [`ResultReason::RefusedAfterUnknown`].
pub(crate) const REFUSED_AFTER_UNKNOWN: &str = "refused-after-unknown";

/// The code of excluded rows. The journal has no reason for them.
pub(crate) const EXCLUDED_CODE: &str = "left-out";

/// The code of rows to delete that didn't exist at the time of the preview.
pub(crate) const NOT_LINKED: &str = "not-linked";

pub(crate) fn is_not_linked(reason: &Reason) -> bool {
    matches!(reason, Reason::Because { code, .. } if code == NOT_LINKED)
}

/// The prefix of codes of findings, whose texts are in the section `finding`.
const FINDING_PREFIX: &str = "finding.";

/// Returns the code of a finding as a reason.
pub(crate) fn finding_code(finding: &str) -> String {
    format!("{FINDING_PREFIX}{finding}")
}

/// Returns true for the reason of a row that had an error.
pub(crate) fn is_finding(reason: &Reason) -> bool {
    matches!(reason, Reason::Because { code, .. } if code.starts_with(FINDING_PREFIX))
}

/// Returns a reason's text. The service's messages aren't changed.
pub(crate) fn reason_text(words: &Words, reason: &Reason) -> String {
    match reason {
        Reason::Said(message) => message.clone(),
        Reason::Because { code, parameters } => match code.strip_prefix(FINDING_PREFIX) {
            Some(finding) => {
                let text = words.text(&["finding", finding], parameters);
                parameters.get("place").map_or(text.clone(), |place| format!("{place}: {text}"))
            }
            None => {
                let named = |(name, value): (&String, &String)| {
                    let value = if name == "field" { words.field_name(value).to_owned() } else { value.clone() };
                    (name.clone(), value)
                };
                words.text(&["resultReason", code], &parameters.iter().map(named).collect())
            }
        },
    }
}

/// Returns an error of a row that wasn't sent as a reason.
pub(crate) fn error_reason(error: &ItemError) -> Reason {
    let code = serde_json::to_value(error.code).ok().and_then(|code| code.as_str().map(str::to_owned));
    let code = finding_code(&code.unwrap_or_default());
    Reason::Because { code, parameters: error.parameters.clone() }
}

pub(crate) const NOT_READABLE: &str = "not-readable";
pub(crate) const MALFORMED_CODE: &str = "read-back-malformed";
pub(crate) const WRONG_TOTAL: &str = "read-back-wrong-total";
pub(crate) const CONTRADICTORY_CODE: &str = "read-back-contradictory";
pub(crate) const CONTAINER_MISSING: &str = "read-back-container-missing";
pub(crate) const REFUSED_CODE: &str = "read-back-refused";
pub(crate) const LOST_ITEMS_CODE: &str = "read-back-lost-items";

/// Returns the reason for a read-back that proved nothing.
pub(crate) fn fault_reason(fault: ReadBackFault) -> Reason {
    match fault {
        ReadBackFault::Refused(status) => coded_reason(REFUSED_CODE, [("status", status.to_string())]),
        ReadBackFault::ContainerLost(status) => coded_reason(CONTAINER_MISSING, [("status", status.to_string())]),
        ReadBackFault::LostItems => coded_reason(LOST_ITEMS_CODE, []),
        ReadBackFault::MissingKey | ReadBackFault::NotReadable | ReadBackFault::NotShown => {
            coded_reason(NOT_READABLE, [])
        }
        ReadBackFault::Malformed => coded_reason(MALFORMED_CODE, []),
        ReadBackFault::Incomplete(ListFault::WrongTotal { total, rows }) => {
            coded_reason(WRONG_TOTAL, [("total", total.to_string()), ("rows", rows.to_string())])
        }
        ReadBackFault::Incomplete(_) => coded_reason(CONTRADICTORY_CODE, []),
    }
}

pub(crate) fn coded_reason<const N: usize>(code: &str, parameters: [(&str, String); N]) -> Reason {
    let parameters: BTreeMap<String, String> =
        parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Reason::Because { code: code.to_owned(), parameters }
}

#[cfg(test)]
mod tests {
    use takt_core::Language;

    use super::*;

    #[test]
    fn every_reason_has_a_text_in_each_language() {
        let (status, text_of) = (200, || "text".to_owned());
        let reasons = [
            ResultReason::TimedOut,
            ResultReason::ConnectionLost,
            ResultReason::ServiceFailed { status: 500, log_id: None },
            ResultReason::ServiceFailed { status: 500, log_id: Some(text_of()) },
            ResultReason::UnknownStatus(302),
            ResultReason::NotUnderstood(status),
            ResultReason::NotAsSpecified { status, member: String::new() },
            ResultReason::NotAsSpecified { status, member: text_of() },
            ResultReason::SuccessUnclear(String::new()),
            ResultReason::SuccessUnclear(text_of()),
            ResultReason::WrongCounts { sent: 3, total: 4, success: 3, error: 1 },
            ResultReason::ResultsExtra { sent: 3, results: 4 },
            ResultReason::ResultMissing,
            ResultReason::OtherKey(text_of()),
            ResultReason::KeyChanged { sent: text_of(), returned: text_of() },
            ResultReason::RefusedAfterUnknown,
            ResultReason::NoReason,
            ResultReason::TooLarge,
        ];
        for language in Language::ALL {
            let words = Words::load(language);
            for reason in reasons.iter().map(ResultReason::to_reason) {
                let Reason::Because { code, .. } = &reason else { continue };
                assert!(words.has_text(&["resultReason", code]), "{language:?}: {code}");
                assert!(
                    !reason_text(&words, &reason).contains('–'),
                    "every place of {reason:?} is filled in {language:?}"
                );
            }
        }
    }
}
