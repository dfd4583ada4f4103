//! Kills Takt at every named failpoint, and at random moments.

use std::{
    env,
    time::{Duration, Instant, SystemTime},
};

use crate::crash::{
    dice::Dice,
    judge::Verdict,
    load,
    world::{FileOutcome, Kill, LIFETIME, World},
};

/// The numbers of random kills in the short and in the long form.
const FEW: u32 = 10;
const MANY: u32 = 200;
/// The time after which the short form starts no further file, since it is part of the tests.
const SHORT: Duration = Duration::from_secs(50);
const LONG: Duration = Duration::from_secs(3600);
/// The usual time for reading back unconfirmed rows.
const READ_BACK_TIME: Duration = Duration::from_millis(1500);
const SEED: &str = "TAKT_CRASH_SEED";
const KILLS: &str = "TAKT_CRASH_KILLS";

/// A submission's failpoints, each with the pass that is most critical. If there are several, it is in the middle.
const AT_REQUEST: [(&str, u32); 8] = [
    ("submission-being-written", 1),
    ("submission-written", 1),
    ("before-attempt", 3),
    ("attempt-written", 3),
    ("request-sent", 3),
    ("answer-received", 3),
    ("outcome-written", 3),
    ("end-before-written", 1),
];
const UNCONFIRMED: [&str; 3] = ["read-back-asked", "read-back-answered", "read-back-written"];
const AT_RENEWAL: [&str; 3] = ["renewal-asked", "renewal-answered", "renewal-kept"];

#[tokio::test]
async fn a_kill_at_every_failpoint_of_a_request() {
    let seed = seed();
    let outcomes = at_requests(&mut World::new(seed).await).await;
    println!("{SEED}={seed}\n{}", table(&outcomes));
    check(seed, &outcomes);
}

#[tokio::test]
async fn a_kill_at_every_failpoint_of_unconfirmed_rows_and_renewed_tokens() {
    let seed = seed();
    let mut world = World::new(seed).await;
    let mut outcomes = unconfirmed(&mut world).await;
    outcomes.extend(at_renewal(&mut world).await);
    println!("{SEED}={seed}\n{}", table(&outcomes));
    check(seed, &outcomes);
}

#[tokio::test]
async fn a_kill_at_a_few_moments() {
    let (start, seed) = (Instant::now(), seed());
    let outcomes = at_random(&mut World::new(seed).await, Dice::new(seed), (FEW, start + SHORT), |_| {}).await;
    println!("{SEED}={seed}\n{}", table(&outcomes));
    check(seed, &outcomes);
}

#[tokio::test]
#[ignore = "takes some minutes: cargo xtask crash"]
async fn a_kill_at_two_hundred_moments() {
    let seed = seed();
    let far = Instant::now() + LONG;
    let kills = env::var(KILLS).ok().and_then(|text| text.parse().ok()).unwrap_or(MANY);
    println!("{SEED}={seed}\n{}", heading());
    let report = |outcome: &FileOutcome| print!("{}", line(outcome));
    let outcomes = at_random(&mut World::new(seed).await, Dice::new(seed), (kills, far), report).await;
    println!("{}", sum(&outcomes));
    check(seed, &outcomes);
}

pub(crate) async fn at_requests(world: &mut World) -> Vec<FileOutcome> {
    let mut outcomes = Vec::new();
    for (name, count) in AT_REQUEST {
        let number = world.next();
        let mut outcome =
            world.run_file(name.to_owned(), &load::orders(number), number, &[Kill::At(name, count)]).await;
        outcome.must_have(outcome.kills == 1, "the failpoint wasn't passed");
        outcomes.push(outcome);
    }
    // The materials take three requests, so the fourth request is the first one with orders.
    for (name, count) in [("attempt-written", 4), ("answer-received", 4)] {
        let number = world.next();
        let what = format!("{name}, second sheet");
        outcomes.push(world.run_file(what, &load::plan(number), number, &[Kill::At(name, count)]).await);
    }
    outcomes
}

async fn unconfirmed(world: &mut World) -> Vec<FileOutcome> {
    let mut outcomes = Vec::new();
    for name in UNCONFIRMED {
        let number = world.next();
        let load = load::orders(number);
        let mut outcome = world.run_unconfirmed(name.to_owned(), &load, number, Kill::At(name, 1)).await;
        outcome.must_have(outcome.kills == 1, "the failpoint wasn't passed");
        outcomes.push(outcome);
    }
    outcomes
}

