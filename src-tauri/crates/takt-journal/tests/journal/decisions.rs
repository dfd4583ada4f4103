//! Items leave `unconfirmed` only once and only by a decision, with all details available.

use serde_json::json;
use takt_journal::{
    Change, Journal, JournalError, Relation, ResultCounts, RowResult, Run, attempt::OutcomeClass, item::NewItem,
};
use takt_journal::{NewSubmission, Outcome, SubmissionOrigin};

use super::support::{
    at, attempt_end, begin_attempt, create_submission, item, new_submission, open_journal, outcome, reason,
    verified_counts,
};

/// Four items. The first three are unconfirmed, and the first one has two rows.
fn create_unconfirmed(journal: &Journal) -> Run {
    let before = NewItem {
        change: Some(Change::Changed),
        before: Some(json!({ "code": "MAT-0004", "description": "Bolt" })),
        neighbors: vec!["MAT-0007".to_owned(), "MAT-0008".to_owned()],
        ..item(&[4])
    };
    let run = journal.create_submission(&new_submission(), [item(&[2, 3]), before, item(&[5]), item(&[6])]).unwrap();
    let attempt = begin_attempt(journal, &run, &[1, 2, 3]);
    let unconfirmed = [1, 2, 3]
        .map(|number| Outcome { reasons: vec![reason("timed-out")], ..outcome(number, RowResult::Unconfirmed) });
    journal.finish_attempt(&run, attempt, &unconfirmed, &attempt_end(OutcomeClass::Unknown)).unwrap();
    run
}

#[test]
fn items_unconfirmed_are_walked_with_what_is_known_of_them() {
    let (_home, journal) = open_journal();
    let run = create_unconfirmed(&journal);
    let first = journal.rows().item_details(run.submission(), RowResult::Unconfirmed, 0, 2).unwrap();
    assert_eq!(first.iter().map(|item| item.number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(first[0].rows, [("Sheet1".to_owned(), 2), ("Sheet1".to_owned(), 3)]);
    assert_eq!((first[0].before.as_ref(), first[0].change), (None, None));
    assert_eq!(first[1].change, Some(Change::Changed));
    assert_eq!(first[1].before.as_ref().unwrap()["description"], "Bolt");
    assert_eq!((first[0].neighbors.len(), &first[1].neighbors[..]), (0, &["MAT-0007".into(), "MAT-0008".into()][..]));
    assert_eq!(first[1].reasons, [reason("timed-out")]);
    let rest = journal.rows().item_details(run.submission(), RowResult::Unconfirmed, 2, 10).unwrap();
    assert_eq!(rest.iter().map(|item| item.key.as_str()).collect::<Vec<_>>(), ["MAT-0005"]);
    assert_eq!(journal.rows().find_item(run.submission(), "Sheet1", 3).unwrap(), Some(1));
    assert_eq!(journal.rows().find_item(run.submission(), "Sheet1", 30).unwrap(), None);
}

#[test]
fn doubt_is_resolved_once_and_the_counters_follow() {
    let (_home, journal) = open_journal();
    let run = create_unconfirmed(&journal);
    let id = run.submission();
    let found = [
        Outcome { reasons: vec![reason("found-by-reading-back")], ..outcome(1, RowResult::Accepted) },
        outcome(2, RowResult::Pending),
        Outcome { reasons: vec![reason("holds-other")], ..outcome(3, RowResult::Unconfirmed) },
    ];
    journal.decisions().resolve(&run, &found).unwrap();
    let expected = ResultCounts { accepted: 2, pending: 2, unconfirmed: 1, ..ResultCounts::default() };
    assert_eq!(verified_counts(&journal, id), expected);
    assert_eq!(journal.submission(id).unwrap().pending_items, 2);
    let next: Vec<u32> = journal.next_items(id, 9).unwrap().iter().map(|item| item.number).collect();
    assert_eq!(next, [2, 4]);
    let row = &journal.rows().page(id, Some(RowResult::Accepted), 0, 1).unwrap().rows[0];
    assert_eq!(row.reasons, [reason("found-by-reading-back")]);

    // A decision about an item that is no longer unconfirmed changes nothing.
    let late = journal
        .decisions()
        .resolve(&run, &[outcome(3, RowResult::Accepted), outcome(1, RowResult::Pending)])
        .unwrap_err();
    assert!(matches!(late, JournalError::LostRace { .. }), "{late:?}");
    assert!(journal.decisions().resolve(&run, &[outcome(4, RowResult::Accepted)]).is_err(), "it was never sent");
    assert!(journal.decisions().resolve(&run, &[outcome(3, RowResult::Sending)]).is_err(), "nothing is sent from here");
    assert_eq!(verified_counts(&journal, id), expected);
}

#[test]
fn a_trial_is_lifted_once() {
    let (_home, journal) = open_journal();
    let trial = NewSubmission { trial: Some(1), ..new_submission() };
    let run = journal.create_submission(&trial, [item(&[2]), item(&[3])]).unwrap();
    assert_eq!(journal.submission(run.submission()).unwrap().trial, Some(1));
    assert!(journal.decisions().end_trial_run(&run).unwrap());
    assert!(!journal.decisions().end_trial_run(&run).unwrap());
    assert_eq!(journal.submission(run.submission()).unwrap().trial, None);
    let complete = create_submission(&journal, 2);
    assert!(!journal.decisions().end_trial_run(&complete).unwrap());
}

#[test]
fn what_was_accepted_later_is_known_by_its_key() {
    let (_home, journal) = open_journal();
    let first = create_submission(&journal, 3);
    let attempt = begin_attempt(&journal, &first, &[1, 2, 3]);
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Rejected), outcome(3, RowResult::Rejected)];
    journal.finish_attempt(&first, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    assert!(journal.rows().keys_accepted_later(first.submission()).unwrap().is_empty());

    let follows = Some(SubmissionOrigin { submission: first.submission(), relation: Relation::Retry });
    let retry = NewSubmission { follows, at: at(7), ..new_submission() };
    let second = journal.create_submission(&retry, [item(&[3]), item(&[4])]).unwrap();
    let attempt = begin_attempt(&journal, &second, &[1, 2]);
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Rejected)];
    journal.finish_attempt(&second, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    let later = journal.rows().keys_accepted_later(first.submission()).unwrap();
    assert_eq!(later.into_iter().collect::<Vec<_>>(), ["MAT-0003"]);
}

