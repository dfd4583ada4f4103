//! A suspended server: callers fail quickly, changes in flight have an unknown result, and everything continues once
//! the server responds.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::json;
use takt_journal::{
    Availability, Inbox, Journal, JournalError, PostgresError, ResultCounts, RowResult, Team,
    attempt::OutcomeClass,
    inbox::{NewEvent, SignatureState},
};
use tokio::sync::watch;

use super::store::tls;
use super::support::{at, attempt_end, begin_attempt, create_submission, open, outcome, verified_counts, wait_for};
use crate::postgres::{Cluster, PsqlSession, query, without_connect_timeout};

/// The time limit within which calls to a silent server fail: two seconds, plus the delays of a busy computer.
const FAILURE_TIMEOUT: Duration = Duration::from_secs(10);
/// A time that is longer than the detection of a silent server.
const SILENCE_DETECTION_TIME: Duration = Duration::from_secs(5);

/// A database server that a test can suspend, with a desk's folder.
struct SuspendableServer {
    cluster: Cluster,
    home: tempfile::TempDir,
    address: String,
}

impl SuspendableServer {
    fn new() -> Self {
        let cluster = Cluster::start();
        let address = cluster.create_database();
        Team::set_up(&address.parse().unwrap(), &tls()).unwrap();
        let address = without_connect_timeout(&address).to_owned();
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("team"), &address).unwrap();
        Self { cluster, home, address }
    }

    fn open_desk(&self) -> Journal {
        open(self.home.path())
    }

    /// Opens another desk.
    fn open_second_desk(&self) -> Journal {
        let folder = self.home.path().join("colleague");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("team"), &self.address).unwrap();
        open(&folder)
    }
}

/// Wakes the server, because a suspended server can't be stopped.
impl Drop for SuspendableServer {
    fn drop(&mut self) {
        self.cluster.wake();
    }
}

fn is_unavailable<T: std::fmt::Debug>(result: &Result<T, JournalError>) -> bool {
    matches!(result, Err(JournalError::Team(PostgresError::Unavailable(_))))
}

fn wait_until(state: &watch::Receiver<Availability>, wanted: Availability) {
    wait_for(|| *state.borrow() == wanted);
}

#[test]
fn whoever_waits_is_told_and_whoever_asks_then_waits_no_more() {
    let team = SuspendableServer::new();
    let desk = team.open_desk();
    desk.mappings().list_by_operation("materials.sync").unwrap();
    let run = create_submission(&desk, 4);
    team.cluster.suspend();

    let since = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert!(is_unavailable(&desk.submissions(0, 9))));
            scope.spawn(|| {
                assert!(is_unavailable(
                    &desk.templates().record_opened("works", &[1], at(1)).and(desk.submission(run.submission()))
                ))
            });
            scope.spawn(|| assert!(is_unavailable(&team.open_desk().submissions(0, 9)), "who signs in only now, too"));
        }
    });
    assert!(since.elapsed() < FAILURE_TIMEOUT, "{:?}", since.elapsed());
    let state = Team::from_journal(&desk).unwrap().availability();
    assert_eq!(*state.borrow(), Availability::Silent);

    let since = Instant::now();
    for _ in 0..50 {
        assert!(is_unavailable(&desk.submissions(0, 9)));
        assert!(is_unavailable(&desk.claim(run.submission())) || desk.claim(run.submission()).is_err());
        assert_eq!(desk.mappings().list_by_operation("materials.sync").unwrap(), [], "what lies here is looked at");
    }
    assert!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
    let id = run.submission();
    let since = Instant::now();
    assert!(!run.is_held());
    drop(run);
    assert!(since.elapsed() < Duration::from_secs(3), "nobody waits to let a lock go: {:?}", since.elapsed());

    team.cluster.wake();
    wait_until(&state, Availability::Available);
    assert_eq!(desk.submission(id).unwrap().total, 4);
}

#[test]
fn a_watcher_hears_of_it_though_another_left_while_the_server_was_asked() {
    let team = SuspendableServer::new();
    let desk = team.open_desk();
    desk.submissions(0, 9).unwrap();
    team.cluster.suspend();
    let first = Team::from_journal(&desk).unwrap().availability();
    // The server is queried meanwhile, and isn't known to be silent yet.
    std::thread::sleep(Duration::from_secs(1));
    drop(first);
    // The query ends within this time, and no watcher runs.
    std::thread::sleep(Duration::from_millis(500));
    let state = Team::from_journal(&desk).unwrap().availability();
    let since = Instant::now();
    wait_until(&state, Availability::Silent);
    assert!(since.elapsed() < FAILURE_TIMEOUT, "{:?}", since.elapsed());
}

