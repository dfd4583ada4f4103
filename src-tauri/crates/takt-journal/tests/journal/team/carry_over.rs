//! A desk's own history is copied when it joins a team: once, completely, and without open submissions.

use std::ops::ControlFlow;

use serde_json::json;
use takt_journal::{
    CarryOver, Journal, NewSubmission, Relation, RowResult, SubmissionId, SubmissionOrigin, SubmissionState, Team,
    attempt::OutcomeClass, contract_version::NewContractVersion, item::NewItem, mapping::MappingRecord,
};

use super::store::{address, home, tls};
use super::support::{NewStep, at, attempt_end, begin_attempt, create_plan, item, new_submission, outcome};

fn open_own(folder: &tempfile::TempDir) -> Journal {
    Journal::open(&folder.path().join("journal.db")).unwrap()
}

fn open_joined(folder: &tempfile::TempDir, address: &str) -> Journal {
    Team::join(open_own(folder), address.parse().unwrap(), std::sync::Arc::new(|| None), tls())
}

fn carry_over_result(carried: u32, open: u32) -> CarryOver {
    CarryOver { carried, open, is_stopped: false }
}

fn carry_over(journal: &Journal) -> CarryOver {
    Team::carry_over(journal, "pc1", at(7), |_, _| ControlFlow::Continue(())).unwrap()
}

/// Sends all items but the last `left` in one request.
fn send_submission(journal: &Journal, new: &NewSubmission, items: u32, left: u32) -> SubmissionId {
    let run = journal.create_submission(new, (1..=items).map(|number| item(&[number + 1]))).unwrap();
    let sent: Vec<u32> = (1..=items - left).collect();
    let attempt = begin_attempt(journal, &run, &sent);
    let outcomes: Vec<_> = sent
        .iter()
        .map(|number| outcome(*number, if *number == 2 { RowResult::Rejected } else { RowResult::Accepted }))
        .collect();
    journal.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    let state = if left == 0 { SubmissionState::Finished } else { SubmissionState::Paused };
    journal.change_state(&run, &[SubmissionState::Running], state, at(3), None).unwrap();
    run.submission()
}

fn submission_by_anna() -> NewSubmission {
    NewSubmission { person: "anna".to_owned(), mapping: Some(json!({ "code": "Material" })), ..new_submission() }
}

#[test]
fn what_is_settled_comes_once_and_what_is_open_stays() {
    let team = home();
    let address = address(team.path());
    let folder = tempfile::tempdir().unwrap();
    let journal = open_own(&folder);
    let open = send_submission(&journal, &submission_by_anna(), 3, 1);
    let small = send_submission(&journal, &submission_by_anna(), 3, 0);
    let follows = Some(SubmissionOrigin { submission: small, relation: Relation::Undo });
    let undo = send_submission(&journal, &NewSubmission { follows, ..submission_by_anna() }, 2, 0);
    let follows = Some(SubmissionOrigin { submission: open, relation: Relation::Retry });
    let retry = send_submission(&journal, &NewSubmission { follows, ..submission_by_anna() }, 1, 0);
    let before = (journal.submission(small).unwrap(), journal.rows().page(small, None, 0, 9).unwrap());
    drop(journal);

    let desk = open_joined(&folder, &address);
    assert_eq!(carry_over(&desk), carry_over_result(3, 1));
    let mut all = desk.submissions(0, 9).unwrap();
    all.reverse();
    let [copy, undone, retried] = all.as_slice() else { panic!("{all:?}") };
    let mut expected = before.0.clone();
    (expected.id, expected.plan, expected.person) = (copy.id, copy.plan, "anna@pc1".to_owned());
    assert_eq!((*copy).clone(), expected);
    assert_eq!(copy.plan.first(), copy.id, "a plan of its own");
    assert_eq!(desk.rows().page(copy.id, None, 0, 9).unwrap(), before.1);
    assert_eq!(desk.load_with_attempts(copy.id, 9).unwrap().1.len(), 1, "with its requests");
    let follows = SubmissionOrigin { submission: copy.id, relation: Relation::Undo };
    assert_eq!(
        (undone.follows, retried.follows),
        (Some(follows), None),
        "what it follows has another number, or isn't there"
    );

    assert_eq!(carry_over(&desk), carry_over_result(0, 1), "nothing twice");
    assert_eq!(desk.submissions(0, 9).unwrap().len(), 3);
    // Another desk's file has the same numbers but is another file.
    let other = tempfile::tempdir().unwrap();
    send_submission(&open_own(&other), &submission_by_anna(), 3, 0);
    assert_eq!(carry_over(&open_joined(&other, &address)), carry_over_result(1, 0));
    assert_eq!(desk.submissions(0, 9).unwrap().len(), 4);
    // The file is unchanged.
    let back = open_own(&folder);
    assert_eq!(back.submission(small).unwrap(), before.0);
    assert_eq!(back.submissions(0, 9).unwrap().len(), 4);
    assert_eq!(back.submission(undo).unwrap().follows.map(|follows| follows.submission), Some(small));
    assert_eq!(back.submission(retry).unwrap().follows.map(|follows| follows.submission), Some(open));
}

