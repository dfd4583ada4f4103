//! A server that is suspended: callers fail quickly, no change is assumed done or undone, and everything continues once
//! it responds.

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
use super::support::{at, begin, counts, create, end, open, outcome, wait_for};
use crate::postgres::{Cluster, Console, answer, impatient};

/// Two seconds, plus the delays of a busy computer.
const TOLD_WITHIN: Duration = Duration::from_secs(10);
/// Longer than the detection of a silent server takes.
const WELL_AFTER: Duration = Duration::from_secs(5);

struct Stalled {
    cluster: Cluster,
    home: tempfile::TempDir,
    address: String,
}

impl Stalled {
    fn new() -> Self {
        let cluster = Cluster::start();
        let address = cluster.database();
        Team::set_up(&address.parse().unwrap(), &tls()).unwrap();
        let address = impatient(&address).to_owned();
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("team"), &address).unwrap();
        Self { cluster, home, address }
    }

    fn desk(&self) -> Journal {
        open(self.home.path())
    }

    /// Opens another desk.
    fn colleague(&self) -> Journal {
        let folder = self.home.path().join("colleague");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("team"), &self.address).unwrap();
        open(&folder)
    }
}

/// Wakes the server, because a suspended server can't be stopped.
impl Drop for Stalled {
    fn drop(&mut self) {
        self.cluster.wake();
    }
}

fn is_away<T: std::fmt::Debug>(result: &Result<T, JournalError>) -> bool {
    matches!(result, Err(JournalError::Team(PostgresError::Unavailable(_))))
}

fn until(state: &watch::Receiver<Availability>, wanted: Availability) {
    wait_for(|| *state.borrow() == wanted);
}

#[test]
fn whoever_waits_is_told_and_whoever_asks_then_waits_no_more() {
    let team = Stalled::new();
    let desk = team.desk();
    desk.mappings().of_operation("materials.sync").unwrap();
    let run = create(&desk, 4);
    team.cluster.suspend();

    let since = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert!(is_away(&desk.submissions(0, 9))));
            scope.spawn(|| {
                assert!(is_away(
                    &desk.templates().remember("works", &[1], at(1)).and(desk.submission(run.submission()))
                ))
            });
            scope.spawn(|| assert!(is_away(&team.desk().submissions(0, 9)), "who signs in only now, too"));
        }
    });
    assert!(since.elapsed() < TOLD_WITHIN, "{:?}", since.elapsed());
    let state = Team::of(&desk).unwrap().availability();
    assert_eq!(*state.borrow(), Availability::Silent);

    let since = Instant::now();
    for _ in 0..50 {
        assert!(is_away(&desk.submissions(0, 9)));
        assert!(is_away(&desk.claim(run.submission())) || desk.claim(run.submission()).is_err());
        assert_eq!(desk.mappings().of_operation("materials.sync").unwrap(), [], "what lies here is looked at");
    }
    assert!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
    let id = run.submission();
    let since = Instant::now();
    assert!(!run.is_held());
    drop(run);
    assert!(since.elapsed() < Duration::from_secs(3), "nobody waits to let a lock go: {:?}", since.elapsed());

    team.cluster.wake();
    until(&state, Availability::Available);
    assert_eq!(desk.submission(id).unwrap().total, 4);
}

#[test]
fn a_watcher_hears_of_it_though_another_left_while_the_server_was_asked() {
    let team = Stalled::new();
    let desk = team.desk();
    desk.submissions(0, 9).unwrap();
    team.cluster.suspend();
    let first = Team::of(&desk).unwrap().availability();
    // The server is queried meanwhile, and isn't known to be silent yet.
    std::thread::sleep(Duration::from_secs(1));
    drop(first);
    // The query ends within this time, and no watcher runs.
    std::thread::sleep(Duration::from_millis(500));
    let state = Team::of(&desk).unwrap().availability();
    let since = Instant::now();
    until(&state, Availability::Silent);
    assert!(since.elapsed() < TOLD_WITHIN, "{:?}", since.elapsed());
}

