//! The history: submissions and rows are found by any detail, and searches read no more than necessary.

use takt_journal::{
    Journal, NewSubmission, Outcome, Reason, Relation, RowResult, Run, SubmissionId, SubmissionOrigin, SubmissionState,
    attempt::OutcomeClass, history::HistoryFilter, item::NewItem,
};

use super::support::{at, attempt_end, begin_attempt, item, new_submission, open_journal, outcome, reason};

/// Creates one submission with these keys, all pending.
fn create_with_keys(journal: &Journal, new: &NewSubmission, keys: &[&str]) -> Run {
    let items = keys.iter().zip(2..).map(|(key, row)| NewItem { key: (*key).to_owned(), ..item(&[row]) });
    journal.create_submission(new, items).unwrap()
}

fn submission_ids(journal: &Journal, filter: &HistoryFilter) -> Vec<u32> {
    let page = journal.history(filter, 0, 100).unwrap();
    assert_eq!(page.total as usize, page.submissions.len());
    page.submissions.into_iter().map(|record| record.id.get()).collect()
}

fn text_filter(text: &str) -> HistoryFilter {
    HistoryFilter { text: Some(text.to_owned()), ..HistoryFilter::default() }
}

#[test]
fn a_submission_is_found_by_whatever_is_remembered_of_it() {
    let (_home, journal) = open_journal();
    let anna = NewSubmission { person: "anna".to_owned(), ..new_submission() };
    let bert = NewSubmission {
        person: "bert".to_owned(),
        file: "Week 48 50%.xlsx".to_owned(),
        operation: "work-orders.sync".to_owned(),
        site: "works".to_owned(),
        at: at(86_400),
        ..new_submission()
    };
    let first = create_with_keys(&journal, &anna, &["MAT-1", "MAT-2"]);
    let second = create_with_keys(&journal, &bert, &["WO-7 · 010", "WO-8 · 010"]);
    let attempt = begin_attempt(&journal, &second, &[1, 2]);
    let refused = Outcome {
        reasons: vec![Reason::Said("Material 4711 doesn't exist".to_owned())],
        ..outcome(1, RowResult::Rejected)
    };
    let unconfirmed = Outcome { reasons: vec![reason("timed-out")], ..outcome(2, RowResult::Unconfirmed) };
    journal.finish_attempt(&second, attempt, &[refused, unconfirmed], &attempt_end(OutcomeClass::Answered)).unwrap();

    for (what, wanted) in [
        ("anna", [1].as_slice()),
        ("ANNA", &[1]),
        ("week 48", &[2]),
        ("50%", &[2]),
        ("5%x", &[]),
        ("wo-8", &[2]),
        ("MAT-", &[1]),
        ("4711", &[2]),
        ("work-orders", &[2]),
        ("00ff", &[2, 1]),
        ("#2", &[2]),
        ("x", &[2, 1]),
        ("nothing like it", &[]),
        ("  ", &[2, 1]),
    ] {
        assert_eq!(submission_ids(&journal, &text_filter(what)), wanted, "{what}");
    }
    let codes = HistoryFilter { codes: vec!["timed-out".to_owned()], ..text_filter("no answer came") };
    assert_eq!(submission_ids(&journal, &codes), [2], "by the words that a person reads for a reason");
    let operations = HistoryFilter { operations: vec!["materials.sync".to_owned()], ..text_filter("Materialien") };
    assert_eq!(submission_ids(&journal, &operations), [1], "by the operation's name in a person's language");

    let all = HistoryFilter::default;
    assert_eq!(submission_ids(&journal, &HistoryFilter { site: Some("works".to_owned()), ..all() }), [2]);
    assert_eq!(submission_ids(&journal, &HistoryFilter { unconfirmed: true, ..all() }), [2]);
    assert_eq!(submission_ids(&journal, &HistoryFilter { since: Some(at(1)), ..all() }), [2]);
    assert_eq!(submission_ids(&journal, &HistoryFilter { since: Some(at(0)), until: Some(at(86_400)), ..all() }), [1]);
    journal.change_state(&first, &[SubmissionState::Running], SubmissionState::Stopped, at(3), None).unwrap();
    assert_eq!(submission_ids(&journal, &HistoryFilter { states: vec![SubmissionState::Stopped], ..all() }), [1]);
    assert_eq!(
        submission_ids(&journal, &HistoryFilter { site: Some("works".to_owned()), ..text_filter("anna") }),
        [] as [u32; 0]
    );
}

