//! A large submission is stored in pieces. Other processes write and read meanwhile, and it isn't sent before it is
//! complete.

use takt_journal::{
    Journal, JournalError, NewWait, PlanId, ResultCounts, RowResult, SubmissionId, SubmissionState,
    attempt::OutcomeClass, history::HistoryFilter,
};

use super::support::{
    NewStep, at, attempt_end, begin_attempt, create_plan, create_submission, filled_tables, item, new_submission, open,
    open_journal, outcome, verified_counts, wait_for, write_plan,
};
use crate::process;

/// More items than fit into two transactions.
const ITEM_COUNT: u32 = 9_000;
/// When this item is created, the first transaction has ended or is about to end.
const LATE_ITEM: u32 = 8_500;

#[test]
fn others_write_and_read_while_a_large_submission_is_written_down() {
    let (home, first) = open_journal();
    let second = open(home.path());
    let running = create_submission(&second, 3);
    let items = (1..=ITEM_COUNT).map(|number| {
        if number == LATE_ITEM {
            let attempt = begin_attempt(&second, &running, &[1, 2]);
            let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Accepted)];
            second.finish_attempt(&running, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
            let newest = || second.history(&HistoryFilter::default(), 0, 9).unwrap().submissions.remove(0);
            wait_for(|| newest().total > 0);
            let preparing = newest();
            assert_eq!(preparing.state, SubmissionState::Preparing);
            assert!(preparing.total > 0 && preparing.total < ITEM_COUNT, "{}", preparing.total);
            assert_eq!(preparing.counts.pending, preparing.total);
            assert!(matches!(second.claim(preparing.id), Err(JournalError::RunElsewhere(_))));
            assert_eq!(second.recover(at(3)).unwrap(), [], "somebody is at it");
            let found = HistoryFilter { states: vec![SubmissionState::Preparing], ..HistoryFilter::default() };
            assert_eq!(second.history(&found, 0, 9).unwrap().total, 1);
        }
        item(&[number + 1])
    });
    let run = first.create_submission(&new_submission(), items).unwrap();
    let record = first.submission(run.submission()).unwrap();
    assert_eq!((record.state, record.items, record.total), (SubmissionState::Running, ITEM_COUNT, ITEM_COUNT));
    assert_eq!(first.next_items(run.submission(), 1).unwrap()[0].number, 1);
    let last = first.items_after(run.submission(), ITEM_COUNT - 1, 9).unwrap();
    assert_eq!(last.iter().map(|item| item.number).collect::<Vec<_>>(), [ITEM_COUNT]);
    assert_eq!(
        verified_counts(&second, running.submission()),
        ResultCounts { accepted: 2, pending: 1, ..ResultCounts::default() }
    );
}

#[test]
fn what_fails_or_is_not_wanted_leaves_nothing_however_many_pieces_were_written() {
    let (home, journal) = open_journal();
    let many = || (1..=ITEM_COUNT).map(|number| item(&[number + 1]));
    let unwanted = write_plan(&journal, vec![NewStep::new(new_submission(), many())]).unwrap();
    assert_eq!(journal.history(&HistoryFilter::default(), 0, 9).unwrap().total, 1, "it is in preparation");
    drop(unwanted);
    let twice = journal.create_submission(&new_submission(), many().chain([item(&[2])]));
    assert!(matches!(twice, Err(JournalError::RowsDiffer)), "{twice:?}");
    let wait = NewWait { item: 1, reference: 0, step: 0, awaited_item: 1 };
    let steps = vec![
        NewStep::new(new_submission(), many()),
        NewStep { waits: vec![wait], ..NewStep::new(new_submission(), many()) },
        NewStep::new(new_submission(), [item(&[2]), item(&[2])]),
    ];
    let plan = create_plan(&journal, steps);
    assert!(matches!(plan, Err(JournalError::RowsDiffer)), "{plan:?}");
    assert_eq!(journal.history(&HistoryFilter::default(), 0, 9).unwrap().total, 0);
    assert!(filled_tables(home.path()).iter().all(|name| name == "setting"));
}

