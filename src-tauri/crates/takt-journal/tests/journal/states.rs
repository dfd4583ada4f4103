//! The states of a submission, and the changes that are refused.

use serde_json::json;
use takt_journal::{
    JournalError, NewSubmission, Outcome, Reason, ResultCounts, RowResult, SubmissionId, SubmissionState,
    attempt::OutcomeClass, item::NewItem,
};

use super::support::{
    NewStep, at, attempt_end, begin_attempt, create_submission, item, new_submission, open_journal, outcome, reason,
    sql_succeeds, verified_counts, write_plan,
};

#[test]
fn a_submission_counts_rows_and_finishes() {
    let (_home, journal) = open_journal();
    let skipped = NewItem { skipped: true, ..item(&[9]) };
    let run =
        journal.create_submission(&new_submission(), [item(&[2, 3, 7]), item(&[4]), skipped, item(&[5])]).unwrap();
    let id = run.submission();
    assert_eq!(verified_counts(&journal, id), ResultCounts { pending: 5, skipped: 1, ..ResultCounts::default() });
    assert_eq!(journal.submission(id).unwrap().pending_items, 3);

    let next = journal.next_items(id, 2).unwrap();
    assert_eq!(
        next.iter().map(|item| (item.number, item.key.as_str())).collect::<Vec<_>>(),
        [(1, "MAT-0002"), (2, "MAT-0004")]
    );
    let body: serde_json::Value = serde_json::from_str(&next[0].body).unwrap();
    assert_eq!(body, json!({ "code": "MAT-0002", "description": "<b>bold</b>" }));

    let attempt = begin_attempt(&journal, &run, &[1, 2]);
    assert_eq!((attempt.submission(), attempt.batch(), attempt.items().collect::<Vec<_>>()), (id, 1, vec![1, 2]));
    assert_eq!(
        verified_counts(&journal, id),
        ResultCounts { pending: 1, sending: 4, skipped: 1, ..ResultCounts::default() }
    );
    let reasons = vec![Reason::Said("quantity must be above zero".to_owned())];
    let outcomes =
        [outcome(1, RowResult::Accepted), Outcome { item: 2, result: RowResult::Rejected, reasons: reasons.clone() }];
    journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();

    let attempt = begin_attempt(&journal, &run, &[4]);
    let unconfirmed = Outcome { item: 4, result: RowResult::Unconfirmed, reasons: vec![reason("no-answer")] };
    journal.finish_attempt(&run, attempt, &[unconfirmed], &attempt_end(OutcomeClass::Unknown)).unwrap();
    assert!(journal.next_items(id, 10).unwrap().is_empty());
    journal.change_state(&run, &[SubmissionState::Running], SubmissionState::Finished, at(9), None).unwrap();

    let expected = ResultCounts { accepted: 3, rejected: 1, unconfirmed: 1, skipped: 1, ..ResultCounts::default() };
    assert_eq!(verified_counts(&journal, id), expected);
    let record = journal.submission(id).unwrap();
    assert_eq!((record.state, record.ended), (SubmissionState::Finished, Some(at(9))));
    assert_eq!((record.batches, record.requests, record.active_milliseconds), (2, 2, 18));

    let rejected = journal.rows().page(id, Some(RowResult::Rejected), 0, 10).unwrap();
    assert_eq!((rejected.total, rejected.rows[0].row, rejected.rows[0].reasons.clone()), (1, 4, reasons));
    let accepted = journal.rows().page(id, Some(RowResult::Accepted), 1, 10).unwrap();
    assert_eq!(accepted.rows.iter().map(|row| (row.row, row.batch)).collect::<Vec<_>>(), [(3, Some(1)), (7, Some(1))]);
    let attempts = journal.requests().attempts(id, 200).unwrap();
    assert_eq!(attempts.len(), 2);
    assert_eq!(attempts[0].counts, ResultCounts { accepted: 3, rejected: 1, ..ResultCounts::default() });
    assert_eq!((attempts[0].wire_hash.as_str(), attempts[0].status, attempts[0].rows), ("abcd", Some(200), 4));
}

