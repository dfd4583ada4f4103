//! What else stands in the way: a full disk, a folder that can't be written, a home with an odd name, two Takts at once.
//! Nothing is acknowledged that wasn't kept, what to do is said, and it goes on afterwards.

use std::{process::Command, thread, time::Duration};

use takt_tests::{Console, Person, Plant, Ran, SITE, Takt, kept_submissions};

use crate::{
    judge,
    load::{self, BATCH, Load},
    world::{Kill, World},
};

fn sync(console: &Console, load: &Load) -> Command {
    let file = console.takt.outside().join(&load.name);
    std::fs::write(&file, &load.content).unwrap();
    let mut command = console.takt.command(&["sync", "--site", SITE, "--yes", "--batch-size", BATCH, "--json"]);
    command.arg("--without-lookup").arg(file);
    if let Some(operation) = load.operation {
        command.args(["--to", operation]);
    }
    command
}

fn run(console: &Console, command: Command) -> Ran {
    console.takt.run_command(command, "")
}

async fn sent(plant: &Plant) -> usize {
    plant.log().await.iter().filter(|entry| entry["operation"] == "work-orders.sync").count()
}

/// Goes on until nothing is left, and holds the whole against the plant's log.
async fn goes_on(plant: &Plant, console: &Console, from: u32, rows: usize) {
    for _ in 0..5 {
        let submissions = kept_submissions(console.takt.home(), from);
        if submissions.iter().all(|submission| submission.state != "running" && submission.open == 0) {
            break;
        }
        let resumed = console.takt.run(&["resume", "--json"]);
        assert!(matches!(resumed.code, Some(0 | 1 | 3)), "{resumed:?}");
    }
    let verdict = judge::judge(plant, console.takt.home(), from, rows).await;
    assert_eq!(verdict.wrong, Vec::<String>::new());
}

#[tokio::test]
async fn a_home_with_blanks_and_letters_of_its_own() {
    let mut world = World::in_home(20_261_122, || Takt::named("Zoë's Werk – 工場 1")).await;
    for name in ["attempt-written", "answer-received"] {
        let number = world.next();
        let story = world.tell(name.to_owned(), &load::orders(number), number, &[Kill::At(name, 2)]).await;
        assert!(story.kills == 1 && story.verdict.wrong.is_empty(), "{story:?}");
    }
}

/// Room for the journal as it is and a little more: it ends in the middle of different things.
#[cfg(unix)]
#[tokio::test]
async fn a_full_disk_ends_it_plainly_and_loses_nothing() {
    let plant = Plant::start(&["--rate-limit", "1000000/60"]);
    let console = Console::signed_in(&plant, Person::Planner).await;
    assert_eq!(run(&console, sync(&console, &load::orders(1))).code, Some(1), "two of its rows are wrong");
    let (mut stopped, mut number) = (0, 1);
    for room in [8, 24, 48, 80, 120, 200, 320] {
        number += 1;
        let load = load::orders(number);
        let from = kept_submissions(console.takt.home(), 0).last().unwrap().id + 1;
        let largest = ["journal.sqlite", "journal.sqlite-wal"]
            .map(|name| std::fs::metadata(console.takt.file(name)).map_or(0, |found| found.len()));
        let kibibytes = largest[0].max(largest[1]) / 1024 + room;
        let before = sent(&plant).await;
        let ran = run(&console, limited(&sync(&console, &load), kibibytes));
        let begun = !kept_submissions(console.takt.home(), from).is_empty();
        if !begun {
            assert_eq!(sent(&plant).await, before, "{room} KiB: nothing is sent that isn't written down");
        }
        if ran.code != Some(1) {
            stopped += 1;
            assert!(matches!(ran.code, Some(2 | 3)), "{room} KiB: {ran:?}");
            assert!(ran.err.contains("journal"), "{room} KiB says what is wrong: {}", ran.err);
        }
        goes_on(&plant, &console, from, if begun { load.rows } else { 0 }).await;
    }
    assert!(stopped >= 2, "the space was used up {stopped} times");
}

