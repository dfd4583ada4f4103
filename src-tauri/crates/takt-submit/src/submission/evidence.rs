//! Decides what evidence proves about an item after an attempt with an unknown effect. Such items are *accepted* or
//! *rejected* only here.
//!
//! `docs/internals/evidence.md` has the same table, and the model test `evidence_model` runs it against services that
//! lose, falsify and delay responses. `takt_browse::read_back` reads back, and the sibling `read_back` creates the
//! reasons.

use takt_journal::RowResult;

/// After this many attempts with an unknown effect, an item isn't sent again without the user's decision.
const MAX_UNKNOWN_ATTEMPTS: u32 = 2;

/// The state of the item on the service before its first attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PriorState {
    Unknown,
    Absent,
    Present,
}

/// The item as shown by a read-back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadBackEvidence {
    /// All values as sent, as far as the service shows them.
    AsSent,
    /// The values from before the first attempt, or values that may be the earlier ones.
    AsBefore,
    /// Other values than before and than sent. For a delete: the item exists.
    Present,
    /// A complete list without the item.
    Absent,
    /// Proves neither presence nor absence.
    Inconclusive,
}

/// The evidence about an item that the last attempt left unconfirmed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    pub(super) deletes: bool,
    /// False if the read-back shows only a part of the item's key, so that a row may be about another item.
    pub(super) is_key_complete: bool,
    pub(super) prior: PriorState,
    /// The attempts with an unknown effect, at least one.
    pub(super) unknown_attempts: u32,
    /// Whether the service refused the last attempt, after an earlier one with an unknown effect.
    pub(super) is_refused: bool,
    /// Whether the last attempt has a response that can't be trusted.
    pub(super) has_untrusted_response: bool,
    /// Whether a response returned the item's key in another form, under which the service may have stored the item.
    pub(super) key_changed: bool,
    pub(super) read_back: ReadBackEvidence,
}

/// The conclusion from the evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conclusion {
    Accepted,
    Rejected,
    /// No attempt had an effect, or sending again is harmless.
    SendAgain,
    Unconfirmed,
}

impl Evidence {
    pub(super) fn conclude(self) -> Conclusion {
        if self.deletes { self.conclude_delete() } else { self.conclude_write() }
    }

    fn conclude_write(self) -> Conclusion {
        match self.read_back {
            // A row with a part of the key may belong to another item, even if it has the sent values.
            ReadBackEvidence::AsSent if self.is_key_complete => Conclusion::Accepted,
            ReadBackEvidence::Absent => self.conclude_without_effect(),
            ReadBackEvidence::AsBefore
                if self.is_key_complete && (self.prior == PriorState::Present || !self.is_refused) =>
            {
                self.conclude_without_effect()
            }
            ReadBackEvidence::AsSent
            | ReadBackEvidence::AsBefore
            | ReadBackEvidence::Present
            | ReadBackEvidence::Inconclusive => Conclusion::Unconfirmed,
        }
    }

    fn conclude_delete(self) -> Conclusion {
        match (self.read_back, self.prior) {
            (ReadBackEvidence::Absent, PriorState::Present) => Conclusion::Accepted,
            // There was nothing to delete.
            (ReadBackEvidence::Absent, PriorState::Absent) => Conclusion::Rejected,
            (ReadBackEvidence::Absent, PriorState::Unknown) => Conclusion::Unconfirmed,
            // The row may belong to another item, and the response may mean that this item is gone.
            (ReadBackEvidence::AsSent | ReadBackEvidence::AsBefore | ReadBackEvidence::Present, _)
                if !self.is_key_complete && (self.is_refused || self.has_untrusted_response) =>
            {
                Conclusion::Unconfirmed
            }
            (ReadBackEvidence::AsSent | ReadBackEvidence::AsBefore | ReadBackEvidence::Present, _) => {
                self.conclude_without_effect()
            }
            (ReadBackEvidence::Inconclusive, _) => Conclusion::Unconfirmed,
        }
    }

    /// Returns the conclusion if the read-back shows that no attempt had an effect.
    fn conclude_without_effect(self) -> Conclusion {
        if self.key_changed {
            Conclusion::Unconfirmed
        } else if self.is_refused {
            Conclusion::Rejected
        } else if self.unknown_attempts < MAX_UNKNOWN_ATTEMPTS {
            Conclusion::SendAgain
        } else {
            Conclusion::Unconfirmed
        }
    }
}

/// Returns the result after a refusal, which proves that its own attempt had no effect, but nothing about earlier ones.
pub(super) fn result_after_refusal(unknown_attempts: u32) -> RowResult {
    if unknown_attempts == 0 { RowResult::Rejected } else { RowResult::Unconfirmed }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR_STATES: [PriorState; 3] = [PriorState::Unknown, PriorState::Absent, PriorState::Present];
    const READ_BACK: [ReadBackEvidence; 5] = [
        ReadBackEvidence::AsSent,
        ReadBackEvidence::AsBefore,
        ReadBackEvidence::Present,
        ReadBackEvidence::Absent,
        ReadBackEvidence::Inconclusive,
    ];

    fn all_evidence() -> impl Iterator<Item = Evidence> {
        let flags = (0..32u32).flat_map(|bits| (1..=3).map(move |attempts| (bits, attempts)));
        flags.flat_map(|(bits, unknown_attempts)| {
            PRIOR_STATES.into_iter().flat_map(move |prior| {
                READ_BACK.into_iter().map(move |read_back| Evidence {
                    deletes: bits & 1 > 0,
                    is_key_complete: bits & 2 > 0,
                    is_refused: bits & 4 > 0,
                    key_changed: bits & 8 > 0,
                    has_untrusted_response: bits & 16 > 0,
                    prior,
                    unknown_attempts,
                    read_back,
                })
            })
        })
    }

    #[test]
    fn a_read_back_that_proves_nothing_concludes_nothing() {
        for evidence in all_evidence().filter(|evidence| evidence.read_back == ReadBackEvidence::Inconclusive) {
            assert_eq!(evidence.conclude(), Conclusion::Unconfirmed, "{evidence:?}");
        }
    }

    #[test]
    fn an_item_is_sent_again_at_most_once_and_never_after_a_refusal_or_under_another_key() {
        for evidence in all_evidence().filter(|evidence| evidence.conclude() == Conclusion::SendAgain) {
            let is_allowed = evidence.unknown_attempts < 2 && !evidence.is_refused && !evidence.key_changed;
            assert!(is_allowed, "{evidence:?}");
        }
    }

    #[test]
    fn a_part_of_the_key_proves_what_is_absent_and_nothing_that_is_present() {
        let present = |evidence: &Evidence| evidence.read_back != ReadBackEvidence::Absent;
        for evidence in all_evidence().filter(|evidence| !evidence.is_key_complete && present(evidence)) {
            let conclusion = evidence.conclude();
            assert!(
                matches!(conclusion, Conclusion::Unconfirmed | Conclusion::SendAgain),
                "{evidence:?}: {conclusion:?}"
            );
        }
    }

    #[test]
    fn rejected_takes_a_refusal_or_that_there_was_nothing_to_delete() {
        for evidence in all_evidence().filter(|evidence| evidence.conclude() == Conclusion::Rejected) {
            assert!(evidence.is_refused || (evidence.deletes && evidence.prior == PriorState::Absent), "{evidence:?}");
        }
    }
}
