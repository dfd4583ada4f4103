//! Which evidence allows which conclusion about an item: the one place where *accepted* and *rejected* are decided after an
//! attempt whose effect isn't known.
//!
//! The same table is written out in `docs/internals/evidence.md`, and the model test `evidence_model` runs it against services that
//! lose, falsify and delay their responses. Reading back is `takt_browse::read_back`, the sentences are `resolve`.

use takt_journal::RowResult;

/// After so many attempts of unknown effect an item isn't sent again without a decision.
const MAX_UNKNOWN_ATTEMPTS: u32 = 2;

/// What the service held of the item before its first attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    Unknown,
    Absent,
    Held,
}

/// What a read-back shows of the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadBackEvidence {
    /// Every value that was sent and that the service shows.
    AsSent,
    /// The values from before the first attempt, or values of which it isn't known whether they are.
    AsBefore,
    /// Other values than before and than sent. Of a delete: the item is there.
    Present,
    /// A complete list without the item.
    Absent,
    /// Neither that it is there nor that it isn't.
    Nothing,
}

/// All that is known of an item whose last attempt left it unconfirmed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evidence {
    pub(super) deletes: bool,
    /// False if the read-back shows only a part of the item's key, so that a row may be about another item.
    pub(super) whole_key: bool,
    pub(super) before: Before,
    /// Attempts whose effect isn't known; at least one.
    pub(super) unknown_attempts: u32,
    /// The service refused the last attempt, after an earlier one of unknown effect.
    pub(super) refused: bool,
    /// The service returned a response to the last attempt, and it can't be believed.
    pub(super) answered: bool,
    /// A response returned the item's key in another form: the service may hold the item under that.
    pub(super) key_changed: bool,
    pub(super) read_back: ReadBackEvidence,
}

/// What the evidence allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conclusion {
    Accepted,
    Rejected,
    /// No attempt had an effect, or sending again can't do harm: once more.
    SendAgain,
    Unconfirmed,
}

impl Evidence {
    pub(super) fn conclude(self) -> Conclusion {
        if self.deletes { self.conclude_delete() } else { self.conclude_write() }
    }

    fn conclude_write(self) -> Conclusion {
        match self.read_back {
            // A row with a part of the key may be another item's, whatever its values are.
            ReadBackEvidence::AsSent if self.whole_key => Conclusion::Accepted,
            ReadBackEvidence::Absent => self.without_effect(),
            ReadBackEvidence::AsBefore if self.whole_key && (self.before == Before::Held || !self.refused) => {
                self.without_effect()
            }
            ReadBackEvidence::AsSent
            | ReadBackEvidence::AsBefore
            | ReadBackEvidence::Present
            | ReadBackEvidence::Nothing => Conclusion::Unconfirmed,
        }
    }

    fn conclude_delete(self) -> Conclusion {
        match (self.read_back, self.before) {
            (ReadBackEvidence::Absent, Before::Held) => Conclusion::Accepted,
            // There was nothing to delete.
            (ReadBackEvidence::Absent, Before::Absent) => Conclusion::Rejected,
            (ReadBackEvidence::Absent, Before::Unknown) => Conclusion::Unconfirmed,
            // The row may be another item's: the response may say that this one is gone.
            (ReadBackEvidence::AsSent | ReadBackEvidence::AsBefore | ReadBackEvidence::Present, _)
                if !self.whole_key && (self.refused || self.answered) =>
            {
                Conclusion::Unconfirmed
            }
            (ReadBackEvidence::AsSent | ReadBackEvidence::AsBefore | ReadBackEvidence::Present, _) => {
                self.without_effect()
            }
            (ReadBackEvidence::Nothing, _) => Conclusion::Unconfirmed,
        }
    }

    /// The read-back shows that no attempt had an effect.
    fn without_effect(self) -> Conclusion {
        if self.key_changed {
            Conclusion::Unconfirmed
        } else if self.refused {
            Conclusion::Rejected
        } else if self.unknown_attempts < MAX_UNKNOWN_ATTEMPTS {
            Conclusion::SendAgain
        } else {
            Conclusion::Unconfirmed
        }
    }
}

/// What a refusal of one item concludes: it proves that its own attempt had no effect, and nothing of an earlier one.
pub(super) fn after_refusal(unknown_attempts: u32) -> RowResult {
    if unknown_attempts == 0 { RowResult::Rejected } else { RowResult::Unconfirmed }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: [Before; 3] = [Before::Unknown, Before::Absent, Before::Held];
    const READ_BACK: [ReadBackEvidence; 5] = [
        ReadBackEvidence::AsSent,
        ReadBackEvidence::AsBefore,
        ReadBackEvidence::Present,
        ReadBackEvidence::Absent,
        ReadBackEvidence::Nothing,
    ];

    fn all() -> impl Iterator<Item = Evidence> {
        let flags = (0..32u32).flat_map(|bits| (1..=3).map(move |attempts| (bits, attempts)));
        flags.flat_map(|(bits, unknown_attempts)| {
            BEFORE.into_iter().flat_map(move |before| {
                READ_BACK.into_iter().map(move |read_back| Evidence {
                    deletes: bits & 1 > 0,
                    whole_key: bits & 2 > 0,
                    refused: bits & 4 > 0,
                    key_changed: bits & 8 > 0,
                    answered: bits & 16 > 0,
                    before,
                    unknown_attempts,
                    read_back,
                })
            })
        })
    }

    #[test]
    fn a_read_back_that_proves_nothing_concludes_nothing() {
        for evidence in all().filter(|evidence| evidence.read_back == ReadBackEvidence::Nothing) {
            assert_eq!(evidence.conclude(), Conclusion::Unconfirmed, "{evidence:?}");
        }
    }

    #[test]
    fn an_item_is_sent_again_at_most_once_and_never_after_a_refusal_or_under_another_key() {
        for evidence in all().filter(|evidence| evidence.conclude() == Conclusion::SendAgain) {
            let is_allowed = evidence.unknown_attempts < 2 && !evidence.refused && !evidence.key_changed;
            assert!(is_allowed, "{evidence:?}");
        }
    }

    #[test]
    fn a_part_of_the_key_proves_what_is_absent_and_nothing_that_is_present() {
        let present = |evidence: &Evidence| evidence.read_back != ReadBackEvidence::Absent;
        for evidence in all().filter(|evidence| !evidence.whole_key && present(evidence)) {
            let conclusion = evidence.conclude();
            assert!(
                matches!(conclusion, Conclusion::Unconfirmed | Conclusion::SendAgain),
                "{evidence:?}: {conclusion:?}"
            );
        }
    }

    #[test]
    fn rejected_takes_a_refusal_or_that_there_was_nothing_to_delete() {
        for evidence in all().filter(|evidence| evidence.conclude() == Conclusion::Rejected) {
            assert!(evidence.refused || (evidence.deletes && evidence.before == Before::Absent), "{evidence:?}");
        }
    }
}
