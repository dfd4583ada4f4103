//! A team's desks and its database are killed during their work, and other desks take over. Every row must have one
//! result, which agrees with the plant's log.

use std::time::Duration;

use takt_tests::{Console, Person, Plant, Program, Takt, postgres::Cluster, stored_submissions};

use crate::crash::{
    dice::Dice,
    fixture::{FAULTS, Fixture},
    kills::{check_outcomes, format_table, kill_at_requests, seed_from_env},
    load,
    obstacles::{resume_until_done, sync_command},
};

/// The number of files. Each file is resumed several times.
const FILES: u32 = 3;
/// The maximum number of files. More than [`FILES`] are needed if busy desks are killed before they store anything.
const MAX_FILES: u32 = 12;
const TURNS: u32 = 3;
const DESKS: u64 = 3;
const TIMEOUT: Duration = Duration::from_secs(60);
/// The time in milliseconds that a file takes without kills.
const FILE_SPAN_MS: u64 = 2_500;

/// Creates a database, sets it up with `takt team init`, and returns its address.
pub(crate) fn create_team(cluster: &Cluster) -> String {
    let address = cluster.create_database();
    let ran = Takt::new().run(&["team", "init", &address]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    address
}

pub(crate) fn home_in_team(address: &str) -> Takt {
    let takt = Takt::new();
    let ran = takt.run(&["team", "join", address]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    takt
}

/// Waits until all programs have ended. Their exit codes aren't checked.
pub(crate) fn wait_for_all(programs: &mut [Program]) {
    for program in programs {
        let _ = program.wait(TIMEOUT);
    }
}

#[tokio::test]
async fn a_kill_at_every_failpoint_of_a_request_in_a_team() {
    let (cluster, seed) = (Cluster::start(), seed_from_env());
    let address = create_team(&cluster);
    let outcomes = kill_at_requests(&mut Fixture::in_home(seed, || home_in_team(&address)).await).await;
    println!("TAKT_CRASH_SEED={seed}\n{}", format_table(&outcomes));
    check_outcomes(seed, &outcomes);
}

#[tokio::test]
async fn desks_and_their_database_are_ended_and_others_go_on() {
    let (cluster, seed) = (Cluster::start(), seed_from_env());
    println!("TAKT_CRASH_SEED={seed}");
    let (mut dice, address) = (Dice::new(seed), create_team(&cluster));
    let plant = Plant::start(&["--rate-limit", "1000000/60", "--fault-seed", &(seed % 1_000_000).to_string()]);
    plant.set_faults(&FAULTS).await;
    let mut desks = Vec::new();
    for _ in 0..DESKS {
        let desk = Console::in_home(&plant, || home_in_team(&address));
        desk.sign_in(Person::Planner).await;
        desks.push(desk);
    }
    for number in 1..=MAX_FILES {
        if number > FILES && stored_submissions(desks[0].takt.home(), 1).len() > 1 {
            break;
        }
        let load = load::orders_file(number);
        let from = stored_submissions(desks[0].takt.home(), 0).last().map_or(0, |last| last.id) + 1;
        let mut running = vec![Program::start("takt", sync_command(&desks[dice.below(DESKS) as usize], &load))];
        for _ in 0..TURNS {
            std::thread::sleep(Duration::from_millis(dice.below(FILE_SPAN_MS)));
            if dice.below(3) == 0 {
                cluster.stop();
                cluster.restart();
                wait_for_all(&mut running);
            } else {
                running.iter_mut().for_each(Program::kill);
            }
            // Two desks resume at the same time, and one of them takes over the submission.
            running = [dice.below(DESKS), dice.below(DESKS)]
                .map(|desk| Program::start("takt", desks[desk as usize].takt.command(&["resume", "--json"])))
                .into();
        }
        wait_for_all(&mut running);
        if !stored_submissions(desks[0].takt.home(), from).is_empty() {
            resume_until_done(&plant, &desks[dice.below(DESKS) as usize], from, load.rows).await;
        }
    }
    let all = stored_submissions(desks[0].takt.home(), 1);
    assert!(all.len() > 1, "too little was begun: {all:?}");
}
