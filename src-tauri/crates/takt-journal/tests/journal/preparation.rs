//! A large submission is stored in pieces. Other processes write and read meanwhile, and it isn't sent before it is
//! complete.

use takt_journal::{
    Journal, JournalError, NewWait, PlanId, ResultCounts, RowResult, SubmissionId, SubmissionState,
    attempt::OutcomeClass, history::HistoryFilter,
};

use super::support::{
    NewStep, at, begin, counts, create, create_plan, draft, end, filled_tables, item, journal, open, outcome, wait_for,
    write_plan,
};
use crate::process;

/// More items than fit into two pieces. When item `LATE` is created, one piece is written or about to be.
const MANY: u32 = 9_000;
const LATE: u32 = 8_500;

#[test]
fn others_write_and_read_while_a_large_submission_is_written_down() {
    let (home, first) = journal();
    let second = open(home.path());
    let running = create(&second, 3);
    let items = (1..=MANY).map(|number| {
        if number == LATE {
            let attempt = begin(&second, &running, &[1, 2]);
            let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Accepted)];
            second.finish_attempt(&running, attempt, &outcomes, &end(OutcomeClass::Answered)).unwrap();
            let newest = || second.history(&HistoryFilter::default(), 0, 9).unwrap().submissions.remove(0);
            wait_for(|| newest().total > 0);
            let preparing = newest();
            assert_eq!(preparing.state, SubmissionState::Preparing);
            assert!(preparing.total > 0 && preparing.total < MANY, "{}", preparing.total);
            assert_eq!(preparing.counts.pending, preparing.total);
            assert!(matches!(second.claim(preparing.id), Err(JournalError::RunElsewhere(_))));
            assert_eq!(second.recover(at(3)).unwrap(), [], "somebody is at it");
            let found = HistoryFilter { states: vec![SubmissionState::Preparing], ..HistoryFilter::default() };
            assert_eq!(second.history(&found, 0, 9).unwrap().total, 1);
        }
        item(&[number + 1])
    });
    let run = first.create_submission(&draft(), items).unwrap();
    let record = first.submission(run.submission()).unwrap();
    assert_eq!((record.state, record.items, record.total), (SubmissionState::Running, MANY, MANY));
    assert_eq!(first.next_items(run.submission(), 1).unwrap()[0].number, 1);
    let last = first.items_after(run.submission(), MANY - 1, 9).unwrap();
    assert_eq!(last.iter().map(|item| item.number).collect::<Vec<_>>(), [MANY]);
    assert_eq!(
        counts(&second, running.submission()),
        ResultCounts { accepted: 2, pending: 1, ..ResultCounts::default() }
    );
}

#[test]
fn what_fails_or_is_not_wanted_leaves_nothing_however_many_pieces_were_written() {
    let (home, journal) = journal();
    let many = || (1..=MANY).map(|number| item(&[number + 1]));
    let unwanted = write_plan(&journal, vec![NewStep::new(draft(), many())]).unwrap();
    assert_eq!(journal.history(&HistoryFilter::default(), 0, 9).unwrap().total, 1, "it is in preparation");
    drop(unwanted);
    let twice = journal.create_submission(&draft(), many().chain([item(&[2])]));
    assert!(matches!(twice, Err(JournalError::RowsDiffer)), "{twice:?}");
    let wait = NewWait { item: 1, reference: 0, step: 0, other: 1 };
    let steps = vec![
        NewStep::new(draft(), many()),
        NewStep { waits: vec![wait], ..NewStep::new(draft(), many()) },
        NewStep::new(draft(), [item(&[2]), item(&[2])]),
    ];
    let plan = create_plan(&journal, steps);
    assert!(matches!(plan, Err(JournalError::RowsDiffer)), "{plan:?}");
    assert_eq!(journal.history(&HistoryFilter::default(), 0, 9).unwrap().total, 0);
    assert!(filled_tables(home.path()).iter().all(|name| name == "setting"));
}

#[test]
fn steps_of_a_plan_are_ready_together_and_say_for_which_row_they_wait() {
    let (_home, journal) = journal();
    let many = || NewStep::new(draft(), (1..=MANY).map(|number| item(&[number + 1])));
    let waits = (1..=MANY).map(|number| NewWait { item: number, reference: 0, step: 0, other: number }).collect();
    let plan = create_plan(&journal, vec![many(), NewStep { waits, ..many() }]).unwrap();
    let ids = plan.steps;
    assert_eq!(plan.run.submission(), ids[0]);
    let states: Vec<_> = ids.iter().map(|id| journal.submission(*id).unwrap().state).collect();
    assert_eq!(states, [SubmissionState::Running, SubmissionState::Paused]);
    let last = journal.rows().page(ids[1], Some(RowResult::Pending), MANY - 1, 1).unwrap().rows.remove(0);
    assert!(format!("{:?}", last.reasons).contains(&format!("\"row\": \"{}\"", MANY + 1)), "{:?}", last.reasons);
    assert_eq!(journal.plans().waiting(ids[1]).unwrap(), MANY);
    let run = journal.claim(ids[1]).unwrap();
    assert_eq!(journal.plans().release_waits(&run).unwrap(), MANY);
    assert_eq!(journal.plans().skip_waiting(&run).unwrap(), MANY);
    assert_eq!(counts(&journal, ids[1]), ResultCounts { skipped: MANY, ..ResultCounts::default() });
    assert_eq!(journal.plans().steps(PlanId::of_first(ids[0])).unwrap(), ids);
}

