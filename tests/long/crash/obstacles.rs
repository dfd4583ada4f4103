//! Further obstacles: a home with an unusual name, and two running Takts.

use std::{process::Command, thread, time::Duration};

use takt_tests::{Console, Person, Plant, Program, SITE, Takt, stored_submissions};

use crate::crash::{
    fixture::{Fixture, Kill},
    journal_check,
    load::{self, BATCH_SIZE, InputFile},
};

pub(crate) fn sync_command(console: &Console, load: &InputFile) -> Command {
    let file = console.takt.outside().join(&load.name);
    std::fs::write(&file, &load.content).unwrap();
    let mut command = console.takt.command(&["sync", "--site", SITE, "--yes", "--batch-size", BATCH_SIZE, "--json"]);
    command.arg("--without-lookup").arg(file);
    if let Some(operation) = load.operation {
        command.args(["--to", operation]);
    }
    command
}

/// Resumes until no row is open, and compares the results with the plant's log.
pub(crate) async fn resume_until_done(plant: &Plant, console: &Console, from: u32, rows: usize) {
    for _ in 0..5 {
        let submissions = stored_submissions(console.takt.home(), from);
        if submissions
            .iter()
            .all(|submission| submission.state != "running" && submission.open + submission.unconfirmed == 0)
        {
            break;
        }
        let resumed = console.takt.run(&["resume", "--json"]);
        assert!(matches!(resumed.code, Some(0 | 1 | 3)), "{resumed:?}");
    }
    let check = journal_check::check_journal(plant, console.takt.home(), from, rows).await;
    assert_eq!(check.wrong, Vec::<String>::new());
}

#[tokio::test]
async fn a_home_with_blanks_and_letters_of_its_own() {
    let mut fixture = Fixture::in_home(20_261_122, || Takt::in_folder("Zoë's Werk – 工場 1")).await;
    for name in ["attempt-written", "answer-received"] {
        let number = fixture.next_number();
        let outcome =
            fixture.run_file(name.to_owned(), &load::orders_file(number), number, &[Kill::AtFailpoint(name, 2)]).await;
        assert!(outcome.kills == 1 && outcome.check.wrong.is_empty(), "{outcome:?}");
    }
}

#[tokio::test]
async fn two_takts_at_once_in_one_home() {
    let plant = Plant::start(&["--rate-limit", "1000000/60", "--fault", "latency=60"]);
    let console = Console::signed_in(&plant, Person::Planner).await;
    let (one, other) = (load::orders_file(1), load::orders_file(2));
    let start = |load| Program::start("takt", sync_command(&console, load));
    let (mut first, mut second) = (start(&one), start(&other));
    let limit = Duration::from_secs(60);
    assert_eq!((first.wait(limit).code(), second.wait(limit).code()), (Some(1), Some(1)), "{}", second.error_text());
    resume_until_done(&plant, &console, 1, one.rows + other.rows).await;
}

#[tokio::test]
async fn a_submission_that_runs_is_taken_up_by_nobody_else() {
    let plant = Plant::start(&["--rate-limit", "1000000/60", "--fault", "latency=400"]);
    let console = Console::signed_in(&plant, Person::Planner).await;
    let load = load::orders_file(1);
    let mut program = Program::start("takt", sync_command(&console, &load));
    while stored_submissions(console.takt.home(), 1).is_empty() {
        assert!(program.is_running(), "{}", program.error_text());
        thread::sleep(Duration::from_millis(2));
    }
    let second = console.takt.run(&["resume", "1", "--json"]);
    assert!(program.is_running(), "the first is at work still");
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(second.err.contains("another Takt window is sending it"), "{}", second.err);
    assert_eq!(program.wait(Duration::from_secs(60)).code(), Some(1), "{}", program.error_text());
    resume_until_done(&plant, &console, 1, load.rows).await;
}
