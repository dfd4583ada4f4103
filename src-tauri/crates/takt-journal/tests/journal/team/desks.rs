//! Desks of one team: shared data, own data, and submissions whose session or database is lost.

use serde_json::json;
use takt_journal::{
    CLAIMED, CLAIMED_UNCONFIRMED, ClaimChoice, Journal, JournalError, NewSubmission, PostgresError, ResultCounts,
    RowResult, SiteAddress, SubmissionState, Team, attempt::OutcomeClass, mapping::MappingRecord,
};

use super::store::{address, tls};
use super::support::{
    at, attempt_end, begin_attempt, create_submission, item, new_submission, open, open_journal, outcome,
    verified_counts,
};
use crate::postgres::{Cluster, query, statement_succeeds};

/// Ends every session of the database, like a network failure, and waits until they have ended.
fn end_all_sessions(address: &str) {
    let sql = "SELECT count(pg_terminate_backend(pid, 20000)) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'takt'";
    assert!(statement_succeeds(address, sql));
}

fn team_error(journal: Result<impl std::fmt::Debug, JournalError>) -> PostgresError {
    match journal.unwrap_err() {
        JournalError::Team(error) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn mappings_are_the_teams_and_settings_are_ones_own() {
    let (home, anna) = open_journal();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::copy(home.path().join("team"), elsewhere.path().join("team")).unwrap();
    let bert = open(elsewhere.path());
    let mapping = MappingRecord {
        operation: "materials.sync".to_owned(),
        headings: "ab".to_owned(),
        body: json!({ "code": "Material" }),
        at: at(1),
    };
    anna.mappings().store(&mapping).unwrap();
    anna.settings().set("language", &json!("de")).unwrap();
    assert_eq!(bert.mappings().find("materials.sync", "ab").unwrap(), Some(mapping));
    assert_eq!(bert.settings().get("language").unwrap(), None);

    let run = create_submission(&anna, 3);
    assert_eq!(bert.submission(run.submission()).unwrap().total, 3);
    assert!(matches!(bert.claim(run.submission()), Err(JournalError::RunElsewhere(_))));
    let check = Team::from_journal(&bert).unwrap().check(jiff::Timestamp::now).unwrap();
    assert_eq!((check.schema.0, check.running.len()), (check.schema.1, 1));
    assert_eq!((check.running[0].submission, check.running[0].desk.as_str()), (run.submission().get(), "takt"));
    drop(run);
    assert!(Team::from_journal(&bert).unwrap().check(jiff::Timestamp::now).unwrap().running.is_empty());
}

#[test]
fn a_desk_that_lost_its_session_is_fenced_off_from_what_another_took_up() {
    let (home, anna) = open_journal();
    let run = create_submission(&anna, 4);
    let id = run.submission();
    let attempt = begin_attempt(&anna, &run, &[1, 2]);
    end_all_sessions(&address(home.path()));

    let bert = open(home.path());
    let recovered = bert.recover(at(9)).unwrap();
    assert_eq!((recovered.len(), recovered[0].unconfirmed), (1, 2));
    let taken = bert.claim(id).unwrap();
    // The desk has a new session, which holds no locks.
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Accepted)];
    let mut refused = anna.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered));
    if matches!(refused, Err(JournalError::Team(PostgresError::Unavailable(_)))) {
        refused = anna.begin_attempt(&run, &[3], at(10), "ab").map(drop);
    }
    assert!(matches!(refused, Err(JournalError::RunElsewhere(found)) if found == id), "{refused:?}");
    assert_eq!(verified_counts(&bert, id), ResultCounts { pending: 2, unconfirmed: 2, ..ResultCounts::default() });
    drop(run);
    assert!(matches!(anna.claim(id), Err(JournalError::RunElsewhere(_))), "a lost lock frees nobody else's");
    drop(taken);
    drop(anna.claim(id).unwrap());
}

#[test]
fn a_database_that_is_away_keeps_nobody_from_what_is_ones_own_and_nothing_is_sent() {
    let home = tempfile::tempdir().unwrap();
    // No server listens at this address.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = format!("postgres://takt@127.0.0.1:{port}/takt");
    let desk = Team::join(
        Journal::open(&home.path().join("journal.db")).unwrap(),
        nobody.parse().unwrap(),
        std::sync::Arc::new(|| None),
        tls(),
    );
    desk.settings().set("language", &json!("de")).unwrap();
    assert_eq!(desk.settings().get("language").unwrap(), Some(json!("de")));
    assert!(matches!(team_error(desk.submissions(0, 9)), PostgresError::Unavailable(_)));
    assert!(matches!(team_error(desk.create_submission(&new_submission(), [])), PostgresError::Unavailable(_)));
}