#[test]
fn a_walk_over_all_rows_meets_each_once() {
    let (_home, journal) = open_journal();
    let run = create_submission(&journal, 25);
    let mut seen = Vec::new();
    let mut after: Option<(String, u32)> = None;
    loop {
        let rows = journal
            .rows()
            .after(run.submission(), after.as_ref().map(|(sheet, row)| (sheet.as_str(), *row)), 10)
            .unwrap();
        let Some(last) = rows.last() else { break };
        after = Some((last.sheet.clone(), last.row));
        seen.extend(rows.iter().map(|row| row.row));
    }
    assert_eq!(seen, (2..=26).collect::<Vec<_>>());
}

#[test]
fn a_trial_run_ends_at_its_last_item_and_reading_goes_on_behind_a_number() {
    let (_home, journal) = open_journal();
    let trial = NewSubmission { trial: Some(4), ..new_submission() };
    let run = journal.create_submission(&trial, (1..=9).map(|number| item(&[number + 1]))).unwrap();
    let numbers = |after, at_most| -> Vec<u32> {
        journal.items_after(run.submission(), after, at_most).unwrap().iter().map(|item| item.number).collect()
    };
    assert_eq!(numbers(0, 3), [1, 2, 3]);
    assert_eq!(numbers(3, 3), [4], "behind it nothing may be sent");
    let _attempt = begin_attempt(&journal, &run, &[1, 3]);
    assert_eq!(numbers(0, 9), [2, 4]);
    assert_eq!(numbers(4, 9), [0; 0]);
    assert_eq!(journal.requests().attempts(run.submission(), 9).unwrap()[0].numbers, "1,3");
}

#[test]
fn nothing_stays_of_a_submission_that_turns_out_to_be_unwanted() {
    let (_home, journal) = open_journal();
    let write = || write_plan(&journal, vec![NewStep::new(new_submission(), [item(&[2])])]).unwrap();
    drop(write());
    assert!(journal.submissions(0, 9).unwrap().is_empty());
    write().complete().unwrap();
    assert_eq!(journal.submissions(0, 9).unwrap().len(), 1);
}

#[test]
fn an_item_is_sent_by_one_attempt_only() {
    let (_home, journal) = open_journal();
    let run = create_submission(&journal, 3);
    let first = begin_attempt(&journal, &run, &[1, 2]);
    let lost = journal.begin_attempt(&run, &[2, 3], at(1), "abcd").unwrap_err();
    assert!(matches!(lost, JournalError::LostRace { .. }), "{lost:?}");
    // Nothing of the refused attempt is stored, not even its number.
    assert_eq!(
        verified_counts(&journal, run.submission()),
        ResultCounts { pending: 1, sending: 2, ..ResultCounts::default() }
    );
    assert_eq!(journal.requests().attempts(run.submission(), 10).unwrap().len(), 1);
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Accepted)];
    journal.finish_attempt(&run, first, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    assert_eq!(begin_attempt(&journal, &run, &[3]).batch(), 2);
}

#[test]
fn outcomes_must_match_the_items() {
    let (_home, journal) = open_journal();
    let run = create_submission(&journal, 6);
    let refused: [&[Outcome]; 4] = [
        &[outcome(1, RowResult::Accepted)],
        &[outcome(1, RowResult::Accepted), outcome(1, RowResult::Accepted)],
        &[outcome(1, RowResult::Accepted), outcome(2, RowResult::Accepted), outcome(3, RowResult::Accepted)],
        &[outcome(1, RowResult::Accepted), outcome(2, RowResult::Sending)],
    ];
    let attempts = [[1, 2], [3, 4]];
    let attempt = begin_attempt(&journal, &run, &attempts[0]);
    let error = journal.finish_attempt(&run, attempt, refused[0], &attempt_end(OutcomeClass::Answered)).unwrap_err();
    assert!(matches!(error, JournalError::OutcomesDiffer { batch: 1, .. }), "{error:?}");
    assert_eq!(verified_counts(&journal, run.submission()).sending, 2);
    journal.recover_run(&run, at(3)).unwrap();
    for outcomes in &refused[1..] {
        journal.decisions().resolve(&run, &[outcome(1, RowResult::Pending), outcome(2, RowResult::Pending)]).unwrap();
        journal.change_state(&run, &[SubmissionState::Interrupted], SubmissionState::Running, at(4), None).unwrap();
        let attempt = begin_attempt(&journal, &run, &attempts[0]);
        assert!(journal.finish_attempt(&run, attempt, outcomes, &attempt_end(OutcomeClass::Answered)).is_err());
        journal.recover_run(&run, at(5)).unwrap();
    }
    assert_eq!(
        verified_counts(&journal, run.submission()),
        ResultCounts { pending: 4, unconfirmed: 2, ..ResultCounts::default() }
    );
}