#[test]
fn a_watcher_hears_of_it_though_nobody_asks_anything() {
    let team = Stalled::new();
    let desk = team.desk();
    let inbox = Inbox::of_team(&desk).unwrap();
    let state = inbox.availability().unwrap();
    desk.submissions(0, 9).unwrap();
    team.cluster.suspend();
    let since = Instant::now();
    until(&state, Availability::Silent);
    assert!(since.elapsed() < TOLD_WITHIN, "{:?}", since.elapsed());
    let event = NewEvent {
        site: "works".to_owned(),
        received: at(1),
        headers: Vec::new(),
        body: b"{}".to_vec(),
        key: 1,
        signed_key: None,
        same_since: None,
        signed: SignatureState::Unchecked,
        replay: false,
    };
    let since = Instant::now();
    assert!(is_away(&inbox.store(&event)));
    assert!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
    team.cluster.wake();
    until(&state, Availability::Available);
    assert_eq!(inbox.store(&event).unwrap().event(), Some(1));
    team.cluster.stop();
    until(&state, Availability::Unreachable);
    team.cluster.restart();
    until(&state, Availability::Available);
}

/// The server has received the commit when it stops responding, and may still execute it.
#[test]
fn a_change_whose_end_is_not_known_is_neither_done_nor_undone() {
    let team = Stalled::new();
    let desk = team.desk();
    let run = create(&desk, 6);
    let id = run.submission();
    let attempt = begin(&desk, &run, &[1, 2]);
    team.cluster.suspend();
    let outcomes = [outcome(1, RowResult::Accepted), outcome(2, RowResult::Accepted)];
    let result = desk.finish_attempt(&run, attempt, &outcomes, &end(OutcomeClass::Answered));
    assert!(is_away(&result), "neither done nor undone");
    assert!(
        desk.begin_attempt(&run, &[3], at(3), "ab").is_err(),
        "nothing is sent by a run that isn't known to be held"
    );
    drop(run);
    team.cluster.wake();
    until(&Team::of(&desk).unwrap().availability(), Availability::Available);
    // Its lock ends once the server has finished its work.
    wait_for(|| desk.claim(id).map(drop).is_ok());
    let left = desk.recover(at(9)).unwrap();
    let counted = counts(&desk, id);
    let unknown = ResultCounts { pending: 4, unconfirmed: 2, ..ResultCounts::default() };
    let done = ResultCounts { pending: 4, accepted: 2, ..ResultCounts::default() };
    assert!(counted == unknown || counted == done, "{counted:?}");
    assert_eq!(left[0].unconfirmed, counted.unconfirmed);
}

#[test]
fn a_statement_that_waits_or_works_for_long_is_not_taken_for_a_silence() {
    let team = Stalled::new();
    let (desk, colleague) = (team.desk(), team.colleague());
    let state = Team::of(&desk).unwrap().availability();
    drop(create(&desk, 1));
    let mut other = Console::open(&team.address);
    assert_eq!(other.state("BEGIN; DO 'BEGIN PERFORM pg_advisory_xact_lock(6071216596821475329); END'"), "00000");
    let (sender, done) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| sender.send(desk.mappings().forget("materials.sync", "none", at(1))).unwrap());
        wait_for(|| {
            let waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
            answer(&team.address, waits) == "1"
        });
        assert!(done.recv_timeout(WELL_AFTER).is_err(), "it waits for its turn");
        assert!(state.borrow().is_available());
        assert_eq!(other.state("COMMIT"), "00000");
        assert!(!done.recv().unwrap().unwrap());
    });
    // The insert is slow, at a desk that does nothing else meanwhile.
    let sql = "CREATE FUNCTION takt.slow() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_sleep(5); RETURN NULL; END $$;
        CREATE TRIGGER slow AFTER INSERT ON takt.submission FOR EACH STATEMENT EXECUTE FUNCTION takt.slow()";
    assert!(crate::postgres::statement_runs(&team.address, sql));
    assert_eq!(counts(&colleague, create(&colleague, 3).submission()).pending, 3);
    colleague.settings().set("language", &json!("de")).unwrap();
}

/// Existing sessions continue while the server accepts no new one.
#[test]
fn a_server_that_lets_nobody_in_is_told_to_whoever_signs_in() {
    let team = Stalled::new();
    let since = Instant::now();
    // It listens but never responds.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("postgres://takt@{}/takt", listener.local_addr().unwrap());
    let journal = Journal::open(&team.home.path().join("own.db")).unwrap();
    let desk = Team::join(journal, nowhere.parse().unwrap(), std::sync::Arc::new(|| None), tls());
    assert!(is_away(&desk.submissions(0, 9)));
    assert!(is_away(&Team::set_up(&nowhere.parse().unwrap(), &tls())));
    assert!(since.elapsed() < 2 * TOLD_WITHIN, "{:?}", since.elapsed());
}