#[test]
fn a_large_one_and_a_plan_come_whole_or_not_at_all() {
    let team = home();
    let address = address(team.path());
    let folder = tempfile::tempdir().unwrap();
    let journal = open_own(&folder);
    let large = send_submission(&journal, &submission_by_anna(), 9_001, 0);
    let with_before = |number| NewItem {
        before: Some(json!({ "code": "M", "description": "old" })),
        neighbors: vec!["N".to_owned()],
        ..item(&[number])
    };
    let steps =
        vec![NewStep::new(submission_by_anna(), [with_before(2)]), NewStep::new(submission_by_anna(), [item(&[3])])];
    let plan = create_plan(&journal, steps).unwrap();
    let attempt = begin_attempt(&journal, &plan.run, &[1]);
    journal
        .finish_attempt(&plan.run, attempt, &[outcome(1, RowResult::Accepted)], &attempt_end(OutcomeClass::Answered))
        .unwrap();
    journal.change_state(&plan.run, &[SubmissionState::Running], SubmissionState::Finished, at(3), None).unwrap();
    drop(plan.run);
    let before = journal.submission(large).unwrap().counts;
    drop(journal);

    let desk = open_joined(&folder, &address);
    let mut heard = Vec::new();
    let result = Team::carry_over(&desk, "", at(7), |done, of| {
        heard.push((done, of));
        ControlFlow::Continue(())
    });
    assert_eq!(result.unwrap(), carry_over_result(1, 2), "its second step is open");
    assert_eq!((heard.first(), heard.last()), (Some(&(0, 1)), Some(&(1, 1))));
    let copy = desk.submissions(0, 9).unwrap().remove(0);
    assert_eq!((copy.counts, copy.state, copy.person.as_str()), (before, SubmissionState::Finished, "anna"));
    let last = desk.rows().page(copy.id, None, 9_000, 9).unwrap();
    assert_eq!((last.total, last.rows.len(), last.rows[0].row), (9_001, 1, 9_002));

    // Once it is settled, it is copied too, with its plan.
    drop(desk);
    let journal = open_own(&folder);
    let run = journal.claim(plan.steps[1]).unwrap();
    journal.change_state(&run, &[SubmissionState::Paused], SubmissionState::Running, at(4), None).unwrap();
    let attempt = begin_attempt(&journal, &run, &[1]);
    journal
        .finish_attempt(&run, attempt, &[outcome(1, RowResult::Accepted)], &attempt_end(OutcomeClass::Answered))
        .unwrap();
    journal.change_state(&run, &[SubmissionState::Running], SubmissionState::Finished, at(5), None).unwrap();
    drop((run, journal));
    let desk = open_joined(&folder, &address);
    assert_eq!(carry_over(&desk), carry_over_result(2, 0));
    let all = desk.submissions(0, 9).unwrap();
    assert_eq!((all.len(), desk.plans().steps(all[0].plan).unwrap()), (3, vec![all[1].id, all[0].id]));
    assert_eq!(desk.rows().count_restorable(all[1].id).unwrap(), 1, "an undo is possible still");
    let item = desk.rows().item_details(all[1].id, RowResult::Accepted, 0, 1).unwrap().remove(0);
    assert_eq!(item.neighbors, ["N"]);
}

