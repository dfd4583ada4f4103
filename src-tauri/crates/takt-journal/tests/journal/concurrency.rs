//! Two processes on one journal, like a window and a command line.

use takt_journal::{
    JournalError, NewSubmission, Relation, ResultCounts, RowResult, SubmissionId, SubmissionOrigin,
    attempt::OutcomeClass,
};

use super::support::{
    at, attempt_end, begin_attempt, create_submission, item, new_submission, open, open_journal, outcome,
    verified_counts, wait_for,
};
use crate::process;

#[test]
fn another_ones_running_submission_is_left_alone() {
    let (home, first) = open_journal();
    let run = create_submission(&first, 2);
    let attempt = begin_attempt(&first, &run, &[1]);

    let second = open(home.path());
    assert_eq!(second.recover(at(5)).unwrap(), []);
    assert!(matches!(second.claim(run.submission()), Err(JournalError::RunElsewhere(_))));
    assert_eq!(verified_counts(&second, run.submission()).sending, 1);

    first
        .finish_attempt(&run, attempt, &[outcome(1, RowResult::Accepted)], &attempt_end(OutcomeClass::Answered))
        .unwrap();
    let id = run.submission();
    drop(run);
    assert_eq!(second.recover(at(6)).unwrap()[0].unconfirmed, 0);
    assert_eq!(verified_counts(&second, id), ResultCounts { pending: 1, accepted: 1, ..ResultCounts::default() });
}

#[test]
fn a_file_is_locked_once_and_what_was_sent_of_it_is_found_by_its_content() {
    let (home, first) = open_journal();
    let second = open(home.path());
    let lock = first.plans().lock_file("orders").unwrap();
    assert!(lock.is_some() && second.plans().lock_file("orders").unwrap().is_none());
    assert!(second.plans().lock_file("others").unwrap().is_some());
    drop(lock);
    assert!(second.plans().lock_file("orders").unwrap().is_some());

    let found =
        |site: &str, hash: &str| second.plans().submissions_of_file(site, hash).unwrap().first().map(|found| found.id);
    assert_eq!(found("practice", "00ff"), None);
    let complete = create_submission(&first, 2).submission();
    let origin = |relation| Some(SubmissionOrigin { submission: complete, relation });
    for relation in [Relation::Retry, Relation::Undo] {
        let part = NewSubmission { follows: origin(relation), ..new_submission() };
        drop(first.create_submission(&part, [item(&[2])]).unwrap());
    }
    assert_eq!(found("practice", "00ff"), Some(complete), "what was sent again or undone isn't the file");
    assert_eq!((found("works", "00ff"), found("practice", "00fe")), (None, None));
    let again = NewSubmission { follows: origin(Relation::Again), ..new_submission() };
    let again = first.create_submission(&again, [item(&[2])]).unwrap().submission();
    assert_eq!(found("practice", "00ff"), Some(again));
}

#[test]
fn two_handles_write_at_once_without_losing_anything() {
    let (home, first) = open_journal();
    let path = home.path().to_owned();
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || {
                let journal = open(&path);
                let run = create_submission(&journal, 40);
                for item in 1..=40 {
                    let attempt = begin_attempt(&journal, &run, &[item]);
                    let outcomes = [outcome(item, RowResult::Accepted)];
                    journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
                }
                run.submission()
            })
        })
        .collect();
    for writer in writers {
        let id = writer.join().unwrap();
        assert_eq!(verified_counts(&first, id), ResultCounts { accepted: 40, ..ResultCounts::default() });
    }
}

/// The other process of the next test, which sends until it's killed. Does nothing as a test.
#[test]
fn the_other_process() {
    let Some(home) = process::home() else { return };
    let journal = open(&home);
    let run = create_submission(&journal, 3);
    let _attempt = begin_attempt(&journal, &run, &[1, 2]);
    process::wait_to_be_killed(&home);
}

#[test]
fn a_killed_process_leaves_rows_unconfirmed() {
    let (home, journal) = open_journal();
    let mut other = process::start(module_path!(), "the_other_process", home.path());
    assert_eq!(journal.recover(at(5)).unwrap(), [], "it is alive");
    other.kill().unwrap();
    other.wait().unwrap();
    // A team's server notices the end of the process a moment later.
    wait_for(|| journal.recover(at(6)).unwrap().first().is_some_and(|recovered| recovered.unconfirmed == 2));
    assert_eq!(
        verified_counts(&journal, SubmissionId::new(1)),
        ResultCounts { pending: 1, unconfirmed: 2, ..ResultCounts::default() }
    );
}