/// Files of the command can't grow beyond so many KiB.
#[cfg(unix)]
fn limited(command: &Command, kibibytes: u64) -> Command {
    // Without the trap the system would end it instead of refusing the write. The shell counts in half KiB.
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", kibibytes * 2);
    wrapped(command, "sh", &["-c", &script])
}

#[cfg(unix)]
fn wrapped(command: &Command, program: &str, arguments: &[&str]) -> Command {
    let mut outer = Command::new(program);
    outer.args(arguments).arg(command.get_program()).args(command.get_args());
    outer.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer.current_dir(command.get_current_dir().unwrap());
    outer
}

#[cfg(unix)]
#[tokio::test]
async fn a_home_that_cannot_be_written_sends_nothing() {
    let plant = Plant::start(&["--rate-limit", "1000000/60"]);
    let console = Console::in_home(&plant, || Takt::named("home"));
    console.sign_in(Person::Planner).await;
    assert_eq!(run(&console, sync(&console, &load::orders(1))).code, Some(1));
    let before = sent(&plant).await;
    let load = load::orders(2);
    let command = as_anybody(sync(&console, &load));
    writable(&console, false);
    let ran = run(&console, command);
    writable(&console, true);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("can't be") && ran.err.contains("written"), "{}", ran.err);
    assert_eq!(sent(&plant).await, before);
    let from = kept_submissions(console.takt.home(), 0).last().unwrap().id + 1;
    assert_eq!(run(&console, sync(&console, &load)).code, Some(1));
    goes_on(&plant, &console, from, load.rows).await;
}

#[cfg(unix)]
fn writable(console: &Console, writable: bool) {
    let mode = if writable { "u+w" } else { "a-w" };
    let done = Command::new("chmod").args(["-R", mode]).arg(console.takt.home()).status().unwrap();
    assert!(done.success());
}

/// The administrator may write everywhere: without that right, for this one command.
#[cfg(unix)]
fn as_anybody(command: Command) -> Command {
    let uid = Command::new("id").arg("-u").output().unwrap().stdout;
    if uid.trim_ascii() != b"0" {
        return command;
    }
    wrapped(&command, "setpriv", &["--bounding-set", "-dac_override,-dac_read_search,-fowner"])
}

#[tokio::test]
async fn two_takts_at_once_in_one_home() {
    let plant = Plant::start(&["--rate-limit", "1000000/60", "--fault", "latency=60"]);
    let console = Console::signed_in(&plant, Person::Planner).await;
    let (one, other) = (load::orders(1), load::orders(2));
    let start = |load| takt_tests::Program::start("takt", sync(&console, load));
    let (mut first, mut second) = (start(&one), start(&other));
    let limit = Duration::from_secs(60);
    assert_eq!((first.wait(limit).code(), second.wait(limit).code()), (Some(1), Some(1)), "{}", second.complained());
    goes_on(&plant, &console, 1, one.rows + other.rows).await;
}

#[tokio::test]
async fn a_submission_that_runs_is_taken_up_by_nobody_else() {
    let plant = Plant::start(&["--rate-limit", "1000000/60", "--fault", "latency=400"]);
    let console = Console::signed_in(&plant, Person::Planner).await;
    let load = load::orders(1);
    let mut program = takt_tests::Program::start("takt", sync(&console, &load));
    while kept_submissions(console.takt.home(), 1).is_empty() {
        assert!(program.is_running(), "{}", program.complained());
        thread::sleep(Duration::from_millis(2));
    }
    let second = console.takt.run(&["resume", "1", "--json"]);
    assert!(program.is_running(), "the first is at work still");
    assert_eq!(second.code, Some(2), "{second:?}");
    assert!(second.err.contains("another Takt is sending it"), "{}", second.err);
    assert_eq!(program.wait(Duration::from_secs(60)).code(), Some(1), "{}", program.complained());
    goes_on(&plant, &console, 1, load.rows).await;
}
