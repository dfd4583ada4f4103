//! Kills Takt at every named failpoint, and at random moments.

use std::{
    env,
    time::{Duration, Instant, SystemTime},
};

use crate::crash::{
    dice::Dice,
    fixture::{FileOutcome, Fixture, Kill, TOKEN_LIFETIME},
    journal_check::JournalCheck,
    load,
};

/// The number of random kills in the short form.
const SHORT_FORM_KILLS: u32 = 10;
/// The number of random kills in the long form, unless [`KILLS_VARIABLE`] sets another one.
const LONG_FORM_KILLS: u32 = 200;
/// The time after which the short form starts no further file.
const SHORT_FORM_LIMIT: Duration = Duration::from_secs(50);
const LONG_FORM_LIMIT: Duration = Duration::from_secs(3600);
/// The usual time for reading back unconfirmed rows.
const READ_BACK_TIME: Duration = Duration::from_millis(1500);
const SEED_VARIABLE: &str = "TAKT_CRASH_SEED";
const KILLS_VARIABLE: &str = "TAKT_CRASH_KILLS";

/// A submission's failpoints, each with the pass at which Takt is killed. If there are several, it's in the middle.
const REQUEST_FAILPOINTS: [(&str, u32); 8] = [
    ("submission-being-written", 1),
    ("submission-written", 1),
    ("before-attempt", 3),
    ("attempt-written", 3),
    ("request-sent", 3),
    ("answer-received", 3),
    ("outcome-written", 3),
    ("end-before-written", 1),
];
const READ_BACK_FAILPOINTS: [&str; 3] = ["read-back-asked", "read-back-answered", "read-back-written"];
const RENEWAL_FAILPOINTS: [&str; 3] = ["renewal-asked", "renewal-answered", "renewal-kept"];

#[tokio::test]
async fn a_kill_at_every_failpoint_of_a_request() {
    let seed = seed_from_env();
    let outcomes = kill_at_requests(&mut Fixture::new(seed).await).await;
    println!("{SEED_VARIABLE}={seed}\n{}", format_table(&outcomes));
    check_outcomes(seed, &outcomes);
}

#[tokio::test]
async fn a_kill_at_every_failpoint_of_unconfirmed_rows_and_renewed_tokens() {
    let seed = seed_from_env();
    let mut fixture = Fixture::new(seed).await;
    let mut outcomes = kill_while_reading_back(&mut fixture).await;
    outcomes.extend(kill_at_renewal(&mut fixture).await);
    println!("{SEED_VARIABLE}={seed}\n{}", format_table(&outcomes));
    check_outcomes(seed, &outcomes);
}

#[tokio::test]
async fn a_kill_at_a_few_moments() {
    let (start, seed) = (Instant::now(), seed_from_env());
    let outcomes = kill_at_random(
        &mut Fixture::new(seed).await,
        Dice::new(seed),
        (SHORT_FORM_KILLS, start + SHORT_FORM_LIMIT),
        |_| {},
    )
    .await;
    println!("{SEED_VARIABLE}={seed}\n{}", format_table(&outcomes));
    check_outcomes(seed, &outcomes);
}

#[tokio::test]
#[ignore = "takes some minutes: cargo xtask crash"]
async fn a_kill_at_two_hundred_moments() {
    let seed = seed_from_env();
    let far = Instant::now() + LONG_FORM_LIMIT;
    let kills = env::var(KILLS_VARIABLE).ok().and_then(|text| text.parse().ok()).unwrap_or(LONG_FORM_KILLS);
    println!("{SEED_VARIABLE}={seed}\n{}", format_heading());
    let report = |outcome: &FileOutcome| print!("{}", format_line(outcome));
    let outcomes = kill_at_random(&mut Fixture::new(seed).await, Dice::new(seed), (kills, far), report).await;
    println!("{}", format_totals(&outcomes));
    check_outcomes(seed, &outcomes);
}

pub(crate) async fn kill_at_requests(fixture: &mut Fixture) -> Vec<FileOutcome> {
    let mut outcomes = Vec::new();
    for (name, count) in REQUEST_FAILPOINTS {
        let number = fixture.next_number();
        let mut outcome = fixture
            .run_file(name.to_owned(), &load::orders_file(number), number, &[Kill::AtFailpoint(name, count)])
            .await;
        outcome.require(outcome.kills == 1, "the failpoint wasn't passed");
        outcomes.push(outcome);
    }
    // The materials take three requests, so the fourth request is the first one with orders.
    for (name, count) in [("attempt-written", 4), ("answer-received", 4)] {
        let number = fixture.next_number();
        let what = format!("{name}, second sheet");
        outcomes.push(
            fixture.run_file(what, &load::plan_workbook(number), number, &[Kill::AtFailpoint(name, count)]).await,
        );
    }
    outcomes
}