async fn at_renewal(world: &mut World) -> Vec<FileOutcome> {
    let mut outcomes = Vec::new();
    for name in AT_RENEWAL {
        tokio::time::sleep(LIFETIME).await;
        let number = world.next();
        let mut outcome = world.run_file(name.to_owned(), &load::orders(number), number, &[Kill::At(name, 1)]).await;
        outcome.must_have(outcome.kills == 1, "the failpoint wasn't passed");
        // The provider has invalidated the old refresh token, so exactly one more sign-in is needed.
        outcome.must_have(outcome.sign_ins == u32::from(name == "renewal-answered"), "another number of sign-ins");
        outcomes.push(outcome);
    }
    outcomes
}

/// Kills Takt at random times until `count` kills have hit it during work, or the time limit is reached.
async fn at_random(
    world: &mut World,
    mut dice: Dice,
    (count, until): (u32, Instant),
    report: impl Fn(&FileOutcome),
) -> Vec<FileOutcome> {
    let number = world.next();
    let (before, after) = world.undisturbed(&load::orders(number)).await;
    let (mut outcomes, mut killed) = (Vec::new(), 0);
    // Kills after Takt's end aren't included in `count`, but the number of files is limited.
    while killed < count && outcomes.len() < 2 * count as usize && Instant::now() < until {
        let number = world.next();
        let load = if dice.below(4) == 0 { load::plan(number) } else { load::orders(number) };
        let mut within = |span: Duration| span.mul_f64(dice.below(1000) as f64 / 900.0);
        // Storing takes most of the time, but most kills should come after it.
        let mut kills = vec![match number % 8 {
            0 => Kill::After(within(before)),
            1 | 5 => Kill::Into(after.mul_f64(0.8) + within(READ_BACK_TIME)),
            _ => Kill::Into(within(after)),
        }];
        // Some files also get a kill during a resume.
        if number.is_multiple_of(3) {
            kills.push(Kill::After(within(before + after)));
        }
        let what = kills.iter().map(Kill::to_string).collect::<Vec<_>>().join(", ");
        let outcome = world.run_file(what, &load, number, &kills).await;
        killed += u32::from(outcome.kills > 0);
        report(&outcome);
        outcomes.push(outcome);
    }
    outcomes
}

pub(crate) fn seed() -> u64 {
    let given = env::var(SEED).ok().and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs())
}

pub(crate) fn table(outcomes: &[FileOutcome]) -> String {
    let lines: String = outcomes.iter().map(line).collect();
    format!("{}\n{lines}{}\n", heading(), sum(outcomes))
}

fn heading() -> String {
    format!(
        "{:<32} {:>5} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "ended", "kills", "resumed", "sign-ins", "accepted", "rejected", "unconfirmed", "waiting"
    )
}

fn line(outcome: &FileOutcome) -> String {
    let FileOutcome { what, kills, resumes, sign_ins, begun, verdict } = outcome;
    let Verdict { accepted, rejected, unconfirmed, waiting, wrong } = verdict;
    let nothing = if *begun { "" } else { "  nothing begun" };
    let wrong: String = wrong.iter().map(|wrong| format!("    {wrong}\n")).collect();
    format!(
        "{what:<32} {kills:>5} {resumes:>7} {sign_ins:>8} {accepted:>8} {rejected:>8} {unconfirmed:>8} {waiting:>7}{nothing}\n{wrong}"
    )
}

fn sum(outcomes: &[FileOutcome]) -> String {
    let sum = |of: fn(&FileOutcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    format!(
        "{} files, {} kills, {} rows accepted, {} rejected, {} unconfirmed",
        outcomes.len(),
        sum(|outcome| outcome.kills as usize),
        sum(|outcome| outcome.verdict.accepted),
        sum(|outcome| outcome.verdict.rejected),
        sum(|outcome| outcome.verdict.unconfirmed)
    )
}

pub(crate) fn check(seed: u64, outcomes: &[FileOutcome]) {
    let wrong: Vec<_> = outcomes.iter().filter(|outcome| !outcome.verdict.wrong.is_empty()).collect();
    assert!(wrong.is_empty(), "{SEED}={seed}: {wrong:#?}");
}
