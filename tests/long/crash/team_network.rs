//! The network between a team's desks and their database fails, or desks are suspended, during work. Only one desk may
//! run a submission at a time. Every row must have one result, which agrees with the plant's log.

use std::time::{Duration, Instant};

use takt_tests::{
    CommandOutput, Console, FreezePoint, Person, Plant, Program, Relay, StoredSubmission,
    postgres::{Cluster, query, without_connect_timeout},
    stored_submissions,
};

use crate::crash::{
    dice::Dice,
    fixture::FAULTS,
    kills::seed_from_env,
    load,
    obstacles::{resume_until_done, sync_command},
    team::{create_team, home_in_team, wait_for_all},
};

const FILES: u32 = 3;
const TURNS: u32 = 3;
const TIMEOUT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The time in milliseconds within which a resumed desk usually sends rows.
const RESUME_SPAN_MS: u64 = 1_500;
/// The maximum duration of a network failure in milliseconds.
const MAX_FAILURE_MS: u64 = 1_000;
/// The latency per request with which a file is still being sent after [`MIDDLE_MS`].
const SLOW_FAULT: &str = "latency=300";
const MIDDLE_MS: u64 = 500;
/// Texts that identify the first and the last statement of each change.
const CHANGE_START: &str = "pg_advisory_xact_lock";
const CHANGE_END: &str = "COMMIT";
/// Messages of a desk that has lost its submission or its database.
const LOST_MESSAGE: &str = "took over this submission";
const UNREACHABLE_MESSAGE: &str = "database can't be reached";

/// A team's desks. Only the first desk is connected to the database through the relay.
struct Desks {
    plant: Plant,
    relay: Relay,
    consoles: Vec<Console>,
    address: String,
    _cluster: Cluster,
}

impl Desks {
    async fn new(count: usize, seed: u64) -> Self {
        let cluster = Cluster::start();
        let (address, server) = (create_team(&cluster), format!("127.0.0.1:{}", cluster.port()));
        let relay = Relay::start(&server);
        let through = without_connect_timeout(&address).replace(&server, &relay.address().to_string());
        let plant = Plant::start(&["--rate-limit", "1000000/60", "--fault-seed", &(seed % 1_000_000).to_string()]);
        let mut consoles = Vec::new();
        for number in 0..count {
            let console = Console::in_home(&plant, || home_in_team(if number == 0 { &through } else { &address }));
            console.sign_in(Person::Planner).await;
            consoles.push(console);
        }
        Self { plant, relay, consoles, address, _cluster: cluster }
    }