#[test]
fn rows_are_found_by_key_reason_and_number() {
    let (_home, journal) = open_journal();
    let run = create_with_keys(&journal, &new_submission(), &["MAT-1", "MAT-2", "NUT-3"]);
    let attempt = begin_attempt(&journal, &run, &[1, 2]);
    let refused =
        Outcome { reasons: vec![Reason::Said("no such \"nut\"".to_owned())], ..outcome(2, RowResult::Rejected) };
    journal
        .finish_attempt(
            &run,
            attempt,
            &[outcome(1, RowResult::Accepted), refused],
            &attempt_end(OutcomeClass::Answered),
        )
        .unwrap();
    let rows = |result, text| {
        let page = journal.rows().search(SubmissionId::new(1), result, text, 0, 10).unwrap();
        assert_eq!(page.total as usize, page.rows.len(), "{text}");
        page.rows.into_iter().map(|row| row.row).collect::<Vec<_>>()
    };
    assert_eq!(rows(None, "mat"), [2, 3]);
    assert_eq!(rows(None, "nut"), [3, 4], "one by its reason, one by its key");
    assert_eq!(rows(Some(RowResult::Rejected), "nut"), [3]);
    assert_eq!(rows(None, "4"), [4], "the row as Excel numbers it");
    assert_eq!(rows(None, "_"), [] as [u32; 0], "nothing typed is a pattern");
    let second = journal.rows().search(SubmissionId::new(1), None, "nut", 1, 1).unwrap();
    assert_eq!((second.total, second.rows[0].row), (2, 4));
}

#[test]
fn requests_know_their_items_and_submissions_their_followers() {
    let (_home, journal) = open_journal();
    let run = create_with_keys(&journal, &new_submission(), &["A", "B", "C", "D"]);
    let attempt = begin_attempt(&journal, &run, &[1, 2, 4]);
    let outcomes = [1, 2, 4].map(|number| outcome(number, RowResult::Accepted));
    journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    let open = begin_attempt(&journal, &run, &[3]);
    let (total, requests) = journal.requests().page(SubmissionId::new(1), 0, 10).unwrap();
    assert_eq!((total, requests.iter().map(|request| request.batch).collect::<Vec<_>>()), (2, vec![2, 1]));
    let items = journal
        .requests()
        .items(SubmissionId::new(1), &journal.requests().get(SubmissionId::new(1), 1).unwrap().unwrap())
        .unwrap();
    assert_eq!(items.iter().map(|item| item.key.as_str()).collect::<Vec<_>>(), ["A", "B", "D"]);
    assert_eq!(journal.requests().get(SubmissionId::new(1), 9).unwrap(), None);
    assert!(journal.requests().page(SubmissionId::new(7), 0, 1).is_err());
    drop(open);

    let follows = |relation| NewSubmission {
        follows: Some(SubmissionOrigin { submission: SubmissionId::new(1), relation }),
        ..new_submission()
    };
    drop(create_with_keys(&journal, &follows(Relation::Retry), &["B"]));
    drop(create_with_keys(&journal, &follows(Relation::Undo), &["A"]));
    let followers = journal.followers(SubmissionId::new(1)).unwrap();
    assert_eq!(
        followers.iter().map(|one| (one.submission.get(), one.relation)).collect::<Vec<_>>(),
        [(2, Relation::Retry), (3, Relation::Undo)]
    );
}