#[test]
fn a_watcher_hears_of_it_though_nobody_asks_anything() {
    let team = SuspendableServer::new();
    let desk = team.open_desk();
    let inbox = Inbox::from_team(&desk).unwrap();
    let state = inbox.availability().unwrap();
    desk.submissions(0, 9).unwrap();
    team.cluster.suspend();
    let since = Instant::now();
    wait_until(&state, Availability::Silent);
    assert!(since.elapsed() < FAILURE_TIMEOUT, "{:?}", since.elapsed());
    let event = NewEvent {
        site: "works".to_owned(),
        received: at(1),
        headers: Vec::new(),
        body: b"{}".to_vec(),
        key: 1,
        signed_key: None,
        duplicates_since: None,
        signed: SignatureState::Unchecked,
        replay: false,
    };
    let since = Instant::now();
    assert!(is_unavailable(&inbox.store(&event)));
    assert!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
    team.cluster.wake();
    wait_until(&state, Availability::Available);
    assert_eq!(inbox.store(&event).unwrap().event(), Some(1));
    team.cluster.stop();
    wait_until(&state, Availability::Unreachable);
    team.cluster.restart();
    wait_until(&state, Availability::Available);
}

/// The server has received the commit when it stops responding, and may still execute it.
#[test]
fn a_change_whose_end_is_not_known_is_neither_done_nor_undone() {
    let team = SuspendableServer::new();
    let desk = team.open_desk();
    let run = create_submission(&desk, 6);
    let id = run.submission();
    let attempt = begin_attempt(&desk, &run, &[1, 2]);
    team.cluster.suspend();
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Accepted)];
    let result = desk.finish_attempt(&run, attempt, &outcomes, &attempt_end(OutcomeClass::Answered));
    assert!(is_unavailable(&result), "neither done nor undone");
    assert!(
        desk.begin_attempt(&run, &[3], at(3), "ab").is_err(),
        "nothing is sent by a run that isn't known to be held"
    );
    drop(run);
    team.cluster.wake();
    wait_until(&Team::from_journal(&desk).unwrap().availability(), Availability::Available);
    // Its lock ends once the server has finished its work.
    wait_for(|| desk.claim(id).map(drop).is_ok());
    let left = desk.recover(at(9)).unwrap();
    let counted = verified_counts(&desk, id);
    let unknown = ResultCounts { pending: 4, unconfirmed: 2, ..ResultCounts::default() };
    let done = ResultCounts { pending: 4, accepted: 2, ..ResultCounts::default() };
    assert!(counted == unknown || counted == done, "{counted:?}");
    assert_eq!(left[0].unconfirmed, counted.unconfirmed);
}

#[test]
fn a_statement_that_waits_or_works_for_long_is_not_taken_for_a_silence() {
    let team = SuspendableServer::new();
    let (desk, colleague) = (team.open_desk(), team.open_second_desk());
    let state = Team::from_journal(&desk).unwrap().availability();
    drop(create_submission(&desk, 1));
    let mut other = PsqlSession::open(&team.address);
    assert_eq!(other.sqlstate("BEGIN; DO 'BEGIN PERFORM pg_advisory_xact_lock(6071216596821475329); END'"), "00000");
    let (sender, done) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(desk.mappings().forget("materials.sync", "none", at(1))).unwrap());
        wait_for(|| {
            let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
            query(&team.address, waits) == "1"
        });
        assert!(done.recv_timeout(SILENCE_DETECTION_TIME).is_err(), "it waits for its turn");
        assert!(state.borrow().is_available());
        assert_eq!(other.sqlstate("COMMIT"), "00000");
        assert!(!done.recv().unwrap().unwrap());
    });
    // The insert is slow, at a desk that does nothing else meanwhile.
    let sql = "CREATE FUNCTION takt.slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(5); RETURN NULL; END $$;
        CREATE TRIGGER slow AFTER INSERT ON takt.submission FOR EACH STATEMENT EXECUTE FUNCTION takt.slow()";
    assert!(crate::postgres::statement_succeeds(&team.address, sql));
    assert_eq!(verified_counts(&colleague, create_submission(&colleague, 3).submission()).pending, 3);
    colleague.settings().set("language", &json!("de")).unwrap();
}

/// Existing sessions continue while the server accepts no new one.
#[test]
fn a_server_that_lets_nobody_in_is_told_to_whoever_signs_in() {
    let team = SuspendableServer::new();
    let since = Instant::now();
    // It listens but never responds.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("postgres://takt@{}/takt", listener.local_addr().unwrap());
    let journal = Journal::open(&team.home.path().join("own.db")).unwrap();
    let desk = Team::join(journal, nowhere.parse().unwrap(), std::sync::Arc::new(|| None), tls());
    assert!(is_unavailable(&desk.submissions(0, 9)));
    assert!(is_unavailable(&Team::set_up(&nowhere.parse().unwrap(), &tls())));
    assert!(since.elapsed() < 2 * FAILURE_TIMEOUT, "{:?}", since.elapsed());
}