    /// Starts sending a file, and waits until the plant has received some of its rows. Returns the program and the
    /// submission's ID.
    async fn start_sending(&self, desk: usize, file: u32) -> (Program, u32) {
        let id = self.next_submission();
        let mut program = Program::start("takt", sync_command(&self.consoles[desk], &load::orders_file(file)));
        let start = Instant::now();
        while self.applied_row_count(file).await == 0 {
            assert!(program.is_running() && start.elapsed() < TIMEOUT, "nothing is sent: {}", program.error_text());
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        (program, id)
    }

    /// Returns the submissions from the view of the last desk, whose network never fails.
    fn submissions(&self, from: u32) -> Vec<StoredSubmission> {
        stored_submissions(self.consoles[self.consoles.len() - 1].takt.home(), from)
    }

    fn next_submission(&self) -> u32 {
        self.submissions(0).last().map_or(0, |last| last.id) + 1
    }

    /// Returns the number of the file's rows that the plant has received.
    async fn applied_row_count(&self, file: u32) -> usize {
        let beginning = format!("CR-{file}-");
        self.plant.applied("work-orders.sync").await.keys().filter(|key| key.starts_with(&beginning)).count()
    }

    fn resume(&self, desk: usize, id: u32) -> CommandOutput {
        self.consoles[desk].takt.run(&["resume", &id.to_string(), "--json"])
    }

    /// Returns the number of requests with orders that the plant has received.
    async fn request_count(&self) -> usize {
        self.plant.log().await.iter().filter(|entry| entry["operation"] == "work-orders.sync").count()
    }

    /// Waits until the server has decided about a suspended desk. Returns true if its session is idle for longer than a
    /// change may take. Returns false if its lock on the submission was released.
    fn keeps_run(&self, id: u32) -> bool {
        let sql = format!(
            "SELECT state = 'idle' AND clock_timestamp() - state_change > interval '11 seconds'
             FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND objsubid = 2 AND objid = {id}"
        );
        let start = Instant::now();
        loop {
            match query(&self.address, &sql).as_str() {
                "" => return false,
                "t" => return true,
                _ => assert!(start.elapsed() < TIMEOUT, "the server hasn't noticed"),
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Stalls the desk until the server has ended its session during a change. Between two changes, a desk keeps the
    /// submission. The beginning and the end of a change may also arrive together. In both cases, the desk continues to
    /// a later change.
    fn stall_in_change(
        &self,
        (program, id): (&mut Program, u32),
        stall: impl Fn(&mut Program),
        resume: impl Fn(&Program),
    ) {
        stall(program);
        while self.keeps_run(id) {
            resume(program);
            stall(program);
        }
    }

    /// Lets another desk take over a submission and send the rest. The first desk hasn't noticed that yet.
    async fn take_over(&self, by: usize, id: u32, first: &mut Program, wakes: impl FnOnce(&Program)) {
        let resumed = self.resume(by, id);
        assert_eq!(resumed.code, Some(1), "some of its rows are wrong: {resumed:?}");
        let before = self.request_count().await;
        wakes(first);
        let ended = first.wait(TIMEOUT);
        let message = first.error_text();
        assert!(message.contains(LOST_MESSAGE) || message.contains(UNREACHABLE_MESSAGE), "{ended}: {message}");
        assert_eq!(self.request_count().await, before, "who has lost a run sends nothing more of it");
    }
}

#[tokio::test]
async fn the_network_fails_between_a_desk_and_the_database_and_another_goes_on() {
    let seed = seed_from_env();
    println!("TAKT_CRASH_SEED={seed}");
    let (mut dice, desks) = (Dice::new(seed), Desks::new(2, seed).await);
    desks.plant.set_faults(&[&FAULTS[..], &["latency=100"]].concat()).await;
    let resume = |desk: usize| Program::start("takt", desks.consoles[desk].takt.command(&["resume", "--json"]));
    let mut left = 0;
    for file in 1..=FILES {
        let (load, from) = (load::orders_file(file), desks.next_submission());
        let mut first = Program::start("takt", sync_command(&desks.consoles[0], &load));
        first.wait_for("a submission", TIMEOUT, |_| (!desks.submissions(from).is_empty()).then_some(()));
        std::thread::sleep(Duration::from_millis(dice.below(MIDDLE_MS)));
        let mut running = vec![first];
        for turn in 0..TURNS {
            let fails = if turn > 0 && dice.below(3) == 0 { Relay::freeze } else { Relay::cut };
            fails(&desks.relay);
            if dice.below(2) == 0 {
                running.push(resume(1));
            }
            std::thread::sleep(Duration::from_millis(dice.below(MAX_FAILURE_MS)));
            desks.relay.heal();
            running.push(resume(0));
            std::thread::sleep(Duration::from_millis(dice.below(RESUME_SPAN_MS)));
        }
        wait_for_all(&mut running);
        let message = |program: &&Program| {
            [LOST_MESSAGE, UNREACHABLE_MESSAGE].iter().any(|text| program.error_text().contains(text))
        };
        left += running[..1].iter().filter(message).count();
        resume_until_done(&desks.plant, &desks.consoles[1], from, load.rows).await;
    }
    assert!(left > 0, "no desk was at work when the network failed");
}

#[tokio::test]
async fn a_desk_whose_changes_no_longer_arrive_stops_and_is_fenced_off() {
    let seed = seed_from_env();
    println!("TAKT_CRASH_SEED={seed}");
    let (mut dice, desks) = (Dice::new(seed), Desks::new(2, seed).await);
    desks.plant.set_faults(&[SLOW_FAULT]).await;

    // The network works again before any desk has noticed the failure.
    let (mut first, id) = desks.start_sending(0, 1).await;
    std::thread::sleep(Duration::from_millis(dice.below(MIDDLE_MS)));
    desks.relay.freeze();
    let refused = desks.resume(1, id);
    assert_eq!(refused.code, Some(2), "who may be alive isn't disturbed: {refused:?}");
    desks.relay.heal();
    assert_eq!(first.wait(TIMEOUT).code(), Some(1), "it goes on: {}", first.error_text());

    let (mut first, id) = desks.start_sending(0, 2).await;
    let skip = dice.below(3);
    let freeze = |desk: &mut Program| {
        desks.relay.freeze_at(FreezePoint { after: CHANGE_START, text: CHANGE_END, skip, arrives: false });
        desk.wait_for("a change that doesn't arrive", TIMEOUT, |_| desks.relay.is_frozen().then_some(()));
    };
    desks.stall_in_change((&mut first, id), freeze, |_| desks.relay.heal());
    let rows = load::orders_file(2).rows;
    assert!(desks.applied_row_count(2).await < rows, "nothing is sent that can't be written down");
    desks.take_over(1, id, &mut first, |_| desks.relay.heal()).await;
    resume_until_done(&desks.plant, &desks.consoles[1], 1, 2 * rows).await;
}

#[tokio::test]
async fn a_desk_that_stands_still_keeps_its_run_or_is_fenced_off() {
    let seed = seed_from_env();
    println!("TAKT_CRASH_SEED={seed}");
    let (mut dice, desks) = (Dice::new(seed), Desks::new(3, seed).await);
    desks.plant.set_faults(&[SLOW_FAULT]).await;

    // One desk is suspended at any time, the other one during a change.
    let (mut anywhere, kept) = desks.start_sending(1, 1).await;
    std::thread::sleep(Duration::from_millis(dice.below(MIDDLE_MS)));
    anywhere.suspend();
    let (mut inside, lost) = desks.start_sending(0, 2).await;
    let skip = dice.below(3);
    let suspend = |desk: &mut Program| {
        desks.relay.freeze_at(FreezePoint { after: CHANGE_START, text: CHANGE_START, skip, arrives: true });
        desk.wait_for("a change", TIMEOUT, |_| desks.relay.is_frozen().then_some(()));
        desk.suspend();
        desks.relay.heal();
    };
    desks.stall_in_change((&mut inside, lost), suspend, Program::wake);
    desks.take_over(2, lost, &mut inside, Program::wake).await;
    if desks.keeps_run(kept) {
        let before = desks.request_count().await;
        let refused = desks.resume(2, kept);
        assert_eq!(
            (refused.code, desks.request_count().await),
            (Some(2), before),
            "it may wake at any time: {refused:?}"
        );
        anywhere.wake();
        assert_eq!(anywhere.wait(TIMEOUT).code(), Some(1), "it goes on: {}", anywhere.error_text());
    } else {
        desks.take_over(2, kept, &mut anywhere, Program::wake).await;
    }
    resume_until_done(&desks.plant, &desks.consoles[2], 1, 2 * load::orders_file(2).rows).await;
}

/// A suspended desk has stored an attempt but not sent it. Another desk may take over as soon as the server has ended
/// the session.
#[tokio::test]
async fn a_desk_that_lost_its_run_asleep_sends_nothing_when_it_wakes() {
    let desks = Desks::new(2, seed_from_env()).await;
    let id = desks.next_submission();
    desks.relay.freeze_at(FreezePoint { after: "INSERT INTO attempt", text: CHANGE_END, skip: 0, arrives: true });
    let mut first = Program::start("takt", sync_command(&desks.consoles[0], &load::orders_file(1)));
    first.wait_for("an attempt", TIMEOUT, |_| desks.relay.is_frozen().then_some(()));
    first.suspend();
    // The desk has received the response but doesn't read it, since it is suspended.
    desks.relay.heal();
    let ends = "SELECT pg_terminate_backend(pid, 20000) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2";
    assert!(takt_tests::postgres::statement_succeeds(&desks.address, ends));
    assert!(!desks.keeps_run(id));
    desks.take_over(1, id, &mut first, Program::wake).await;
    resume_until_done(&desks.plant, &desks.consoles[1], 1, load::orders_file(1).rows).await;
}

/// A running desk's request may be in flight until its client stops waiting for the response.
#[tokio::test]
async fn a_request_that_is_still_under_way_is_not_sent_again_by_another() {
    let desks = Desks::new(2, seed_from_env()).await;
    desks.plant.set_faults(&["latency=6000"]).await;
    let id = desks.next_submission();
    desks.relay.freeze_at(FreezePoint { after: "INSERT INTO attempt", text: CHANGE_END, skip: 0, arrives: true });
    let mut first = Program::start("takt", sync_command(&desks.consoles[0], &load::orders_file(1)));
    first.wait_for("an attempt", TIMEOUT, |_| desks.relay.is_frozen().then_some(()));
    desks.relay.heal();
    std::thread::sleep(Duration::from_millis(500));
    desks.relay.cut();
    desks.relay.heal();
    desks.plant.set_faults(&[]).await;
    assert!(!desks.keeps_run(id));
    assert_eq!(desks.resume(1, id).code, Some(1));
    let _ = first.wait(TIMEOUT);
    resume_until_done(&desks.plant, &desks.consoles[1], 1, load::orders_file(1).rows).await;
}