#[test]
fn what_was_committed_is_there_after_the_servers_end_and_a_desk_goes_on() {
    let cluster = Cluster::start();
    let address = cluster.create_database();
    assert_eq!(Team::set_up(&address.parse().unwrap(), &tls()).unwrap(), 0);
    let newest = Team::set_up(&address.parse().unwrap(), &tls()).unwrap();
    assert_eq!(Team::set_up(&address.parse().unwrap(), &tls()).unwrap(), newest, "once more changes nothing");
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("team"), &address).unwrap();
    let desk = open(home.path());
    let run = create_submission(&desk, 4);
    let id = run.submission();
    let attempt = begin_attempt(&desk, &run, &[1]);
    desk.finish_attempt(&run, attempt, &[outcome(1, RowResult::Accepted)], &attempt_end(OutcomeClass::Answered))
        .unwrap();
    let _open = begin_attempt(&desk, &run, &[2]);
    cluster.stop();
    cluster.restart();
    drop(run);
    // The first query notices that the session is gone, and the next one opens a new session.
    let left = desk.recover(at(9)).or_else(|_| desk.recover(at(9))).unwrap();
    assert_eq!(left.first().map(|left| left.unconfirmed), Some(1));
    assert_eq!(
        verified_counts(&desk, id),
        ResultCounts { pending: 2, accepted: 1, unconfirmed: 1, ..ResultCounts::default() }
    );
    let run = desk.claim(id).unwrap();
    desk.change_state(
        &run,
        &[takt_journal::SubmissionState::Interrupted],
        takt_journal::SubmissionState::Running,
        at(10),
        None,
    )
    .unwrap();
    drop(begin_attempt(&desk, &run, &[3]));
}

#[test]
fn a_desks_name_uses_the_schema_and_cant_alter_it() {
    let (home, owner) = open_journal();
    let address = address(home.path());
    assert!(statement_succeeds(&address, "DROP ROLE IF EXISTS anna; CREATE ROLE anna LOGIN; GRANT takt_desk TO anna"));
    let hers = address.replace("takt@", "anna@");
    let desk = Team::join(
        Journal::open(&home.path().join("anna.db")).unwrap(),
        hers.parse().unwrap(),
        std::sync::Arc::new(|| None),
        tls(),
    );
    let run = create_submission(&desk, 2);
    let attempt = begin_attempt(&desk, &run, &[1, 2]);
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Rejected)];
    desk.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    assert_eq!(verified_counts(&owner, run.submission()).accepted, 1);
    for sql in ["ALTER TABLE takt.item ADD COLUMN x TEXT", "DROP TABLE takt.row", "UPDATE takt.version SET number = 9"]
    {
        assert!(!statement_succeeds(&hers, sql), "{sql}");
    }
    let stranger = address.replace("takt@", "nobody@");
    let refused = Team::join(
        Journal::open(&home.path().join("other.db")).unwrap(),
        stranger.parse().unwrap(),
        std::sync::Arc::new(|| None),
        tls(),
    );
    assert!(matches!(team_error(refused.submissions(0, 9)), PostgresError::SignInRefused(_)));
}

#[test]
fn a_schema_of_another_takt_is_told_apart() {
    let (home, _) = open_journal();
    let address = address(home.path());
    for (number, found) in [(0, "older"), (99, "newer")] {
        assert!(statement_succeeds(&address, &format!("UPDATE takt.version SET number = {number}")));
        let found_error = match team_error(open(home.path()).submissions(0, 9)) {
            PostgresError::Older { .. } => "older",
            PostgresError::Newer { .. } => "newer",
            other => panic!("{other:?}"),
        };
        assert_eq!(found_error, found);
    }
    assert!(statement_succeeds(&address, "DROP SCHEMA takt CASCADE"));
    assert_eq!(team_error(open(home.path()).submissions(0, 9)), PostgresError::NotSetUp);
    assert_eq!(query(&address, "SELECT count(*) FROM pg_namespace WHERE nspname = 'takt'"), "0");
}

