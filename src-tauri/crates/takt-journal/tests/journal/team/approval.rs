//! Approvals: which submissions wait for a second person, and that none of them is sent before.

use serde_json::json;
use takt_journal::{
    ApprovalRule, Journal, JournalError, NewPlan, NewSubmission, PlanId, PostgresError, Relation, ResultCounts,
    RowResult, Run, SiteAddress, SubmissionId, SubmissionOrigin, SubmissionState, Team, TeamAddress,
    approval::{Approval, ApprovalDecision, ApprovalOutcome},
    attempt::OutcomeClass,
    item::NewItem,
};

use super::store::{Home, address, open, tls};
use super::support::{
    NewStep, at, attempt_end, begin_attempt, create_plan, create_submission, item, new_submission, open_journal,
    outcome, verified_counts,
};
use crate::postgres::{create_database, drop_database, statement_succeeds};

const SERVICE: &str = "https://mes.example/api";

/// Sets a rule as the owner of the database.
fn set_rule(home: &Home, rows_above: Option<u32>, deletes: bool) {
    let rule = ApprovalRule { base_url: SERVICE.to_owned(), rows_above, deletes };
    Team::set_approval_rule(address(home.path()).parse().unwrap(), tls(), &rule).unwrap();
}

fn submission_by(person: &str) -> NewSubmission {
    NewSubmission {
        address: SiteAddress { base_url: SERVICE.to_owned(), auth_url: String::new() },
        person: person.to_owned(),
        ..new_submission()
    }
}

fn create_plan_of_rows(journal: &Journal, new: NewSubmission, rows: u32) -> NewPlan {
    let items = (1..=rows).map(|number| item(&[number + 1]));
    create_plan(journal, vec![NewStep::new(new, items)]).unwrap()
}

fn outcome_by(decision: ApprovalDecision, person: &str) -> ApprovalOutcome {
    ApprovalOutcome { decision, at: at(5), person: person.to_owned(), note: "looks right".to_owned() }
}

fn run_again(journal: &Journal, run: &Run) -> Result<(), JournalError> {
    let from = [SubmissionState::Paused, SubmissionState::Stopped];
    journal.change_state(run, &from, SubmissionState::Running, at(6), None)
}

#[test]
fn more_rows_than_the_rule_allows_wait_until_another_person_approves() {
    let (home, anna) = open_journal();
    set_rule(&home, Some(2), false);
    assert!(!create_plan_of_rows(&anna, submission_by("anna@pc1"), 2).needs_approval, "as many as are allowed");
    let elsewhere = NewSubmission { address: SiteAddress::default(), ..submission_by("anna@pc1") };
    assert!(!create_plan_of_rows(&anna, elsewhere, 3).needs_approval, "another service has no rule");

    let new = create_plan_of_rows(&anna, submission_by("anna@pc1"), 3);
    assert!(new.needs_approval);
    let (id, of) = (new.run.submission(), PlanId::from_first(new.run.submission()));
    assert_eq!(anna.submission(id).unwrap().state, SubmissionState::Paused);
    assert!(
        matches!(run_again(&anna, &new.run), Err(JournalError::NotApproved { plan, declined: false }) if plan == of)
    );
    drop(new.run);

    let approvals = anna.plans().approvals();
    assert_eq!(approvals.list_waiting().unwrap(), [of]);
    let yes = outcome_by(ApprovalDecision::Approved, "Anna@pc2");
    assert!(matches!(approvals.decide(of, &yes), Err(JournalError::SecondPersonNeeded(_))), "the same person");
    let yes = outcome_by(ApprovalDecision::Approved, "bert@pc2");
    approvals.decide(of, &yes).unwrap();
    assert!(matches!(approvals.decide(of, &yes), Err(JournalError::LostRace { .. })), "once");
    let requested_by = "anna@pc1".to_owned();
    let approval = Approval {
        plan: of,
        rows: 3,
        deletes: false,
        requested_at: at(0),
        requested_by,
        same_login: true,
        outcome: Some(yes),
    };
    assert!(approval.is_requested_by("ANNA@pc9") && !approval.is_requested_by("bert@pc1"));
    assert_eq!(approvals.find(of).unwrap(), Some(approval));
    assert!(approvals.list_waiting().unwrap().is_empty());

    let run = anna.claim(id).unwrap();
    run_again(&anna, &run).unwrap();
    drop(begin_attempt(&anna, &run, &[1]));
}