#[test]
fn mappings_and_interface_descriptions_come_where_the_team_has_none() {
    let team = home();
    let address = address(team.path());
    let mapping = |headings: &str, column: &str| MappingRecord {
        operation: "materials.sync".to_owned(),
        headings: headings.to_owned(),
        body: json!({ "code": column }),
        at: at(1),
    };
    let version = |site: &str, source: &str| NewContractVersion {
        site: site.to_owned(),
        at: at(1),
        person: "anna".to_owned(),
        source: source.to_owned(),
        body: json!({}),
    };
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let team = open_joined(&first, &address);
    team.mappings().store(&mapping("ab", "theirs")).unwrap();
    team.contract_versions().add(&version("works", "theirs")).unwrap();
    let journal = open_own(&second);
    journal.mappings().store(&mapping("ab", "mine")).unwrap();
    journal.mappings().store(&mapping("cd", "mine")).unwrap();
    journal.templates().record_opened("works", &[7], at(1)).unwrap();
    for site in ["works", "other"] {
        journal.contract_versions().add(&version(site, "mine")).unwrap();
        journal.contract_versions().add(&version(site, "mine, later")).unwrap();
    }
    drop(journal);
    carry_over(&open_joined(&second, &address));
    let column = |headings| team.mappings().find("materials.sync", headings).unwrap().unwrap().body["code"].clone();
    assert_eq!((column("ab"), column("cd")), (json!("theirs"), json!("mine")));
    assert_eq!(team.templates().list("works").unwrap(), [7]);
    let sources = |site| {
        let list = team.contract_versions().list(site).unwrap();
        list.into_iter().map(|version| version.source).collect::<Vec<_>>()
    };
    assert_eq!(
        (sources("works"), sources("other")),
        (vec!["theirs".to_owned()], vec!["mine, later".to_owned(), "mine".to_owned()])
    );
}

#[test]
fn what_is_stopped_leaves_no_half_and_goes_on_later() {
    let team = home();
    let address = address(team.path());
    let folder = tempfile::tempdir().unwrap();
    let journal = open_own(&folder);
    let small = send_submission(&journal, &submission_by_anna(), 3, 0);
    let left_out = |row| NewItem { skipped: true, ..item(&[row]) };
    let steps = vec![
        NewStep::new(submission_by_anna(), (2..=5_000).map(left_out)),
        NewStep::new(submission_by_anna(), (5_001..=9_000).map(left_out)),
    ];
    let plan = create_plan(&journal, steps).unwrap();
    journal.change_state(&plan.run, &[SubmissionState::Running], SubmissionState::Finished, at(3), None).unwrap();
    let run = journal.claim(plan.steps[1]).unwrap();
    journal.change_state(&run, &[SubmissionState::Paused], SubmissionState::Finished, at(3), None).unwrap();
    drop((plan.run, run));
    let before = journal.submission(small).unwrap().counts;
    drop(journal);

    // Stops in the middle of the plan's second step.
    let desk = open_joined(&folder, &address);
    let mut left = 4;
    let stopped = Team::carry_over(&desk, "pc1", at(7), |_, _| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.unwrap(), CarryOver { is_stopped: true, ..carry_over_result(1, 0) });
    let other = open_joined(&tempfile::tempdir().unwrap(), &address);
    let visible = other.submissions(0, 9).unwrap();
    assert_eq!(visible.iter().map(|one| one.counts).collect::<Vec<_>>(), [before]);
    assert!(other.recover(at(8)).unwrap().is_empty(), "nothing is left behind");
    assert_eq!(carry_over(&desk), carry_over_result(2, 0));
    assert_eq!(other.submissions(0, 9).unwrap().len(), 3);

    // With requests, too.
    let another = tempfile::tempdir().unwrap();
    send_submission(&open_own(&another), &submission_by_anna(), 9_001, 0);
    let desk = open_joined(&another, &address);
    let mut left = 3;
    let stopped = Team::carry_over(&desk, "pc3", at(7), |_, _| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.unwrap(), CarryOver { is_stopped: true, ..carry_over_result(0, 0) });
    assert!(other.recover(at(8)).unwrap().is_empty(), "nothing is left behind");
    assert_eq!((other.submissions(0, 9).unwrap().len(), carry_over(&desk)), (3, carry_over_result(1, 0)));
}