#[test]
fn a_deferred_batch_is_pending_again_and_counts_as_no_batch() {
    let (_home, journal) = open_journal();
    let run = create_submission(&journal, 2);
    let attempt = begin_attempt(&journal, &run, &[1, 2]);
    let back = [outcome(1, RowResult::Pending), outcome(2, RowResult::Pending)];
    journal.finish_attempt(&run, attempt, &back, &attempt_end(OutcomeClass::Deferred)).unwrap();
    let attempt = begin_attempt(&journal, &run, &[1, 2]);
    assert_eq!(attempt.batch(), 2);
    journal.finish_attempt(&run, attempt, &back, &attempt_end(OutcomeClass::NotSent)).unwrap();
    let record = journal.submission(run.submission()).unwrap();
    assert_eq!((record.batches, record.requests, record.pending_items), (0, 1, 2));
    assert_eq!(verified_counts(&journal, run.submission()).pending, 2);
}

#[test]
fn states_change_only_from_the_state_that_was_seen() {
    let (_home, journal) = open_journal();
    let run = create_submission(&journal, 1);
    let problem = json!({ "code": "sign-in-needed" });
    journal
        .change_state(&run, &[SubmissionState::Running], SubmissionState::Interrupted, at(1), Some(&problem))
        .unwrap();
    let record = journal.submission(run.submission()).unwrap();
    assert_eq!((record.state, record.problem), (SubmissionState::Interrupted, Some(problem)));
    let lost = journal.change_state(&run, &[SubmissionState::Running], SubmissionState::Finished, at(1), None);
    assert!(matches!(lost, Err(JournalError::LostRace { .. })));
    let lost = journal.begin_attempt(&run, &[1], at(1), "abcd");
    assert!(matches!(lost, Err(JournalError::LostRace { .. })), "only a running submission sends");
    journal.change_state(&run, &[SubmissionState::Interrupted], SubmissionState::Running, at(2), None).unwrap();
    assert_eq!(journal.submission(run.submission()).unwrap().problem, None);
    assert!(matches!(
        journal.submission(SubmissionId::new(77)),
        Err(JournalError::UnknownSubmission(id)) if id.get() == 77
    ));
}

#[test]
fn a_row_stands_in_one_item_and_no_item_is_empty() {
    let (_home, journal) = open_journal();
    let twice = journal.create_submission(&new_submission(), [item(&[2, 3]), item(&[3])]);
    assert!(matches!(twice, Err(JournalError::RowsDiffer)));
    let empty = NewItem { rows: Vec::new(), ..item(&[2]) };
    assert!(matches!(journal.create_submission(&new_submission(), [empty]), Err(JournalError::RowsDiffer)));
    assert!(journal.submissions(0, 10).unwrap().is_empty(), "nothing of a refused submission stays");
}

#[test]
fn attempts_are_append_only() {
    let (home, journal) = open_journal();
    let run = create_submission(&journal, 1);
    let attempt = begin_attempt(&journal, &run, &[1]);
    journal
        .finish_attempt(&run, attempt, &[outcome(1, RowResult::Accepted)], &attempt_end(OutcomeClass::Answered))
        .unwrap();
    assert!(!sql_succeeds(home.path(), "DELETE FROM attempt"));
    assert!(!sql_succeeds(home.path(), "UPDATE attempt SET status = 500"));
    assert!(!sql_succeeds(home.path(), "UPDATE submission SET accepted = 5"), "counters that don't add up");
}
