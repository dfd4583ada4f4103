//! The state that the next process finds after Takt was killed.

use takt_journal::{
    ENDED_WHILE_SENDING, RecoveredSubmission, ResultCounts, RowResult, SubmissionState, attempt::OutcomeClass,
};

use super::support::{
    at, attempt_end, begin_attempt, create_submission, open, open_journal, outcome, reason, verified_counts,
};

#[test]
fn what_was_being_sent_is_unconfirmed_and_the_rest_goes_on() {
    let (home, first) = open_journal();
    let run = create_submission(&first, 5);
    let id = run.submission();
    let attempt = begin_attempt(&first, &run, &[1, 2]);
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Rejected)];
    first.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    let lost = begin_attempt(&first, &run, &[3, 4]);
    drop((lost, run, first));

    let second = open(home.path());
    assert_eq!(
        second.recover(at(60)).unwrap(),
        [RecoveredSubmission { submission: id, unconfirmed: 2, discarded: false }]
    );
    let expected = ResultCounts { pending: 1, accepted: 1, rejected: 1, unconfirmed: 2, ..ResultCounts::default() };
    assert_eq!(verified_counts(&second, id), expected);
    let record = second.submission(id).unwrap();
    assert_eq!((record.state, record.requests), (SubmissionState::Interrupted, 2));
    let unconfirmed = second.rows().page(id, Some(RowResult::Unconfirmed), 0, 10).unwrap().rows;
    assert_eq!(unconfirmed.iter().map(|row| row.row).collect::<Vec<_>>(), [4, 5]);
    assert!(unconfirmed.iter().all(|row| row.reasons == [reason(ENDED_WHILE_SENDING)]));
    assert_eq!(second.requests().attempts(id, 10).unwrap()[1].class, Some(OutcomeClass::Unknown));
    assert_eq!(second.recover(at(61)).unwrap(), [], "recovery happens once");

    let run = second.claim(id).unwrap();
    second.change_state(&run, &[SubmissionState::Interrupted], SubmissionState::Running, at(62), None).unwrap();
    assert_eq!(second.next_items(id, 10).unwrap().iter().map(|item| item.number).collect::<Vec<_>>(), [5]);
    second.decisions().resolve(&run, &[outcome(3, RowResult::Pending), outcome(4, RowResult::Pending)]).unwrap();
    assert_eq!(second.next_items(id, 10).unwrap().iter().map(|item| item.number).collect::<Vec<_>>(), [3, 4, 5]);
    assert_eq!(verified_counts(&second, id).unconfirmed, 0);
    assert_eq!(begin_attempt(&second, &run, &[3, 4, 5]).batch(), 3);
}
