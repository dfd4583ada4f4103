//! Tests only for files: a copy as after a power cut, a lock of another program, many processes that create the same
//! file, and two that send the same file.

use std::sync::Arc;

use takt_journal::{
    Inbox, Journal, JournalError, NewSubmission, Outcome, ResultCounts, RowResult, SiteAddress, SubmissionId,
    SubmissionState, attempt::OutcomeClass, history::HistoryFilter,
};

use super::support::{
    NewStep, at, attempt_end, begin_attempt, create_plan, create_submission, item, new_submission, open, open_journal,
    outcome, reason, verified_counts,
};

#[test]
fn an_outcome_that_was_committed_is_there_after_a_kill() {
    // Copying the files of an open journal simulates a power cut.
    let (home, journal) = open_journal();
    let run = create_submission(&journal, 4);
    let attempt = begin_attempt(&journal, &run, &[1, 2]);
    let unconfirmed = Outcome { item: 2, result: RowResult::Unconfirmed, reasons: vec![reason("no-answer")] };
    journal
        .finish_attempt(
            &run,
            attempt,
            &[outcome(1, RowResult::Accepted), unconfirmed],
            &attempt_end(OutcomeClass::Unknown),
        )
        .unwrap();
    let _open = begin_attempt(&journal, &run, &[3]);

    let copy = tempfile::tempdir().unwrap();
    for name in ["journal.db", "journal.db-wal"] {
        std::fs::copy(home.path().join(name), copy.path().join(name)).unwrap();
    }
    let after = Journal::open(&copy.path().join("journal.db")).unwrap();
    assert_eq!(after.submission(SubmissionId::new(1)).unwrap().counts.unconfirmed, 2, "nobody runs it there");
    after.recover(at(9)).unwrap();
    assert_eq!(
        verified_counts(&after, SubmissionId::new(1)),
        ResultCounts { pending: 1, accepted: 1, unconfirmed: 2, ..ResultCounts::default() }
    );
}

#[test]
fn who_only_reads_waits_for_nobody_who_writes() {
    let (home, first) = open_journal();
    let run = create_submission(&first, 2);
    let mut raw = rusqlite::Connection::open(home.path().join("journal.db")).unwrap();
    let writing = raw.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    writing.execute("INSERT INTO setting VALUES ('a', '1')", []).unwrap();
    // These calls don't need the write lock. Otherwise, they would wait and then fail because the file is busy.
    let second = Journal::open(&home.path().join("journal.db")).unwrap();
    assert_eq!(second.recover(at(5)).unwrap(), []);
    assert_eq!(second.history(&HistoryFilter::default(), 0, 9).unwrap().total, 1);
    assert_eq!(second.rows().page(run.submission(), None, 0, 9).unwrap().total, 2);
    drop(writing);
    assert_eq!(second.settings().get("a").unwrap(), None);
}

#[test]
fn one_file_opened_for_the_first_time_by_many() {
    let home = Arc::new(tempfile::tempdir().unwrap());
    let openers: Vec<_> = (0..6)
        .map(|_| {
            let home = Arc::clone(&home);
            std::thread::spawn(move || Journal::open(&home.path().join("new").join("journal.db")).map(drop))
        })
        .collect();
    for opener in openers {
        opener.join().unwrap().unwrap();
    }
}

#[test]
fn a_whole_file_is_said_to_be_whole() {
    let (_home, journal) = open_journal();
    drop(create_submission(&journal, 1));
    let report = journal.check_integrity().unwrap();
    assert_eq!((report.problems.len(), report.schema), (0, 15));
    assert!(report.tables.contains(&("item".to_owned(), 1)), "{report:?}");
}

#[test]
fn the_two_files_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inbox.sqlite");
    drop(Inbox::open(&path).unwrap());
    assert!(matches!(Journal::open(&path), Err(JournalError::NotAJournal { .. })));
    let journal = folder.path().join("journal.sqlite");
    drop(Journal::open(&journal).unwrap());
    assert!(matches!(Inbox::open(&journal), Err(JournalError::NotAJournal { .. })));
}

#[test]
fn a_file_is_sent_to_an_address_only_once_at_a_time() {
    let (home, window) = open_journal();
    let command_line = open(home.path());
    let works = NewSubmission {
        site: "works".to_owned(),
        address: SiteAddress { base_url: "https://mes.example".to_owned(), ..SiteAddress::default() },
        ..new_submission()
    };
    let run = window.create_submission(&works, [item(&[2]), item(&[3])]).unwrap();
    let id = run.submission();
    let again = |items: u32| command_line.create_submission(&works, (2..2 + items).map(|row| item(&[row])));
    // A small submission is stored at once, and a large one in pieces.
    for items in [2, 9_000] {
        let refused = again(items).unwrap_err();
        let JournalError::FileBeingSent { file, site } = refused else { panic!("{refused:?}") };
        assert_eq!((file.as_str(), site.as_str()), ("materials.xlsx", "works"));
        assert_eq!(command_line.submissions(0, 9).unwrap().len(), 1, "nothing of what was refused stays");
    }
    let others = [
        NewSubmission { hash: "00fe".to_owned(), ..works.clone() },
        NewSubmission { operation: "orders.sync".to_owned(), ..works.clone() },
        NewSubmission {
            address: SiteAddress { base_url: "https://other.example".to_owned(), ..SiteAddress::default() },
            ..works.clone()
        },
        // Each process has its own practice plant.
        new_submission(),
        new_submission(),
    ];
    // A copy of a text file has a sheet of another name.
    let copy = NewSubmission { file: "copy.csv".to_owned(), sheet: "copy".to_owned(), ..works.clone() };
    let refused = command_line.create_submission(&copy, [item(&[2])]);
    assert!(matches!(refused, Err(JournalError::FileBeingSent { .. })), "{refused:?}");
    let others = others.map(|other| command_line.create_submission(&other, [item(&[2])]).unwrap());

    // While it is paused, another one may run. It can't be resumed meanwhile.
    let (running, paused) = (SubmissionState::Running, SubmissionState::Paused);
    window.change_state(&run, &[running], paused, at(1), None).unwrap();
    let second = again(2).unwrap();
    let refused = window.change_state(&run, &[paused], running, at(2), None);
    assert!(matches!(refused, Err(JournalError::FileBeingSent { .. })), "{refused:?}");
    assert_eq!(window.submission(id).unwrap().state, paused);
    // Once no process sends the second one, the first one can continue.
    drop(second);
    window.change_state(&run, &[paused], running, at(3), None).unwrap();
    window.change_state(&run, &[running], SubmissionState::Finished, at(4), None).unwrap();
    drop((others, run));

    // A step that waits for its turn counts as soon as its plan runs.
    let first = NewSubmission { operation: "orders.sync".to_owned(), hash: "00fd".to_owned(), ..works.clone() };
    let second = NewSubmission { hash: "00fd".to_owned(), ..works.clone() };
    let steps = [first, second.clone()].map(|step| NewStep::new(step, [item(&[2])]));
    let plan = create_plan(&window, steps.into()).unwrap();
    let refused = command_line.create_submission(&second, [item(&[2])]);
    assert!(matches!(refused, Err(JournalError::FileBeingSent { .. })), "{refused:?}");
    drop(plan.run);
    drop(command_line.create_submission(&second, [item(&[2])]).unwrap());
}