#[test]
fn steps_of_a_plan_are_ready_together_and_say_for_which_row_they_wait() {
    let (_home, journal) = open_journal();
    let many = || NewStep::new(new_submission(), (1..=ITEM_COUNT).map(|number| item(&[number + 1])));
    let waits =
        (1..=ITEM_COUNT).map(|number| NewWait { item: number, reference: 0, step: 0, awaited_item: number }).collect();
    let plan = create_plan(&journal, vec![many(), NewStep { waits, ..many() }]).unwrap();
    let ids = plan.steps;
    assert_eq!(plan.run.submission(), ids[0]);
    let states: Vec<_> = ids.iter().map(|id| journal.submission(*id).unwrap().state).collect();
    assert_eq!(states, [SubmissionState::Running, SubmissionState::Paused]);
    let last = journal.rows().page(ids[1], Some(RowResult::Pending), ITEM_COUNT - 1, 1).unwrap().rows.remove(0);
    assert!(format!("{:?}", last.reasons).contains(&format!("\"row\": \"{}\"", ITEM_COUNT + 1)), "{:?}", last.reasons);
    assert_eq!(journal.plans().count_waiting_rows(ids[1]).unwrap(), ITEM_COUNT);
    let run = journal.claim(ids[1]).unwrap();
    assert_eq!(journal.plans().release_waits(&run).unwrap(), ITEM_COUNT);
    assert_eq!(journal.plans().skip_waiting(&run).unwrap(), ITEM_COUNT);
    assert_eq!(verified_counts(&journal, ids[1]), ResultCounts { skipped: ITEM_COUNT, ..ResultCounts::default() });
    assert_eq!(journal.plans().steps(PlanId::from_first(ids[0])).unwrap(), ids);
}

#[test]
fn a_trial_is_limited_after_its_items_were_added_however_many_there_are() {
    let (_home, journal) = open_journal();
    for items in [3, ITEM_COUNT] {
        let mut writer = journal.plans().writer();
        writer.begin_step(new_submission());
        (1..=items).for_each(|number| writer.add_item(item(&[number + 1]).encode().unwrap()).unwrap());
        writer.limit_trial(2).unwrap();
        let plan = writer.complete().unwrap();
        let record = journal.submission(plan.steps[0]).unwrap();
        assert_eq!((record.items, record.trial), (items, Some(2)));
        let sent = journal.next_items(plan.steps[0], 9).unwrap();
        assert_eq!(sent.iter().map(|item| item.number).collect::<Vec<_>>(), [1, 2]);
    }
}

/// The other process of the next test, which waits in the middle until it's killed. Does nothing as a test.
#[test]
fn the_process_that_prepares() {
    let Some(home) = process::home() else { return };
    let journal = open(&home);
    let items = (1..=ITEM_COUNT).map(|number| {
        if number == LATE_ITEM {
            process::wait_to_be_killed(&home);
        }
        item(&[number + 1])
    });
    drop(journal.create_submission(&new_submission(), items));
}

#[test]
fn what_a_killed_process_was_preparing_is_discarded_and_never_shown() {
    let (home, journal) = open_journal();
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
    assert_eq!(create_submission(&journal, 1).submission(), SubmissionId::new(2), "numbers aren't given twice");
}

#[test]
fn a_run_that_is_gone_reads_as_recovery_would_leave_it() {
    let (home, first) = open_journal();
    let run = create_submission(&first, 5);
    let id = run.submission();
    drop((begin_attempt(&first, &run, &[1, 2]), run, first));
    let second = open(home.path());
    let observe = |journal: &Journal| {
        let record = journal.submission(id).unwrap();
        let unconfirmed = journal.rows().page(id, Some(RowResult::Unconfirmed), 0, 9).unwrap();
        let found = journal.rows().search(id, Some(RowResult::Unconfirmed), "MAT-0002", 0, 9).unwrap();
        let none = journal.rows().page(id, Some(RowResult::Sending), 0, 9).unwrap().rows.len();
        let mut changes = journal.row_counts_by_change(id).unwrap();
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