#[test]
fn the_database_itself_takes_no_request_of_what_is_not_approved() {
    let (home, anna) = open_journal();
    set_rule(&home, Some(0), false);
    let new = create_plan_of_rows(&anna, submission_by("anna@pc1"), 1);
    let id = new.run.submission();
    let careless = "UPDATE takt.submission SET state = 'running'";
    assert!(statement_succeeds(&address(home.path()), careless));
    let refused = anna.begin_attempt(&new.run, &[1], at(1), "abcd").unwrap_err();
    assert!(
        matches!(&refused, JournalError::Team(PostgresError::Refused { state, .. }) if state == "23000"),
        "{refused:?}"
    );
    let sql = "SET search_path = takt; UPDATE approval SET decision = 'approved', decided = 'x', decided_by = 'y'";
    assert!(statement_succeeds(&address(home.path()), sql));
    assert!(!statement_succeeds(&address(home.path()), "UPDATE takt.approval SET note = 'z'"), "decided once");
    drop(anna.begin_attempt(&new.run, &[1], at(1), "abcd").unwrap());
    assert_eq!(anna.submission(id).unwrap().counts.sending, 1);
}

#[test]
fn deletes_wait_however_few_and_what_is_declined_is_stopped_for_good() {
    let (home, anna) = open_journal();
    set_rule(&home, None, true);
    assert!(!create_plan_of_rows(&anna, submission_by("anna@pc1"), 9).needs_approval);
    let delete = NewSubmission { deletes: true, ..submission_by("anna@pc1") };
    let later = NewStep::new(delete, [item(&[9])]);
    let steps = vec![NewStep::new(submission_by("anna@pc1"), [item(&[2])]), later];
    let new = create_plan(&anna, steps).unwrap();
    assert!(new.needs_approval, "one step of it deletes");
    let (of, steps) = (PlanId::from_first(new.run.submission()), new.steps.clone());
    drop(new.run);
    anna.plans().approvals().decide(of, &outcome_by(ApprovalDecision::Declined, "bert@pc2")).unwrap();
    for step in steps {
        assert_eq!(anna.submission(step).unwrap().state, SubmissionState::Stopped);
        let run = anna.claim(step).unwrap();
        assert!(matches!(run_again(&anna, &run), Err(JournalError::NotApproved { declined: true, .. })));
    }
}

#[test]
fn declining_ends_the_steps_that_wait_and_no_others() {
    let (home, anna) = open_journal();
    set_rule(&home, Some(0), false);
    let steps = [2, 3, 4].map(|row| NewStep::new(submission_by("anna@pc1"), [item(&[row])]));
    let new = create_plan(&anna, steps.into()).unwrap();
    let (of, steps) = (PlanId::from_first(new.run.submission()), new.steps.clone());
    drop(new.run);
    let run = anna.claim(steps[1]).unwrap();
    anna.change_state(&run, &[SubmissionState::Paused], SubmissionState::Stopped, at(3), None).unwrap();
    drop(run);
    anna.plans().approvals().decide(of, &outcome_by(ApprovalDecision::Declined, "bert@pc2")).unwrap();
    let ends = steps.iter().map(|step| anna.submission(*step).unwrap());
    let ends: Vec<_> = ends.map(|step| (step.state, step.ended, step.problem)).collect();
    assert_eq!(ends, [at(5), at(3), at(5)].map(|ended| (SubmissionState::Stopped, Some(ended), None)));
}

#[test]
fn large_submissions_and_those_of_which_nothing_goes_are_counted_as_they_are() {
    let (home, anna) = open_journal();
    set_rule(&home, Some(5_000), false);
    let follows = Some(SubmissionOrigin { submission: SubmissionId::new(1), relation: Relation::Undo });
    assert!(!create_plan_of_rows(&anna, submission_by("anna@pc1"), 5_000).needs_approval);
    // Stored in several transactions.
    assert!(
        create_plan_of_rows(&anna, NewSubmission { follows, ..submission_by("anna@pc1") }, 5_001).needs_approval,
        "an undo, too"
    );
    let skipped = (2..6_000).map(|row| NewItem { skipped: row > 4, ..item(&[row]) });
    let new = create_plan(&anna, vec![NewStep::new(submission_by("anna@pc1"), skipped)]).unwrap();
    assert!(!new.needs_approval, "three rows are to be sent");
    set_rule(&home, None, false);
    let rules = Team::from_journal(&anna).unwrap().check(jiff::Timestamp::now).unwrap().approval_rules;
    assert!(rules.is_empty(), "{rules:?}");
    drop(new);
    assert!(!create_plan_of_rows(&anna, submission_by("anna@pc1"), 6_000).needs_approval, "nothing waits any more");
}