#[test]
fn no_two_desks_send_the_same_keys_to_one_service() {
    let (home, anna) = open_journal();
    let bert = open(home.path());
    let to = |site: &str, url: &str| NewSubmission {
        site: site.to_owned(),
        person: site.to_owned(),
        address: SiteAddress { base_url: url.to_owned(), ..SiteAddress::default() },
        ..new_submission()
    };
    let (works, same_service) = (to("works", "https://mes.example"), to("plant one", "https://mes.example"));
    let run = anna.create_submission(&works, (2..=5).map(|row| item(&[row]))).unwrap();
    // The same service under another name. Two of its three keys are claimed.
    let refused = bert.create_submission(&same_service, [item(&[4]), item(&[5]), item(&[9])]).unwrap_err();
    let JournalError::KeysClaimed(claims) = refused else { panic!("{refused:?}") };
    assert_eq!((claims.len(), claims[0].rows, claims[0].submission), (1, 2, run.submission()));
    assert_eq!(
        (claims[0].person.as_str(), claims[0].file.as_str(), claims[0].since),
        ("works", "materials.xlsx", at(0))
    );
    assert_eq!(bert.submissions(0, 9).unwrap().len(), 1, "nothing of what was refused stays");
    // The same keys don't conflict at another service or on the practice plant.
    drop(bert.create_submission(&to("other", "https://other.example"), [item(&[4])]).unwrap());
    drop(bert.create_submission(&new_submission(), [item(&[4])]).unwrap());

    let rest = NewSubmission { claimed: ClaimChoice::LeaveOut, ..same_service.clone() };
    let rest = bert.create_submission(&rest, [item(&[4]), item(&[5]), item(&[9])]).unwrap();
    assert_eq!(
        verified_counts(&bert, rest.submission()),
        ResultCounts { pending: 1, skipped: 2, ..ResultCounts::default() }
    );
    let skipped = bert.rows().page(rest.submission(), Some(RowResult::Skipped), 0, 9).unwrap().rows;
    assert!(format!("{:?}", skipped[0].reasons).contains(CLAIMED), "{skipped:?}");
    // If several desks are sending, the reason of each row names the right submission.
    let carl = to("carl", "https://mes.example");
    let carls = NewSubmission { file: "carl.xlsx".to_owned(), ..carl.clone() };
    let carls = bert.create_submission(&carls, [item(&[20])]).unwrap();
    let both = NewSubmission { claimed: ClaimChoice::LeaveOut, ..same_service.clone() };
    let both = anna.create_submission(&both, [item(&[2]), item(&[20]), item(&[21])]).unwrap();
    let skipped = anna.rows().page(both.submission(), Some(RowResult::Skipped), 0, 9).unwrap().rows;
    let reasons: Vec<String> = skipped.iter().map(|row| format!("{:?}", row.reasons)).collect();
    assert!(
        reasons.len() == 2 && reasons[0].contains("materials.xlsx") && reasons[1].contains("carl.xlsx"),
        "{reasons:?}"
    );
    assert!(reasons.iter().all(|reason| reason.contains("since")), "{reasons:?}");
    drop((carls, both));
    // Settled keys are no longer claimed.
    let attempt = begin_attempt(&anna, &run, &[3, 4]);
    let outcomes = [outcome(3, RowResult::Accepted), outcome(4, RowResult::Rejected)];
    anna.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered)).unwrap();
    drop(bert.create_submission(&same_service, [item(&[4]), item(&[5])]).unwrap());

    // Large submissions are written in pieces, and refused once they are complete.
    let many = || (2..=9_000).map(|row| item(&[row]));
    assert!(matches!(bert.create_submission(&same_service, many()), Err(JournalError::KeysClaimed(_))));
    assert_eq!(bert.recover(at(9)).unwrap().len(), 5, "those that were dropped, and nothing of the large one");
    // A claim ends with its desk.
    end_all_sessions(&address(home.path()));
    let third = open(home.path());
    drop(third.create_submission(&same_service, many()).unwrap());
    drop(run);
}