/// Totals of unconfirmed rows start from the value that was accepted before.
#[test]
fn the_last_accepted_body_of_a_key_comes_from_earlier_submissions_of_the_operation_and_site() {
    let (_home, journal) = open_journal();
    let sent = |new: NewSubmission, text: &str, result: RowResult| {
        let item = NewItem { body: json!({ "description": text }), ..item(&[2]) };
        let run = journal.create_submission(&new, [item]).unwrap();
        let attempt = begin_attempt(&journal, &run, &[1]);
        journal.finish_attempt(&run, attempt, &[outcome(1, result)], &attempt_end(OutcomeClass::Answered)).unwrap();
        run.submission()
    };
    let first = sent(new_submission(), "first", RowResult::Accepted);
    sent(new_submission(), "refused", RowResult::Rejected);
    sent(NewSubmission { site: "works".to_owned(), ..new_submission() }, "elsewhere", RowResult::Accepted);
    sent(NewSubmission { operation: "stock.sync".to_owned(), ..new_submission() }, "other", RowResult::Accepted);
    let second = sent(new_submission(), "second", RowResult::Accepted);
    let last = sent(new_submission(), "last", RowResult::Accepted);
    let before =
        |id| journal.rows().last_accepted_body(id, "MAT-0002").unwrap().map(|body| body["description"].clone());
    assert_eq!(before(first), None);
    assert_eq!(before(second), Some("first".into()));
    assert_eq!(before(last), Some("second".into()));
    assert_eq!(journal.rows().last_accepted_body(last, "MAT-0003").unwrap(), None);
}

#[test]
fn rows_that_a_retry_sent_are_known_by_their_place() {
    let (_home, journal) = open_journal();
    let first = create_submission(&journal, 2).submission();
    let follow = |submission, relation, rows: &[u32], result| {
        let follows = Some(SubmissionOrigin { submission, relation });
        let run = journal.create_submission(&NewSubmission { follows, ..new_submission() }, [item(rows)]).unwrap();
        let attempt = begin_attempt(&journal, &run, &[1]);
        journal.finish_attempt(&run, attempt, &[outcome(1, result)], &attempt_end(OutcomeClass::Answered)).unwrap();
        run.submission()
    };
    let retry = follow(first, Relation::Retry, &[2], RowResult::Rejected);
    follow(retry, Relation::Retry, &[3, 4], RowResult::Accepted);
    follow(first, Relation::Again, &[5], RowResult::Accepted);
    let mut rows: Vec<u32> = journal.rows().accepted_in_retries(first).unwrap().into_iter().map(|row| row.1).collect();
    rows.sort_unstable();
    assert_eq!(rows, [3, 4], "also of a retry of a retry");
}