async fn kill_while_reading_back(fixture: &mut Fixture) -> Vec<FileOutcome> {
    let mut outcomes = Vec::new();
    for name in READ_BACK_FAILPOINTS {
        let number = fixture.next_number();
        let load = load::orders_file(number);
        let mut outcome = fixture.run_unconfirmed(name.to_owned(), &load, number, Kill::AtFailpoint(name, 1)).await;
        outcome.require(outcome.kills == 1, "the failpoint wasn't passed");
        outcomes.push(outcome);
    }
    outcomes
}

async fn kill_at_renewal(fixture: &mut Fixture) -> Vec<FileOutcome> {
    let mut outcomes = Vec::new();
    for name in RENEWAL_FAILPOINTS {
        tokio::time::sleep(TOKEN_LIFETIME).await;
        let number = fixture.next_number();
        let mut outcome =
            fixture.run_file(name.to_owned(), &load::orders_file(number), number, &[Kill::AtFailpoint(name, 1)]).await;
        outcome.require(outcome.kills == 1, "the failpoint wasn't passed");
        // The provider has invalidated the old refresh token, so exactly one more sign-in is needed.
        outcome.require(outcome.sign_ins == u32::from(name == "renewal-answered"), "another number of sign-ins");
        outcomes.push(outcome);
    }
    outcomes
}

/// Kills Takt at random times until `count` kills have hit it during work, or the time limit is reached.
async fn kill_at_random(
    fixture: &mut Fixture,
    mut dice: Dice,
    (count, until): (u32, Instant),
    report: impl Fn(&FileOutcome),
) -> Vec<FileOutcome> {
    let number = fixture.next_number();
    let (before, after) = fixture.measure_without_kills(&load::orders_file(number)).await;
    let (mut outcomes, mut killed) = (Vec::new(), 0);
    // Kills after Takt's end aren't included in `count`, but the number of files is limited.
    while killed < count && outcomes.len() < 2 * count as usize && Instant::now() < until {
        let number = fixture.next_number();
        let load = if dice.below(4) == 0 { load::plan_workbook(number) } else { load::orders_file(number) };
        let mut within = |span: Duration| span.mul_f64(dice.below(1000) as f64 / 900.0);
        // Storing takes most of the time, but most kills should come after it.
        let mut kills = vec![match number % 8 {
            0 => Kill::AfterStart(within(before)),
            1 | 5 => Kill::AfterStored(after.mul_f64(0.8) + within(READ_BACK_TIME)),
            _ => Kill::AfterStored(within(after)),
        }];
        // Some files also get a kill during a resume.
        if number.is_multiple_of(3) {
            kills.push(Kill::AfterStart(within(before + after)));
        }
        let what = kills.iter().map(Kill::to_string).collect::<Vec<_>>().join(", ");
        let outcome = fixture.run_file(what, &load, number, &kills).await;
        killed += u32::from(outcome.kills > 0);
        report(&outcome);
        outcomes.push(outcome);
    }
    outcomes
}

pub(crate) fn seed_from_env() -> u64 {
    let given = env::var(SEED_VARIABLE).ok().and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs())
}

pub(crate) fn format_table(outcomes: &[FileOutcome]) -> String {
    let lines: String = outcomes.iter().map(format_line).collect();
    format!("{}\n{lines}{}\n", format_heading(), format_totals(outcomes))
}

fn format_heading() -> String {
    format!(
        "{:<32} {:>5} {:>7} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "ended", "kills", "resumed", "sign-ins", "accepted", "rejected", "unconfirmed", "waiting"
    )
}

fn format_line(outcome: &FileOutcome) -> String {
    let FileOutcome { what, kills, resumes, sign_ins, begun, check } = outcome;
    let JournalCheck { accepted, rejected, unconfirmed, waiting, wrong } = check;
    let nothing = if *begun { "" } else { "  nothing begun" };
    let wrong: String = wrong.iter().map(|wrong| format!("    {wrong}\n")).collect();
    format!(
        "{what:<32} {kills:>5} {resumes:>7} {sign_ins:>8} {accepted:>8} {rejected:>8} {unconfirmed:>8} {waiting:>7}{nothing}\n{wrong}"
    )
}

fn format_totals(outcomes: &[FileOutcome]) -> String {
    let sum = |of: fn(&FileOutcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    format!(
        "{} files, {} kills, {} rows accepted, {} rejected, {} unconfirmed",
        outcomes.len(),
        sum(|outcome| outcome.kills as usize),
        sum(|outcome| outcome.check.accepted),
        sum(|outcome| outcome.check.rejected),
        sum(|outcome| outcome.check.unconfirmed)
    )
}

pub(crate) fn check_outcomes(seed: u64, outcomes: &[FileOutcome]) {
    let wrong: Vec<_> = outcomes.iter().filter(|outcome| !outcome.check.wrong.is_empty()).collect();
    assert!(wrong.is_empty(), "{SEED_VARIABLE}={seed}: {wrong:#?}");
}