#[test]
fn a_trial_is_limited_after_its_items_were_added_however_many_there_are() {
    let (_home, journal) = journal();
    for items in [3, MANY] {
        let mut writer = journal.plans().write();
        writer.begin_step(draft());
        (1..=items).for_each(|number| writer.add_item(item(&[number + 1]).encode().unwrap()).unwrap());
        writer.limit_trial(2).unwrap();
        let plan = writer.complete().unwrap();
        let record = journal.submission(plan.steps[0]).unwrap();
        assert_eq!((record.items, record.trial), (items, Some(2)));
        let sent = journal.next_items(plan.steps[0], 9).unwrap();
        assert_eq!(sent.iter().map(|item| item.number).collect::<Vec<_>>(), [1, 2]);
    }
}

/// Not a test: the other process of the next test. It stops in the middle, forever.
#[test]
fn the_process_that_prepares() {
    let Some(home) = process::home() else { return };
    let journal = open(&home);
    let items = (1..=MANY).map(|number| {
        if number == LATE {
            process::stand_still(&home);
        }
        item(&[number + 1])
    });
    drop(journal.create_submission(&draft(), items));
}

#[test]
fn what_a_killed_process_was_preparing_is_discarded_and_never_shown() {
    let (home, journal) = journal();
    let mut other = process::start(module_path!(), "the_process_that_prepares", home.path());
    assert_eq!(journal.submission(SubmissionId::new(1)).unwrap().state, SubmissionState::Preparing);
    other.kill().unwrap();
    other.wait().unwrap();
    // The submission is invisible even before recovery. A server finishes its current statement before it notices the
    // end.
    let is_unknown = |found| matches!(found, Err(JournalError::UnknownSubmission(id)) if id.get() == 1);
    wait_for(|| is_unknown(journal.submission(SubmissionId::new(1))));
    assert_eq!(journal.history(&HistoryFilter::default(), 0, 9).unwrap().total, 0);
    assert_eq!(journal.submissions(0, 9).unwrap(), []);
    let recovered = journal.recover(at(6)).unwrap();
    assert!(
        matches!(recovered.as_slice(), [one] if one.discarded && one.submission == SubmissionId::new(1)),
        "{recovered:?}"
    );
    assert_eq!(journal.recover(at(7)).unwrap(), []);
    assert!(filled_tables(home.path()).is_empty());
    assert_eq!(create(&journal, 1).submission(), SubmissionId::new(2), "numbers aren't given twice");
}

#[test]
fn a_run_that_is_gone_reads_as_recovery_would_leave_it() {
    let (home, first) = journal();
    let run = create(&first, 5);
    let id = run.submission();
    drop((begin(&first, &run, &[1, 2]), run, first));
    let second = open(home.path());
    let observe = |journal: &Journal| {
        let record = journal.submission(id).unwrap();
        let unconfirmed = journal.rows().page(id, Some(RowResult::Unconfirmed), 0, 9).unwrap();
        let found = journal.rows().search(id, Some(RowResult::Unconfirmed), "MAT-0002", 0, 9).unwrap();
        let none = journal.rows().page(id, Some(RowResult::Sending), 0, 9).unwrap().rows.len();
        let mut changes = journal.changes(id).unwrap();
        changes.sort_by_key(|(_, result, _)| *result);
        let listed = journal.history(&HistoryFilter::default(), 0, 9).unwrap().submissions;
        let filter = HistoryFilter { unconfirmed: true, ..HistoryFilter::default() };
        let listed_unconfirmed = journal.history(&filter, 0, 9).unwrap().total;
        let (requests, class) =
            (journal.requests().page(id, 0, 9).unwrap(), journal.requests().attempts(id, 9).unwrap().remove(0).class);
        let counted = (requests.1[0].counts, requests.1[0].class);
        (record, unconfirmed, found, none, changes, listed, (listed_unconfirmed, counted, class))
    };
    let mut before = observe(&second);
    assert_eq!((before.0.counts.unconfirmed, before.0.counts.sending), (2, 0));
    assert_eq!(before.0.state, SubmissionState::Interrupted);
    second.recover(at(9)).unwrap();
    let after = observe(&second);
    // The request is counted once recovery has recorded it.
    before.0.requests += 1;
    before.0.batches += 1;
    before.5[0].requests += 1;
    before.5[0].batches += 1;
    for row in before.1.rows.iter_mut().chain(&mut before.2.rows) {
        row.settled = Some(at(9));
    }
    assert_eq!(before, after);
}