#[test]
fn what_is_unconfirmed_is_claimed_once_it_is_to_be_sent_again() {
    let (home, anna) = open_journal();
    let bert = open(home.path());
    let to = |site: &str| {
        let address =
            SiteAddress { base_url: "https://mes.example".to_owned(), auth_url: "https://id.example".to_owned() };
        NewSubmission { site: site.to_owned(), person: site.to_owned(), address, ..new_submission() }
    };
    // MAT-0002 to MAT-0004 are unconfirmed, and MAT-0005 is pending.
    let run = bert.create_submission(&to("bert"), (2..=5).map(|row| item(&[row]))).unwrap();
    let id = run.submission();
    let attempt = begin_attempt(&bert, &run, &[1, 2, 3]);
    let unknown = [1, 2, 3].map(|item| outcome(item, RowResult::Unconfirmed));
    bert.finish_attempt(&run, attempt, &unknown, &attempt_end(OutcomeClass::Unknown)).unwrap();
    let (running, paused) = (SubmissionState::Running, SubmissionState::Paused);
    bert.change_state(&run, &[running], paused, at(3), None).unwrap();
    let hers = anna.create_submission(&to("anna"), [item(&[3]), item(&[40])]).unwrap();

    let again = |item| [outcome(item, RowResult::Pending)];
    let before = verified_counts(&bert, id);
    let refused = bert.decisions().decide_to_send(&run, &again(2), ClaimChoice::Refuse);
    assert!(matches!(refused, Err(JournalError::KeysClaimed(_))), "{refused:?}");
    assert_eq!(verified_counts(&bert, id), before, "nothing was decided");
    bert.decisions().decide_to_send(&run, &again(1), ClaimChoice::Refuse).unwrap();
    bert.change_state(&run, &[paused], running, at(4), None).unwrap();
    // It runs, but items that it reads back aren't sent while another desk sends them.
    let held_back =
        bert.decisions().resolve(&run, &[outcome(2, RowResult::Pending), outcome(3, RowResult::Pending)]).unwrap();
    assert_eq!(held_back, 1);
    assert_eq!(verified_counts(&bert, id), ResultCounts { pending: 3, unconfirmed: 1, ..ResultCounts::default() });
    let left = bert.rows().page(id, Some(RowResult::Unconfirmed), 0, 9).unwrap().rows;
    assert!(left[0].row == 3 && format!("{:?}", left[0].reasons).contains(CLAIMED_UNCONFIRMED), "{left:?}");
    bert.change_state(&run, &[running], paused, at(5), None).unwrap();
    // Items that are left out become skipped, and the others stay.
    bert.decisions().decide_to_send(&run, &again(2), ClaimChoice::LeaveOut).unwrap();
    assert_eq!(verified_counts(&bert, id), ResultCounts { pending: 3, skipped: 1, ..ResultCounts::default() });

    // A submission that only reads back is never refused, even if its pending keys are claimed.
    let second = bert.create_submission(&to("bert"), [item(&[50]), item(&[51])]).unwrap();
    bert.change_state(&second, &[running], paused, at(6), None).unwrap();
    let theirs = anna.create_submission(&to("anna"), [item(&[50])]).unwrap();
    let refused = bert.change_state(&second, &[paused], running, at(7), None);
    assert!(matches!(refused, Err(JournalError::KeysClaimed(_))), "{refused:?}");
    bert.begin_reading_back(&second, &[paused], at(7)).unwrap();
    drop((hers, theirs));
}

#[test]
fn a_desk_hears_of_what_another_changes() {
    let (home, anna) = open_journal();
    let bert = open(home.path());
    assert!(bert.submissions(0, 1).unwrap().is_empty());
    let mut changes = Team::from_journal(&bert).unwrap().changes();
    changes.mark_unchanged();
    let heard = |changes: &mut tokio::sync::watch::Receiver<u64>| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let limit = std::time::Duration::from_secs(20);
        runtime.block_on(async { tokio::time::timeout(limit, changes.changed()).await.is_ok() })
    };
    let run = create_submission(&anna, 2);
    assert!(heard(&mut changes), "that it begins");
    anna.change_state(
        &run,
        &[takt_journal::SubmissionState::Running],
        takt_journal::SubmissionState::Paused,
        at(3),
        None,
    )
    .unwrap();
    assert!(heard(&mut changes), "that it is paused");
    // A desk that lost its session is notified again after the next query.
    end_all_sessions(&address(home.path()));
    drop(run);
    drop(bert.submissions(0, 1));
    assert_eq!(bert.submissions(0, 9).unwrap().len(), 1);
    changes.mark_unchanged();
    drop(
        anna.create_submission(&new_submission(), [item(&[7])])
            .or_else(|_| anna.create_submission(&new_submission(), [item(&[7])])),
    );
    assert!(heard(&mut changes), "after the sessions were lost");
}

#[test]
fn whoever_lost_a_submission_learns_who_took_it_up() {
    let (home, anna) = open_journal();
    let anna = Team::with_person(anna, "anna@pc1".to_owned());
    let bert = Team::with_person(open(home.path()), "bert@pc2".to_owned());
    let run = create_submission(&anna, 4);
    let id = run.submission();
    assert_eq!(anna.plans().last_takeover(id).unwrap(), None, "it runs as it was begun");
    end_all_sessions(&address(home.path()));
    assert!(matches!(bert.submissions(0, 9), Ok(_) | Err(JournalError::Team(_))));
    let taken = bert.claim(id).or_else(|_| bert.claim(id)).unwrap();
    bert.recover_run(&taken, at(5)).unwrap();
    assert_eq!(bert.plans().last_takeover(id).unwrap(), None, "nobody goes on with it yet");
    let (from, to) = (takt_journal::SubmissionState::Interrupted, takt_journal::SubmissionState::Running);
    bert.change_state(&taken, &[from], to, at(6), None).unwrap();
    assert!(!run.is_held());
    drop(anna.submissions(0, 9));
    let taken_up = anna.plans().last_takeover(id).unwrap().unwrap();
    assert_eq!((taken_up.person.as_str(), taken_up.at), ("bert@pc2", at(6)));
}