#[test]
fn rules_are_the_owners_alone() {
    let (home, anna) = open_journal();
    set_rule(&home, Some(7), true);
    let owner = address(home.path());
    let sql = "CREATE ROLE desk_of_rules LOGIN; GRANT takt_desk TO desk_of_rules";
    assert!(statement_succeeds(&owner, sql));
    let desk: TeamAddress = owner.replacen("takt@", "desk_of_rules@", 1).parse().unwrap();
    let none = ApprovalRule { base_url: SERVICE.to_owned(), rows_above: None, deletes: false };
    let refused = Team::set_approval_rule(desk.clone(), tls(), &none).unwrap_err();
    assert!(
        matches!(&refused, JournalError::Team(PostgresError::Refused { state, .. }) if state == "42501"),
        "{refused:?}"
    );
    let rules = Team::check_database(desk, tls(), jiff::Timestamp::now).unwrap().approval_rules;
    assert_eq!(rules, [ApprovalRule { base_url: SERVICE.to_owned(), rows_above: Some(7), deletes: true }]);
    // Another login is another person, even if both accounts have the same name.
    let new = create_plan_of_rows(&anna, submission_by("planner@pc1"), 8);
    let of = PlanId::from_first(new.run.submission());
    drop(new.run);
    std::fs::write(home.path().join("team"), owner.replacen("takt@", "desk_of_rules@", 1)).unwrap();
    let desk = open(home.path());
    desk.plans().approvals().decide(of, &outcome_by(ApprovalDecision::Approved, "planner@pc2")).unwrap();
    std::fs::write(home.path().join("team"), owner).unwrap();
}

#[test]
fn a_request_that_is_refused_fails_none_that_is_written_with_it() {
    let (home, anna) = open_journal();
    let others: Vec<Run> = (0..5).map(|_| create_submission(&anna, 20)).collect();
    set_rule(&home, Some(0), false);
    let unapproved = create_plan_of_rows(&anna, submission_by("anna@pc1"), 20).run;
    let careless = format!("UPDATE takt.submission SET state = 'running' WHERE id = {}", unapproved.submission());
    assert!(statement_succeeds(&address(home.path()), &careless));
    // The submissions run at the same time, so that some share a transaction.
    std::thread::scope(|scope| {
        for run in &others {
            scope.spawn(|| {
                for number in 1..=20 {
                    let attempt = begin_attempt(&anna, run, &[number]);
                    let outcomes = [outcome(number, RowResult::Accepted)];
                    anna.finish_attempt(run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
                }
            });
        }
        scope.spawn(|| {
            for number in 1..=20 {
                let refused = anna.begin_attempt(&unapproved, &[number], at(1), "abcd").unwrap_err();
                assert!(matches!(&refused, JournalError::Team(PostgresError::Refused { .. })), "{refused:?}");
            }
        });
    });
    for run in &others {
        let expected = ResultCounts { accepted: 20, ..ResultCounts::default() };
        assert_eq!(verified_counts(&anna, run.submission()), expected);
    }
    let expected = ResultCounts { pending: 20, ..ResultCounts::default() };
    assert_eq!(verified_counts(&anna, unapproved.submission()), expected);
    assert!(anna.requests().attempts(unapproved.submission(), 9).unwrap().is_empty());
}

#[test]
fn a_database_of_the_first_version_is_brought_up_to_date() {
    let owner = create_database();
    let first = include_str!("../../../src/schema/postgres-1.sql");
    let sql = format!("CREATE SCHEMA takt; SET search_path = takt; {first}; UPDATE version SET number = 1");
    assert!(statement_succeeds(&owner, &sql));
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("team"), &owner).unwrap();
    let early = open(home.path());
    let refused = early.submissions(0, 1).unwrap_err();
    assert!(matches!(refused, JournalError::Team(PostgresError::Older { found: 1, .. })), "{refused:?}");
    assert_eq!(Team::set_up(&owner.parse().unwrap(), &tls()).unwrap(), 1);
    let desk = open(home.path());
    drop(create_plan_of_rows(&desk, submission_by("anna@pc1"), 1));
    desk.settings().set("language", &json!("de")).unwrap();
    drop((early, desk));
    drop_database(&owner);
}
