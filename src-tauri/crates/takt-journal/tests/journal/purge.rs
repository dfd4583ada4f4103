//! Old and settled data can be purged, and data that may still be needed stays.

use takt_journal::{
    EventPurge, Journal, NewSubmission, PurgeCounts, Relation, RowResult, SubmissionId, SubmissionOrigin,
    SubmissionState,
    attempt::OutcomeClass,
    inbox::{NewEvent, SignatureState},
};

use super::store;
use super::support::{
    NewStep, at, attempt_end, begin_attempt, create_plan, filled_tables, item, new_submission, open_journal, outcome,
    sql_succeeds, verified_counts,
};

/// Creates a submission of three rows with these results. The rest stays pending.
fn create_sent(journal: &Journal, new: &NewSubmission, results: &[RowResult]) -> SubmissionId {
    let run = journal.create_submission(new, (1..=3).map(|number| item(&[number + 1]))).unwrap();
    for (result, number) in results.iter().zip(1..) {
        let attempt = begin_attempt(journal, &run, &[number]);
        journal
            .finish_attempt(&run, attempt, &[outcome(number, *result)], &attempt_end(OutcomeClass::Answered))
            .unwrap();
    }
    let to = if results.len() == 3 { SubmissionState::Finished } else { SubmissionState::Interrupted };
    journal.change_state(&run, &[SubmissionState::Running], to, at(2), None).unwrap();
    run.submission()
}

fn submission_to(name: &str) -> NewSubmission {
    NewSubmission { site: name.to_owned(), ..new_submission() }
}

const ALL_SETTLED: [RowResult; 3] = [RowResult::Accepted, RowResult::Rejected, RowResult::Accepted];

fn purgeable_ids(journal: &Journal) -> Vec<SubmissionId> {
    journal.purgeable(at(100)).unwrap().into_iter().map(|(id, _)| id).collect()
}

#[test]
fn what_is_settled_goes_and_its_counters_stay() {
    let (home, journal) = open_journal();
    let id = create_sent(&journal, &submission_to("north"), &ALL_SETTLED);
    assert_eq!(journal.purgeable(at(0)).unwrap(), [], "it isn't old enough");
    assert_eq!(journal.purgeable(at(100)).unwrap(), [(id, PurgeCounts { submissions: 1, rows: 3, requests: 3 })]);
    assert!(journal.purge(id, at(100), at(200)).unwrap());
    let record = journal.submission(id).unwrap();
    assert_eq!((record.purged, record.counts.accepted, record.counts.rejected), (Some(at(200)), 2, 1));
    assert_eq!(journal.rows().page(id, None, 0, 9).unwrap().total, 0);
    assert_eq!(journal.requests().page(id, 0, 9).unwrap().1, []);
    assert_eq!(purgeable_ids(&journal), []);
    assert!(!journal.purge(id, at(100), at(201)).unwrap());
    assert_eq!(filled_tables(home.path()), ["submission"]);
    journal.shrink().unwrap();
    assert!(journal.used_bytes().unwrap() > 0);
}

#[test]
fn what_is_open_and_whatever_it_refers_to_stays() {
    let (_home, journal) = open_journal();
    let unconfirmed =
        create_sent(&journal, &submission_to("a"), &[RowResult::Accepted, RowResult::Unconfirmed, RowResult::Accepted]);
    let after_it = create_sent(&journal, &submission_to("a"), &ALL_SETTLED);
    let pending = create_sent(&journal, &submission_to("b"), &ALL_SETTLED[..1]);
    let undone = create_sent(&journal, &submission_to("c"), &ALL_SETTLED);
    let follows = Some(SubmissionOrigin { submission: undone, relation: Relation::Undo });
    let undo = create_sent(&journal, &NewSubmission { follows, ..submission_to("d") }, &ALL_SETTLED[..1]);
    let running = journal.create_submission(&submission_to("e"), [item(&[2])]).unwrap();
    let step = |name: &str| NewStep::new(submission_to(name), [item(&[2])]);
    let plan = create_plan(&journal, vec![step("f"), step("g")]).unwrap().steps;
    let free = create_sent(&journal, &submission_to("h"), &ALL_SETTLED);
    assert_eq!(purgeable_ids(&journal), [free]);
    for id in [unconfirmed, after_it, pending, undone, undo, running.submission(), plan[0]] {
        assert!(!journal.purge(id, at(100), at(200)).unwrap(), "{id}");
        assert_eq!(journal.submission(id).unwrap().purged, None);
    }
    assert_eq!(verified_counts(&journal, undone).total(), 3);
    // Once the undo is settled, both can be purged.
    let run = journal.claim(undo).unwrap();
    journal.change_state(&run, &[SubmissionState::Interrupted], SubmissionState::Running, at(3), None).unwrap();
    let attempt = begin_attempt(&journal, &run, &[2, 3]);
    let outcomes = [outcome(2, RowResult::Accepted), outcome(3, RowResult::Accepted)];
    journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    journal.change_state(&run, &[SubmissionState::Running], SubmissionState::Finished, at(4), None).unwrap();
    drop(run);
    assert_eq!(purgeable_ids(&journal), [undone, undo, free]);
}

#[test]
fn requests_are_kept_as_long_as_nobody_purges_them() {
    let (home, journal) = open_journal();
    create_sent(&journal, &submission_to("north"), &ALL_SETTLED);
    assert!(!sql_succeeds(home.path(), "DELETE FROM attempt"));
}

fn purge_before(second: i64) -> EventPurge {
    EventPurge::ReceivedBefore(at(second))
}

#[test]
fn events_go_once_they_were_read_and_sent_on() {
    let home = store::home();
    let inbox = store::inbox(home.path());
    for number in 1..=20 {
        let event = NewEvent {
            site: "north".to_owned(),
            received: at(number),
            headers: Vec::new(),
            body: b"{}".to_vec(),
            key: number,
            signed_key: None,
            duplicates_since: None,
            signed: SignatureState::Unchecked,
            replay: false,
        };
        inbox.store(&event).unwrap();
    }
    assert_eq!(inbox.purgeable(purge_before(100)).unwrap(), 0, "nobody has read them");
    store::change_events(
        home.path(),
        "INSERT INTO reading (event, site, received, reader, state, orders) SELECT id, site, received, 1, 'sound', 0 FROM event;
         INSERT INTO floor VALUES (1, 1, 20);
         INSERT INTO target (site, name, address, kinds, keys, began, cursor) VALUES ('north', 'erp', 'x', '[]', '[]', 0, 15);
         INSERT INTO forwarded (target, event, state, at, tries, told) VALUES (1, 3, 'aside', 0, 1, '');
         INSERT INTO floor_order (site, code, operation, state, since, exact, event, last, last_at, late)
             VALUES ('north', 'WO', '', 'running', 0, 0, 5, 6, 0, 0);",
    );
    assert_eq!(inbox.purgeable(purge_before(10)).unwrap(), 6, "1, 2, 4 and 7 to 9");
    assert_eq!(inbox.purgeable(purge_before(100)).unwrap(), 12, "those that wait for the target stay");
    assert_eq!(inbox.purge_some(purge_before(100)).unwrap(), 12);
    assert_eq!(inbox.purge_some(purge_before(100)).unwrap(), 0);
    let left: Vec<i64> = (1..=20).filter(|event| inbox.raw_event(*event).unwrap().is_some()).collect();
    assert_eq!(left, [3, 5, 6, 16, 17, 18, 19, 20]);
}
