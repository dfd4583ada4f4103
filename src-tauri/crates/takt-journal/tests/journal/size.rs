//! 100,000 rows: counters that add up, within a time limit.

use std::time::{Duration, Instant};

use takt_journal::{ResultCounts, RowResult, SubmissionState, attempt::OutcomeClass};

use super::support::{at, attempt_end, item, new_submission, open_journal, outcome, verified_counts};

#[test]
fn a_hundred_thousand_items_are_written_sent_and_counted() {
    let (_home, journal) = open_journal();
    let started = Instant::now();
    let run = journal.create_submission(&new_submission(), (1..=100_000).map(|number| item(&[number + 1]))).unwrap();
    let id = run.submission();
    let mut sent = 0_u32;
    loop {
        let items = journal.next_items(id, 1_000).unwrap();
        if items.is_empty() {
            break;
        }
        let numbers: Vec<u32> = items.iter().map(|item| item.number).collect();
        let attempt = journal.begin_attempt(&run, &numbers, at(1), "abcd").unwrap();
        let outcomes: Vec<_> = numbers
            .iter()
            .map(|number| outcome(*number, if number % 10 == 0 { RowResult::Rejected } else { RowResult::Accepted }))
            .collect();
        journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
        sent += u32::try_from(numbers.len()).unwrap();
        assert_eq!(journal.submission(id).unwrap().counts.total(), 100_000);
    }
    journal.change_state(&run, &[SubmissionState::Running], SubmissionState::Finished, at(2), None).unwrap();
    let page = Instant::now();
    let far = journal.rows().page(id, None, 99_990, 100).unwrap();
    assert_eq!((far.total, far.rows.len(), far.rows[9].row), (100_000, 10, 100_001));
    let far = journal.rows().page(id, Some(RowResult::Rejected), 9_999, 100).unwrap();
    assert_eq!((far.total, far.rows[0].row), (10_000, 100_001));
    assert!(page.elapsed() < Duration::from_secs(5), "pages took {:?}", page.elapsed());
    assert_eq!(sent, 100_000);
    assert_eq!(
        verified_counts(&journal, id),
        ResultCounts { accepted: 90_000, rejected: 10_000, ..ResultCounts::default() }
    );
    println!("{:?}", started.elapsed());
    assert!(started.elapsed() < Duration::from_secs(60), "took {:?}", started.elapsed());
}
